"""What a function counts on stands in its instruction, and names in that are explained."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from qa.author.macros_told import file_names
from qa.author.needs import asserted, dynamic_lds, only_where

KERNEL = """template <int NB, typename T>
__global__ void fill(int N, int k, T* x)
{
    // N is always <= NB
    static_assert(NB > 256);
    extern __shared__ double lmem[];
    x[N] = k;
}
"""
LAUNCHER = """void run(int n, int k, T* x, bool pivot)
{
    if(pivot)
        k = 0;
    int wide = n + 1;
    if((n % 32 == 0) && (k % 8 == 0))
    {
        if(pivot)
        {
            size_t bytes = (wide + n) * sizeof(T);
            LAUNCH((fill<512, T>), grid, block, bytes, stream, n, k, x);
        }
        else
        {
            size_t bytes = wide;
            if(n > 3)
                bytes = n;
            LAUNCH((fill<512, T>), grid, block, bytes, stream, n, k, x);
        }
    }
    if(n > 7)
    {
        n = 3;
        LAUNCH((fill<512, T>), grid, block, 0, stream, n, k, x);
    }
}
"""


def function(name: str, text: str) -> Any:
    return SimpleNamespace(
        id=name, name=name, text=text, signature="", span=SimpleNamespace(start_line=1)
    )


def site(line: int, lds: str = "bytes") -> Any:
    return SimpleNamespace(
        caller=function("run", LAUNCHER), at=SimpleNamespace(start_line=line), shared_bytes=lds
    )


def test_what_the_code_asserts_and_notes_is_told() -> None:
    told = asserted(function("fill", KERNEL), [])
    assert "`fill` has a `static_assert` of `NB > 256`." in told
    assert 'The library notes in `fill`: "N is always <= NB".' in told
    assert asserted(function("plain", "void plain(int n)\n{\n}\n"), []) == ""


def test_sizes_that_every_launch_is_made_for_are_told() -> None:
    kernel = function("fill", KERNEL)
    assert "`(N % 32 == 0) && (k % 8 == 0)` holds" in only_where(kernel, [site(11), site(18)])
    assert only_where(kernel, [site(11), site(24)]) == ""  # n is another one by then


def test_bytes_of_lds_are_those_that_reach_the_launch() -> None:
    (told,) = dynamic_lds([site(11)])
    assert told == "it gets `(wide + n) * sizeof(T)` bytes of dynamic LDS (where `wide` is `n + 1`)"
    assert dynamic_lds([site(18)]) == []  # one of two values


def test_macros_and_constants_of_the_file_are_explained() -> None:
    above = (
        "#define AT(i_) \\\n    (place + i_ * STEP) // where it is\n#define STEP 4\n"
        "template <typename T>\nstatic const T one_of = T(1);\n#define AT_2(i) i\n"
    )
    told = file_names(above, function("f", "void f(int n)\n{\n}\n"), "give `AT(3)` and `one_of<T>`")
    assert told == (
        "In its file `AT(i_)` is `(place + i_ * STEP)`, `one_of` is `T(1)` and `STEP` is `4`."
    )
    assert file_names(above, function("f", "void f(int AT)\n{\n}\n"), "give `AT`") == ""
