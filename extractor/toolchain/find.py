"""Puts a usable toolchain together: ROCm where it is whole, else wheels and unpacked packages."""

from __future__ import annotations

import hashlib
from pathlib import Path

from extractor import settings
from extractor.errors import ToolchainError
from extractor.rules import Rule, shared_packages
from extractor.source.fetch import Progress
from extractor.toolchain import probe
from extractor.toolchain.model import Toolchain
from extractor.toolchain.packages import Prefix, provides, unpack_packages
from extractor.toolchain.rocm import Rocm, find_rocm
from extractor.toolchain.wheels import find_wheels


def find(
    rule: Rule | None = None,
    *,
    offline: bool = False,
    local_files: Path | None = None,
    progress: Progress | None = None,
) -> Toolchain:
    """Finds the toolchain for a rule.

    Args:
        rule: Whose packages are needed beside those of every rule.
        offline: Do not ask the network; enough once the packages are in the cache.
        local_files: Folder with pinned files; ``$ROCQUARRY_FILES`` when ``None``.
        progress: Told about a download as it goes on.

    Raises:
        ToolchainError: A part is missing or does not work; the message names the fix.
        SourceError: A package cannot be had, or is not what its hash says.
        StoreError: The disk is full, or the cache cannot be written.
    """
    packages = rule.needed_packages if rule else shared_packages()
    rocm = choose_rocm()
    missing = tuple(
        package for package in packages if rocm is None or not provides(rocm.root, package)
    )
    prefix = (
        unpack_packages(missing, offline=offline, local_files=local_files, progress=progress)
        if missing
        else None
    )
    made = _of_rocm(rocm, prefix) if rocm else _of_wheels(prefix)
    probe.check_parses(made.clang, (*made.flags, *_include(made)), made.identity)
    return made


def choose_rocm() -> Rocm | None:
    """The ROCm installation to use, or ``None`` for the wheels.

    Raises:
        ToolchainError: The user asked for ROCm and it is not there or not whole.
    """
    wanted = settings.preferred_toolchain()
    if wanted not in (None, "rocm", "wheels"):
        raise ToolchainError(f"ROCQUARRY_TOOLCHAIN is '{wanted}'; set it to rocm or wheels")
    if wanted == "wheels":
        return None
    rocm = find_rocm(settings.rocm_folders())
    if rocm is not None and not rocm.lacks:
        return rocm
    if wanted == "rocm":
        lacks = f"{rocm.root} lacks {rocm.lacks[0]}" if rocm else "no ROCm was found"
        raise ToolchainError(f"{lacks}; install it, set ROCM_PATH, or unset ROCQUARRY_TOOLCHAIN")
    return None


def _of_wheels(prefix: Prefix | None) -> Toolchain:
    if prefix is None:  # without ROCm every package is missing, so none is known
        raise ToolchainError(
            f"{settings.rules_folder()} names no packages of HIP headers; install rocquarry again, "
            "or set ROCM_PATH to a whole ROCm"
        )
    wheels = find_wheels()
    version = probe.clang_version(wheels.clang)
    bitcode = next(iter(sorted(prefix.root.glob("**/amdgcn/bitcode/ocml.bc"))), None)
    flags = [
        f"--target={settings.host_triple()}",
        f"-resource-dir={wheels.resource}",
        f"--rocm-path={prefix.root}",
        "-D__HIP_PLATFORM_AMD__",
    ]
    if bitcode:
        flags.append(f"--rocm-device-lib-path={bitcode.parent}")
    parser = ".".join(wheels.parser.split(".")[:3])
    content = [wheels.compiler, wheels.parser, *(sha for _, _, sha in prefix.packages)]
    return Toolchain(
        clang=wheels.clang,
        clang_version=version,
        libclang=wheels.libclang,
        libclang_version=parser,
        flags=tuple(flags),
        prefixes=(prefix.root,),
        origin="wheels",
        identity=_identity("wheels", version, parser, content),
    )


def _of_rocm(rocm: Rocm, prefix: Prefix | None) -> Toolchain:
    assert rocm.clang is not None
    assert rocm.libclang is not None
    version = probe.clang_version([str(rocm.clang)])
    content = [rocm.version, str(rocm.libclang.stat().st_size)]
    content += [sha for _, _, sha in prefix.packages] if prefix else []
    return Toolchain(
        clang=(str(rocm.clang),),
        clang_version=version,
        libclang=rocm.libclang,
        libclang_version=version,
        flags=(f"--rocm-path={rocm.root}", "-D__HIP_PLATFORM_AMD__", *_resource(rocm)),
        prefixes=(rocm.root, *([prefix.root] if prefix else [])),
        origin="rocm",
        identity=_identity("rocm", version, version, content),
    )


def _resource(rocm: Rocm) -> tuple[str, ...]:
    # libclang finds its resource folder from where it was loaded, which a symbolic link misleads.
    assert rocm.libclang is not None
    folders = sorted(rocm.libclang.resolve().parent.glob("clang/*/include/stddef.h"))
    return (f"-resource-dir={folders[-1].parent.parent}",) if folders else ()


def _include(toolchain: Toolchain) -> list[str]:
    return [flag for root in toolchain.prefixes for flag in ("-idirafter", f"{root}/include")]


def _identity(origin: str, clang: str, libclang: str, content: list[str]) -> str:
    parts = [*content, probe.standard_library(), settings.host_triple()]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return f"{origin}-clang{clang}-libclang{libclang}-{digest}"
