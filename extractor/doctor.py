"""Says what this machine has and lacks, and how to mend it; fetches and changes nothing."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import platform
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from extractor import cache_usage, settings
from extractor.cache_usage import Usage
from extractor.errors import RocQuarryError, UserError
from extractor.rule_schema import Package
from extractor.rules import Rule, list_rules, load_rule
from extractor.source.obtain import cached_source
from extractor.toolchain import probe
from extractor.toolchain.find import choose_rocm, find
from extractor.toolchain.packages import provides, read_prefix
from extractor.toolchain.rocm import find_rocm
from extractor.toolchain.wheels import find_wheels

State = Literal["ok", "later", "missing"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for.

    Attributes:
        topic: What it belongs to, for instance ``compiler``.
        state: ``ok``; ``later`` when it comes by itself on first use or is not needed; ``missing``
            when the user must do something.
        found: What was found, with its version.
        where: Place, or empty.
        mend: What to do; empty when all is well.
    """

    topic: str
    state: State
    found: str
    where: str = ""
    mend: str = ""


@dataclass(frozen=True)
class Report:
    """Everything that was looked for.

    Attributes:
        findings: In the order in which they are shown.
        cache: Cache folder.
        usage: Its size by kind.
        free: Bytes free on its disk.
    """

    findings: tuple[Finding, ...]
    cache: str
    usage: tuple[Usage, ...]
    free: int

    @property
    def healthy(self) -> bool:
        """Whether nothing is missing."""
        return all(finding.state != "missing" for finding in self.findings)

    def as_json(self) -> str:
        """The report as one JSON object."""
        return json.dumps({"healthy": self.healthy, **asdict(self)}, indent=2)


def doctor(rules: Iterable[str | Path] | None = None) -> Report:
    """Looks for everything that rocQuarry needs.

    Args:
        rules: Rules whose sources and packages are looked for; all shipped ones when ``None``.
    """
    findings: list[Finding] = [_python()]
    findings += _guarded("compiler", _compiler)
    findings += _guarded("rocm", _rocm)
    findings += _guarded("standard library", _standard_library)
    loaded: list[Rule] = []
    for name in list_rules() if rules is None else rules:
        try:
            loaded.append(load_rule(name))
        except UserError as error:
            findings.append(Finding("rule", "missing", str(error), str(name), "correct that file"))
    findings += _guarded("packages", partial(_packages, loaded))
    findings += _guarded("toolchain", partial(_whole, loaded))
    findings += _guarded("source", partial(_sources, loaded))
    findings += [_mirrors(), _git(), _kernels_package()]
    folder = settings.cache_folder()
    return Report(tuple(findings), str(folder), tuple(cache_usage.usage()), _free(folder))


