from __future__ import annotations

import pytest

from extractor.render.launch_values import given, launch_parts, launch_values

TEXT = """rocblas_status launcher(rocblas_int n)
{
    dim3 grid(old);
    const int blocks = (n - 1) / NB + 1, other = 2;
    dim3 gemv_grid((blocks), 1, std::min(a, b));
    dim3 threads{NB, 4};
    hipStream_t rocblas_stream = handle->get_stream();
    LAUNCH((kernel<NB>), KARGS(alpha));
}"""
MACRO = "LAUNCH((kernel<NB>), KARGS(alpha))"


def part(written: str, expanded: str) -> dict[str, str]:
    return {"written": written, "expanded": expanded}


def test_a_macro_is_said_once_and_names_get_what_they_were_given() -> None:
    record = {
        "grid": part(MACRO, "(gemv_grid)"),
        "block": part(MACRO, "((threads))"),
        "shared_bytes": part(MACRO, "(0)"),
        "stream": part(MACRO, "rocblas_stream"),
    }
    macro, values = launch_values(launch_parts(record), TEXT, 7)
    assert macro == MACRO
    assert values == (
        ("grid", "gemv_grid", "dim3((blocks), 1, std::min(a, b))"),
        ("block", "threads", "dim3{NB, 4}"),
        ("shared_bytes", "0", ""),
        ("stream", "rocblas_stream", "handle->get_stream()"),
    )


def test_what_is_written_stays_and_its_expansion_is_added() -> None:
    record = {"grid": part("GRID", "dim3(1,\n  n)"), "block": part("dim3(64)", "dim3(64)")}
    assert launch_values(launch_parts(record), TEXT, 7) == (
        "",
        (("grid", "GRID", "dim3(1, n)"), ("block", "dim3(64)", "")),
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("blocks", "(n - 1) / NB + 1"),
        ("grid", "dim3(old)"),
        ("unknown", ""),
        ("n", ""),
    ],
)
def test_the_last_declaration_counts(name: str, value: str) -> None:
    assert given(TEXT, name) == value


def test_text_without_an_end_is_no_loop() -> None:
    assert given("dim3 grid(a, (b", "grid") == "dim3(a, (b"


@pytest.mark.parametrize("expanded", ["(a) + (b)", "(a)(b)", "f(x)"])
def test_parentheses_that_are_not_around_the_whole_stay(expanded: str) -> None:
    record = {"grid": part("G", expanded)}
    assert launch_values(launch_parts(record), "", 0)[1] == (("grid", "G", expanded),)
