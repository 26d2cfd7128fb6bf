"""Names that exist."""

from __future__ import annotations

import re

from extractor.launch_text import split_arguments
from qa.gates.case import Case
from qa.text.comparisons import tight
from qa.text.prose import code_fragments

_WORD = re.compile(r"[A-Za-z_]\w*")
LANGUAGE = frozenset(
    [
        "alignas",
        "alignof",
        "and",
        "auto",
        "bool",
        "break",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "constexpr",
        "const_cast",
        "continue",
        "decltype",
        "default",
        "define",
        "defined",
        "delete",
        "do",
        "double",
        "dynamic_cast",
        "elif",
        "else",
        "endif",
        "enum",
        "explicit",
        "extern",
        "false",
        "float",
        "for",
        "friend",
        "goto",
        "if",
        "ifdef",
        "ifndef",
        "include",
        "inline",
        "int",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "long",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "not",
        "nullptr",
        "operator",
        "or",
        "pragma",
        "private",
        "protected",
        "public",
        "register",
        "reinterpret_cast",
        "return",
        "short",
        "signed",
        "size_t",
        "sizeof",
        "static",
        "static_assert",
        "static_cast",
        "std",
        "struct",
        "switch",
        "template",
        "this",
        "thread_local",
        "throw",
        "true",
        "try",
        "typedef",
        "typename",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "union",
        "unsigned",
        "using",
        "virtual",
        "void",
        "volatile",
        "wchar_t",
        "while",
        "threadIdx",
        "blockIdx",
        "blockDim",
        "gridDim",
        "warpSize",
        "hipThreadIdx_x",
        "hipThreadIdx_y",
        "hipThreadIdx_z",
        "hipBlockIdx_x",
        "hipBlockIdx_y",
        "hipBlockIdx_z",
        "hipBlockDim_x",
        "hipBlockDim_y",
        "hipBlockDim_z",
        "hipGridDim_x",
        "hipGridDim_y",
        "hipGridDim_z",
        "NULL",
        "nan",
        "inf",
        "NaN",
        "Inf",
        "NAN",
        "INFINITY",
        "x",
        "y",
        "z",
        "w",
        "undef",
        "once",
        "unroll",
        "complex",
        "real",
        "imag",
        "min",
        "max",
        "abs",
        "sqrt",
    ]
)
"""Words of C++ and of HIP that belong to no library."""


def configuration(case: Case) -> str | None:
    """Configurations, interface and entry points are the library's own."""
    entry, project = case.entry, case.ground.project
    known = project.configurations()
    for name in entry.configs:
        if name not in known:
            return f"unknown configuration {name}; known: {', '.join(known)}"
    if not entry.configs:
        return "no configuration is named"
    if not case.ground.knows(entry.interface):
        return f"unknown interface {entry.interface}"
    for name in entry.entry_points:
        if name not in case.view.per_entry and name not in project.exported:
            return f"unknown entry point {name}"
        if case.view.entry_points and name not in case.view.entry_points:
            return f"entry point {name} is not one of {entry.interface}"
    if not entry.entry_points:
        return "no entry point is named"
    if re.search(r"\b_Z\w{4,}", f"{entry.question} {'' if case.is_code else entry.answer}"):
        return "a mangled symbol stands in the text"
    text = f"{entry.question} {'' if case.is_code else entry.answer}"
    named = {
        name
        for name in known
        if len(known) > 1 and re.search(rf"configuration (?:is )?`?{name}\b|`{name}`", text)
    }
    if named and not named & set(entry.configs):
        return f"the text is about configuration {', '.join(sorted(named))}, the entry is not"
    return None


def exist(case: Case) -> str | None:
    """Every name of question and answer is one of the source, the scope, or HIP."""
    asked = case.question_names | case.answer_names
    unknown = sorted(asked - LANGUAGE - case.view.names - case.evidence_names)
    ground = case.ground
    for span in case.shown:
        unknown = [name for name in unknown if name not in ground.tokens(span.file)]
    unknown = [n for n in unknown if n not in ground.public_names and n not in ground.enumerators]
    if unknown:
        # The header's own words on the public functions name parts of matrices.
        documented = {
            name
            for entry in case.entry.entry_points
            if entry in ground.documentation
            for name in _WORD.findall(ground.documentation[entry].operation)
        }
        unknown = [name for name in unknown if name not in documented]
    if case.is_code:
        # Names that the code itself introduces are its own.
        made = set(
            re.findall(r"[\w>*&]\s+[*&]*([A-Za-z_]\w*)\s*(?=[=;,)\[({:])", case.entry.answer)
        )
        unknown = [name for name in unknown if name not in made]
    unknown = [
        name for name in unknown
        if not (re.match(r"hip|__|gfx|std$|rocprim|HIP", name) and name in ground.runtime_names)
    ]  # fmt: skip
    if unknown and not case.is_code:
        # Kernels past the boundary are in no scope: a recorded call shows that they exist.
        launched = {
            launch["kernel"]
            for trace in ground.traces(case.view.interface)
            if trace["entry"] in case.entry.entry_points
            for launch in trace["launches"]
        }
        unknown = [name for name in unknown if name not in launched]
    if unknown:
        return f"no such name in scope, source or HIP: {', '.join(unknown[:5])}"
    return None if case.is_code else _instantiations(case)


def _instantiations(case: Case) -> str | None:
    """``name<arguments, …>`` in backticks is an instantiation, or stands so in the source."""
    squeezed = ""
    for fragment in code_fragments(f"{case.entry.question} {case.entry.answer}"):
        match = re.fullmatch(
            r"(?:\w+::)*(\w+)\s*<([^()]*?)(?:,?\s*(?:…|\.\.\.))?>", fragment.strip()
        )
        if not match or not case.view.by_name.get(match[1]):
            continue
        given = [tight(part) for part in split_arguments(match[2]) if part]
        made = [
            [tight(argument) for argument in one["template_arguments"]]
            for function in case.view.by_name[match[1]]
            for one in function.instantiations
        ]
        squeezed = squeezed or tight(case.evidence_text)
        if any(one[: len(given)] == given for one in made):
            continue
        if f"{match[1]}<{','.join(given)}" not in squeezed:
            return f"no such instantiation: {fragment}"
    return None
