"""Which pinned files a mirror still has, and what stands in the place of those it dropped."""

from __future__ import annotations

import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote

from extractor import cache, settings
from extractor.rule_schema import Pin
from extractor.rules import Rule

_SECONDS = 8.0
_HREF = re.compile(rb'href="([^"/?]+)"')

Status = Literal["there", "gone", "unreachable"]


@dataclass(frozen=True)
class PinStatus:
    """One pinned file.

    Attributes:
        used_by: Rule or package that pins it.
        pin: Path below a mirror's pool, or address.
        status: Whether a mirror has it.
        cached: Whether the cache has it, so that the mirror is not needed here.
        where: The mirror that answered, or why none did.
        replacements: Other versions of the same file that the pool lists now.
    """

    used_by: str
    pin: str
    status: Status
    cached: bool
    where: str
    replacements: tuple[str, ...] = field(default=())


def check_pins(rules: Iterable[Rule]) -> list[PinStatus]:
    """Asks the mirrors for every pinned archive and package; nothing is downloaded.

    Args:
        rules: Rules whose pins are asked for; a pin that several use is asked for once.
    """
    pins: dict[str, tuple[str, Pin]] = {}
    for rule in rules:
        for pin in (*rule.source.archives, *rule.source.revisions):
            pins.setdefault(pin.sha256, (f"source of {rule.name}", pin))
        for package in rule.needed_packages:
            for pin in package.pins:
                pins.setdefault(pin.sha256, (f"package {package.name}", pin))
    return [_status(used_by, pin) for used_by, pin in pins.values()]


def _status(used_by: str, pin: Pin) -> PinStatus:
    cached = (cache.entry("files", pin.sha256) / pin.file_name).is_file()
    named = pin.pool or pin.url or ""
    bases = [""] if pin.url else [f"{mirror}/pool/main/" for mirror in settings.mirrors()]
    if not bases:
        return PinStatus(used_by, named, "unreachable", cached, "no mirror is configured")
    gone, reason = "", ""
    for base in bases:
        try:
            _ask("HEAD", base + named)
        except urllib.error.HTTPError as error:
            gone = gone or base
            reason = f"{error.code} {error.reason}"
        except (OSError, http.client.HTTPException) as error:
            reason = str(getattr(error, "reason", error))
        else:
            return PinStatus(used_by, named, "there", cached, base or named)
    if not gone:
        return PinStatus(used_by, named, "unreachable", cached, reason)
    return PinStatus(used_by, named, "gone", cached, reason, _replacements(gone, pin))


def _replacements(base: str, pin: Pin) -> tuple[str, ...]:
    """Files of the pool's folder with the same package name and the same ending."""
    if pin.pool is None:
        return ()
    folder, _, name = pin.pool.rpartition("/")
    package = name.partition("_")[0]
    ending = re.sub(r"^.*?(_[a-z0-9]+\.deb|\.orig\.tar\.\w+|\.[a-z0-9.]+)$", r"\1", name)
    try:
        page = _ask("GET", f"{base}{folder}/")
    except (OSError, http.client.HTTPException):
        return ()
    listed = {unquote(match.decode("utf-8", "replace")) for match in _HREF.findall(page)}
    return tuple(
        f"{folder}/{file}"
        for file in sorted(listed)
        if file.partition("_")[0] == package and file.endswith(ending) and file != name
    )


def _ask(method: str, address: str) -> bytes:
    request = urllib.request.Request(address, method=method, headers={"User-Agent": "rocquarry"})
    with urllib.request.urlopen(request, timeout=_SECONDS) as response:
        return bytes(response.read(4 << 20)) if method == "GET" else b""
