"""Reads which package mirrors this machine's apt uses.

Both formats count: one-line ``sources.list`` and deb822 ``*.sources``. Nothing is asked of apt
itself, so this also works where apt is configured but broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

_ONE_LINE = re.compile(r"^\s*(?:deb|deb-src)\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)((?:\s+\S+)*)\s*$")
_FETCHABLE = ("http", "https", "file")


def read_mirrors(folder: Path) -> list[str]:
    """Lists the base addresses of an apt configuration, main archives first.

    Args:
        folder: ``/etc/apt``, or a folder of the same layout.

    Returns:
        Addresses without a trailing slash, each once. An archive with the component ``main``
        comes before others, and a distribution's whole archive before its security part, because
        ``pool/main`` of the former holds the pinned files. Unreadable files count as absent.
    """
    found: list[tuple[int, str]] = []
    for address, suites, components in _entries(folder):
        for base in _bases(address, folder):
            if urlsplit(base).scheme not in _FETCHABLE:
                continue
            partial = any("security" in suite for suite in suites) or "security" in base
            rank = (0 if "main" in components else 2) + (1 if partial else 0)
            found.append((rank, base.rstrip("/")))
    found.sort(key=lambda item: item[0])
    return list(dict.fromkeys(base for _, base in found))


def _entries(folder: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    parts = folder / "sources.list.d"
    for file in [folder / "sources.list", *sorted(parts.glob("*.list"))]:
        yield from _one_line_entries(_text(file))
    for file in [folder / "sources.sources", *sorted(parts.glob("*.sources"))]:
        yield from _deb822_entries(_text(file))


def _one_line_entries(text: str) -> Iterator[tuple[str, list[str], list[str]]]:
    for line in text.splitlines():
        match = _ONE_LINE.match(line.partition("#")[0])
        if match:
            yield match[1], [match[2]], match[3].split()


def _deb822_entries(text: str) -> Iterator[tuple[str, list[str], list[str]]]:
    uncommented = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for stanza in re.split(r"\n\s*\n", uncommented):
        fields: dict[str, list[str]] = {}
        name = ""
        for line in stanza.splitlines():
            if line[:1].isspace():
                fields.setdefault(name, []).extend(line.split())
            elif ":" in line:
                name, _, value = line.partition(":")
                name = name.strip().lower()
                fields[name] = value.split()
        if [word.lower() for word in fields.get("enabled", ["yes"])] in (["no"], ["false"], ["0"]):
            continue
        if "deb" in fields.get("types", []) or "deb-src" in fields.get("types", []):
            for address in fields.get("uris", []):
                yield address, fields.get("suites", []), fields.get("components", [])


def _bases(address: str, folder: Path) -> list[str]:
    """Expands ``mirror+file:LIST`` and drops the transport prefix of ``tor+`` and the like."""
    if address.startswith("mirror+file:"):
        listed = Path(address.removeprefix("mirror+file:"))
        lines = _text(listed if listed.is_absolute() else folder / listed).splitlines()
        return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]
    return [address.partition("+")[2] if "+" in urlsplit(address).scheme else address]


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
