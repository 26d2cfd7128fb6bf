"""Code that is said to compile alone."""

from __future__ import annotations

import hashlib
import re
import resource
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from extractor.settings import ARCHITECTURES, wavefront_size
from qa.gates.case import Case
from qa.records import Claim

_SECONDS, _MEMORY = 60, 4 << 30
_OUTSIDE = re.compile(
    r"^\s*#\s*(?:include(?!\s*<(?!/)(?![^>\n]*\.\.)[\w./]+>)|include_next|import|embed)|__has_embed",
    re.M,
)
_FLAG = re.compile(r"-(?:D[\w=]+|f[\w-]+|m[\w-]+)")


def code_digest(code: str) -> str:
    """What a claim says of the code it is about."""
    return hashlib.sha256(code.encode()).hexdigest()


def compiles(case: Case, claim: Claim) -> str | None:
    """The answer is a slice that is known to compile, or compiles now."""
    value = claim.value
    if not isinstance(value, dict):
        return "a claim that code compiles has to name architectures"
    architectures = _words(value.get("architectures"))
    unknown = [arch for arch in architectures if arch not in ARCHITECTURES]
    if unknown or not architectures:
        return f"nothing can be compiled for {', '.join(unknown) or 'no architecture'} here"
    code = case.entry.answer
    if value.get("sha256") != code_digest(code):
        return "the claim that the code compiles is about other code"
    known = case.ground.slices.get(str(value.get("function")))
    if known is not None and known.code == code:
        missing = [arch for arch in architectures if arch not in known.architectures]
        return f"the slice does not compile for {missing[0]}" if missing else None
    flags = _words(value.get("flags"))
    return next(
        (why for arch in architectures if (why := _refused(case, code, flags, arch)) is not None),
        None,
    )


def _words(value: JsonValue) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _refused(case: Case, code: str, flags: Sequence[str], architecture: str) -> str | None:
    """Why the compiler's front end refuses the code; it has little time, memory and freedom."""
    if _OUTSIDE.search(code):
        return "the code includes a file that is neither HIP's nor the standard library's"
    stray = [flag for flag in flags if not _FLAG.fullmatch(flag)]
    if stray:
        return f"nothing is compiled with the flag {stray[0]}"
    tools = case.ground.project.toolchain
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answer.hip"
        file.write_text(code, encoding="utf-8")
        command = [
            *tools.clang, *tools.flags, "-x", "hip", "-std=c++17", "-w", "--cuda-device-only",
            f"--offload-arch={architecture}",
            f"-D__AMDGCN_WAVEFRONT_SIZE={wavefront_size(architecture)}", *flags,
            *(word for root in tools.prefixes for word in ("-idirafter", f"{root}/include")),
            "-fsyntax-only", str(file),
        ]  # fmt: skip
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", check=False, cwd=folder,
                timeout=_SECONDS, preexec_fn=_limit,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"the code does not compile for {architecture} in {_SECONDS} s"
    if done.returncode == 0:
        return None
    said = next((row for row in done.stderr.splitlines() if "error:" in row), "no message")
    return f"the code does not compile for {architecture}: {said.split('error:')[-1].strip()[:120]}"


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
