from __future__ import annotations

import pytest

from qa.text.comparisons import comparisons_of_code, comparisons_of_prose, turned

CODE = """
if(tid < n) { y[tid] = 0; }
if(m <= 0) return ok;
if(incx == 1 && batch_count <= 8192) launch();
"""


@pytest.mark.parametrize(
    ("sentence", "is_turned"),
    [
        ("The element is stored where `tid < n`.", False),
        ("The element is stored where `n > tid`.", False),
        ("The element is stored where `tid >= n`.", True),
        ("A thread with `tid >= n` does nothing.", False),
        ("The call goes on when `m` is less than 0.", True),
        ("It returns early when `m` is at most 0.", False),
        ("The fast way needs `batch_count <= 8192`.", False),
        ("The fast way needs `batch_count > 8192`.", True),
        ("It takes that way if `incx` differs from 1.", True),
        ("An unrelated `a < b` says nothing.", False),
    ],
)
def test_a_turned_condition_is_told_from_a_true_one(sentence: str, is_turned: bool) -> None:
    source = comparisons_of_code(CODE)
    found = [turned(stated, clause, source) for stated, clause in comparisons_of_prose(sentence)]
    assert found
    assert any(one is not None for one in found) is is_turned
