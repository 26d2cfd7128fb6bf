"""Unoptimised IR of a unit, and the part of it that one kernel is made from, in one fixed form.

Two units that hold the same kernel differ in what else they hold, and so in how the compiler
numbers types, constants, attributes and metadata. Here everything is numbered in the order in which
the kernel comes to it. Two kernels with the same form are the same program to the compiler from
there on: it sees nothing else of a function than what its form holds.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

_NAME = r'(?:[\w.$-]+|"(?:[^"\\]|\\.)*")'
_DEFINE = re.compile(rf"^define .*?@({_NAME})\(")
_DECLARE = re.compile(rf"^declare .*?@({_NAME})\(")
_GLOBAL = re.compile(rf"^@({_NAME}) = ")
_TYPE = re.compile(rf"^(%{_NAME}) = type ")
_COMDAT = re.compile(r"^\$")
_ATTRIBUTES = re.compile(r"^attributes (#\d+) = \{(.*)\}")
_METADATA = re.compile(r"^(!\d+) = (.*)")
_TOKEN = re.compile(
    rf'@{_NAME}|%(?:struct|class|union)\.[\w.$-]+|%"(?:[^"\\]|\\.)*"|!\d+|#\d+|comdat(?:\(\$[^)]*\))?'
)
# Where inline assembly stands in its file; of no effect on the code.
_PLACE = re.compile(r", !srcloc !\d+")
_STRING = re.compile(r'c"(?:[^"\\]|\\.)*"')


class Module:
    """The text of a unit's IR, by name.

    Args:
        text: As ``-S -emit-llvm`` writes it.
    """

    def __init__(self, text: str) -> None:
        self.functions: dict[str, str] = {}
        self.globals: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.attributes: dict[str, str] = {}
        self.metadata: dict[str, str] = {}
        self.declared: dict[str, str] = {}
        self.head: list[str] = []
        self._read(text)

    def _read(self, text: str) -> None:
        body: list[str] = []
        name = ""
        for line in text.split("\n"):
            if name:
                body.append(line)
                if line == "}":
                    self.functions[name] = "\n".join(body)
                    name = ""
            elif match := _DEFINE.match(line):
                name, body = match[1], [line]
            elif match := _GLOBAL.match(line):
                self.globals[match[1]] = line
            elif match := _TYPE.match(line):
                self.types[match[1]] = line
            elif match := _ATTRIBUTES.match(line):
                self.attributes[match[1]] = match[2]
            elif match := _METADATA.match(line):
                self.metadata[match[1]] = match[2]
            elif match := _DECLARE.match(line):
                self.declared[match[1]] = line
            elif line.startswith(("target ", "$", "source_filename", "!llvm.")):
                self.head.append(line)

    def find(self, symbol: str) -> str | None:
        """The function of a symbol; of a static kernel also under its externalised name."""
        if symbol in self.functions:
            return symbol
        for name in self.functions:
            if name.strip('"').split(".")[0] == symbol:
                return name
        return None

    def cut(self, symbol: str) -> str | None:
        """A module with nothing but a kernel and what it needs; ``None`` where there is none."""
        start = self.find(symbol)
        if start is None:
            return None
        needed, queue = {start}, [start]
        while queue:
            name = queue.pop()
            text = self.functions.get(name) or self.globals.get(name, "")
            for token in _TOKEN.findall(text):
                plain = token[1:]
                if token[0] == "@" and plain not in needed:
                    needed.add(plain)
                    queue.append(plain)
        return "\n".join(
            [
                *self.head, *self.types.values(),
                *(text for name, text in self.globals.items() if name in needed),
                *(text for name, text in self.functions.items() if name in needed),
                *(text for name, text in self.declared.items() if name in needed),
                *(f"attributes {name} = {{{text}}}" for name, text in self.attributes.items()),
                *(f"{name} = {text}" for name, text in self.metadata.items()), "",
            ]
        )  # fmt: skip

    def form(self, symbol: str) -> str | None:
        """The form of a kernel; ``None`` where the unit does not define it."""
        start = self.find(symbol)
        return None if start is None else _Form(self).of(start)


class _Form:
    """Names in the order in which they are met, and the definitions behind them."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._known: dict[str, str] = {}
        self._queue: list[tuple[str, str]] = []
        self._counts: dict[str, int] = {}

    def of(self, start: str) -> str:
        lines = []
        self._name(f"@{start}")
        while self._queue:
            label, text = self._queue.pop(0)
            text = _PLACE.sub("", text)
            lines.append(f"{label} : {self._renamed(text)}")
        return "\n".join(lines)

    def _renamed(self, text: str) -> str:
        parts, place = [], 0
        for string in _STRING.finditer(text):
            parts.append(_TOKEN.sub(self._token, text[place : string.start()]))
            parts.append(string[0])
            place = string.end()
        parts.append(_TOKEN.sub(self._token, text[place:]))
        return "".join(parts)

    def _token(self, match: re.Match[str]) -> str:
        text = match[0]
        return "comdat" if text.startswith("comdat") else self._name(text)

    def _name(self, token: str) -> str:
        known = self._known.get(token)
        if known is not None:
            return known
        module, mark, plain = self._module, token[0], token[1:]
        if mark == "@":
            text = module.functions.get(plain) or module.globals.get(plain)
            # What is defined elsewhere is known by its name alone.
            label = self._next("@") if text else token
            text = text or module.declared.get(plain)
        elif mark == "%":
            text = module.types.get(token)
            label = self._next("%") if text else token
        elif mark == "!":
            text = module.metadata.get(token)
            label = self._next("!")
        else:
            text = module.attributes.get(token)
            label = "{" + _sorted_attributes(text or "") + "}"
            self._known[token] = label
            return label
        self._known[token] = label
        if text:
            self._queue.append((label, text))
        return label

    def _next(self, mark: str) -> str:
        number = self._counts[mark] = self._counts.get(mark, 0) + 1
        return f"{mark}{number}"


def _sorted_attributes(text: str) -> str:
    return " ".join(sorted(re.findall(r'(?:[^\s"]|"[^"]*")+', text)))


def digest(form: str) -> str:
    """SHA-256 of a form."""
    return hashlib.sha256(form.encode()).hexdigest()


def read_module(path: Path) -> Module:
    """Reads a file of IR."""
    return Module(path.read_text(encoding="utf-8", errors="surrogateescape"))
