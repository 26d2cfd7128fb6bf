"""Instructions tell what the code is: builds, compile time, references, barriers, comments."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from qa.author.given import named_by_macros
from qa.author.launch_contract import _MEMBER
from qa.author.outline import outline
from qa.author.purpose import own_words
from qa.author.step_notes import with_references
from qa.reading.barrier_paths import on_a_path
from qa.reading.function import read_function

BODY = """status f(handle h, int n, T* x)
{
  T scalar;
  if constexpr(!BATCHED)
    prepare(h, n);
  if(n > 2)
    return work(h, n, scalar, x);
  return finish(h, x);
}
"""


def function(text: str, name: str = "f") -> Any:
    return SimpleNamespace(
        text=text, name=name, span=SimpleNamespace(start_line=1), signature=text.split("\n")[0],
        instantiations=(), id=name, kind="host", file="a.hip",
    )  # fmt: skip


def a_draft(**callees: str) -> Any:
    known = {name: [function(text, name)] for name, text in callees.items()}
    return SimpleNamespace(
        choose=lambda *forms, **_k: forms[0], view=SimpleNamespace(by_name=known),
        ground=SimpleNamespace(enumerators={}),
    )  # fmt: skip


def test_a_test_that_the_compiler_settles_is_said_to_be_one() -> None:
    told = outline(a_draft(), function(BODY), ["prepare", "work", "finish"], {})
    assert "`!BATCHED` is settled at compile time (`if constexpr`)" in told
    plain = outline(
        a_draft(), function(BODY.replace(" constexpr", "")), ["prepare", "work", "finish"], {}
    )
    assert plain
    assert "compile time" not in plain


@pytest.mark.parametrize("directives", [("#ifdef TENSILE", "#else"), ("#ifdef TENSILE", "")])
def test_steps_of_one_build_are_not_told_as_those_of_all(directives: tuple[str, str]) -> None:
    first, other = directives
    text = BODY.replace("  if(n > 2)", f"{first}\n  if(n > 2)")
    text = text.replace("  return finish", f"{other}\n#endif\n  return finish")
    assert outline(a_draft(), function(text), ["prepare", "work", "finish"], {}) == ""


def test_a_macro_that_gets_a_parameter_makes_no_name() -> None:
    assert named_by_macros(["LIB_API(work)<T>"], ["handle"])
    assert not named_by_macros(["RETURN_IF_QUERIED(handle)"], ["handle"])


def test_what_a_callee_takes_by_reference_it_may_set() -> None:
    draft = a_draft(copy="status copy(handle h, const T*& alpha, T& alpha_h, const T& n)\n{\n}\n")
    reading = read_function("void g()\n{\n  copy(h, alpha, alpha_h, n);\n}\n", 1)
    said = with_references(draft, reading.calls[0], "call `copy`, given `h`, which fills `alpha_h`")
    assert said == (
        "call `copy`, given `h`, which takes `alpha` and `alpha_h` by reference and may set them"
    )
    kept = with_references(draft, reading.calls[0], "call `copy` and keep what it gives as `st`")
    assert kept.endswith("and may set them and keep what it gives as `st`")


@pytest.mark.parametrize(
    ("body", "met"),
    [
        ("if(A) { __syncthreads(); x(); } else { y(); __syncthreads(); }", 1),
        ("if(A) { __syncthreads(); } __syncthreads();", None),
        ("__syncthreads(); for(;;) { __syncthreads(); }", 2),
        ("if(A) { if(B) __syncthreads(); else __syncthreads(); } else __syncthreads();", 1),
    ],
)
def test_barriers_are_those_of_a_path(body: str, met: int | None) -> None:
    assert on_a_path(read_function(f"void f()\n{{\n{body}\n}}\n", 1)) == met


SOLVES = "Solves a small problem {} by substitution, column by column."
LOWER = "Works on the lower triangle of the matrix that it gets."
SCALAR = "TScal is always: const T*, on the host or on the device side"


@pytest.mark.parametrize(
    ("comment", "signature", "quoted"),
    [
        (SOLVES.format("XA = B"), "void s_left(T* A)", False),
        (SOLVES.format("AX = B"), "void s_left(T* A)", True),
        (LOWER, "void k_upper(T* A)", False),
        (SCALAR, "void s(TScal const* a)", False),
        (SCALAR, "void s(TScal a, T x)", True),
    ],
)
def test_comments_that_name_and_signature_deny_are_not_quoted(
    comment: str, signature: str, quoted: bool
) -> None:
    text = f"{signature}\n{{\n}}\n"
    lines = [f"// {comment}\n".encode(), *(f"{row}\n".encode() for row in text.split("\n"))]
    name = signature.split("(")[0].split()[-1]
    ground: Any = SimpleNamespace(
        project=SimpleNamespace(text=SimpleNamespace(lines=lambda _file: lines)),
        locate=lambda file: file, span=lambda *place: place,
    )  # fmt: skip
    one: Any = SimpleNamespace(
        file="a.hip", span=SimpleNamespace(start_line=2), text=text, name=name, signature=signature
    )
    assert (own_words(ground, one) is not None) is quoted


def test_members_of_copied_memory_are_no_grid() -> None:
    assert _MEMBER.search("(*completed).num_splits")
    assert not _MEMBER.search("(n - 1) / 32 + 1")
