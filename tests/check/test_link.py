"""How units bind, on made-up units."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extractor.check.link import Program
from extractor.check.symbols import Definition, Kind, Linkage, Mention, UnitSymbols


def define(
    symbol: str,
    linkage: Linkage = "strong",
    *mentions: str,
    kind: Kind = "function",
    body: str = "",
) -> Definition:
    found = tuple(Mention(each, "call", "f.cpp", 1) for each in mentions)
    return Definition(symbol, kind, linkage, "f.cpp", 1, False, body, found)


def unit(*definitions: Definition, declared: tuple[str, ...] = ()) -> UnitSymbols:
    return UnitSymbols(definitions, (), declared)


def link(*units: UnitSymbols) -> Program:
    program = Program()
    for number, each in enumerate(units):
        program.add(f"{number}.cpp", each)
    return program


def reached(program: Program, symbol: str) -> set[tuple[int, str]]:
    start = program.find(symbol)
    assert start is not None
    bound = [program.bound[number] for number in program.reach(start)]
    return {(each.unit, each.definition.symbol) for each in bound}


def test_internal_symbols_bind_inside_their_unit() -> None:
    program = link(
        unit(define("a", "strong", "same"), define("same", "internal")),
        unit(define("b", "strong", "same"), define("same", "internal")),
    )
    assert reached(program, "a") == {(0, "a"), (0, "same")}
    assert reached(program, "b") == {(1, "b"), (1, "same")}


def test_an_internal_symbol_hides_a_shared_one_of_its_name() -> None:
    program = link(
        unit(define("same")),
        unit(define("b", "strong", "same"), define("same", "internal")),
        unit(define("c", "strong", "same")),
    )
    assert reached(program, "b") == {(1, "b"), (1, "same")}
    assert reached(program, "c") == {(2, "c"), (0, "same")}


def test_what_a_kept_weak_function_mentions_binds_where_it_was_kept() -> None:
    program = link(
        unit(define("weak", "weak", "part"), define("part", "internal")),
        unit(
            define("weak", "weak", "part"),
            define("part", "internal"),
            define("b", "strong", "weak"),
        ),
    )
    assert reached(program, "b") == {(1, "b"), (0, "weak"), (0, "part")}


def test_a_cycle_ends() -> None:
    program = link(unit(define("a", "strong", "b"), define("b", "strong", "a")))
    assert reached(program, "a") == {(0, "a"), (0, "b")}


def test_an_alias_leads_to_what_it_stands_for() -> None:
    program = link(
        unit(define("alias", "strong", "real", kind="alias"), define("real", "internal")),
        unit(define("b", "strong", "alias")),
    )
    assert (0, "real") in reached(program, "b")


def test_an_initialiser_of_a_weak_variable_runs_for_the_kept_copy_only() -> None:
    def made(start: str) -> UnitSymbols:
        return UnitSymbols(
            (define("value", "weak", kind="variable"), define("init", "internal", start)),
            (("value", "init"),),
        )

    program = link(made("first"), made("second"), unit(define("first"), define("second")))
    assert reached(program, "value") == {(0, "value"), (0, "init"), (2, "first")}


def test_declared_functions_without_definition_are_boundaries() -> None:
    program = link(
        unit(define("a", "strong", "here", "gone", "data"), declared=("here", "gone")),
        unit(define("here")),
    )
    start = program.find("a")
    assert start is not None
    assert program.edges(start)[1] == ["gone"]


def test_two_strong_definitions_are_reported_and_the_first_is_kept() -> None:
    program = link(unit(define("a", "strong", "x")), unit(define("a", "strong", "y")))
    assert program.duplicates == {"a": ["1.cpp"]}
    start = program.find("a")
    assert start is not None
    assert program.bound[start].unit == 0


def test_bodies_are_told_apart_and_the_kept_one_comes_first() -> None:
    program = link(
        unit(define("weak", "weak", body="one")),
        unit(define("weak", "weak", body="two")),
        unit(define("weak", "weak", body="one")),
        unit(define("weak", "strong", body="three")),
    )
    assert list(program.bodies["weak"].values()) == [
        "3.cpp: f.cpp:1",
        "0.cpp: f.cpp:1",
        "1.cpp: f.cpp:1",
    ]


def test_only_strong_unmangled_functions_are_exported() -> None:
    program = link(
        unit(
            define("entry"),
            define("_Z1fv"),
            define("inner", "internal"),
            define("soft", "weak"),
            define("data", kind="variable"),
        )
    )
    assert list(program.exported()) == ["entry"]


_NAMES = st.sampled_from(["a", "b", "c", "d"])
_UNITS = st.lists(
    st.dictionaries(
        _NAMES, st.tuples(st.sampled_from(["strong", "weak", "internal"]), st.lists(_NAMES))
    ),
    min_size=1,
    max_size=5,
)


@given(_UNITS)
def test_every_mention_binds_to_a_definition_of_its_name_that_its_unit_may_see(
    made: list[dict[str, tuple[Linkage, list[str]]]],
) -> None:
    units = [
        unit(*(define(name, linkage, *uses) for name, (linkage, uses) in each.items()))
        for each in made
    ]
    program = link(*units)
    for number, bound in enumerate(program.bound):
        for edge in program.edges(number)[0]:
            target = program.bound[edge.target]
            assert edge.mention is not None
            assert target.definition.symbol == edge.mention.symbol
            own = made[bound.unit].get(edge.mention.symbol)
            if own is not None and own[0] == "internal":
                assert target.unit == bound.unit
                continue
            shared = [
                (linkage != "strong", at)
                for at, each in enumerate(made)
                for name, (linkage, _) in each.items()
                if name == edge.mention.symbol and linkage != "internal"
            ]
            assert target.unit == min(shared)[1]
