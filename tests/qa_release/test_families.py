"""Families and splits: what belongs together is never on both sides."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from extractor.records import Source
from qa.intake import read
from qa.records import Author, Entry
from qa.release.families import Evidence, evidence_of, group, shared_helpers
from qa.release.library import Definition
from qa.release.splits import HELD_OUT, SPLITS, split
from qa_release.entries import Rows, write


def entry(name: str, interface: str, *, project: str = "lib", answer: str = "", kind: str = "qa"):
    return Entry(
        id=name, project=project, interface=interface, kind=kind, answer=answer or name,
        source=Source(name=project, version="1", commit="c", license="MIT"),
        entry_points=(), configs=(), archs=(), category="dispatch", level=1, question=name,
        context=(), evidence=(), claims=(), author=Author(kind="static"), gates={"g": True},
        tool_version="1",
    )  # type: ignore[arg-type] # fmt: skip


def on(*kernels: str, functions: tuple[str, ...] = ()) -> Evidence:
    return Evidence(kernels, functions)


def test_a_shared_kernel_ties_two_interfaces() -> None:
    found = group([(entry("a", "dot"), on("reduce")), (entry("b", "nrm2"), on("reduce")),
                   (entry("c", "copy"), on("copy"))])  # fmt: skip
    assert found.of["a"] == found.of["b"] == "lib/dot+1"
    assert found.of["c"] == "lib/copy"


def test_kernels_of_one_name_in_two_libraries_tie_nothing() -> None:
    found = group([(entry("a", "copy", project="one"), on("copy")),
                   (entry("b", "copy", project="two"), on("copy"))])  # fmt: skip
    assert found.of["a"] != found.of["b"]


def test_rows_of_one_interface_are_one_family_without_any_kernel() -> None:
    found = group([(entry("a", "copy"), on()), (entry("b", "copy"), on())])
    assert found.of["a"] == found.of["b"]


def test_the_same_code_ties() -> None:
    found = group([
        (entry("a", "x", answer="int  f();", kind="kernel_implementation"), on()),
        (entry("b", "y", answer="int f();\n", kind="kernel_implementation"), on()),
        (entry("c", "z", answer="int f();"), on()),
    ])  # fmt: skip
    assert found.of["a"] == found.of["b"] != found.of["c"]


def test_nearly_the_same_code_ties_and_other_code_does_not() -> None:
    body = " ".join(f"y[{n}] += alpha * x[{n}];" for n in range(40))
    rows = [
        entry("a", "x", answer=f"void one() {{ {body} }}", kind="kernel_implementation"),
        entry("b", "y", answer=f"void two() {{ {body} }}", kind="hip_to_hip"),
        entry("c", "z", answer=body.replace("+=", "-=").replace("alpha *", "z /"),
              kind="kernel_implementation"),
    ]  # fmt: skip
    found = group([(row, on()) for row in rows])
    assert found.of["a"] == found.of["b"] != found.of["c"]


def definition(name: str, kind: str = "device", launches: tuple[str, ...] = ()) -> Definition:
    return Definition(
        name=name, plain=name, kind=kind, file="f.hpp", start_line=1, end_line=9,
        infrastructure=False, live=True, launches=launches,
    )  # fmt: skip


def test_a_helper_that_everybody_reaches_ties_nothing_but_a_kernel_does() -> None:
    helper, kernel = definition("load"), definition("zero_kernel", "kernel")
    scopes = {f"lib/i{n}": [helper, kernel] for n in range(6)}
    helpers = shared_helpers(scopes)
    assert helpers == {"lib:load": 6}
    rows = [(entry(f"e{n}", f"i{n}"), on(functions=("lib:load",))) for n in range(6)]
    assert len(set(group(rows, helpers).of.values())) == 6
    rows = [(entry(f"e{n}", f"i{n}"), on("zero_kernel")) for n in range(6)]
    assert len(set(group(rows, helpers).of.values())) == 1


def test_a_kernel_counts_when_it_is_shown_launched_or_named(rows: Rows, tmp_path: Path) -> None:
    [made] = read([write(tmp_path / "e.jsonl", [rows[0]])]).entries
    place = {"file": "other.hpp", "start_line": 1, "end_line": 5, "infrastructure": False}

    def kernel(name: str, **changed: object) -> Definition:
        return Definition(
            **{"name": name, "plain": name, "kind": "kernel", "live": True, "launches": (),
               **place, **changed}
        )  # type: ignore[arg-type] # fmt: skip

    span = made.evidence[0]
    shown = {"file": span.file, "start_line": span.end_line, "end_line": span.end_line + 3}
    definitions = [
        kernel("shown_kernel", **shown),
        kernel("far_kernel", file=span.file, start_line=span.end_line + 1, end_line=10**6),
        kernel("launched_kernel"),
        kernel("named_kernel"),
        kernel("checking_kernel", **{**shown, "infrastructure": True}),
        kernel("launcher", **{**shown, "kind": "launcher", "launches": ("launched_kernel",)}),
    ]
    spoken = made.model_copy(update={"question": "Why named_kernel?", "context": ()})
    found = evidence_of(spoken, definitions)
    assert found.kernels == ("launched_kernel", "named_kernel", "shown_kernel")
    assert found.functions == (f"{made.project}:launcher",)


FAMILIES = st.dictionaries(
    st.sampled_from([f"{lib}/i{n}" for lib in "ab" for n in range(30)]),
    st.integers(1, 40) | st.just(2_000),
    min_size=1,
)


@settings(max_examples=60, deadline=None)
@given(FAMILIES)
def test_splits_are_whole_and_stable_and_none_is_empty_without_need(sizes: dict[str, int]) -> None:
    members = {name: tuple(f"{name}:{n}" for n in range(size)) for name, size in sizes.items()}
    libraries = {name: name.partition("/")[0] for name in members}
    chosen = split(members, libraries)
    assert chosen == split(dict(reversed(members.items())), libraries)
    assert set(chosen) == set(members)
    for library in set(libraries.values()):
        inside = [name for name in members if libraries[name] == library]
        places = {chosen[name] for name in inside}
        assert "train" in places
        # What is larger than a share is training data, however few families there are.
        rows = sum(sizes[name] for name in inside)
        largest = max(sizes[name] for name in inside)
        giants = [name for name in inside if sizes[name] == largest]
        if largest > HELD_OUT * rows:
            assert any(chosen[name] == "train" for name in giants)
        if len(inside) >= 3:
            assert places == set(SPLITS)
