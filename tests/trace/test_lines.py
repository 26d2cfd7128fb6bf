"""Of several lines that launch one kernel, which ones did."""

from __future__ import annotations

from pathlib import Path

from extractor import settings
from extractor.project import Project
from extractor.trace.calls import Effort
from extractor.trace.lines import Functions, surely_shown
from extractor.trace.run import trace_interface
from extractor.trace.sites import Sites
from extractor.trace.tracer import Tracer

WEIR = Path(__file__).parent / "weir" / "rules.toml"
ONE, TWO, OTHER = "a.cpp:3 k", "a.cpp:9 k", "a.cpp:20 k"


def _sites() -> Sites:
    kernels = {ONE: {"k"}, TWO: {"k"}, OTHER: {"k"}}
    return Sites(
        {site: frozenset(found) for site, found in kernels.items()},
        {ONE: frozenset({"f"}), TWO: frozenset({"f"}), OTHER: frozenset({"g"})},
        {"entry": frozenset({"k"})},
        {("f", "k"): frozenset({ONE, TWO}), ("g", "k"): frozenset({OTHER})},
    )


def test_a_function_that_launched_at_as_many_places_as_it_has_lines_launched_at_all() -> None:
    assert surely_shown(_sites(), [("f", "k", 8)]) == (set(), [])
    assert surely_shown(_sites(), [("f", "k", 8), ("f", "k", 64)]) == ({ONE, TWO}, [])
    assert surely_shown(_sites(), [("g", "k", 8), ("h", "k", 8)]) == ({OTHER}, [])


def test_more_places_than_lines_that_can_be_reached_are_a_wrong_proof() -> None:
    assert surely_shown(_sites(), [("f", "k", 8)], [TWO]) == ({ONE}, [])
    _, wrong = surely_shown(_sites(), [("f", "k", 8), ("f", "k", 64)], [TWO])
    assert wrong == [f"f: {TWO}"]
    _, wrong = surely_shown(_sites(), [("g", "k", 8)], [OTHER])
    assert wrong == [f"g: {OTHER}"]


def test_calls_say_from_which_functions_they_launched(
    shared_cache: Path, in_shared_cache: Path
) -> None:
    project = Project(WEIR)
    with Tracer(project, "source") as tracer:
        found = trace_interface(
            tracer,
            "lock",
            archs=settings.TRACE_ARCHITECTURES,
            effort=Effort(draws=1, budget=1, search=0),
        )
        again = trace_interface(
            tracer,
            "lock",
            archs=settings.TRACE_ARCHITECTURES,
            effort=Effort(draws=1, budget=1, search=0),
        )
    project.store.close()
    functions = {function for function, _, _ in found.places}
    assert {name for name in ("part", "read") if any(name in f for f in functions)} == {
        "part", "read",
    }  # fmt: skip
    assert again.calls == 0
    assert again.places == found.places


def test_an_object_without_symbols_has_no_functions(tmp_path: Path) -> None:
    bare = tmp_path / "bare.so"
    bare.write_bytes(b"\x7fELF\x02\x01" + bytes(58))  # a header that knows of no sections
    assert Functions(bare).at(0x2000) is None
