"""The files of a release: written as one, listed with their SHA-256, compared again later."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from extractor.errors import UserError
from extractor.output import write

MANIFEST = "MANIFEST.sha256"
"""Name of the list, in the format of ``sha256sum``."""


def listing(files: Mapping[str, bytes]) -> bytes:
    """The list over some files."""
    lines = (f"{hashlib.sha256(data).hexdigest()}  {path}" for path, data in sorted(files.items()))
    return "".join(f"{line}\n" for line in lines).encode()


def publish(files: Mapping[str, bytes], out: Path) -> None:
    """Writes a release whole or not at all; an earlier release at the same place is replaced.

    Raises:
        UserError: The folder holds something else, or cannot be written.
    """
    foreign = out.exists() and not (out / MANIFEST).is_file()
    if foreign and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out} is not empty and is no release; choose another --out")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as place:
            made, old = Path(place) / "new", Path(place) / "old"
            for path, data in {**files, MANIFEST: listing(files)}.items():
                write(made / path, data)
            if out.exists():
                out.replace(old)
            try:
                made.replace(out)
            except BaseException:
                if old.exists():
                    old.replace(out)
                raise
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror}; choose another --out") from error


def differences(folder: Path) -> Iterator[str]:
    """Everything in which a folder is not what its list says, one line each."""
    listed: dict[str, str] = {}
    for number, line in enumerate((folder / MANIFEST).read_text("utf-8").splitlines(), 1):
        digest, _, path = line.partition("  ")
        if len(digest) != 64 or not _inside(path) or path in listed:
            yield f"{MANIFEST}:{number}: not a line of a manifest: {line[:100]}"
        else:
            listed[path] = digest
    found = {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }
    for path, digest in sorted(listed.items()):
        file = found.get(path)
        if file is None:
            yield f"{path}: missing"
        elif file.is_symlink() or not file.is_file():
            yield f"{path}: not a regular file"
        elif hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            yield f"{path}: its content is not what {MANIFEST} says"
    yield from (f"{path}: not in {MANIFEST}" for path in found if path not in {*listed, MANIFEST})


def _inside(path: str) -> bool:
    pure = PurePosixPath(path)
    return bool(path) and not pure.is_absolute() and ".." not in pure.parts
