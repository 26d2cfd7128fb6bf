from __future__ import annotations

from qa.reading.documentation import read_header
from qa.reading.execution import follow
from qa.reading.function import read_function
from qa.reading.outcome import Outcome

CHECK = """template <typename T, typename I>
status f_arg_check(handle h, I m, I lda, T A, size_t* size)
{
#ifdef LOG
    log(m,
        lda);
#endif
    if(m < 0 || lda < m)
        return status_invalid_size;
    bool small = m <= 4 && std::is_same<I, int64_t>::value;
    if(asks_for_memory(h))
        return status_continue;
    *size = small ? sizeof(T) * m : sizeof(T) * std::max(m, lda);
    if(m && !A)
        return status_invalid_pointer;
    return status_continue;
}
"""


def run(**values: int) -> Outcome:
    return follow(CHECK, 10, values, {"T": "double", "I": "int"})


def test_the_first_condition_that_holds_decides() -> None:
    outcome = run(h=1, m=5, lda=3, A=0)
    assert outcome.returned == "status_invalid_size"
    assert [step.first for step in outcome.branches()] == [17]


def test_template_arguments_give_types_and_sizes() -> None:
    outcome = run(h=1, m=3, lda=9, A=1)
    assert outcome.values["*size"] == 72
    assert outcome.returned == "status_continue"
    assert [s.text for s in outcome.steps if s.kind == "assumed"] == ["asks_for_memory(h)"]


def test_what_cannot_be_known_stops_the_walk_with_a_reason() -> None:
    outcome = follow("void f(int n) { if(g(n)) { a(); } else { b(); } }", 1, {"n": 1})
    assert outcome.stuck is not None
    assert "g(n)" in outcome.stuck


def test_a_reading_keeps_lines_conditions_and_arrays() -> None:
    text = (
        "__global__ void k(float* x, int n)\n{\n    __shared__ float s[64];\n"
        "    int i = blockIdx.x * 64 + threadIdx.x;\n    if(i < n)\n    {\n        s[i] = x[i];\n"
        "        __syncthreads();\n    }\n}\n"
    )
    reading = read_function(text, 100)
    assert [p.name for p in reading.parameters] == ["x", "n"]
    assert (reading.shared[0].name, reading.shared[0].extents) == ("s", ("64",))
    assert (reading.stores[0].first, reading.stores[0].guards[0].condition) == (106, "i < n")
    assert reading.barriers[0].first == 107


def test_headers_say_what_entry_points_do() -> None:
    found = read_header(
        "/*! \\brief BLAS Level 1 API\n \\details\n axpy adds vectors:\n\n  y := alpha * x + y\n"
        " @param[in]\n n [int]\n the number of elements.\n*/\n"
        "int lib_saxpy(int n);\nint lib_daxpy();"
    )
    assert found["lib_daxpy"].text == "axpy adds vectors:"
    assert found["lib_saxpy"].formula == "y := alpha * x + y"
    assert found["lib_saxpy"].parameters["n"] == "the number of elements."


def test_what_a_called_function_may_have_written_is_not_known() -> None:
    text = (
        "void f(size_t* a, size_t* b)\n{\n  size_t x = 0;\n  g(&x, b);\n  *a = std::max(x, x);\n}\n"
    )
    outcome = follow(text, 1, {"a": 1, "b": 1})
    assert "*a" not in outcome.values
    assert "x" not in outcome.values
