"""Files that a run leaves: written under a temporary name, then renamed."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from extractor.errors import UserError


def write(path: Path, content: bytes) -> Path:
    """Writes a file whole or not at all; leaves it alone when it already has this content.

    Raises:
        UserError: The folder cannot be written, or its disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
            return path
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            # mkstemp keeps the file from others; an output is as readable as any new file.
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(0o666 & ~mask)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise UserError(f"no space left to write {path}; free some, or choose --out") from error
        raise UserError(
            f"cannot write {path}: {error.strerror}; choose another folder with --out"
        ) from error
    return path


def to_json(value: Any) -> bytes:
    """JSON with a line end, keys in the order given."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
