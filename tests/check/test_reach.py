"""What the compiler says of small libraries, each with one construct that trips a call graph."""

from __future__ import annotations

import re

from extractor.check.answer import Answer, FunctionKey
from extractor.check.names import qualified_name

from .conftest import Ask

HIP = "#include <hip/hip_runtime.h>\n"


def kernels(answer: Answer, entry: str) -> set[tuple[str, str]]:
    return {tuple(kernel.key) for kernel in answer.entries[entry].kernels}


def calls(answer: Answer, kind: str = "call") -> set[tuple[str, str]]:
    return {
        (qualified_name(key.caller.symbol), qualified_name(key.callee.symbol))
        for key, call in answer.calls.items()
        if call.kind == kind
    }


def line_of(text: str, mark: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if mark in line)


def test_a_launch_leads_to_its_kernel_with_name_file_and_instantiation(ask: Ask) -> None:
    header = (
        "#pragma once\n\ntemplate <int N, typename T>\n__global__ void scale(T* x)\n{ *x *= N; }\n"
    )
    unit = (
        HIP
        + '#include "scale.hpp"\n'
        + 'extern "C" void run(float* x) {\n  scale<3><<<1, 64>>>(x);  // here\n}\n'
    )
    answer = ask(
        {"src/scale.hpp": header, "src/run.cpp": unit.replace("scale.hpp", "src/scale.hpp")}
    )
    (kernel,) = answer.entries["run"].kernels
    assert kernel.key == ("scale", "src/scale.hpp")
    assert kernel.instantiations == {"_Z5scaleILi3EfEvPT0_"}
    ((key, call),) = answer.calls.items()
    assert (key.caller.symbol, key.callee.symbol) == ("run", "_Z5scaleILi3EfEvPT0_")
    assert (call.kind, call.file, call.line) == ("launch", "src/run.cpp", line_of(unit, "// here"))
    assert answer.functions[key.callee].line == 4


def test_kernels_of_one_name_in_two_files_are_two_kernels(ask: Ask) -> None:
    answer = ask(
        {
            "a.cpp": HIP + "static __global__ void fill() {}\nvoid a() { fill<<<1, 1>>>(); }\n",
            "b.cpp": HIP + "static __global__ void fill() {}\nvoid b() { fill<<<1, 1>>>(); }\n",
            "run.cpp": 'void a(); void b();\nextern "C" void run() { a(); b(); }\n'
            'extern "C" void half() { b(); }\n',
        }
    )
    assert kernels(answer, "run") == {("fill", "a.cpp"), ("fill", "b.cpp")}
    assert kernels(answer, "half") == {("fill", "b.cpp")}
    fills = {key for key in answer.functions if "fill" in key.symbol}
    assert fills == {FunctionKey("_ZL4fillv", "a.cpp"), FunctionKey("_ZL4fillv", "b.cpp")}


def test_a_kernel_in_an_unnamed_namespace_keeps_its_name(ask: Ask) -> None:
    answer = ask(
        {
            "run.cpp": HIP + "namespace { template <typename T> __global__ void fill(T) {} }\n"
            'extern "C" void run() { fill<<<1, 1>>>(1.0f); }\n'
        }
    )
    (kernel,) = answer.entries["run"].kernels
    assert kernel.key.name == "fill"
    assert kernel.instantiations == {"_ZN12_GLOBAL__N_14fillIfEEvT_"}


def test_an_invoke_is_a_call_and_has_the_line_of_its_location(ask: Ask) -> None:
    unit = (
        "struct Guard { ~Guard(); };\nGuard::~Guard() {}\nint work(int);\n"
        'extern "C" int run(int x) {\n  Guard guard;\n  return work(x);  // here\n}\n'
        "int work(int x) { if (x) throw x; return x; }\n"
    )
    answer = ask({"run.cpp": unit})
    places = {key.callee.symbol: (call.kind, call.line) for key, call in answer.calls.items()}
    assert places["_Z4worki"] == ("call", line_of(unit, "// here"))
    assert "_ZN5GuardD1Ev" in places


