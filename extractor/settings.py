"""The one place that knows folders, architectures, environment variables and mirrors.

Nothing else in the packages names a path outside a rule file, a GPU architecture or a host.

| variable | meaning |
|---|---|
| ``ROCQUARRY_CACHE`` | cache folder; else ``rocquarry`` in ``$XDG_CACHE_HOME`` or ``~/.cache`` |
| ``ROCQUARRY_FILES`` | folder of pinned files to use before the network |
| ``ROCQUARRY_MIRROR`` | package mirror to ask before those of the apt configuration |
| ``ROCQUARRY_TOOLCHAIN`` | ``rocm`` or ``wheels``, to choose where both are there |
| ``ROCM_PATH`` | root of a ROCm installation |
| ``CUDA_PATH`` | root of a CUDA toolkit, for CUDA sources |
"""

from __future__ import annotations

import os
import platform
import tempfile
from dataclasses import dataclass
from pathlib import Path

from extractor.apt import read_mirrors
from extractor.errors import ToolchainError

DEFAULT_ARCHITECTURE = "gfx942"
"""What one device pass is parsed for when nobody asks for another."""

ARCHITECTURES = ("gfx90a", "gfx942", "gfx950")
"""What code objects are built for when nobody asks for others."""

CUDA_ARCHITECTURE = "sm_80"
"""What CUDA sources are parsed for."""

TRACE_ARCHITECTURES = ("gfx90a", "gfx942")
"""What launch traces are made for when nobody asks for others."""

SEARCH_ARCHITECTURES = (*TRACE_ARCHITECTURES, "gfx908", "gfx1030")
"""What calls are made for that look for launches which no trace on the usual ones shows."""


@dataclass(frozen=True)
class Device:
    """What the HIP runtime says of a GPU, as far as host code asks.

    Attributes:
        compute_units: Number of compute units.
        memory: Bytes of device memory.
        shared: Bytes of LDS that a block can have.
    """

    compute_units: int
    memory: int
    shared: int


_GIB = 1 << 30
# MI100, MI210, MI300X, MI355X and PRO W6800, from AMD's data sheets. HIP counts two compute units
# of RDNA as one multiprocessor.
DEVICES = {
    "gfx908": Device(120, 32 * _GIB, 65536),
    "gfx90a": Device(104, 64 * _GIB, 65536),
    "gfx942": Device(304, 192 * _GIB, 65536),
    "gfx950": Device(256, 288 * _GIB, 163840),
    "gfx1030": Device(30, 32 * _GIB, 65536),
}
"""One product for each architecture."""

_WAVE64_FAMILY = "gfx9"
_PACKAGE = Path(__file__).resolve().parent


def cache_folder() -> Path:
    """Folder that holds sources, packages, generated headers and stores; made on first use."""
    chosen = os.environ.get("ROCQUARRY_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    return default_cache_folder()


def default_cache_folder() -> Path:
    """The cache folder where the user named none."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base and Path(base).is_absolute() else _home() / ".cache") / "rocquarry"


def local_files_folder() -> Path | None:
    """Folder of pinned files to look in before the network, if the user named one."""
    chosen = os.environ.get("ROCQUARRY_FILES")
    return Path(chosen).expanduser().absolute() if chosen else None


def rules_folder() -> Path:
    """Folder of the shipped rule files: ``rules/`` of a checkout, else the wheel's copy.

    Raises:
        ToolchainError: The installation has neither.
    """
    return _shipped("rules", "*.toml")


def prompts_folder() -> Path:
    """Folder of the shipped prompt templates: ``prompts/`` of a checkout, else the wheel's copy.

    Raises:
        ToolchainError: The installation has neither.
    """
    return _shipped("prompts", "*")


def mirrors() -> tuple[str, ...]:
    """Package mirrors, best first: ``$ROCQUARRY_MIRROR``, then the apt configuration's."""
    chosen = os.environ.get("ROCQUARRY_MIRROR")
    found = read_mirrors(Path("/etc/apt"))
    return tuple(dict.fromkeys([chosen.rstrip("/"), *found] if chosen else found))


def rocm_folders() -> tuple[Path, ...]:
    """Folders where a ROCm installation may be, in the order of trust."""
    named = os.environ.get("ROCM_PATH")
    return ((Path(named),) if named else ()) + (Path("/opt/rocm"),)


def cuda_folder() -> Path | None:
    """Root of a CUDA toolkit that has what clang's own wrapper includes, or ``None``."""
    named = os.environ.get("CUDA_PATH")
    for folder in ((Path(named),) if named else ()) + (Path("/usr/local/cuda"),):
        wanted = ("cuda_runtime.h", "curand_mtgp32_kernel.h")
        if all((folder / "include" / name).is_file() for name in wanted):
            return folder
    return None


def preferred_toolchain() -> str | None:
    """``rocm`` or ``wheels`` when the user chose, else ``None``."""
    return os.environ.get("ROCQUARRY_TOOLCHAIN") or None


def host_triple() -> str:
    """Target triple of this machine's own C++ library, for a clang whose default is another."""
    return f"{platform.machine()}-linux-gnu"


def wavefront_size(architecture: str) -> int:
    """Lanes of a wavefront: 64 for GCN and CDNA (``gfx9``), 32 for RDNA.

    Example:
        >>> wavefront_size("gfx90a"), wavefront_size("gfx1100")
        (64, 32)
    """
    return 64 if architecture.startswith(_WAVE64_FAMILY) else 32


def _shipped(name: str, pattern: str) -> Path:
    checkout = _PACKAGE.parent / name
    # A wheel puts its packages into site-packages, where an unrelated folder may have the name.
    if (_PACKAGE.parent / "pyproject.toml").is_file() and any(checkout.glob(pattern)):
        return checkout
    packed = _PACKAGE / "data" / name
    if not packed.is_dir():
        raise ToolchainError(
            f"this installation lacks its {name}: neither {checkout} nor {packed} is there; "
            "install rocquarry again"
        )
    return packed


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # no HOME and no passwd entry, as in some containers
        return Path(tempfile.gettempdir()) / f"user-{os.getuid()}"
