"""A reader of unoptimised LLVM IR text, line by line, for its symbols and who mentions them.

Only the shape that clang prints is read: one instruction a line, functions between ``define`` and
a closing brace in the first column, metadata after all functions. What is not a symbol, a call or
a debug location is skipped unread, so a unit costs far less to read than to compile.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from extractor.check.debug_info import DebugInfo
from extractor.check.symbols import Definition, Kind, Linkage, Mention, UnitSymbols, Use

KERNEL_MARK = "rocquarry.kernel"
"""Text of the annotation that ``mark_kernels.h`` puts on every kernel."""

_SYMBOL = re.compile(rb'@(?:"((?:[^"\\]|\\.)*)"|([-\w.$]+))(\()?')
_TEXT = re.compile(rb'c?"(?:[^"\\]|\\.)*"')
_DEBUG = re.compile(rb"!dbg !(\d+)")
_ASSIGNED = re.compile(rb'^@(?:"((?:[^"\\]|\\.)*)"|([-\w.$]+)) = (.*)$', re.DOTALL)
_LINKAGE_WORD = re.compile(
    rb"^(?:define )?(private|internal|linkonce_odr|linkonce|weak_odr|weak|available_externally"
    rb"|external|extern_weak|common|appending)?\b"
)
_ANNOTATION = re.compile(rb"\{ ptr @(\S+), ptr @(\S+), ptr @(\S+), i32 (\d+), ptr ")
_CONSTRUCTOR = re.compile(rb"\{ i32 \d+, ptr @(\S+), ptr @(\S+) \}")
_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2})")
_WEAK = {b"linkonce_odr", b"linkonce", b"weak_odr", b"weak", b"common"}
_INTERNAL = {b"private", b"internal"}
_ELSEWHERE = (b"external ", b"extern_weak ", b"available_externally ")
_INITIALISER = "__cxx_global_var_init"
# A variable of the HIP runtime's, named after a hash of the command line.
_UNIT_ID = "__hip_cuid_"


@dataclass(slots=True)
class _Open:
    """The function or variable being read."""

    symbol: str
    kind: Kind
    linkage: Linkage
    debug: int
    mentions: dict[tuple[str, Use, int], None] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)


def read_unit(lines: Iterable[bytes]) -> UnitSymbols:
    """Read one unit's IR.

    Args:
        lines: Lines of the text with their line ends; an open file or pipe will do.
    """
    reader = _Reader()
    current: _Open | None = None
    for line in lines:
        if current is not None:
            if line.startswith(b"}"):
                reader.close_function(current)
                current = None
                continue
            if b"@" in line:
                reader.instruction(current, line)
            elif reader.waiting:
                reader.place(current, line)
        elif line.startswith(b"define "):
            current = reader.open_function(line)
        elif line.startswith(b"declare "):
            reader.declare(line)
        elif line.startswith(b"@"):
            reader.variable(line)
        elif line.startswith(b"!"):
            reader.debug.read(line, reader.locations)
    return reader.result()


class _Reader:
    def __init__(self) -> None:
        self.debug = DebugInfo()
        self.locations: set[int] = set()
        self.waiting: list[tuple[str, Use]] = []
        self.done: list[_Open] = []
        self.declared: set[str] = set()
        self.variables: set[str] = set()
        self.strings: dict[str, bytes] = {}
        self.marks: list[tuple[str, str, str, int]] = []
        self.owners: dict[str, str] = {}

    def open_function(self, line: bytes) -> _Open:
        found = _SYMBOL.search(line)
        assert found is not None, line
        debug = _DEBUG.search(line, found.end())
        return _Open(_name(found), "function", _linkage(line), int(debug[1]) if debug else -1)

    def declare(self, line: bytes) -> None:
        found = _SYMBOL.search(line)
        if found is not None and not _name(found).startswith("llvm."):
            self.declared.add(_name(found))

    def close_function(self, current: _Open) -> None:
        # A call may be the last line that can carry a location; none came for what still waits.
        self._settle(current, -1)
        self.done.append(current)

    def instruction(self, current: _Open, line: bytes) -> None:
        if self.waiting:
            self._settle(current, -1)
        debug = _DEBUG.search(line)
        at = int(debug[1]) if debug else -1
        if b'"' in line:
            line = _without_text(line)
        calls = b"call " in line or b"invoke " in line
        loads = b" = load " in line
        uses: list[tuple[str, Use]] = []
        for found in _SYMBOL.finditer(line):
            symbol = _name(found)
            if symbol.startswith("llvm."):
                continue
            uses.append((symbol, "call" if calls and found[3] else "address"))
            if not loads:
                current.written.add(symbol)
        if at < 0 and b"invoke " in line:
            self.waiting = uses
        else:
            self._add(current, uses, at)

    def place(self, current: _Open, line: bytes) -> None:
        """The second line of an invoke: where its debug location stands."""
        debug = _DEBUG.search(line)
        self._settle(current, int(debug[1]) if debug else -1)

    def _settle(self, current: _Open, at: int) -> None:
        self._add(current, self.waiting, at)
        self.waiting = []

    def _add(self, current: _Open, uses: list[tuple[str, Use]], at: int) -> None:
        for symbol, use in uses:
            current.mentions[symbol, use, at] = None
        if at >= 0 and uses:
            self.locations.add(at)

    def variable(self, line: bytes) -> None:
        found = _ASSIGNED.match(line)
        assert found is not None, line
        symbol = (found[1] or found[2]).decode()
        rest = found[3]
        if symbol.startswith("llvm."):
            self._special(symbol, rest)
            return
        if symbol.startswith(_UNIT_ID) or rest.startswith(_ELSEWHERE):
            return
        bare = _TEXT.sub(b"", rest) if b'"' in rest else rest
        words = b" " + bare.partition(b"ptr @")[0]
        kind: Kind = "variable"
        if b" alias " in words or b" ifunc " in words:
            kind = "alias"
        elif rest.startswith(b"private ") and b"@" not in bare:
            self.strings[symbol] = rest
            return
        elif b" constant " not in words:
            self.variables.add(symbol)
        current = _Open(symbol, kind, _linkage(rest), -1)
        self.instruction(current, rest)
        self.done.append(current)

    def _special(self, symbol: str, rest: bytes) -> None:
        if symbol == "llvm.global.annotations":
            self.marks = [
                (_unquoted(stub), _unquoted(mark), _unquoted(file), int(at))
                for stub, mark, file, at in _ANNOTATION.findall(rest)
            ]
        elif symbol == "llvm.global_ctors":
            for function, variable in _CONSTRUCTOR.findall(rest):
                self.owners[_unquoted(function)] = _unquoted(variable)

    def result(self) -> UnitSymbols:
        kernels = dict(self._kernels())
        definitions = [
            self._definition(each, kernels)
            for each in self.done
            if each.kind != "variable" or each.mentions or each.symbol in self.variables
        ]
        internal = {d.symbol: f"{d.file}:{d.line}" for d in definitions if d.linkage == "internal"}
        return UnitSymbols(
            tuple(replace(each, body=_digest(each, internal)) for each in definitions),
            tuple(
                (variable, each.symbol)
                for each in self.done
                if each.symbol.startswith(_INITIALISER)
                for variable in self._initialised(each)
            ),
            tuple(sorted(self.declared)),
        )

    def _definition(self, each: _Open, kernels: dict[str, tuple[str, int]]) -> Definition:
        file, line, artificial = self.debug.function(each.debug)
        file, line = kernels.get(each.symbol, (file, line))
        mentions = {
            Mention(symbol, use, *self.debug.location(at)): None
            for symbol, use, at in each.mentions
            if symbol not in self.strings
        }
        return Definition(
            each.symbol, each.kind, each.linkage, file, line, artificial, "", tuple(mentions)
        )

    def _initialised(self, function: _Open) -> list[str]:
        """Variables that an initialiser sets.

        A weak variable's initialiser names it in ``llvm.global_ctors``. For the others the IR
        keeps no such link, so every variable of this unit whose address the initialiser stores to
        or hands on counts, and one that it only loads does not.
        """
        owner = self.owners.get(function.symbol)
        if owner is not None:
            return [owner]
        return sorted(function.written & self.variables)

    def _kernels(self) -> Iterable[tuple[str, tuple[str, int]]]:
        """Launch stubs, which have no debug information, with their kernels' places."""
        for stub, mark, file, line in self.marks:
            if _text(self.strings[mark]) == KERNEL_MARK:
                yield stub, (self.debug.normal(_text(self.strings[file])), line)


