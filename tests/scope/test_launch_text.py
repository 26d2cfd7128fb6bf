"""Grid, block, dynamic LDS and stream, cut from a launch's text."""

from __future__ import annotations

import pytest

from extractor.launch_text import expand, split_arguments, written


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a, b", ["a", "b"]),
        ("f(x, y), {1, 2}, a[b, c]", ["f(x, y)", "{1, 2}", "a[b, c]"]),
        ("k<1, T>, dim3(2)", ["k<1, T>", "dim3(2)"]),
        ("std::min<int>(a, b), c", ["std::min<int>(a, b)", "c"]),
        ("a < b, c", ["a < b", "c"]),
        ("n >> 2, m << 3", ["n >> 2", "m << 3"]),
        ("p->grid, q->block", ["p->grid", "q->block"]),
        ("k<a<b>, c<d<e>>>, f", ["k<a<b>, c<d<e>>>", "f"]),
        ("  a\n  + b ,\tc ", ["a + b", "c"]),
        ("", [""]),
    ],
)
def test_arguments_are_split_at_top_level(text: str, parts: list[str]) -> None:
    assert split_arguments(text) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("k<<<g, b>>>(x)", ("g", "b", "0", "0")),
        ("k<<<g, b, s>>>(x)", ("g", "b", "s", "0")),
        ("k<<<g, b, s, q>>>(x, y)", ("g", "b", "s", "q")),
        ("k<T, 2> <<< dim3(1, 2),\n b >>> (x)", ("dim3(1, 2)", "b", "0", "0")),
        ("(k<T>)<<<g, f(a, b)>>>(x)", ("g", "f(a, b)", "0", "0")),
        ("k<<<g /* of n, m */, b // rest\n>>>(x)", ("g", "b", "0", "0")),
        ("hipLaunchKernelGGL(k, g, b, s, q, x)", ("g", "b", "s", "q")),
        ("hipLaunchKernelGGL((k<1, T>), dim3(g), b, 0, q, x)", ("dim3(g)", "b", "0", "q")),
        ("LAUNCH_GRID(g, (k<T>), g, b, 0, q, x)", ("g", "b", "0", "q")),
        ("LAUNCH(k, CONFIGURATION, x)", None),
        ("LAUNCH(n, x)", None),
        ("LAUNCH_ALL", None),
    ],
)
def test_the_parts_of_a_launch_as_written(text: str, parts: tuple[str, ...] | None) -> None:
    assert written(text, "k") == parts


def test_launches_of_a_preprocessed_text_by_file_and_line() -> None:
    text = "\n".join(
        [
            '# 1 "/tree/src/a.cpp"',
            "void f() {",
            "  k<<<1, 2>>>(); l<<<3, 4>>>();",
            '# 1 "/tree/src/../src/b.hpp" 1',
            "  m<<<(5),",
            "     (6), 7>>>();",
            '# 1 "/usr/include/other.h" 1',
            "  n<<<8, 9>>>();",
            '# 40 "/tree/src/a.cpp" 2',
            "  o<<<10, 11, 12, s>>>();",
        ]
    )
    assert expand(text, "/tree/") == {
        ("src/a.cpp", 2): [("1", "2", "0", "0"), ("3", "4", "0", "0")],
        ("src/b.hpp", 1): [("(5)", "(6)", "7", "0")],
        ("src/a.cpp", 40): [("10", "11", "12", "s")],
    }
