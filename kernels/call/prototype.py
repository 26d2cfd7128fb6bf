"""C prototypes and enumerations of a library, read from its public headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
_ENUM = re.compile(r"\benum\s*(?P<tag>\w*)\s*\{(?P<body>[^}]*)\}\s*(?P<name>\w*)\s*;")
_ENUMERATOR = re.compile(r"(?P<name>\w+)\s*(?:=\s*(?P<value>[^,]+))?\s*(?:,|$)")
_ALIAS = re.compile(r"\btypedef\s+(?P<type>[\w\s]+?)\s+(?P<name>\w+)\s*;")
_RESULT = re.compile(r"(?P<result>\w[\w\s*]*)$")
_PARAMETER = re.compile(r"^(?P<type>.*?[\s*])(?P<name>\w+)\s*(?P<array>\[\s*\])?$", re.S)

ELEMENTS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
    "float_complex": "complex64", "double_complex": "complex128", "int": "int32",
    "int32_t": "int32", "int64_t": "int64", "long long": "int64", "stride": "int64",
    "size_t": "uint64", "uint32_t": "uint32", "unsigned": "uint32", "unsigned int": "uint32",
    "char": "int8", "int8_t": "int8", "uint8_t": "uint8", "bool": "bool", "long": "int64",
}  # fmt: skip
"""Element types by the C type's name without the library's own prefix."""


@dataclass(frozen=True)
class CType:
    """The type of a parameter.

    Attributes:
        base: Name of the type without qualifiers and pointers.
        element: As a task writes it; empty where it is no number.
        pointers: 0 for a value, 1 for a buffer, 2 for an array of buffers.
        constant: Whether what it points to is not written.
    """

    base: str
    element: str
    pointers: int
    constant: bool


@dataclass(frozen=True)
class CArgument:
    """One parameter of a prototype."""

    name: str
    type: CType


@dataclass(frozen=True)
class Prototype:
    """One public function: its parameters in order."""

    name: str
    result: str
    parameters: tuple[CArgument, ...]


@dataclass(frozen=True)
class Headers:
    """What the public headers of a library, and of those it stands on, declare.

    Attributes:
        text: Their texts without comments and directives.
        enumerations: Constants of each enumeration by name.
        aliases: Plain types behind names.
    """

    text: str
    enumerations: Mapping[str, Mapping[str, int]]
    aliases: Mapping[str, str]

    def prototype(self, name: str) -> Prototype | None:
        """The prototype of a function; ``None`` where no header has one."""
        # From the name on and back to its type: a pattern that begins with any word takes seconds
        # for a library's headers.
        for found in re.finditer(rf"\b{re.escape(name)}\s*\((?P<list>[^;{{]*)\)\s*;", self.text):
            before = _RESULT.search(self.text, max(0, found.start() - 200), found.start())
            if before:
                break
        else:
            return None
        parts = [part.strip() for part in found["list"].split(",")]
        parameters = [self._parameter(part) for part in parts if part and part != "void"]
        return Prototype(name, before["result"].split()[-1], tuple(parameters))

    def constants(self, base: str) -> Mapping[str, int]:
        """Constants of an enumeration; empty where the type is none."""
        return self.enumerations.get(base, {})

    def _parameter(self, text: str) -> CArgument:
        match = _PARAMETER.match(text)
        written, name = (match["type"], match["name"]) if match else (text, "")
        pointers = written.count("*") + bool(match and match["array"])
        constant = bool(re.match(r"\s*const\b|[^*]*\bconst\b[^*]*\*", written)) and pointers > 0
        words = [w for w in re.sub(r"[*]", " ", written).split() if w not in ("const", "struct")]
        base = " ".join(words)
        return CArgument(name, CType(base, self._element(base), pointers, constant))

    def _element(self, base: str) -> str:
        for _ in range(4):
            # rocblas_float_complex: the library's own word for a type that everybody has.
            for candidate in (base, base.partition("_")[2]):
                if candidate in ELEMENTS:
                    return ELEMENTS[candidate]
            if base not in self.aliases:
                return ""
            base = self.aliases[base]
        return ""


def read_headers(files: Iterable[Path]) -> Headers:
    """Reads headers; those that cannot be read are passed over, as a compiler would miss them."""
    texts = []
    for file in files:
        try:
            raw = file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        texts.append(_COMMENT.sub(" ", raw))
    text = "\n".join(texts)
    enumerations: dict[str, dict[str, int]] = {}
    for match in _ENUM.finditer(text):
        constants = _constants(match["body"])
        for name in (match["name"], match["tag"]):
            if name:
                enumerations.setdefault(name, constants)
    aliases = {m["name"]: " ".join(m["type"].split()) for m in _ALIAS.finditer(text)}
    return Headers(text, enumerations, aliases)


def _constants(body: str) -> dict[str, int]:
    found: dict[str, int] = {}
    following = 0
    for match in _ENUMERATOR.finditer(body.strip()):
        if match["value"] is not None:
            try:
                following = int(match["value"].strip(), 0)
            except ValueError:
                following = found.get(match["value"].strip(), following)
        found[match["name"]] = following
        following += 1
    return found
