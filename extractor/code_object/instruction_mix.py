"""Instructions of each kernel by what they use, counted in the compiler's assembly."""

from __future__ import annotations

import re
from collections.abc import Iterable

CLASSES = (
    *("mfma", "lds", "global", "flat", "scratch", "barrier", "wait", "valu", "salu", "other"),
)
"""Classes of instructions, in the order in which they are stated."""

_LABEL = re.compile(r"^([A-Za-z_$.][\w$.@]*):")
_INSTRUCTION = re.compile(r"^\s+([a-z]\w*)\b(.*)")
_PREFIXES = (
    ("v_mfma", "mfma"),
    ("v_smfma", "mfma"),
    ("ds_", "lds"),
    ("global_", "global"),
    ("flat_", "flat"),
    ("scratch_", "scratch"),
    ("s_barrier", "barrier"),
    ("s_wait", "wait"),
    ("v_", "valu"),
    ("s_", "salu"),
)


def classify(mnemonic: str, operands: str) -> str:
    """Class of one instruction.

    Before gfx942 private memory is reached through buffer instructions on the stack's own
    descriptor, registers 0 to 3 (LLVM's AMDGPU usage guide, "Scratch").

    Example:
        >>> classify("ds_read_b32", "v1, v0"), classify("buffer_load_dword", "v0, off, s[0:3], 0")
        ('lds', 'scratch')
    """
    if mnemonic.startswith("buffer_"):
        return "scratch" if "s[0:3]" in operands else "global"
    for prefix, name in _PREFIXES:
        if mnemonic.startswith(prefix):
            return name
    return "other"


def instruction_mix(assembly: str, symbols: Iterable[str]) -> dict[str, dict[str, int]]:
    """Counts the instructions of some functions.

    Args:
        assembly: Text that ``clang -S`` wrote for an AMDGPU target.
        symbols: The functions.

    Returns:
        For each function that is there the number of instructions of each class in its own body.
    """
    wanted = set(symbols)
    found: dict[str, dict[str, int]] = {}
    current: dict[str, int] | None = None
    for line in assembly.splitlines():
        if current is not None:
            if line.startswith(".Lfunc_end") or line.lstrip().startswith(".section"):
                current = None
                continue
            match = _INSTRUCTION.match(line)
            if match:
                current[classify(match[1], match[2])] += 1
            continue
        label = _LABEL.match(line)
        if label and label[1] in wanted:
            current = found[label[1]] = dict.fromkeys(CLASSES, 0)
    return found
