"""How a call is told: its name as it is called, and all of its arguments, none left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from extractor.launch_text import split_arguments
from qa.author.draft import code
from qa.reading.function import Call, Definition

_LONGEST_HELD = 120
_RETURNS = re.compile(
    r"(?=\w*(?:RETURN|CHECK|THROW|ASSERT|REQUIRE|VALID))[A-Z][A-Z0-9]*_[A-Z0-9_]+"
)
_BY_MACRO = re.compile(r"\b([A-Z][A-Z0-9]*_[A-Z0-9_]*)\((\w+)\)(?=<|$)")


def given(arguments: Sequence[str], own: Sequence[str]) -> str:
    """The arguments of a call, for behind its name.

    Args:
        arguments: As written.
        own: Parameters of the caller, in order.

    Returns:
        Nothing where there are none; that they are the caller's own where the caller hands on all
        of them, in their order; else all of them in one piece of code.
    """
    told = [re.sub(r"\s+", " ", one).strip() for one in arguments]
    if not any(told):
        return ""
    if told == list(own):
        return " with your own arguments"
    return f", given {code(', '.join(told))}"


def held(text: str, definitions: Sequence[Definition]) -> list[tuple[Definition, str]]:
    """Objects that a function makes by a call and never speaks of again, in words.

    What they do they do by being there, and by their end: a mode that is set back, a lock.

    Args:
        text: The function's text.
        definitions: Its local variables.
    """
    found = []
    for one in definitions:
        value = re.sub(r"\s+", " ", one.value).strip()
        called = re.match(r"(?:\w+(?:->|\.|::))*\w+(?:<[^()]*>)?\(", value)
        short = len(value) <= _LONGEST_HELD
        if called and short and len(re.findall(rf"\b{one.name}\b", text)) == 1:
            words = f"keep {code(value)} as {code(one.name)} until it goes out of scope"
            found.append((one, words))
    return found


def named_by_macros(words: Collection[str], own: Collection[str]) -> str:
    """Says of macros in the names of called functions what they do there.

    Args:
        words: Names of functions as they are called: ``LIB_API(work)<T>``.
        own: Names of the caller's own: a macro that gets one of them is called with it.
    """
    macros = sorted({m[1] for one in words for m in _BY_MACRO.finditer(one) if m[2] not in own})
    if not macros:
        return ""
    return "".join(
        f" {code(macro)} only makes a function's name: what is called is the function in its brackets, under the name that the macro gives it."
        for macro in macros
    )


def with_template(name: str, text: str) -> str:
    """A name as it is called: with its template arguments, and in the macro that makes it.

    A launch by a macro may have the name without brackets around it: ``LAUNCH(name<T>, grid, ...)``.
    """
    bound = ""
    for match in re.finditer(rf"\b{re.escape(name)}\)?\s*(?=<)", text):
        bound = _template_arguments(text[match.end() :])
        if bound:
            break
    macro = re.match(rf"([A-Z]\w*)\({re.escape(name)}\)\s*[<(]", text)
    return (f"{macro[1]}({name})" if macro else name) + bound


def _template_arguments(text: str) -> str:
    """The template arguments at the begin of a text; empty where it has none of a call."""
    depth = brackets = 0
    for place, sign in enumerate(text):
        brackets += (sign in "([{") - (sign in ")]}")
        if brackets < 0:
            return ""
        if not brackets:
            depth += (sign == "<") - (sign == ">" and text[place - 1] != "-")
        if not depth:
            followed = re.match(r"\s*[(),]", text[place + 1 :])
            return re.sub(r"\s+", " ", text[: place + 1]) if followed else ""
    return ""


def around(call: Call, calls: Sequence[Call]) -> str:
    """The macro that looks at what a call gives, for before its telling; empty where none does.

    Args:
        call: The call.
        calls: All of the function's, those by macros among them.
    """
    for other in calls:
        inner = re.sub(r"\s+", "", ",".join(other.arguments)).strip("()")
        wraps = inner and inner in re.sub(r"\s+", "", call.text) + ")"
        if (
            other is not call and wraps and _RETURNS.fullmatch(other.name)
            and other.first <= call.first and call.last <= other.last
        ):  # fmt: skip
            return f"inside {code(f'{other.name}(...)')} "
    return ""


def handed_to_kernel(kernel: str, text: str) -> str:
    """The arguments that a launch by a macro gives its kernel; empty where they cannot be told."""
    parts = split_arguments(text[text.find("(") + 1 : text.rfind(")")])
    at = next((n for n, part in enumerate(parts) if re.search(rf"\b{kernel}\b", part)), -1)
    return ", ".join(parts[at + 5 :]) if at >= 0 else ""
