"""A library's source on disk, with the provenance every record carries."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class SourceTree:
    """One revision of one library, unpacked.

    Attributes:
        root: Folder that every span's file name is relative to.
        name: Project name, as in its rule file.
        version: Version the tree itself states, for instance ``6.4.4``.
        commit: Git commit or tag when known, else the archive's SHA-256.
        license: SPDX identifier.
        origin: Where it came from: ``folder``, ``git``, ``debian`` or ``cache``.
        content_key: SHA-256 over relative names and contents of the files that can reach a unit.
        generated: Folder with the headers made from the tree, searched like the build's own.
        build: Build folder outside of the tree whose headers the units include, or ``None``.
    """

    root: Path
    name: str
    version: str
    commit: str
    license: str
    origin: str
    content_key: str
    generated: Path
    build: Path | None = None