def _name(found: re.Match[bytes]) -> str:
    return (found[1] or found[2]).decode()


def _unquoted(name: bytes) -> str:
    return name.strip(b'"').decode()


def _linkage(line: bytes) -> Linkage:
    found = _LINKAGE_WORD.match(line)
    word = found[1] if found else None
    if word in _INTERNAL:
        return "internal"
    return "weak" if word in _WEAK else "strong"


def _without_text(line: bytes) -> bytes:
    """Drop string constants, whose characters may look like symbols, and keep quoted symbols."""
    return _TEXT.sub(
        lambda t: t[0] if line[t.start() - 1 : t.start()] in (b"@", b"%") else b"", line
    )


def _text(initialiser: bytes) -> str:
    start = initialiser.index(b' c"') + 3
    raw = initialiser[start : initialiser.index(b'"', start)]
    return _ESCAPE.sub(lambda e: bytes([int(e[1], 16)]), raw).rstrip(b"\0").decode()


def _digest(each: Definition, internal: dict[str, str]) -> str:
    """What two definitions of one symbol must agree on to lead to the same functions.

    Text is no measure: clang calls where it has already seen that the callee cannot throw and
    invokes where it has not, so equal bodies differ from unit to unit.
    """
    if each.kind != "function" or each.linkage == "internal":
        return ""
    used = sorted(
        {
            f"{use.symbol} {internal.get(use.symbol, '')}"
            for use in each.mentions
            if not use.symbol.startswith("__")
        }
    )
    text = "\n".join([f"{each.file}:{each.line}", *used])
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