def test_a_stored_function_address_is_followed(ask: Ask) -> None:
    answer = ask(
        {
            "run.cpp": HIP + "__global__ void first() {}\n__global__ void second() {}\n"
            "static void a() { first<<<1, 1>>>(); }\nstatic void b() { second<<<1, 1>>>(); }\n"
            "static void (*const table[])() = {a, b};\n"
            'extern "C" void run(int i) { table[i](); }\n'
            'extern "C" void pass(void (*f)()) { f(); }\n'
            'extern "C" void one() { pass(a); }\n'
        }
    )
    assert kernels(answer, "run") == {("first", "run.cpp"), ("second", "run.cpp")}
    assert kernels(answer, "one") == {("first", "run.cpp")}
    assert kernels(answer, "pass") == set()
    assert ("one", "a") in calls(answer, "reference")
    assert ("one", "pass") in calls(answer)


def test_a_kernel_passed_by_address_is_reached(ask: Ask) -> None:
    answer = ask(
        {
            "run.cpp": HIP + "__global__ void work(int) {}\n"
            'extern "C" void run(void** args) {\n'
            "  hipLaunchKernel(reinterpret_cast<const void*>(&work), 1, 1, args, 0, nullptr);\n}\n"
        }
    )
    assert kernels(answer, "run") == {("work", "run.cpp")}


def test_a_virtual_call_is_followed_through_the_vtable(ask: Ask) -> None:
    answer = ask(
        {
            "run.cpp": HIP + "__global__ void work() {}\n"
            "struct Base { virtual void go() = 0; };\n"
            "struct Real final : Base { void go() override { work<<<1, 1>>>(); } };\n"
            'extern "C" void run() { Real real; Base* base = &real; base->go(); }\n'
        }
    )
    assert kernels(answer, "run") == {("work", "run.cpp")}


def test_a_variable_leads_to_what_initialises_it_and_another_does_not(ask: Ask) -> None:
    answer = ask(
        {
            "run.cpp": HIP + "#include <functional>\n"
            "__global__ void first() {}\n__global__ void second() {}\n"
            "static std::function<void()> a = [] { first<<<1, 1>>>(); };\n"
            "static std::function<void()> b = [] { second<<<1, 1>>>(); };\n"
            'extern "C" void run() { a(); }\n'
            'extern "C" void none() {}\n'
        }
    )
    assert kernels(answer, "run") == {("first", "run.cpp")}
    assert kernels(answer, "none") == set()


def test_an_inline_variable_leads_to_its_initialiser(ask: Ask) -> None:
    answer = ask(
        {
            "run.cpp": HIP + "__global__ void work() {}\n"
            "inline int start() { work<<<1, 1>>>(); return 1; }\n"
            "template <typename T> struct Once { static int value; };\n"
            "template <typename T> int Once<T>::value = start();\n"
            'extern "C" int run() { return Once<int>::value; }\n'
        }
    )
    assert kernels(answer, "run") == {("work", "run.cpp")}


def test_a_lambda_is_a_function_of_its_own(ask: Ask) -> None:
    answer = ask(
        {
            "run.cpp": HIP + "__global__ void work() {}\n"
            'extern "C" void run() { auto go = [] { work<<<1, 1>>>(); }; go(); }\n'
        }
    )
    assert ("run", "run::{lambda}") in calls(answer)
    assert ("run::{lambda}", "work") in calls(answer, "launch")


def test_variants_of_constructors_and_destructors_are_one_function(ask: Ask) -> None:
    answer = ask(
        {
            "run.cpp": "struct Deep { int* p; Deep(); virtual ~Deep(); };\n"
            "Deep::Deep() : p(new int) {}\nDeep::~Deep() { delete p; }\n"
            "struct Top : Deep { Top(int) {} };\n"
            'extern "C" void run() { Top top(1); Deep* deep = new Deep; delete deep; }\n'
        }
    )
    symbols = {key.symbol for key in answer.functions}
    assert not {symbol for symbol in symbols if re.search("[CD][02]E", symbol)}
    assert ("Top::Top", "Deep::Deep") in calls(answer)
    assert ("run", "Deep::Deep") in calls(answer)
    assert all(key.caller != key.callee for key in answer.calls)


def test_unoptimised_code_keeps_a_launch_behind_a_constant_false_operand(ask: Ask) -> None:
    """``if (false && x)`` and ``if constexpr`` fold, ``if (x && false)`` does not."""
    answer = ask(
        {
            "run.cpp": HIP + "__global__ void first() {}\n__global__ void second() {}\n"
            "__global__ void third() {}\nconstexpr bool no = false;\n"
            'extern "C" void run(int x) {\n'
            "  if (no && x) first<<<1, 1>>>();\n"
            "  if (x && no) second<<<1, 1>>>();\n"
            "  if constexpr (no) third<<<1, 1>>>();\n}\n"
        }
    )
    assert kernels(answer, "run") == {("second", "run.cpp")}


