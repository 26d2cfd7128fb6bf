"""Calls and words that an instruction takes over: nothing of them is cut away on the way."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from qa.author.given import around, with_template
from qa.author.glossary import meaning
from qa.author.purpose import speaks_of_others
from qa.reading.documentation import Documentation, read_header
from qa.reading.function import read_function

CHECKED = """void f(handle_t handle)
{
    RETURN_IF_ERROR(clear(a, 0, 4, handle->get_stream()));
    RETURN_IF_ERROR(
        (work<T>(handle,
                 n)));
    work<T>(handle, k);
}
"""


@pytest.mark.parametrize(
    ("name", "text", "called"),
    [
        ("fill", "LAUNCH(fill<NB>, grid, block, 0, stream, n)", "fill<NB>"),
        ("fill", "LAUNCH((fill<NB, T>), dim3(n < 3), block, 0, stream)", "fill<NB, T>"),
        ("fill", "LAUNCH((fill<(NB > 3), A<T>>), grid)", "fill<(NB > 3), A<T>>"),
        ("fill", "LAUNCH(fill, n < 3, m > 2)", "fill"),
        ("fill", "fill<T>(fill_value, n)", "fill<T>"),
    ],
)
def test_the_template_arguments_of_a_call_stay(name: str, text: str, called: str) -> None:
    assert with_template(name, text) == called


def test_a_macro_that_returns_on_an_error_is_told_with_its_call() -> None:
    calls = read_function(CHECKED, 1).calls
    told = {" ".join(c.text.split()): around(c, calls) for c in calls}
    assert told["clear(a, 0, 4, handle->get_stream())"] == "inside `RETURN_IF_ERROR(...)` "
    assert told["work<T>(handle, n)"] == "inside `RETURN_IF_ERROR(...)` "
    assert told["work<T>(handle, k)"] == told["handle->get_stream()"] == ""


def test_words_on_a_parameter_end_where_their_sentence_does() -> None:
    long = (
        "the number of columns (if by columns) or rows (if by rows) of the matrix that it reduced"
    )
    said = Documentation(
        "", parameters={"k": f"rocblas_int. k >= 0. {long[0].upper() + long[1:]}."}
    )
    assert meaning("k", said) == long
    endless = Documentation("", parameters={"k": long + " and of more" * 9 + "."})
    assert meaning("k", endless) == ""


def test_equations_below_each_other_are_kept_apart() -> None:
    text = """/*! \\brief <b> BLAS Level 1 API </b>
    \\details
    turn makes what is asked for by the formulas

        s = a    if a > b
          = b    if b >= a
        r = s * 2
    @param[in]
    n   the size.
    */
    void lib_turn(int n);
    """
    assert read_header(text)["lib_turn"].plain_formula == "s = a if a > b, = b if b >= a; r = s * 2"


@pytest.mark.parametrize(
    ("comment", "kept"),
    [
        ("Compute B = beta * B + alpha * (Q * A * Q') where B has the pattern of A", False),
        ("Adds alpha times the entries of A to those of the factor", True),
        ("Adds the entries that get_index finds in A to those of the factor", False),
        ("Call this with batch_count groups in x, and enough of them in y", True),
    ],
)
def test_a_comment_that_names_what_the_code_does_not_have_is_no_description(
    comment: str, kept: bool
) -> None:
    text = "void add(T alpha_host, T* A, T* LUx)\n{\n  // beta, get_index\n  LUx[0] += A[0];\n}\n"
    function: Any = SimpleNamespace(text=text, span=SimpleNamespace(start_line=1))
    assert speaks_of_others(comment, function) is not kept
