"""Faults that readers found in instructions: each kind stays away."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from qa.author.behaviour import behaviour, bounds
from qa.author.constants_told import constants_told
from qa.author.glossary import contents, meaning
from qa.author.helpers_told import helpers_told
from qa.author.implementation import _is_member
from qa.author.launch_shapes import shapes_of
from qa.author.outline import outline
from qa.author.parameters import operand_of, public_names
from qa.author.purpose import own_words
from qa.reading.documentation import Documentation, read_header
from qa.reading.function import read_function

DRAFT: Any = SimpleNamespace(
    choose=lambda *forms, salt="": forms[0], view=SimpleNamespace(by_name={})
)


def reading(text: str) -> Any:
    return read_function(text, 1)


def test_ipiv_is_what_its_type_or_the_header_says() -> None:
    pivots = reading("void f(rocblas_int* ipiv)\n{\n}\n")
    factors = reading("template <typename T> void f(T* ipiv)\n{\n}\n")
    assert meaning("ipiv", None, pivots) == "the pivot indices"
    told = Documentation("", "", {"ipiv": "pointer to type. The Householder scalars."})
    assert "reflectors" in meaning("ipiv", told, factors)
    assert "pivot" not in meaning("ipiv", None, factors)


def test_words_of_a_header_on_another_operand_are_not_taken() -> None:
    told = Documentation("", "", {"incx": "specifies the increment for the elements of y."})
    assert meaning("incx", told, reading("void f(const T* x, int incx)\n{\n}\n")) == (
        "the increment of `x`"
    )


def test_strides_and_leading_dimensions_name_a_parameter() -> None:
    one = reading("void f(T* U, int ldu, T* ipiv, rocblas_stride strideP)\n{\n}\n")
    assert meaning("ldu", None, one) == "the leading dimension of `U`"
    assert "`ipiv`" in meaning("strideP", None, one)


def test_a_test_that_is_no_bound_of_a_thread_is_not_told_as_one() -> None:
    text = (
        "void f(int n, T* x)\n{\n  int tid = threadIdx.x;\n  if(warpSize > 32)\n    g();\n"
        "  if(tid < n)\n    x[tid] = 0;\n}\n"
    )
    said = bounds(DRAFT, text, reading(text))
    assert "`tid < n`" in said
    assert "`tid` is `threadIdx.x`" in said
    assert "warpSize" not in said


def test_local_names_of_a_test_are_explained_and_branches_say_what_follows() -> None:
    text = (
        "rocblas_status f(int n)\n{\n  rocblas_status st = f_argCheck(n);\n"
        "  if(st != rocblas_status_continue)\n    return st;\n  if(n > 4)\n    big(n);\n"
        "  else\n    small_way(n);\n  int j = 0;\n  while(j < n)\n    j += 2;\n"
        "  if(j > 7)\n    big(j);\n}\n"
    )
    said = behaviour(DRAFT, text, reading(text), ["big", "small_way"])
    assert "`st` is what `f_argCheck` returns" in said
    assert "for `n > 4` use `big`, otherwise `small_way`" in said
    assert "distinguish" not in said
    assert "j > 7" not in said  # by then j has another value than its first


@pytest.mark.parametrize(
    ("above", "words"),
    [
        ("  dim3 grid(blocks, 1);\n  grid = dim3(blocks, count, 1);\n", "`(blocks, count, 1)`"),
        ("  dim3 grid(blocks);\n  if(n)\n  {\n    grid = dim3(2);\n  }\n", ""),
        ("  dim3 grid(blocks);\n", "`(blocks)`"),
    ],
)
def test_a_grid_is_what_its_name_was_last_set_to(above: str, words: str) -> None:
    text = f"void f(int n)\n{{\n{above}  launch(grid);\n}}\n"
    site = SimpleNamespace(
        caller=SimpleNamespace(text=text, span=SimpleNamespace(start_line=1)),
        at=SimpleNamespace(start_line=text.count("\n") - 1),
        grid="grid", block="threads",
    )  # fmt: skip
    said = shapes_of([cast(Any, site)])
    assert said == (f"grid {words}" if words else "")


def test_references_of_a_header_leave_their_words() -> None:
    header = (
        '/*! @brief F solves it with \\ref f_one "ONE", H(1) \\cdots H(k)\n\n'
        "    @param[in] n int.\n*/\nvoid lib_f(int n);\n"
    )
    assert read_header(header)["lib_f"].text == "F solves it with ONE, H(1) ... H(k)"


def test_numbered_steps_belong_to_the_operand_of_their_letter() -> None:
    one = reading("void f(U AA, int lda1, int lda2, U BB, int ldb1)\n{\n}\n")
    assert meaning("ldb1", None, one) == "the step of `BB` along one of its dimensions"


def test_a_bound_by_the_older_names_of_a_place_is_told() -> None:
    text = (
        "void f(int ny, T* x)\n{\n  int y = hipBlockIdx_y;\n  if(y < ny)\n    x[y] = 0;\n"
        "  if(true)\n    g(x);\n}\n"
    )
    assert "`y < ny`" in bounds(DRAFT, text, reading(text))
    assert "true" not in behaviour(DRAFT, text, reading(text), ["g"])


def test_a_status_is_never_left_out_and_names_within_names_are_explained() -> None:
    text = (
        "rocblas_status f(int k, int m, int n, int lda)\n{\n  bool left = (k == 1);\n"
        "  int nq = left ? m : n;\n  if(lda < nq)\n    return rocblas_status_invalid_size;\n}\n"
    )
    said = behaviour(DRAFT, text, reading(text), [])
    assert "for `lda < nq` return `rocblas_status_invalid_size`" in said
    assert "`nq` is `left ? m : n`" in said
    assert "`left` is `(k == 1)`" in said


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (
            "\\brief\n GEQL2 computes a QL factorization of a matrix A.\n\n \\details\n"
            " \\f[\n A = Q\\left[\\begin{array}{c}\n 0\\\\\n L\n \\end{array}\\right]\n \\f]\n",
            "GEQL2 computes a QL factorization of a matrix A (A = Q[0; L])",
        ),
        (
            "\\brief <b> BLAS Level 2 API </b>\n\n \\details\n gemv performs one of these:\n\n"
            "     y := alpha*A*x + y, or\n     y := alpha*A**T*x + y,\n\n where x is a vector.\n",
            "gemv performs one of these: y := alpha*A*x + y, or y := alpha*A**T*x + y",
        ),
        ("\\brief <b> BLAS Level 3 API </b>\n\n \\details\n trsm solves:\n", ""),
        (
            "\\brief <b> BLAS Level 2 API </b>\n\n \\details\n trsv solves:\n\n"
            "     A*x = b or\n     A**T*x = b,\n     where x and b are vectors.\n",
            "trsv solves: A*x = b or A**T*x = b",
        ),
        (
            "\\brief <b> BLAS EX API </b>\n\n \\details\n geam_ex performs one of these:\n\n"
            "     Dij = min(Aik, Cij)\n     Dij = min(Aik, Bkj) + Cij\n\n where k is a number.\n",
            "geam_ex performs one of these: Dij = min(Aik, Cij), or Dij = min(Aik, Bkj) + Cij",
        ),
        (
            "\\brief <b> BLAS Level 1 API </b>\n\n \\details\n rotmg makes the matrix H.\n"
            "     Location is told by:\n",
            "rotmg makes the matrix H",
        ),
    ],
)
def test_an_operation_is_told_with_its_formula(block: str, words: str) -> None:
    read = read_header(f"/*! {block} */\nrocblas_status rocblas_sgemv(int n);\n")
    assert read["rocblas_sgemv"].operation == words


def test_a_stride_of_a_scalar_is_not_that_of_the_vector_before_it() -> None:
    text = "void f(const T* xa, T beta_device_host, rocblas_stride stride_beta)\n{\n}\n"
    assert "`beta_device_host`" in meaning("stride_beta", None, reading(text))


def test_a_bound_behind_which_threads_leave_is_told_as_such() -> None:
    text = (
        "void f(int n, T* x)\n{\n  int tid = threadIdx.x;\n  if(tid >= n)\n    return;\n"
        "  x[tid] = 0;\n}\n"
    )
    said = bounds(DRAFT, text, reading(text))
    assert "for which `tid >= n` holds leaves" in said
    assert "bounds" not in said


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["// Sums a row of the matrix for each of the blocks in the grid"], "Sums a row"),
        (["/** Loads the pointers of one problem and calls", " *  the kernel for it. */"], "Loads"),
        (["// see above"], ""),
        (["// Sums a row of the matrix for each of the blocks in the grid", ""], ""),
        (["// for(int i = 0; i < n; i++) { sum of all of the elements }; here"], ""),
    ],
)
def test_a_comment_right_above_is_the_functions_own(rows: list[str], words: str) -> None:
    lines = [f"{row}\n".encode() for row in ["int before;", *rows, "void f()", "{", "}"]]
    place = len(rows) + 2
    ground: Any = SimpleNamespace(
        project=SimpleNamespace(text=SimpleNamespace(lines=lambda _file: lines)),
        locate=lambda file: file,
        span=lambda file, first, last: (file, first, last),
    )
    function: Any = SimpleNamespace(
        file="a.hip",
        span=SimpleNamespace(start_line=place),
        text="void f()\n{\n}\n",
        name="f",
        signature="void f()",
    )
    found: Any = own_words(ground, function)
    if not words:
        assert found is None
    else:
        assert found[0].startswith(words)
        assert found[1] == ("a.hip", 2, place - 1)


def test_an_operand_is_found_behind_what_its_pointer_is_called() -> None:
    one = reading(
        "void f(const T* dA_array, T* dA_array_new, int lda, int lda_new, rocblas_stride stride_a,"
        " V DP_array, rocblas_stride shift_d, int ldd)\n{\n}\n"
    )
    assert meaning("lda_new", None, one) == "the leading dimension of `dA_array_new`"
    assert meaning("stride_a", None, one).startswith("the distance from one `dA_array` of")
    scalar = reading(
        "void f(T c_in, rocblas_stride c_stride, T s_in, rocblas_stride s_stride)\n{\n}\n"
    )
    assert (
        meaning("s_stride", None, scalar) == "the distance from one `s_in` of the batch to the next"
    )
    assert "`DP_array`" in meaning("shift_d", None, one)
    assert meaning("ldd", None, reading("void f(int n, int ldd)\n{\n}\n")).endswith("of D")


@pytest.mark.parametrize(
    ("kind", "qualified_name", "member"),
    [
        ("kernel", "(anonymous)::scale", False),
        ("device", "(anonymous)::scale", False),
        ("device", "inner::scale", False),
        ("device", "Buffer::scale", True),
        ("device", "scale::scale", True),
    ],
)
def test_what_stands_in_a_namespace_is_no_member(
    kind: str, qualified_name: str, member: bool
) -> None:
    function: Any = SimpleNamespace(
        kind=kind, qualified_name=qualified_name, name="scale", text="    void scale();", file="f"
    )
    rows = [b"namespace inner\n", b"struct Buffer\n"]
    text = SimpleNamespace(lines=lambda _file: rows)
    ground: Any = SimpleNamespace(project=SimpleNamespace(text=text), locate=lambda file: file)
    assert _is_member(ground, function) is member


def test_a_signature_that_was_cut_short_asks_for_nothing() -> None:
    from qa.author import implementation

    cut: Any = SimpleNamespace(
        kind="kernel", text="\n" * 12 + ";", signature="void k(const Mask mask = no_mask",
        instantiations=({},), span=1, name="k",
    )  # fmt: skip
    ground: Any = SimpleNamespace(project=SimpleNamespace(rule=SimpleNamespace(trace=None)))
    assert list(implementation.propose(cast(Any, None), ground, [cut])) == []


def test_an_offset_belongs_to_what_it_is_loaded_with() -> None:
    one = reading(
        "void f(U alpha, rocblas_stride stridea, U AA, rocblas_stride shiftA, "
        "rocblas_stride strideA)\n{\n  T* A = load_ptr_batch(AA, bid, shiftA, strideA);\n"
        "  T a = load_scalar(alpha, bid, stridea);\n}\n"
    )
    assert operand_of("stridea", one) == "alpha"
    assert meaning("stridea", None, one) == "the distance from one `alpha` of the batch to the next"
    assert meaning("strideA", None, one) == "the distance from one `AA` of the batch to the next"
    assert operand_of("shiftA", reading("void f(U AA, int shiftA)\n{\n  g(shiftA);\n}\n")) == ""


def test_sizes_and_operands_are_what_the_header_says() -> None:
    one = reading("void f(int m, const T* A, T* y)\n{\n}\n")
    header = Documentation("", "", {
        "m": "[rocblas_int] number of rows of matrix A.",
        "n": "rocblas_int. n >= 0. The number of columns of the matrix A.",
        "A": "device pointer storing matrix A.",
    })  # fmt: skip
    assert meaning("m", header, one) == "the number of rows of matrix A"
    assert meaning("n", header, one) == "the number of columns of the matrix A"
    assert meaning("A", header, one) == "where matrix A is stored"
    assert meaning("A", header, reading("void f(U A)\n{\n}\n")) == "", "what U is, nobody says"
    assert meaning("transB", None, reading("void f(T* B)\n{\n}\n")) == (
        "whether and how `B` is transposed"
    )


def function_of(name: str, kind: str, text: str) -> Any:
    return SimpleNamespace(
        id=name, name=name, kind=kind, text=text, span=SimpleNamespace(start_line=1, file="a"),
        instantiations=({"id": name},), file="a",
    )  # fmt: skip


def test_a_parameter_is_the_calls_only_where_it_is_handed_down_as_it_is() -> None:
    steps = [
        function_of("lib_sgemv", "entry_point", "IMPL(lib_sgemv, float);"),
        function_of("impl", "host", "int impl(int m, int n)\n{\n  return half(n / 2, m, n);\n}\n"),
        function_of("half", "host", "int half(int k, int rows, int n)\n{\n  return 0;\n}\n"),
    ]
    view: Any = SimpleNamespace(
        configs=("source",), owner={f.id: f for f in steps}, launches=(),
        callers={"impl": ["lib_sgemv"], "half": ["impl"]}, once=lambda _name, make: make(),
        edges={
            "lib_sgemv": [("impl", None, ("source",))], "impl": [("half", None, ("source",))]
        },
        entry_ids=lambda entry: [entry],
    )  # fmt: skip
    found = public_names(view, cast(Any, None), steps[-1], ["lib_sgemv"], ["m", "n"])
    assert found == {"rows": "m", "n": "n"}
    assert public_names(view, cast(Any, None), steps[1], ["lib_sgemv"], ["m"]) == {"m": "m"}


def test_a_parameter_that_another_caller_gives_something_else_is_not_the_calls() -> None:
    steps = [
        function_of("lib_sgels", "entry_point", "IMPL(lib_sgels, float);"),
        function_of("one", "host", "int one(int m, int n)\n{\n  return half(m, n);\n}\n"),
        function_of("two", "host", "int two(int m, int n)\n{\n  return half(n, n);\n}\n"),
        function_of("half", "host", "int half(int rows, int columns)\n{\n  return 0;\n}\n"),
    ]
    view: Any = SimpleNamespace(
        configs=("source",), owner={f.id: f for f in steps}, launches=(),
        callers={"half": ["one", "two"]}, once=lambda _name, make: make(),
        edges={"lib_sgels": [("one", None, ("source",)), ("two", None, ("source",))]},
        entry_ids=lambda entry: [entry],
    )  # fmt: skip
    found = public_names(view, cast(Any, None), steps[-1], ["lib_sgels"], ["m", "n"])
    assert found == {"columns": "n"}


CHECKED = """status f(handle h, int n, const T* x, T* y)
{
    LIB_CHECKARG_HANDLE(0, h);
    lib::log_trace(h, lib::replaceX<T>("lib_Xf"), n);
    LIB_CHECKARG_SIZE(1, n);
    if(n == 0)
        return status_success;
    LIB_CHECKARG_POINTER(2, x);
    LIB_RETURN_IF_ERROR(prepare(h, n));
    LIB_LAUNCH_KERNEL(kernel, n, x, y);
    return status_success;
}
"""


def test_checks_that_stand_in_macros_are_told_and_the_names_of_logs_are_not() -> None:
    function = function_of("f", "launcher", CHECKED)
    function.signature = "status f(handle h, int n, const T* x, T* y)"
    draft: Any = SimpleNamespace(
        choose=lambda *forms, salt="": forms[0], ground=SimpleNamespace(enumerators={}),
        view=SimpleNamespace(by_name={}),
    )  # fmt: skip
    told = outline(draft, function, ["prepare", "replaceX"], {10: "kernel"})
    for check in ("HANDLE(0, h)", "SIZE(1, n)", "POINTER(2, x)"):
        assert f"check with `LIB_CHECKARG_{check}`" in told
    assert "replaceX" not in told
    assert told.endswith("Not among these steps: 1 call that only logs.")
    assert told.count("prepare") == 1, "what a macro wraps is told by itself"
    assert told.index("SIZE(1") < told.index("`n == 0` holds") < told.index("POINTER(2")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("// Copies data from c into d_c, to write local memory back to global memory.", False),
        ("// Copies data from d_c into d_d, to write local memory back to global memory.", True),
    ],
)
def test_a_comment_that_the_code_denies_is_not_quoted(row: str, told: bool) -> None:
    text = "void f(const T* d_c, T* d_d)\n{\n  d_d[0] = 2 * d_c[0];\n}\n"
    lines = [f"{one}\n".encode() for one in ("int before;", row, *text.split("\n"))]
    ground: Any = SimpleNamespace(
        project=SimpleNamespace(text=SimpleNamespace(lines=lambda _file: lines)),
        locate=lambda file: file,
        span=lambda file, first, last: (file, first, last),
    )
    function: Any = SimpleNamespace(
        file="a.hip", span=SimpleNamespace(start_line=3), text=text, name="f", signature="f"
    )
    assert (own_words(ground, function) is not None) is told


def test_the_work_of_a_helper_is_told_with_the_function_that_needs_it() -> None:
    part = function_of(
        "part",
        "device",
        "void part(int n, T* x, T c)\n{\n  T was = c * x[n];\n"
        "  x[n] = 1;\n  x[0] = was;\n  x[1] = c;\n}\n",
    )
    small = function_of("small", "device", "int small(int n)\n{\n  return n + 1;\n}\n")
    outer = function_of("k", "kernel", "void k(int n, T* x)\n{\n  part(small(n), x, 2);\n}\n")
    part.signature, small.signature = "void part(int n, T* x, T c)", "int small(int n)"
    draft: Any = SimpleNamespace(
        choose=lambda *forms, **_k: forms[0], view=SimpleNamespace(by_name={})
    )
    view: Any = SimpleNamespace(callees={"k": [part, small]})
    words = helpers_told(draft, view, outer, ["part", "small"])
    assert words.startswith("The helper `part`, declared as `void part(int n, T* x, T c)`. ")
    assert "take `was` as `c * x[n]`, then set `x[n]` to `1`, then set `x[0]` to `was`" in words
    assert "small" not in words
    assert helpers_told(draft, view, outer, []) == ""
    # Functions that call each other end the search, whether the answer brings them or not.
    around: Any = SimpleNamespace(callees={"k": [part], "part": [small], "small": [part, small]})
    assert helpers_told(draft, around, outer, ["part"]) == words
    assert helpers_told(draft, around, outer, []) == ""


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "pointer to type. Array on the GPU of dimension lda*n. On entry, the matrix A to be "
            "factored. On exit, the factors L and U. The unit diagonal of L is not stored.",
            "on entry, the matrix A to be factored; on exit, the factors L and U",
        ),
        (
            "pointer to type. Array on the GPU of dimension n. The eigenvalues of A in order.",
            "the eigenvalues of A in order",
        ),
        (
            "pointer to type. Array on the GPU of dimension n. On entry, the matrix returned by, "
            "e.g., ORGTR. On exit, if info = 0, the eigenvectors.",
            "",
        ),
        ("rocblas_int. The number of rows.", ""),
    ],
)
def test_arrays_of_the_public_call_hold_what_the_header_says(said: str, words: str) -> None:
    assert contents(said) == words


def test_a_choice_is_told_by_what_it_specifies() -> None:
    said = Documentation("", "", {"evect": "#lib_evect. Specifies how vectors are computed."})
    assert meaning("evect", said) == "what specifies how vectors are computed"


def test_constants_that_an_instruction_speaks_of_are_told() -> None:
    ground: Any = SimpleNamespace(
        constants={"LIB_BLOCK": (64, "", 1), "LIB_MOST": (8, "", 2), "NB": (4, "", 3)}
    )
    function: Any = SimpleNamespace(signature="void f(int n)", text="void f(int n)\n{\n}\n")
    words = "where `n < LIB_BLOCK` holds: call `g<NB>(LIB_MOST)`; here `LIB_MOST` is `8`"
    said = constants_told(ground, function, f"```cpp\nvoid f(int LIB_OTHER)\n```\n{words}")
    assert said == "Of the library's constants, `LIB_BLOCK` is 64."
    assert constants_told(ground, function, "return `n`") == ""
