"""CUDA sources: a toolkit's headers where there is one, else a small header of our own.

Clang reads CUDA without a toolkit as long as something declares what its own wrapper would take
from there. ``cuda_headers`` declares the language, the launch and the runtime calls that sources
use most; it stands for no version of CUDA, and what it lacks makes a unit fail, by name.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from extractor import cache, settings
from extractor.toolchain.model import Toolchain
from extractor.units import Side

_HEADERS = Path(__file__).with_name("cuda_headers")
_HIP_ONLY = "-D__HIP_PLATFORM_"


def arguments(toolchain: Toolchain, side: Side) -> list[str]:
    """Flags that make clang read CUDA for one side.

    Args:
        toolchain: Whose clang reads.
        side: Host pass or device pass.
    """
    flags = [flag for flag in toolchain.flags if not flag.startswith(_HIP_ONLY)]
    flags += ["-x", "cuda", f"--cuda-{side}-only", f"--offload-arch={settings.CUDA_ARCHITECTURE}"]
    # Without device bitcode no pass needs it to be found; nothing here is linked.
    flags.append("-nocudalib")
    toolkit = settings.cuda_folder()
    if toolkit is not None:
        return [*flags, f"--cuda-path={toolkit}"]
    own = str(_own_headers())
    return [*flags, "-nocudainc", "-idirafter", own, "-include", f"{own}/cuda_runtime.h"]


def _own_headers() -> Path:
    """The headers in a folder of the cache that is named after their content."""
    files = sorted(_HEADERS.iterdir())
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name}\0".encode() + file.read_bytes())
    key = f"cuda-{digest.hexdigest()[:24]}"
    place = cache.entry("generated", key)
    if not place.is_dir():
        with cache.locked("generated", key):
            if not place.is_dir():
                with cache.building("generated", key) as folder:
                    for file in files:
                        shutil.copyfile(file, folder / file.name)
    return place
