"""Plain names out of demangled ones: scopes kept, template arguments and parameters dropped."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from extractor.check.mangled import demangle

_OPERATOR = re.compile(r"\boperator(\(\)|<=>|<<=|>>=|<<|>>|<=|>=|->\*|->|<|>|\[\])")
_ALLOCATION = re.compile(r"\boperator (new|delete)(\[\])?")
_CONVERSION = re.compile(r"\boperator (?!new|delete|co_await).*$")
_LAMBDA = re.compile(r"'lambda\d*'")
_UNNAMED = "(anonymous namespace)"
_VERSION = re.compile(r"\bv\d{3,}::")
_LAMBDA_BODY = re.compile(r"\{lambda\}::(?:operator\(\)|__invoke)$")
_QUALIFIER = re.compile(r"(?: (?:const|volatile|noexcept)| ?&&?)+(?=::|$)")
_CLONE = re.compile(r" \(\.[^()]*\)$")
_OPEN, _CLOSE = "(<[{", ")>]}"


@lru_cache(maxsize=200_000)
def qualified_name(symbol: str) -> str:
    """A symbol's name with its scopes, without template arguments, parameters and result type.

    A lambda and its body read ``{lambda}``, unnamed namespaces ``(anonymous)``, conversion
    functions ``operator cast``; inline namespaces with a version number (``v32802``) are left
    out.
    """
    text = demangle(symbol)
    if text == symbol:
        return symbol
    kept: list[str] = []

    def keep(piece: str) -> str:
        # A control character stands for a piece whose brackets are part of the name.
        kept.append(piece)
        return f"\x01{len(kept) - 1}\x02"

    text = _CLONE.sub("", text)
    text = text.replace(_UNNAMED, keep("(anonymous)"))
    text = _LAMBDA.sub(lambda _: keep("{lambda}"), text)
    text = _ALLOCATION.sub(lambda found: keep(found[0]), text)
    text = _OPERATOR.sub(lambda found: _operator(found, keep), text)
    text = _QUALIFIER.sub("", _outside_brackets(text).rstrip())
    text = _CONVERSION.sub(keep("operator cast"), text)
    text = text.split(" ")[-1].lstrip("*&")
    text = re.sub("\x01(\\d+)\x02", lambda found: kept[int(found[1])], text)
    return _LAMBDA_BODY.sub("{lambda}", _VERSION.sub("", text))


def base_name(symbol: str) -> str:
    """The last part of :func:`qualified_name`."""
    return qualified_name(symbol).rpartition("::")[2]


def _operator(found: re.Match[str], keep: Callable[[str], str]) -> str:
    # "operator<<int>" is operator< of int: the sign is the longest that leaves brackets in pairs.
    text = found[0]
    if text.endswith("<<") and not _in_pairs(found.string[found.end() :]):
        return keep(text[:-1]) + "<"
    return keep(text)


def _in_pairs(text: str) -> bool:
    return text.replace("->", "").count("<") == text.replace("->", "").count(">")


def _outside_brackets(text: str) -> str:
    depth, out, before = 0, [], ""
    for character in text:
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE and not (character == ">" and before == "-"):
            depth -= 1
        elif depth == 0:
            out.append(character)
        before = character
    return "".join(out)
