"""Always, only, inside, below, the smaller: words of free prose that the source decides."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from qa.gates import measures, reached
from qa.gates.followed_call import NOT_FOLLOWED
from qa.gates.unweighed import NOTHING, unweighed
from qa.judgement import UNKNOWN_TO_AUTHOR, Judge
from qa.rewriting import Rewriting

KERNEL = """template <int WIDTH, int HEIGHT>
__global__ void work(int n, int m, float alpha, float* x, float* out)
{
  __shared__ float part[WIDTH];
  int tx = threadIdx.x;
  int row = blockIdx.x * WIDTH + tx;
  int tile = blockIdx.x % m;
  int least = std::min(n, m);
  if(row >= n)
    return;
  if(alpha)
  {
    part[tx] = x[row] * alpha;
  }
  __syncthreads();
  for(int i = 0; i < WIDTH; ++i)
    add(total, part[i]);
  if(tx == 0)
    out[blockIdx.x] = total;
  x[row] = total;
}
"""


def case(answer: str, question: str = "", kind: str = "model") -> Any:
    function = SimpleNamespace(
        text=KERNEL, span=SimpleNamespace(start_line=1), name="work", id="work", kind="kernel",
        instantiations=({"template_arguments": ["64", "64"]},), signature=KERNEL[:90],
    )  # fmt: skip
    return SimpleNamespace(
        is_code=False, sentences=[answer], evidence_functions=[function],
        entry=SimpleNamespace(
            answer=answer, question=question, author=SimpleNamespace(kind=kind)
        ),
        ground=SimpleNamespace(enumerators={}),
        view=SimpleNamespace(launches=[], by_name={}),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("With alpha equal to zero `part[tx] = x[row] * alpha` is never reached.", True),
        ("With alpha equal to zero `part[tx] = x[row] * alpha` is always reached.", False),
        ("With alpha equal to one `part[tx] = x[row] * alpha` is never reached.", False),
        ("`part[tx]` is always written.", False),
        ("`x[row]` is always written.", True),
        ("For such rows `part[tx]` is always written.", True),
        ("`add(total, part[i])` runs inside the loop.", True),
        ("`add(total, part[i])` runs outside the loop.", False),
        ("`x[row] = total` stands inside the loop.", False),
        ("In the end thread 0 alone writes `out[blockIdx.x]`.", True),
        ("In the end every thread writes `out[blockIdx.x]`.", False),
        ("Then every thread stores to `x[row]`.", True),
        ("`row` depends on `threadIdx.x` alone.", True),
        ("`row` depends on `threadIdx.y` alone.", False),
        ("`tile` depends on `threadIdx.x`.", False),
        ("A row whose number is not below `n` returns.", True),
        ("A row whose number is below `n` returns.", False),
        ("A row whose number is below `m` returns.", True),
        ("A reader may say that `row` never leaves the block.", True),
    ],
)
def test_words_of_reaching_are_those_of_the_code(sentence: str, passes: bool) -> None:
    assert (reached.as_placed(case(sentence)) is None) == passes


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("The row is 69, which is below m.", True),
        ("The row is 69, which is not below m.", False),
        ("The row is 69, which is below 64.", False),
        ("The threshold is 13000; 20000 exceeds it.", True),
        ("The threshold is 13000; 20000 stays below it.", False),
        ("If 69 is above 70, nothing happens.", True),
        ("`least` is the smaller of `n` and `m`.", True),
        ("`least` is the larger of `n` and `m`.", False),
        ("`std::min(n, m)`, the larger, bounds it.", False),
        ("`part` has WIDTH elements.", True),
        ("`part` has HEIGHT elements.", False),
        ("Here `tile` = 6 % 4 = 2.", True),
        ("Here `tile` = 6 / 4 = 1.", False),
        ("There are 16 blocks and at most 4 wavefronts.", True),
    ],
)
def test_words_that_compare_are_those_of_the_numbers(sentence: str, passes: bool) -> None:
    made = case(sentence, "What does `work` do for m = 100?")
    assert (measures.as_compared(made) is None) == passes


def test_prose_that_no_gate_weighs_is_counted() -> None:
    words = dict(unweighed(case("Every column of `part` is read twice before `x` is.")))
    assert sum(count for name, count in words.items() if "quantity" in name) == 2
    assert sum(count for name, count in words.items() if "place" in name) == 1
    assert not unweighed(case("In the end thread 0 alone writes `out[blockIdx.x]`."))
    assert dict(unweighed(case("This is how it is meant."))) == {NOTHING: 1}
    assert not unweighed(case("Every column of `part` is read twice.", kind="static"))


def unopened(name: str) -> Any:
    raise AssertionError(name)


def test_what_nobody_looked_at_is_told_with_its_count() -> None:
    judge = Judge(unopened)
    judge._left_out.update({NOTHING: 2, NOT_FOLLOWED: 5})
    again: Any = SimpleNamespace(unknown=3)
    judge._again["library"] = again
    assert judge.left_out() == {NOTHING: 2, NOT_FOLLOWED: 5, UNKNOWN_TO_AUTHOR: 3}
    assert Judge(unopened).left_out() == {}


def test_an_entry_that_its_author_does_not_write_is_counted() -> None:
    ground: Any = SimpleNamespace()
    rewriting = Rewriting(ground)
    rewriting._written["axpy"] = {}
    entry: Any = SimpleNamespace(id="gone", interface="axpy", author=SimpleNamespace(kind="static"))
    assert rewriting.fault(entry) is None
    assert rewriting.unknown == 1
