"""Facts of a text that another architecture has not: sentences name none, so they stay out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from extractor.records import Span
from qa.author.kernel_facts import kernel_facts
from qa.scope_view import FunctionView

TEXT = "__global__ void k(float* a)\n{\n#ifdef __gfx90a__\n    a[0] = 1;\n#endif\n}\n"
SPAN = {"file": "a.hip", "start_line": 1, "end_line": 6, "sha256": ""}


def _fact(name: str, value: Any, arch: str | None, proved_by: str) -> dict[str, Any]:
    return {
        "fact": name, "function": "a.hip:1:k", "subject": "k", "value": value, "arch": arch,
        "instantiation": None, "span": SPAN, "proved_by": proved_by,
    }  # fmt: skip


def test_what_the_text_says_on_one_architecture_is_said_of_none() -> None:
    span = Span(**SPAN)
    view = FunctionView(
        "a.hip:1:k", "k", "k", "void k(float* a)", "kernel", span, TEXT, None, None, ()
    )
    facts = [
        _fact("lds_bytes", 3072, "gfx90a", "ast"),
        _fact("lds_bytes", 0, "gfx942", "ast"),
        _fact("lds_array", {"bytes": 4}, None, "ast"),
        _fact("vgprs", 8, "gfx942", "code_object"),
    ]
    ground = SimpleNamespace(facts_of=lambda interface, function: facts)
    scope = SimpleNamespace(interface="k", once=lambda name, make: make())
    found = kernel_facts(cast(Any, scope), cast(Any, ground), view)
    assert sorted(found.rows) == ["lds_array", "vgprs"]
