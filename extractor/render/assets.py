"""Third-party files that a page carries: found locally, else taken from the npm registry, pinned.

The registry is reached through the user's own ``npm``, so that a mirror or a proxy they configured
is used. A file is accepted only when its SHA-256 is one of the pinned ones.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from extractor.errors import UserError
from extractor.settings import cache_folder, local_files_folder


@dataclass(frozen=True)
class Asset:
    """One file of an npm package.

    Attributes:
        package: Name in the npm registry.
        versions: Version to the SHA-256 of the file, in the order in which they are tried.
        member: Path of the file inside the package.
    """

    package: str
    versions: Mapping[str, str]
    member: str

    @property
    def file_name(self) -> str:
        """Name without folders."""
        return self.member.rpartition("/")[2]


CYTOSCAPE = Asset(
    "cytoscape",
    {
        "3.35.0": "71fa9ebec21a7ca2c40cff6aacc30d1f6464e363662ad4b2c197e1adc770cd94",
        "3.34.0": "9c2a3bf2592e0b14a1f7bec07c03a54f16dedf32af9cd0af155c716aa6c87bc3",
        "3.33.1": "f55947f3daa3bae53209d4b885c195c157f595c225e508a6b382598d9452d6e2",
        "3.33.0": "d259091d42c598c6345d14c3f4900005fe0f7184179d3ae6784a63dfb6f77cae",
    },
    "dist/cytoscape.min.js",
)
"""Cytoscape.js (MIT), which draws the graph on a canvas; its file carries its licence text."""


def asset(wanted: Asset, *, cache: Path | None = None) -> str:
    """Returns the text of a third-party file.

    Looks at the folder named by ``ROCQUARRY_FILES`` (the file itself or npm's ``.tgz``), at the
    files inside the wheel, at the cache, and at last asks ``npm pack``.

    Args:
        wanted: Which file.
        cache: Folder to keep it in; by default the product's cache.

    Raises:
        UserError: It can not be had; the message is one line and names the fix.
    """
    accepted = set(wanted.versions.values())
    folder = (cache or cache_folder()) / "assets"
    kept = folder / wanted.file_name
    for candidate in _local(wanted, kept):
        if hashlib.sha256(candidate).hexdigest() in accepted:
            return candidate.decode()
    why = "npm is not installed"
    if shutil.which("npm"):
        for version, digest in wanted.versions.items():
            content, why = _pack(wanted, version)
            if hashlib.sha256(content).hexdigest() == digest:
                _keep(kept, content)
                return content.decode()
            why = why or f"{wanted.package}@{version} is not the pinned file"
    newest = next(iter(wanted.versions))
    raise UserError(
        f"{wanted.file_name} of {wanted.package} {newest} is needed and could not be had ({why}); "
        f"install Node.js with npm, or put {wanted.file_name} or {wanted.package}-{newest}.tgz "
        "into a folder and name it in ROCQUARRY_FILES"
    )


def _local(wanted: Asset, kept: Path) -> Iterable[bytes]:
    places = [Path(__file__).parent.parent / "data" / "assets" / wanted.file_name, kept]
    if (named := local_files_folder()) is not None:
        places.insert(0, named / wanted.file_name)
        for version in wanted.versions:
            archive = named / f"{wanted.package}-{version}.tgz"
            if archive.is_file():
                yield _member(archive.read_bytes(), wanted)
    for place in places:
        if place.is_file():
            yield place.read_bytes()


def _pack(wanted: Asset, version: str) -> tuple[bytes, str]:
    """Asks npm for one version; returns the file and, when it failed, why."""
    with tempfile.TemporaryDirectory(prefix="rocquarry-") as folder:
        command = ["npm", "pack", "--silent", f"{wanted.package}@{version}"]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=180, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return b"", f"npm pack failed: {type(error).__name__}"
        archives = sorted(Path(folder).glob("*.tgz"))
        if done.returncode or not archives:
            said = (done.stderr or done.stdout).strip().splitlines()
            return b"", f"npm pack failed: {said[0] if said else f'exit code {done.returncode}'}"
        return _member(archives[0].read_bytes(), wanted), ""


def _member(archive: bytes, wanted: Asset) -> bytes:
    """Reads one file out of npm's archive; nothing is unpacked to disk."""
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
            file = tar.extractfile(f"package/{wanted.member}")
            return file.read() if file else b""
    except (tarfile.TarError, KeyError, OSError):
        return b""


def _keep(path: Path, content: bytes) -> None:
    """Puts a file into the cache in one step; a cache that cannot be written is not an error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        Path(file.name).replace(path)
    except OSError:
        return
