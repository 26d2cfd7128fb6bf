"""How often a text gives a name a value."""

from __future__ import annotations

import pytest

from qa.reading.definitions import times_set


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("int n = 3; use(n);", 1),
        ("int n = 3; n += 2; n <<= 1;", 3),
        ("if(n == 3 && n <= 4) use(n);", 0),
        ("for(; k < 3; ++n) use(n--);", 2),
        ("fill(a, &n); fill(&n, a);", 2),
        ("void f(int&        n, int m)", 1),
        ("if(a && n) use(a &n);", 1),
        ("p->n = 3; p.n = 4; nn = 2; n2 = 1;", 0),
        ("n", 0),
        ("", 0),
    ],
)
def test_every_way_to_set_a_name_counts_once(text: str, count: int) -> None:
    assert times_set(text, "n") == count
