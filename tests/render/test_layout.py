from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from extractor.render.drawing import draw
from extractor.render.folding import folds, lay_out_drawing
from extractor.render.layering import components, layers
from extractor.render.layout import NODE_HEIGHT, NODE_WIDTH, lay_out, spread
from render.synthetic import synthetic_scope

graphs = st.integers(1, 30).flatmap(
    lambda size: st.tuples(
        st.lists(st.integers(0, 4), min_size=size, max_size=size),
        st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=90),
    )
)


def test_members_of_a_cycle_are_one_component() -> None:
    assert components(5, [[1], [2], [0, 3], [4], []]) == [2, 2, 2, 1, 0]


@given(graphs)
def test_callees_have_smaller_component_numbers(
    graph: tuple[list[int], list[tuple[int, int]]],
) -> None:
    ranks, edges = graph
    after: list[list[int]] = [[] for _ in ranks]
    for caller, callee in edges:
        after[caller].append(callee)
    number = components(len(ranks), after)
    assert all(number[caller] >= number[callee] for caller, callee in edges)


@given(graphs)
def test_ranks_are_kept_and_callers_stand_left(
    graph: tuple[list[int], list[tuple[int, int]]],
) -> None:
    ranks, edges = graph
    column = layers(ranks, edges)
    for a in range(len(ranks)):
        for b in range(len(ranks)):
            if ranks[a] < ranks[b]:
                assert column[a] < column[b]
    assert set(column) == set(range(max(column) + 1))
    after: list[list[int]] = [[] for _ in ranks]
    for caller, callee in edges:
        if ranks[caller] == ranks[callee]:
            after[caller].append(callee)
    number = components(len(ranks), after)
    for caller, callee in edges:
        if ranks[caller] == ranks[callee] and number[caller] != number[callee]:
            assert column[caller] < column[callee]


def test_longest_path_decides() -> None:
    assert layers([0, 1, 1, 1, 2], [(0, 1), (1, 2), (2, 3), (1, 3), (3, 4)]) == [0, 1, 2, 3, 4]


@settings(max_examples=60)
@given(graphs)
def test_no_two_nodes_overlap(graph: tuple[list[int], list[tuple[int, int]]]) -> None:
    layout = lay_out(*graph)
    for a in range(len(layout.x)):
        assert layout.x[a] >= NODE_WIDTH / 2
        assert layout.y[a] >= NODE_HEIGHT / 2
        for b in range(a):
            apart_x = abs(layout.x[a] - layout.x[b]) >= NODE_WIDTH
            assert apart_x or abs(layout.y[a] - layout.y[b]) >= NODE_HEIGHT


@given(graphs, st.randoms())
def test_the_order_of_edges_does_not_matter(
    graph: tuple[list[int], list[tuple[int, int]]], random: object
) -> None:
    ranks, edges = graph
    shuffled = list(edges)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert lay_out(ranks, edges) == lay_out(ranks, shuffled)


@given(st.lists(st.floats(-1e4, 1e4), max_size=40))
def test_spread_keeps_order_and_distance(wanted: list[float]) -> None:
    places = spread(wanted, 10.0)
    assert len(places) == len(wanted)
    assert all(b - a >= 10.0 - 1e-6 for a, b in pairwise(places))


def test_spread_leaves_alone_what_fits() -> None:
    assert spread([0.0, 25.0, 60.0], 20.0) == [0.0, 25.0, 60.0]


def test_crossings_are_removed_where_they_can_be() -> None:
    ranks = [0, 0, 0, 1, 1, 1]
    layout = lay_out(ranks, [(0, 5), (1, 4), (2, 3)])
    for caller, callee in ((0, 5), (1, 4), (2, 3)):
        assert layout.order[caller] == layout.order[callee]


def test_empty_graph() -> None:
    assert lay_out([], []).width == 0.0


def test_opening_a_fold_moves_nothing_past_anything_else() -> None:
    drawing = draw(synthetic_scope(150))
    groups = folds(drawing)
    layout = lay_out_drawing(drawing, groups)
    spans = [
        (min(layout.layer[m] for m in fold.members), max(layout.layer[m] for m in fold.members))
        for fold in groups
    ]
    kinds = [fold.kind for fold in groups]
    for (low, high), kind in zip(spans, kinds, strict=True):
        for (other_low, other_high), other_kind in zip(spans, kinds, strict=True):
            if kind != other_kind and low < other_low:
                assert high < other_low or other_high < low
