"""What the compiler says about one unit: symbols defined, and the symbols each of them mentions."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any, Literal

from extractor.errors import StoreError

Linkage = Literal["strong", "weak", "internal"]
Kind = Literal["function", "variable", "alias"]
Use = Literal["call", "address"]

FORMAT = 2
"""Changes whenever the record or what is put into it changes; part of every cache key."""

_LINKAGES: tuple[Linkage, ...] = ("strong", "weak", "internal")
_KINDS: tuple[Kind, ...] = ("function", "variable", "alias")
_USES: tuple[Use, ...] = ("call", "address")
_FIELDS = 4


@dataclass(frozen=True, slots=True)
class Mention:
    """One symbol inside an instruction or an initialiser.

    Attributes:
        symbol: The symbol as mangled.
        use: ``call`` when it is the callee of a call or invoke, else ``address``.
        file: File of the debug location, empty when the compiler gave none.
        line: Line of the debug location, 0 when the compiler gave none.
    """

    symbol: str
    use: Use
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Definition:
    """One symbol that a unit defines.

    Attributes:
        symbol: The symbol as mangled.
        kind: Function, variable or alias.
        linkage: ``strong``, ``weak`` (the linker keeps one of many) or ``internal`` (this unit's).
        file: File of the definition, a launch stub's being its kernel's; empty for what the
            compiler makes up.
        line: Line of the definition.
        artificial: True for implicit members and initialisers, which no source text spells.
        body: Digest of where a function that units share stands and what it mentions; else empty.
        mentions: Symbols in the body or initialiser, each once per use, file and line.
    """

    symbol: str
    kind: Kind
    linkage: Linkage
    file: str
    line: int
    artificial: bool
    body: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class UnitSymbols:
    """One unit.

    Attributes:
        definitions: Every symbol with a body or with mentions in its initialiser.
        initialisers: Pairs of a variable and the function that initialises it before ``main``.
        declared: Functions that another unit, or another library, must define.
    """

    definitions: tuple[Definition, ...] = ()
    initialisers: tuple[tuple[str, str], ...] = ()
    declared: tuple[str, ...] = ()


def pack(unit: UnitSymbols) -> bytes:
    """Serialise a unit: compressed JSON with one table of strings."""
    table: dict[str, int] = {}

    def number(text: str) -> int:
        return table.setdefault(text, len(table))

    definitions = [
        [
            number(each.symbol),
            _KINDS.index(each.kind),
            _LINKAGES.index(each.linkage),
            number(each.file),
            each.line,
            int(each.artificial),
            each.body,
            [
                value
                for use in each.mentions
                for value in (
                    number(use.symbol),
                    _USES.index(use.use),
                    number(use.file),
                    use.line,
                )
            ],
        ]
        for each in unit.definitions
    ]
    record = {
        "definitions": definitions,
        "initialisers": [[number(a), number(b)] for a, b in unit.initialisers],
        "declared": [number(symbol) for symbol in unit.declared],
        "strings": list(table),
    }
    return zlib.compress(json.dumps(record, separators=(",", ":")).encode(), 1)


def unpack(data: bytes) -> UnitSymbols:
    """Read what :func:`pack` wrote.

    Raises:
        StoreError: The bytes are not a complete record.
    """
    try:
        record = json.loads(zlib.decompress(data))
        return _unpack(record)
    except (ValueError, KeyError, IndexError, TypeError, zlib.error) as error:
        raise StoreError(f"a cached unit of the check is damaged: {error}") from error


def _unpack(record: dict[str, Any]) -> UnitSymbols:
    text: list[str] = record["strings"]
    definitions = []
    for symbol, kind, linkage, file, line, artificial, body, flat in record["definitions"]:
        mentions = tuple(
            Mention(text[flat[at]], _USES[flat[at + 1]], text[flat[at + 2]], flat[at + 3])
            for at in range(0, len(flat), _FIELDS)
        )
        definitions.append(
            Definition(
                text[symbol],
                _KINDS[kind],
                _LINKAGES[linkage],
                text[file],
                line,
                bool(artificial),
                body,
                mentions,
            )
        )
    return UnitSymbols(
        tuple(definitions),
        tuple((text[a], text[b]) for a, b in record["initialisers"]),
        tuple(text[symbol] for symbol in record["declared"]),
    )
