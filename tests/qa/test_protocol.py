"""Instructions for host functions that check, log, allocate and hand on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from extractor.records import Span
from qa.author.protocol import protocol
from qa.scope_view import FunctionView

ENTRY = """status lib_work_impl(handle handle, int n, const float* x, float* result)
{
    LIB_ENTER_TOP("work", "-n", n);

    if(!handle)
        return status_invalid_handle;

    status st = lib_work_argCheck(handle, n, x, result);
    if(st != status_continue)
        return st;

    int stride = 0;
    size_t size_work;
    lib_work_getMemorySize(n, 1, &size_work);

    if(n == 0)
    {
        *result = 0;
        return status_success;
    }

    lib_device_malloc mem(handle, size_work);
    if(!mem)
        return status_memory_error;
    void* work;
    work = mem[0];

    if(checks)
    {
        bool is_input = true;
        status numbers_status
            = lib_check_numerics(handle, n, x, 1, checks, is_input, "the name of what is done");
        if(numbers_status != status_success)
            return numbers_status;
    }

    return LIB_API(lib_work_template)(handle, n, x, stride, result, (float*)work);
}
"""


def told(text: str = ENTRY) -> str:
    lines = text.count("\n")
    function = FunctionView(
        id="a.hpp:1:lib_work_impl", name="lib_work_impl", qualified_name="lib_work_impl",
        signature=text.split("\n", 1)[0], kind="host",
        span=Span(file="a.hpp", start_line=1, end_line=lines, sha256="0" * 64), text=text,
        launch_bounds=None, infrastructure=None, instantiations=(),
    )  # fmt: skip
    draft: Any = SimpleNamespace(
        choose=lambda *forms, salt="": forms[0], view=SimpleNamespace(by_name={})
    )
    return protocol(cast(Any, draft), function)


@pytest.mark.parametrize(
    "part",
    [
        'log it with `LIB_ENTER_TOP`, given `"work", "-n", n`',
        "where `!handle` holds: return `status_invalid_handle`",
        "call `lib_work_argCheck` with your own arguments and keep what it gives as `st`",
        "call `lib_work_getMemorySize`, given `n, 1, &size_work`, which fills `size_work`",
        "where `n == 0` holds: set `*result` to `0`, then return `status_success`",
        "allocate with `lib_device_malloc mem(handle, size_work)`, of which `work` is `mem[0]`",
        "where `!mem` holds: return `status_memory_error`",
        "call `LIB_API(lib_work_template)`, given "
        "`handle, n, x, stride, result, (float*)work` and return what it gives",
        "`LIB_API` only makes a function's name",
        "`stride` is `0`",
    ],
)
def test_every_step_of_a_public_call_is_told(part: str) -> None:
    assert part in told()


def test_steps_keep_the_order_of_the_text() -> None:
    text = told()
    places = [text.index(word) for word in ("ENTER", "argCheck", "MemorySize", "!mem", "LIB_API")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "text",
    [
        ENTRY.replace("if(n == 0)", "switch(n)"),
        ENTRY.replace("int stride = 0;", "int stride;\n    stride = n; stride = 2 * n;"),
        "status small(handle handle)\n{\n    if(!handle)\n        return a;\n    return b;\n}\n",
    ],
)
def test_what_cannot_be_told_whole_is_not_told(text: str) -> None:
    assert told(text) == ""


def test_of_many_arguments_none_is_left_out() -> None:
    names = [f"size_{n}" for n in range(20)]
    sizes = "".join(f"    size_t {name};\n" for name in names)
    text = ENTRY.replace("    size_t size_work;\n", f"    size_t size_work;\n{sizes}").replace(
        "(n, 1, &size_work)", f"(n, 1, {', '.join('&' + n for n in names)}, &size_work)"
    ).replace("mem(handle, size_work)", f"mem(handle, {', '.join(names)}, size_work)")  # fmt: skip
    for name in names:
        assert f"&{name}," in told(text)
        assert f" {name}," in told(text)


@pytest.mark.parametrize("call", ["LIB_API(lib_work_template)", "LIB_API(lib_work_template)<T>"])
def test_a_macro_that_makes_a_name_is_not_what_is_called(call: str) -> None:
    text = ENTRY.replace("LIB_API(lib_work_template)", call)
    assert f"call `{call}`, given `handle, n, x, stride, result, (float*)work`" in told(text)
    assert "given `lib_work_template`" not in told(text)


def test_an_operand_that_is_never_evaluated_is_no_call() -> None:
    text = ENTRY.replace(
        "    int stride = 0;\n",
        "    using S = decltype(lib_real(T{}));\n    static_assert(sizeof(lib_real(T{})) > 1);\n"
        "    int stride = 0;\n",
    ).replace("(float*)work)", "(S*)work)")
    assert "call `lib_real`" not in told(text)
    assert "`S` is `decltype(lib_real(T{}))`" in told(text)


def test_what_a_call_fills_by_reference_is_said_to_be_filled() -> None:
    text = ENTRY.replace("    int stride = 0;\n", "    int stride = 0;\n    T alpha_h, beta_h;\n")
    text = text.replace(
        "lib_work_getMemorySize(n, 1, &size_work);",
        "lib_copy_scalars(handle, alpha_h, beta_h, n);\n"
        "    lib_work_getMemorySize(n, 1, &size_work);\n    lib_scale(alpha_h);",
    )
    words = told(text)
    assert "given `handle, alpha_h, beta_h, n`, which fills `alpha_h` and `beta_h`" in words
    assert words.count("which fills `alpha_h`") == 1


def test_a_call_that_fills_a_name_is_a_step_though_its_result_is_kept() -> None:
    text = ENTRY.replace("lib_work_getMemorySize(n, 1, &size_work);", "")
    text = text.replace("    if(n == 0)", "    int kept = lib_ask(n, size_work);\n    if(n == 0)")
    assert "`lib_ask`, given `n, size_work`, which fills `size_work` and keep" in told(text)


def test_a_name_that_every_branch_gives_the_same_value_is_explained() -> None:
    text = ENTRY.replace("    int stride = 0;\n", "")
    text = text.replace(
        "    if(checks)\n    {\n", "    if(checks)\n    {\n        int where = 0;\n"
    )
    text = text.replace("x, 1, checks", "x, where, checks").replace("x, stride", "x, where")
    text = text.replace("    return LIB_API", "    int where = 0;\n    return LIB_API")
    assert "`where` is `0`" in told(text)
    assert not told(
        text.replace("    int where = 0;\n    return", "    int where = 1;\n    return")
    )


@pytest.mark.parametrize("between", [" ", "\n        "])
def test_what_a_call_gives_is_kept_under_its_name_however_long_the_call(between: str) -> None:
    text = ENTRY.replace(
        "    return LIB_API(lib_work_template)(handle, n, x, stride, result, (float*)work);\n",
        f"    st ={between}LIB_API(lib_work_template)<T>(handle, n, x,\n"
        "                          stride, result, (float*)work);\n"
        "    if(st != status_success)\n        return st;\n    return st;\n",
    )
    assert "(float*)work` and keep what it gives as `st`" in told(text)


def test_an_object_that_only_has_to_be_there_is_a_step() -> None:
    made = "    auto saved = handle->push_mode(mode_host);\n    if(n == 0)"
    words = told(ENTRY.replace("    if(n == 0)", made))
    assert "keep `handle->push_mode(mode_host)` as `saved` until it goes out of scope" in words
    spoken = made.replace("if(n", "use(saved);\n    if(n")
    assert "goes out of scope" not in told(ENTRY.replace("    if(n == 0)", spoken))
