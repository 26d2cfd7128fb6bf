from __future__ import annotations

import pytest

from extractor.render.conditions import conditions_of

TEXT = """template <typename T> rocblas_status launcher(rocblas_int n)
{
    if(!n) return rocblas_status_success;
#define gemvn_KARGS(alpha_, beta_) gemvn_grid, gemvn_threads, 0, stream, m
    if constexpr(std::is_same_v<T, float>)
    {
        if(m <= 64 && batch_count > 8)
            ROCBLAS_LAUNCH_KERNEL((gemvn<DIM_X, DIM_Y>), gemvn_KARGS(alpha, beta));
        else if(trans)
            bar<T>(n);
        else
        {
            baz(n);
        }
    }
    for(int i = 0; i < n; i += 64)
    {
        switch(uplo) { case upper: qux<<<1, 2>>>(n); break; default: other(n); }
    }
    while(more) step(n);
#if defined(FAST)
    fast(n);
#elif defined(SAFE)
    safe(n);
#else
    slow(n);
#endif
#ifndef NDEBUG
    debug(n);
#endif
    unguarded(n);
    return n ? one(n) : two(n);
}"""


@pytest.mark.parametrize(
    ("name", "conditions"),
    [
        ("gemvn", ("if constexpr (std::is_same_v<T, float>)", "if (m <= 64 && batch_count > 8)")),
        (
            "bar",
            (
                "if constexpr (std::is_same_v<T, float>)",
                "not (m <= 64 && batch_count > 8)",
                "if (trans)",
            ),
        ),
        (
            "baz",
            (
                "if constexpr (std::is_same_v<T, float>)",
                "not (m <= 64 && batch_count > 8)",
                "not (trans)",
            ),
        ),
        ("qux", ("for(int i = 0; i < n; i += 64)", "switch (uplo)", "case upper")),
        ("other", ("for(int i = 0; i < n; i += 64)", "switch (uplo)", "default")),
        ("step", ("while (more)",)),
        ("fast", ("#if defined(FAST)",)),
        ("safe", ("#else of #if defined(FAST)", "#if defined(SAFE)")),
        ("slow", ("#else of #if defined(FAST)", "#else of #if defined(SAFE)")),
        ("debug", ("#ifndef NDEBUG",)),
        ("unguarded", ()),
        ("one", ("if (n)",)),
        ("two", ("not (n)",)),
    ],
)
def test_enclosing_conditions_as_written(name: str, conditions: tuple[str, ...]) -> None:
    lines = TEXT.split("\n")
    line = next(i for i, text in enumerate(lines) if f"{name}<" in text or f"{name}(" in text)
    assert conditions_of(TEXT, [(line, name)]) == [conditions]


def test_a_site_in_the_condition_itself_is_not_guarded_by_it() -> None:
    assert conditions_of("void f()\n{\n    if(check(n))\n        go();\n}", [(2, "check")]) == [()]


def test_text_that_does_not_parse_still_answers() -> None:
    assert conditions_of("#if X\nvoid f( {\n  if(a) {{{ g(); \n", [(2, "g"), (99, "g")])[1] == ()


def test_a_long_condition_is_cut() -> None:
    text = f"void f()\n{{\n    if({' && '.join(f'flag_{i}' for i in range(60))})\n        go();\n}}"
    [[condition]] = conditions_of(text, [(3, "go")])
    assert len(condition) < 170
    assert condition.endswith("…")
