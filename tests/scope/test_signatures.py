"""Signatures as one line of code."""

from __future__ import annotations

from extractor.scope_assembly import _folded


def test_a_comment_does_not_swallow_the_rest_of_a_signature() -> None:
    text = "template <typename A, // of the input\n  typename B /* of\n the output */>\nvoid f(A a)"
    assert _folded(text) == "template <typename A, typename B > void f(A a)"
