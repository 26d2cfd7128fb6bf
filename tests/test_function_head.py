"""The head of a definition: what braces before the body may not end."""

from __future__ import annotations

import pytest

from extractor.function_head import head_of

HEADS = [
    "void f()",
    "template <typename T> __global__ void k(T* a)",
    "template <bool B, std::enable_if_t<(same<T>{}), int> = 0>\nKERNEL(A* B) k(int n)",
    "template <int N = int{3}> template <class T> void S<T>::f(T a = T{}, int (&b)[N] = c({}))",
    "template <bool C = (1 > 0)> auto f() -> decltype(g({1})) ",
]


@pytest.mark.parametrize("head", HEADS)
def test_a_head_ends_where_its_body_begins(head: str) -> None:
    assert head_of(f"{head}{{ if(a < b) {{ g({{}}); }} }}") == head


def test_a_text_without_a_body_is_all_head() -> None:
    for head in HEADS:
        assert head_of(head) == head
    assert head_of("template <bool") == "template <bool"
