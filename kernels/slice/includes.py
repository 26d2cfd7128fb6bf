"""Which headers of HIP and of the standard library a slice includes."""

from __future__ import annotations

from collections.abc import Iterable

from kernels.slice.parsed import ParsedUnit

HIP = "hip/hip_runtime.h"


def needed_includes(parsed: ParsedUnit, files: Iterable[str]) -> list[str]:
    """The include lines that bring some files in, HIP's first.

    Only headers that the library itself includes come into question, and of those that bring a file
    in the one that brings the least with it.

    Args:
        parsed: The unit.
        files: Files of HIP and of the standard library in which something needed stands.
    """
    closures = {file: _closure(parsed, file) for file in parsed.offered}
    names = dict(parsed.offered)
    main = next((file for file, name in names.items() if name == HIP), None)
    covered = closures.get(main, set()) if main else set()
    chosen = []
    for file in sorted(set(files) - covered):
        if file in covered:
            continue
        candidates = [one for one, below in closures.items() if file in below]
        if not candidates:
            continue  # the compiler's own wrapper, which comes by itself
        best = min(candidates, key=lambda one: (len(closures[one]), names[one]))
        covered = covered | closures[best]
        chosen.append(names[best])
    # One that a later choice brings as well is left out.
    files_of = {name: file for file, name in names.items()}
    needed = [
        name
        for name in chosen
        if not any(
            other != name and files_of[name] in closures[files_of[other]] for other in chosen
        )
    ]
    own = sorted(name for name in needed if name.startswith("hip/"))
    return [HIP, *own, *sorted(name for name in needed if not name.startswith("hip/"))]


def _closure(parsed: ParsedUnit, start: str) -> set[str]:
    found, queue = {start}, [start]
    while queue:
        for file in parsed.includes.get(queue.pop(), ()):
            if file not in found:
                found.add(file)
                queue.append(file)
    return found
