"""What a kernel's source has no honest use for.

The sandbox keeps a candidate from what it must not reach, and its result is measured from outside.
This reads its text as well, so that a candidate that tries is named for it. What macros hide from
this, the sandbox and fresh inputs still have to meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_NOISE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(?:\"([^\"\n]+)\"|<([^>\n]+)>)", re.M)
_STREAM = "works on a stream of its own"
_CALLS = {
    "starts other programs": "system popen fork vfork execl execle execlp execv execve "
    "execvp posix_spawn posix_spawnp daemon setsid",
    "loads other code": "dlopen dlmopen dlsym dladdr hipModuleLoad hipModuleLoadData "
    "hiprtcCompileProgram",
    "opens files": "fopen freopen fdopen openat creat opendir readlink realpath mmap shm_open "
    "memfd_create",
    "looks into processes": "ptrace process_vm_readv process_vm_writev syscall getenv setenv "
    "secure_getenv getauxval",
    "acts at the end of the process": "atexit at_quick_exit on_exit quick_exit _exit",
    _STREAM: "hipStreamCreate hipStreamCreateWithFlags "
    "hipStreamCreateWithPriority hipExtStreamCreateWithCUMask",
    "keeps results by their address": "hipPointerGetAttributes hipMemGetAddressRange",
}  # fmt: skip
_WORDS = {
    "opens files": r"\b(?:std\s*::\s*)?(?:basic_)?[io]?fstream\b|\bfilesystem\s*::",
    "runs before or after the call": r"__attribute__\s*\(\(\s*(?:constructor|destructor)",
    "enters the verifier's own program": r"\brocquarry\s*::|\bhipcpu_\w+",
    "replaces HIP's functions": r"#[ \t]*define[ \t]+hip\w+|"
    r"\b(?:hipError_t|void|float|int|auto)\s+hip(?:Event|Device|Stream|Mem|Malloc|Free|Get|Launch)"
    r"\w*\s*\(",
    _STREAM: r"\bhipStreamPerThread\b",
    "reaches the files of a run": r"/proc/|/tmp/|rocquarry-",
}
_RAW = ("reaches the files of a run",)


def find_cheat(source: Path, baseline: Path) -> str:
    """What a candidate's text does that no kernel needs to; empty where there is nothing.

    Args:
        source: The candidate.
        baseline: The task's baseline; the same text is no cheat, to include it is one.
    """
    raw = source.read_text(encoding="utf-8", errors="replace")
    if baseline.is_file() and raw == baseline.read_text(encoding="utf-8", errors="replace"):
        return ""
    return next(_suspicions(raw, source, baseline), "")


def _suspicions(raw: str, source: Path, baseline: Path) -> Iterator[str]:
    for quoted, angled in _INCLUDE.findall(raw):
        name = quoted or angled
        file = source.parent / name
        if Path(name).is_absolute() or ".." in Path(name).parts:
            yield f"includes a file by its path: {name}"
        if quoted and file.is_file() and baseline.is_file():
            if file.read_bytes() == baseline.read_bytes():
                yield f"includes the baseline: {name}"
            yield from _suspicions(file.read_text(errors="replace"), file, baseline)
        if Path(name).name == baseline.name:
            yield f"includes the baseline: {name}"
    text = _NOISE.sub(" ", raw)
    own = baseline.read_text(encoding="utf-8", errors="replace") if baseline.is_file() else ""
    for what, names in _CALLS.items():
        pattern = rf"(?<![\w.>])({'|'.join(names.split())})\s*\("
        found = re.search(pattern, text)
        # Work on another stream is not timed with the call, unless the baseline has some as well.
        if found and not (what == _STREAM and re.search(pattern, own)):
            yield f"{what}: {found[1]}"
    for what, pattern in _WORDS.items():
        found = re.search(pattern, raw if what in _RAW else text)
        if found:
            yield f"{what}: {' '.join(found[0].split())[:60]}"
