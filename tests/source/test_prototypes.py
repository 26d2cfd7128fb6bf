"""Marked declarations are cut out whole, whatever stands around and inside of them."""

from __future__ import annotations

import re
from pathlib import Path

from extractor.rule_schema import Prototypes
from extractor.source.prototypes import declarations, prototype_header

SPEC = Prototypes(
    kind="prototypes",
    output="x/proto.hpp",
    headers=("src/*.hpp",),
    marker="MY_EXPORT",
    replace="MY_NOTE",
    includes=("x/types.h",),
)


def header(tmp_path: Path, **files: str) -> list[str]:
    (tmp_path / "src").mkdir(exist_ok=True)
    names = []
    for name, text in files.items():
        (tmp_path / "src" / f"{name}.hpp").write_text(text)
        names.append(f"src/{name}.hpp")
    lines = prototype_header(tmp_path, names, SPEC).splitlines()
    assert lines[1] == "#pragma once"
    assert lines[3] == '#include "x/types.h"'
    body = " ".join(lines[5:])
    return [re.sub(r"\s+", " ", item).strip() for item in re.findall(r"[^;]*;(?: })*", body)]


def test_a_template_declaration(tmp_path: Path) -> None:
    text = """\
#pragma once
/* MY_EXPORT in a comment; */
template <typename T, int N = (1 > 0)>
MY_EXPORT status run(handle h, const T* const* x, /* count; */ int n = 1);
"""
    assert header(tmp_path, a=text) == [
        "template <typename T, int N = (1 > 0)> "
        "MY_NOTE status run(handle h, const T* const* x, int n = 1);"
    ]


def test_a_definition_loses_its_body(tmp_path: Path) -> None:
    text = """\
template <typename T>
MY_EXPORT size_t size(int n)
{
    if(n) { return sizeof("}"); } // }
    return '}' + R"x(}})x"[0];
}
MY_EXPORT int next();
"""
    assert header(tmp_path, a=text) == [
        "template <typename T> MY_NOTE size_t size(int n);",
        "MY_NOTE int next();",
    ]


def test_what_is_not_marked_is_left_out(tmp_path: Path) -> None:
    text = """\
int plain();
class MY_EXPORT thing { MY_EXPORT int member(); };
struct MY_EXPORT other;
extern MY_EXPORT int variable;
MY_EXPORT_NOT int looks_like_it();
MY_EXPORT int it();
"""
    assert header(tmp_path, a=text) == ["MY_NOTE int it();"]


def test_namespaces_stay_around(tmp_path: Path) -> None:
    text = """\
namespace a { namespace b::c {
MY_EXPORT int inside(struct point p = {1, 2});
} int between; }
extern "C" {
MY_EXPORT int linked(int (*callback)(void));
}
"""
    assert header(tmp_path, a=text) == [
        "namespace a { namespace b::c { MY_NOTE int inside(struct point p = {1, 2}); } }",
        "MY_NOTE int linked(int (*callback)(void));",
    ]


def test_preprocessor_lines_and_digit_separators_do_not_confuse(tmp_path: Path) -> None:
    text = """\
#define OPEN {
#define LONG(x) \\
    { x; \\
    }
#if X
MY_EXPORT int one(int n = 1'000);
#else
MY_EXPORT int two(char c = '{');
#endif
"""
    assert header(tmp_path, a=text) == [
        "MY_NOTE int one(int n = 1'000);",
        "MY_NOTE int two(char c = '{');",
    ]


def test_headers_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    assert header(tmp_path, b="MY_EXPORT int b();", a="MY_EXPORT int a();") == [
        "MY_NOTE int a();",
        "MY_NOTE int b();",
    ]


def test_a_text_that_ends_in_the_middle_is_no_endless_loop() -> None:
    for text in ("MY_EXPORT int f(", "namespace x {", "f() {", '"', "/*", "}", 'R"(', ")"):
        assert len(list(declarations(text))) <= 1