def test_of_weak_definitions_the_first_in_build_order_stays_and_is_reported(ask: Ask) -> None:
    files = {
        "a.cpp": HIP + "__global__ void first() {}\n"
        "template <typename T> void go(T) { first<<<1, 1>>>(); }\ntemplate void go(int);\n",
        "b.cpp": HIP + "__global__ void second() {}\n"
        "template <typename T> void go(T) { second<<<1, 1>>>(); }\ntemplate void go(int);\n",
        "run.cpp": 'template <typename T> void go(T);\nextern "C" void run() { go(1); }\n',
    }
    answer = ask(files)
    assert kernels(answer, "run") == {("first", "a.cpp")}
    (divergence,) = answer.divergent
    assert divergence.symbol == "_Z2goIiEvT_"
    assert divergence.places == ("a.cpp: a.cpp:3", "b.cpp: b.cpp:3")
    turned = ask({name: files[name] for name in ("b.cpp", "a.cpp", "run.cpp")})
    assert kernels(turned, "run") == {("second", "b.cpp")}


def test_a_strong_definition_wins_over_an_earlier_weak_one(ask: Ask) -> None:
    answer = ask(
        {
            "a.cpp": HIP + "__global__ void first() {}\n"
            "__attribute__((weak)) void go() { first<<<1, 1>>>(); }\n"
            'extern "C" void run() { go(); }\n',
            "b.cpp": HIP + "__global__ void second() {}\nvoid go() { second<<<1, 1>>>(); }\n",
        }
    )
    assert kernels(answer, "run") == {("second", "b.cpp")}
    assert [each.places[0] for each in answer.divergent] == ["b.cpp: b.cpp:3"]


def test_the_same_inline_function_in_two_units_does_not_diverge(ask: Ask) -> None:
    """One unit has seen that the callee cannot throw and calls it, the other invokes it."""
    header = (
        "#include <memory>\nvoid may(int);\n"
        "template <typename T> void quiet(T) {}\n"
        "struct Guard { ~Guard(); };\n"
        "template <typename T> void go(T x) { Guard guard; quiet(x); }\n"
    )
    answer = ask(
        {
            "go.hpp": header,
            "a.cpp": '#include "go.hpp"\ntemplate void quiet(int);\nvoid a() { go(1); }\n',
            "b.cpp": '#include "go.hpp"\nvoid b() { go(1); }\ntemplate void quiet(int);\n',
            "run.cpp": 'void a(); void b();\nextern "C" void run() { a(); b(); }\n',
        }
    )
    assert answer.divergent == ()


def test_what_no_unit_defines_is_a_boundary_and_data_is_not(ask: Ask) -> None:
    answer = ask(
        {
            "run.cpp": 'void outside(int);\nextern int number;\nextern "C" void plain();\n'
            'extern "C" void run() { outside(number); plain(); }\n'
        }
    )
    assert answer.entries["run"].boundaries == {"_Z7outsidei", "plain"}


def test_functions_of_other_trees_are_walked_and_not_named(ask: Ask) -> None:
    answer = ask(
        {
            "run.cpp": HIP + "#include <functional>\n__global__ void work() {}\n"
            'extern "C" void run() { std::function<void()> f = [] { work<<<1, 1>>>(); }; f(); }\n'
        }
    )
    assert kernels(answer, "run") == {("work", "run.cpp")}
    assert {function.file for function in answer.functions.values()} == {"run.cpp"}


def test_a_unit_that_does_not_compile_is_named_with_its_first_error(ask: Ask) -> None:
    answer = ask(
        {"good.cpp": 'extern "C" void run() {}\n', "bad.cpp": "int x = nothing;\n"}, may_fail=True
    )
    assert set(answer.entries) == {"run"}
    assert "use of undeclared identifier 'nothing'" in answer.failed["bad.cpp"]


def test_entries_can_be_chosen_and_unknown_ones_are_left_out(ask: Ask) -> None:
    answer = ask(
        {"run.cpp": 'extern "C" void one() {}\nextern "C" void two() {}\n'}, ["two", "three"]
    )
    assert set(answer.entries) == {"two"}
