"""Kernels as Python functions: on torch tensors and numpy arrays, through pybind11."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from extractor.errors import MissingExtra
from kernels.building import cache
from kernels.cpu.build import build_runtime, compile_unit, link
from kernels.task.folder import BASELINE, BINDING

_NATIVE = Path(__file__).parent / "native"


def load(folder: Path, source: Path | None = None, arguments: Sequence[str] = ()) -> ModuleType:
    """Builds a task's binding for this machine's processor and imports it.

    The module runs inside this process: load nothing that you would not run. Candidates nobody
    vouches for belong to :func:`kernels.verify.verify`.

    Args:
        folder: The task's folder.
        source: HIP file that defines the entry; the baseline when ``None``.
        arguments: Further compiler arguments.

    Returns:
        A module with one function, named after the entry. For a kernel it takes grid, block and
        bytes of dynamic LDS before the kernel's own arguments.

    Raises:
        MissingExtra: pybind11 is not installed.
        BuildError: The binding or the source does not compile.

    Example:
        >>> saxpy = load(Path("task")).saxpy  # doctest: +SKIP
        >>> saxpy(4, 256, 0, 1000, 2.0, x, y)  # doctest: +SKIP
    """
    try:
        import pybind11
    except ImportError:
        raise MissingExtra("pybind11", "kernels") from None
    source = (source or folder / BASELINE).resolve()
    binding = (folder / BINDING).resolve()
    # A name by content: Python keeps one module for each name, and never unloads it.
    runtime = build_runtime().library
    texts = [source.read_bytes(), binding.read_bytes(), runtime.read_bytes()]
    key = cache.key_of(*texts, *arguments)[:16]
    name = f"rocquarry_{key}"
    if name in sys.modules:
        return sys.modules[name]
    unit = compile_unit(
        binding,
        (
            f'-DROCQUARRY_SOURCE="{source}"', f"-DPYTHON_MODULE={name}", f"-I{_NATIVE}",
            f"-I{source.parent}", f"-I{pybind11.get_include()}",
            f"-I{sysconfig.get_path('include')}", "-fvisibility=hidden", *arguments,
        ),
    )  # fmt: skip
    suffix = sysconfig.get_config_var("EXT_SUFFIX") or ".so"

    def make(into: Path) -> None:
        # Python's own symbols are found when the interpreter loads the module.
        link(unit.objects, into / f"{name}{suffix}", arguments=("-Wl,-z,undefs",))

    parts: list[str | bytes] = ["binding", name, *(path.read_bytes() for path in unit.objects)]
    place, _ = cache.made(parts, make)
    return _import(name, place / f"{name}{suffix}")


def _import(name: str, path: Path) -> ModuleType:
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[name] = module
    return module
