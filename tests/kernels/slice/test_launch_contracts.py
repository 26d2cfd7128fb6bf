"""Grid, block and LDS over a kernel's own scalars, and the inputs made for them."""

from __future__ import annotations

import pytest

from extractor.facts.records import Fact
from extractor.records import Expression, Function, Instantiation, Launch, Scope, Source, Span
from kernels.slice.cases import make_cases
from kernels.slice.conditional import without_conditionals
from kernels.slice.geometry import Contract, find_contracts, traced_contract, usual_contract
from kernels.slice.instantiation import spelling_of
from kernels.slice.launch_facts import LaunchFacts, TracedLaunches, by_place
from kernels.slice.parameters import KernelParameter
from kernels.task.signature import CParameter

_TEXT = """\
template <int BLOCK, typename T>
void launcher(int64_t size, T* x, int batches)
{
    int per = 2; // of each thread
    dim3 grid((size - 1) / (BLOCK * per) + 1, 1, batches);
    dim3 threads(BLOCK);
    kernel<BLOCK><<<grid, threads, 0, stream>>>((int)size, size, x, batches);
}
"""


def _scope(text: str, grid: str, block: str) -> Scope:
    line = next(n for n, row in enumerate(text.splitlines(), start=10) if "<<<" in row)
    span = Span(file="a.cpp", start_line=10, end_line=30, sha256="")
    at = Span(file="a.cpp", start_line=line, end_line=line, sha256="")

    def function(name: str, kind: str, arguments: tuple[str, ...]) -> Function:
        one = Instantiation(id=name, symbol=name, template_arguments=arguments, configs=("a",))
        return Function(
            id=f"a.cpp:1:{name}", name=name, qualified_name=name, signature="", span=span,
            kind="kernel" if kind == "kernel" else "launcher", text=text, launch_bounds=None,
            infrastructure=None, instantiations=(one,),
        )  # fmt: skip

    def expression(text: str) -> Expression:
        return Expression(written=text, expanded=text)

    both = (function("launcher", "host", ("128", "float")), function("kernel", "kernel", ()))
    launch = Launch(
        caller="launcher", kernel="kernel", at=at, grid=expression(grid), block=expression(block),
        shared_bytes=expression("0"), stream=expression("0"), dead=False, dead_reason=None,
        configs=("a",),
    )  # fmt: skip
    return Scope(
        tool_version="", project="", interface="", configs=("a",),
        source=Source(name="", version="", commit="", license=""), entry_points=(),
        functions=both,
        calls=(), launches=(launch,), per_entry={}, boundaries=(), excluded=(), unresolved=(),
        indirect=(), divergent=(), failed_units=(),
    )  # fmt: skip


def find_contract(
    scope: Scope, scalars: list[str], facts: LaunchFacts | None = None
) -> Contract | None:
    return next(find_contracts(scope, "kernel", _NAMES, scalars, facts), None)


_NAMES = ["m", "n", "x", "batch_count"]
_SCALARS = ["m", "n", "batch_count"]


def test_variables_constants_and_arguments_are_followed() -> None:
    contract = find_contract(_scope(_TEXT, "grid", "threads"), _SCALARS)
    assert contract is not None
    assert contract.grid == ("(n - 1) / ((128) * (2)) + 1", "1", "batch_count")
    assert contract.block == ("(128)", "1", "1")
    assert contract.shared_bytes == "0"


def test_a_launch_that_cannot_be_read_is_no_contract() -> None:
    scope = _scope(_TEXT, "blocks_of(handle)", "threads")
    assert find_contract(scope, _SCALARS) is None
    usual = usual_contract(_SCALARS)
    assert usual.grid[2] == "batch_count"
    assert usual.notes


class _Facts(LaunchFacts):
    """Facts that are given."""

    def __init__(self, *facts: Fact) -> None:
        super().__init__(None, "", ())  # type: ignore[arg-type]
        self.__dict__["_launches"] = by_place(facts)


def _fact(kind: str, value: dict[str, object], line: int, instantiation: str | None) -> Fact:
    span = Span(file="a.cpp", start_line=line, end_line=line, sha256="")
    return Fact.model_validate(
        {
            "project": "", "function": "a.cpp:1:launcher", "subject": f"a.cpp:{line}",
            "fact": kind, "value": value, "unit": None, "config": "a", "arch": None,
            "instantiation": instantiation, "span": span, "proved_by": "ast", "reason": None,
        }
    )  # fmt: skip


