"""Unpacks archives that nobody vouches for.

An archive from the network can name files outside of the folder it is unpacked into, by ``..``,
by an absolute name, or through a symbolic link that it brings along. Everything here goes through
one gate, ``unpack``, that writes regular files and folders only where they belong.
"""

from __future__ import annotations

import importlib
import io
import lzma
import os
import shutil
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, Literal

from extractor.errors import SourceError

_LIMIT = 8 << 30
"""More unpacked bytes than any library has; beyond it an archive is a bomb."""


def unpack(
    archive: IO[bytes],
    name: str,
    into: Path,
    *,
    wanted: Callable[[str], bool] = lambda _: True,
    strip: Literal[0, 1] = 0,
    stripped: set[str] | None = None,
) -> int:
    """Unpacks a tar archive, compressed or not, into an empty folder.

    Args:
        archive: The archive, open for reading.
        name: What to call it in an error.
        into: Folder to unpack into.
        wanted: Says of a path with forward slashes, after stripping, whether it is unpacked.
        strip: Leading folders to drop from each name.
        stripped: Receives the dropped folders' names.

    Returns:
        Number of files written.

    Raises:
        SourceError: The archive is damaged, or an entry would land outside of ``into``.
    """
    written, size = 0, 0
    links: list[tuple[Path, str]] = []
    try:
        with tarfile.open(fileobj=archive, mode="r:*") as tar:
            for member in tar:
                path = _safe(member.name, name, strip)
                if path is None or not (member.isfile() or member.issym() or member.islnk()):
                    # Folders come with their files; devices and pipes have no place in a tree.
                    continue
                if strip and stripped is not None:
                    stripped.add(PurePosixPath(member.name).parts[0])
                if not wanted(path):
                    continue
                target = into / path
                if member.issym() or member.islnk():
                    links.append((target, _link_target(member, path, name, strip)))
                    continue
                size += member.size
                if size > _LIMIT:
                    raise SourceError(f"{name}: unpacks to more than {_LIMIT >> 30} GiB; refused")
                content = tar.extractfile(member)
                assert content is not None
                _write(target, content, executable=bool(member.mode & 0o100))
                written += 1
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise SourceError(
            f"{name}: the archive is damaged ({error}); remove it and run again"
        ) from error
    except _CLASHES as error:
        raise _clash(name, error) from error
    try:
        for target, source in links:
            written += _copy_link(target, into / source)
    except _CLASHES as error:
        raise _clash(name, error) from error
    return written


def unpack_deb(package: Path, into: Path, *, wanted: Callable[[str], bool]) -> int:
    """Unpacks the files of a Debian package.

    Args:
        package: The ``.deb`` file.
        into: Folder to unpack into.
        wanted: Says of a path with forward slashes whether it is unpacked.

    Returns:
        Number of files written.

    Raises:
        SourceError: The package is damaged or uses a compression that is not to be had.
    """
    with package.open("rb") as file:
        member, offset, size = _data_member(file, package.name)
        file.seek(offset)
        data = file.read(size)
    if member.endswith(".zst"):
        data = _decompress_zst(data, package.name)
    return unpack(io.BytesIO(data), package.name, into, wanted=wanted)


_CLASHES = (NotADirectoryError, IsADirectoryError, FileExistsError)
"""What one name being a file and a folder leads to; other errors are the disk's."""


def _clash(name: str, error: OSError) -> SourceError:
    return SourceError(
        f"{name}: the archive has a file and a folder of one name ({error.filename}); refused"
    )


def _data_member(file: IO[bytes], name: str) -> tuple[str, int, int]:
    """Name, offset and size of ``data.tar.*`` in an ``ar`` archive."""
    if file.read(8) != b"!<arch>\n":
        raise SourceError(f"{name}: not a Debian package; remove it and run again")
    while len(header := file.read(60)) == 60:
        member = header[:16].decode("ascii", "replace").rstrip(" /")
        size_field = header[48:58].strip()
        if header[58:] != b"`\n" or not size_field.isdigit():
            break
        size, offset = int(size_field), file.tell()
        if member.startswith("data.tar"):
            return member, offset, size
        file.seek(offset + size + size % 2)
    raise SourceError(f"{name}: the package is damaged; remove it and run again")


def _decompress_zst(data: bytes, name: str) -> bytes:
    try:
        zstandard = importlib.import_module("zstandard")
    except ImportError:
        raise SourceError(
            f"{name} is compressed with zstd; install its reader with: pip install zstandard"
        ) from None
    with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)) as reader:
        return bytes(reader.read())


def _safe(member: str, name: str, strip: int) -> str | None:
    """The path of an entry below the target folder; ``None`` for what ``strip`` leaves nothing."""
    path = PurePosixPath(member)
    if path.is_absolute() or ".." in path.parts or "\0" in member or "\\" in member:
        raise SourceError(f"{name}: entry '{member}' would land outside of its folder; refused")
    parts = [part for part in path.parts if part != "."][strip:]
    return "/".join(parts) or None


def _link_target(member: tarfile.TarInfo, path: str, name: str, strip: int) -> str:
    """Path, below the target folder, of what a link points at."""
    if member.islnk():
        inside = _safe(member.linkname, name, strip)
    else:
        joined = os.path.normpath(PurePosixPath(path).parent / member.linkname)
        inside = None if joined.startswith(("..", "/")) else joined
    # A link out of the tree is common in packages (libfoo.so -> another package): skip it later,
    # where its source turns out to be missing, and never follow it.
    return inside or "\0"


def _copy_link(target: Path, source: Path) -> int:
    """Puts a copy of the file in the place of a link to it; links to nothing are left out."""
    if "\0" in str(source) or not source.is_file() or target.exists():
        return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return 1


def _write(target: Path, content: IO[bytes], *, executable: bool) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink() or target.exists():
        target.unlink()
    with target.open("xb") as out:
        shutil.copyfileobj(content, out, 1 << 20)
    target.chmod(0o755 if executable else 0o644)