def _guarded(topic: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    """What one look found; an error of ours becomes a finding, its message names the fix."""
    try:
        return look()
    except RocQuarryError as error:
        what, _, mend = str(error).partition("; ")
        return [Finding(topic, "missing", what, mend=mend)]


def _python() -> Finding:
    try:
        own = version("rocquarry")
    except PackageNotFoundError:
        own = "not installed"
    return Finding("rocquarry", "ok", f"{own}, Python {platform.python_version()}")


def _compiler() -> list[Finding]:
    wheels = find_wheels()
    clang = probe.clang_version(wheels.clang)
    findings = [
        Finding("compiler", "ok", f"clang {clang} (ziglang {wheels.compiler})", wheels.clang[0])
    ]
    try:
        ctypes.CDLL(str(wheels.libclang))
    except OSError as error:
        mend = "pip install --force-reinstall libclang-ng"
        return [*findings, Finding("libclang", "missing", str(error), str(wheels.libclang), mend)]
    return [*findings, Finding("libclang", "ok", wheels.parser, str(wheels.libclang))]


def _rocm() -> list[Finding]:
    found = find_rocm(settings.rocm_folders())
    used = choose_rocm()
    if found is None:
        return [Finding("rocm", "later", "none; the wheels and packages stand in for it")]
    name = f"ROCm {found.version or 'of unknown version'}"
    if used is not None:
        return [Finding("rocm", "ok", f"{name}, used", str(found.root))]
    why = f"lacks {', '.join(found.lacks)}" if found.lacks else "ROCQUARRY_TOOLCHAIN says wheels"
    return [Finding("rocm", "later", f"{name}, not used: {why}", str(found.root))]


def _standard_library() -> list[Finding]:
    if probe.standard_library():
        folders = sorted(Path("/usr/include/c++").glob("*")) or [Path("/usr/include")]
        return [Finding("standard library", "ok", "C++ headers", str(folders[-1]))]
    mend = "apt-get install libstdc++-12-dev (or the g++ of this system)"
    return [Finding("standard library", "missing", "no C++ headers", "/usr/include", mend)]


def _packages(rules: list[Rule]) -> list[Finding]:
    rocm = choose_rocm()
    seen: dict[str, Finding] = {}
    for rule in rules:
        needed = rule.needed_packages
        missing = tuple(p for p in needed if rocm is None or not provides(rocm.root, p))
        prefix = read_prefix(missing)
        versions = {name: number for name, number, _ in prefix.packages} if prefix else {}
        for package in needed:
            finding = _package(package, versions, prefix.root if prefix else None)
            if package not in missing and rocm is not None:
                finding = Finding(f"package {package.name}", "ok", "of ROCm", str(rocm.root))
            if package.name not in seen or seen[package.name].state != "ok":
                seen[package.name] = finding
    return list(seen.values())


def _package(package: Package, versions: dict[str, str], root: Path | None) -> Finding:
    topic = f"package {package.name}"
    if package.name in versions:
        return Finding(topic, "ok", f"{package.brings}, {versions[package.name]}", str(root))
    return Finding(topic, "later", f"{package.brings}: fetched on first use")


def _whole(rules: list[Rule]) -> list[Finding]:
    """Whether all of it together parses a tiny HIP program, where nothing has to be fetched."""
    for rule in rules:
        missing = [finding for finding in _packages([rule]) if finding.state != "ok"]
        if not missing:
            toolchain = find(rule, offline=True)
            return [Finding("toolchain", "ok", f"parses HIP: {toolchain.identity}")]
    return [Finding("toolchain", "later", "not tried before the packages are there")]


def _sources(rules: list[Rule]) -> list[Finding]:
    return [_source(rule) for rule in rules]


def _source(rule: Rule) -> Finding:
    topic = f"source {rule.name}"
    found = cached_source(rule)
    if found is not None:
        return Finding(topic, "ok", f"{found[1]} ({found[2][:12]})", str(found[0]))
    if rule.source.folder is not None:
        mend = f"correct 'folder' in {rule.path}"
        return Finding(topic, "missing", f"no folder {rule.source.folder}", mend=mend)
    return Finding(topic, "later", "fetched on first use")


def _mirrors() -> Finding:
    found = settings.mirrors()
    local = settings.local_files_folder()
    if local is not None and not local.is_dir():
        mend = "make it, or unset ROCQUARRY_FILES"
        return Finding("pinned files", "missing", "no such folder", str(local), mend)
    if not found and local is None:
        mend = "set ROCQUARRY_MIRROR, or ROCQUARRY_FILES to a folder with the pinned files"
        return Finding("pinned files", "later", "the apt configuration names no mirror", mend=mend)
    places = [f"folder {local}"] if local else []
    return Finding("pinned files", "ok", ", ".join([*places, *found]))


def _git() -> Finding:
    found = shutil.which("git")
    if found:
        return Finding("git", "ok", "git", found)
    return Finding("git", "later", "not installed; archives are used instead")


def _kernels_package() -> Finding:
    """Another project ships a package of the same import name; ours must be the one found."""
    spec = importlib.util.find_spec("kernels")
    origin = Path(spec.origin).resolve().parent if spec and spec.origin else None
    ours = Path(__file__).resolve().parent.parent / "kernels"
    if origin == ours:
        return Finding("import names", "ok", "extractor, qa and kernels are rocQuarry's", str(ours))
    mend = "install rocquarry into an environment of its own"
    return Finding("import names", "missing", "another 'kernels' shadows ours", str(origin), mend)


def _free(folder: Path) -> int:
    place = next((path for path in (folder, *folder.parents) if path.is_dir()), Path("/"))
    status = os.statvfs(place)
    return status.f_bavail * status.f_frsize