def test_facts_say_what_the_text_does_not() -> None:
    scope = _scope(_TEXT, "blocks_of(handle)", "threads")
    line = scope.launches[0].at.start_line

    def facts(instantiation: str | None, **more: object) -> _Facts:
        grid = ["(size - 1) / 256 + 1", "1", "handle->major == 12 ? min(batches, 9) : batches"]
        return _Facts(
            _fact("launch_grid", {"expressions": grid, **more}, line, instantiation),
            _fact("launch_block", {"expressions": ["128", "1", "1"], **more}, line, instantiation),
            _fact("launch_shared_bytes", {"expression": "64", **more}, line, instantiation),
        )

    for stated in (facts(None), facts("launcher")):
        contract = find_contract(scope, _SCALARS, stated)
        assert contract is not None
        assert contract.grid == ("(n - 1) / 256 + 1", "1", "batch_count")
        assert contract.block == ("128", "1", "1")
        assert contract.shared_bytes == "64"
        assert contract.notes == ("'handle->major == 12' is taken to be false",)
    # Blocks that all instantiations have alike, a grid of each.
    both = _Facts(
        _fact("launch_grid", {"expressions": ["size", "1", "1"]}, line, "launcher"),
        _fact("launch_block", {"expressions": ["64", "1", "1"]}, line, None),
    )
    contract = find_contract(scope, _SCALARS, both)
    assert contract is not None
    assert (contract.grid[0], contract.block[0], contract.shared_bytes) == ("n", "64", "0")
    # Those of another instantiation, and those over an entry point's arguments, are none of it.
    for other in (facts("another"), facts(None, launcher="launcher")):
        assert find_contract(scope, _SCALARS, other) is None


def test_a_traced_launch_is_the_contract_where_none_can_be_read() -> None:
    traces = TracedLaunches()
    for grid, block, repeat in ((4, 256, 2), (70, 256, 9), (2, 64, 5), (9, 256, 1)):
        traces.add(
            {"symbol": "kernel", "grid": [grid, 1, 1], "block": [block, 1, 1], "shared_bytes": 0,
             "repeat": repeat}
        )  # fmt: skip
    contract = traced_contract(traces, "kernel")
    assert contract is not None
    assert (contract.grid, contract.block) == (("9", "1", "1"), ("256", "1", "1"))
    assert contract.notes
    assert traced_contract(traces, "another") is None
    assert traces.counts == {"kernel": 17}


@pytest.mark.parametrize(
    ("text", "expected", "count"),
    [
        ("n / 2", "n / 2", 0),
        ("a ? b : c", "c", 1),
        ("a ? b ? 1 : 2 : c", "c", 1),
        ("a ? b : c ? d : e", "e", 2),
        ("max(a == 1 ? f(x, 2) : y, std::min(z, 1))", "max(y, std::min(z, 1))", 1),
    ],
)
def test_one_side_of_a_condition_is_taken_and_said(text: str, expected: str, count: int) -> None:
    notes: list[str] = []
    assert "".join(without_conditionals(text, notes).split()) == "".join(expected.split())
    assert len(notes) == count


def test_spelling_of_instantiations() -> None:
    one = spelling_of("_ZN4maze12_GLOBAL__N_15scaleILi64EfEEviPT0_")
    assert one.name == "maze::scale<64, float>"
    assert one.address == "static_cast<void (*)(int, float*)>(&maze::scale<64, float>)"
    assert one.instantiate(qualified=False) == (
        "template __global__ void scale<64, float>(int, float*);"
    )
    assert not spelling_of("_Z5plainiPf").template
    assert spelling_of("plain").address == "&plain"


def _parameter(name: str, kind: str, element: str, *choices: int) -> KernelParameter:
    return KernelParameter(CParameter(name, "", kind, element, 1, kind == "buffer"), choices)


def test_cases_go_by_the_names_of_arguments() -> None:
    parameters = [
        _parameter("trans", "scalar", "int32", 111, 112), _parameter("m", "scalar", "int32"),
        _parameter("n", "scalar", "int32"), _parameter("alpha", "scalar", "float32"),
        _parameter("A", "buffer", "float32"), _parameter("offset_a", "scalar", "int64"),
        _parameter("lda", "scalar", "int32"), _parameter("incx", "scalar", "int32"),
        _parameter("batch_count", "scalar", "int32"), _parameter("stride_a", "scalar", "int64"),
    ]  # fmt: skip
    cases = {case.name: case for case in make_cases(parameters, ["A"])}
    rectangle = cases["rectangle"].scalars
    assert (rectangle["m"], rectangle["n"]) == (65, 33)
    assert rectangle["lda"] >= rectangle["m"]
    assert (rectangle["offset_a"], rectangle["incx"], rectangle["batch_count"]) == (0, 1, 1)
    assert cases["increments=2"].scalars["incx"] == 2
    assert cases["alpha=0"].scalars["alpha"] == 0
    assert cases["trans=112"].scalars["trans"] == 112
    for case in cases.values():
        assert case.scalars["stride_a"] >= case.scalars["lda"] * case.scalars["n"]
        assert case.extents == {"A": 0}
