"""Errors of rocQuarry: one tree, so that a caller catches what it means to catch.

RocQuarryError                 anything rocQuarry raises on purpose
├── UserError                  the user must fix something; one line, exit code 2
│   ├── UnknownName            a project, interface, kernel or configuration that does not exist
│   ├── RuleError              a rule file with a fault: file, line, key
│   ├── SourceError            a source tree or archive that cannot be had or trusted
│   ├── ToolchainError         no usable compiler, libclang or headers
│   └── MissingExtra           an optional part of rocQuarry is not installed
├── StoreError                 the cache could not be read or written
└── UnitError                  one translation unit failed; the run goes on and exits with 1
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RocQuarryError(Exception):
    """Base of every error that rocQuarry raises on purpose."""

    exit_code = 1


class UserError(RocQuarryError):
    """The user must fix something. The message is one line and names the fix."""

    exit_code = 2


class UnknownName(UserError):
    """A name that the project does not have; the message lists the nearest ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        near = difflib.get_close_matches(name, list(known), n=5, cutoff=0.5)
        text = f"unknown {kind} '{name}'"
        if near:
            text += f"; nearest: {', '.join(near)}"
        if hint:
            text += f" ({hint})"
        super().__init__(text)
        self.kind, self.name, self.nearest = kind, name, near


class RuleError(UserError):
    """A rule file with a fault; the message names file, line and key."""


class SourceError(UserError):
    """A source tree or archive that cannot be had, or that is not what its hash says."""


class ToolchainError(UserError):
    """No usable compiler, libclang or set of headers."""


class MissingExtra(UserError):
    """An optional part of rocQuarry is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"{package} is not installed; install it with: pip install 'rocquarry[{extra}]'"
        )


class StoreError(RocQuarryError):
    """The cache could not be read or written."""

    exit_code = 2


class DamagedStore(StoreError):
    """The store was damaged and has been emptied; what it held is indexed again by a second try."""


class UnitError(RocQuarryError):
    """One translation unit could not be parsed; the rest of the run goes on."""
