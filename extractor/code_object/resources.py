"""What each kernel of a code object takes: registers, memory, occupancy.

Two sources that must agree where both speak: the metadata note of the code object ("Code Object V5
Metadata" in LLVM's AMDGPU usage guide), and what the compiler says under
``-Rpass-analysis=kernel-resource-usage``, which alone knows the occupancy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from extractor.code_object.elf import STT_FUNC, Elf
from extractor.code_object.message_pack import unpack
from extractor.errors import UnitError

_NT_AMDGPU_METADATA = 32
_REMARK = re.compile(
    r"remark:\s+(?:<unknown>:\d+:\d+:\s+)?(?P<key>[^:\[]+?)(?: \[[^\]]*\])?: (?P<value>.*?) "
    r"\[-Rpass-analysis"
)


@dataclass(frozen=True)
class KernelResources:
    """What one kernel takes on one architecture, from the compiler and the code object.

    Attributes:
        kernel: Mangled name.
        architecture: For instance ``gfx942``.
        vgprs: Vector registers of a thread, without accumulation registers.
        agprs: Accumulation registers of a thread.
        sgprs: Scalar registers of a wavefront.
        vgpr_spills: Vector registers kept in memory.
        sgpr_spills: Scalar registers kept elsewhere.
        scratch_bytes: Private memory of a thread.
        lds_bytes: Static LDS of a block.
        occupancy: Wavefronts of one SIMD that fit at once.
        max_block_threads: Largest block that its launch bounds allow.
        code_bytes: Size of its machine code.
    """

    kernel: str
    architecture: str
    vgprs: int
    agprs: int
    sgprs: int
    vgpr_spills: int
    sgpr_spills: int
    scratch_bytes: int
    lds_bytes: int
    occupancy: int | None
    max_block_threads: int
    code_bytes: int


def read_resources(
    code_object: bytes, remarks: str, architecture: str
) -> tuple[KernelResources, ...]:
    """Reads the resources of every kernel.

    Args:
        code_object: An AMDGPU code object.
        remarks: The compiler's standard error.
        architecture: What it was compiled for.

    Raises:
        UnitError: The code object has no readable metadata.
    """
    elf = Elf(code_object)
    notes = [
        content for owner, kind, content in elf.notes()
        if owner == "AMDGPU" and kind == _NT_AMDGPU_METADATA
    ]  # fmt: skip
    if not notes:
        raise UnitError("a code object has no AMDGPU metadata")
    sizes = {s.name: s.size for s in elf.symbols if s.type == STT_FUNC}
    said = parse_remarks(remarks)
    return tuple(
        _resources(kernel, said.get(kernel[".name"], {}), sizes, architecture)
        for kernel in unpack(notes[0]).get("amdhsa.kernels", [])
    )


def parse_remarks(text: str) -> dict[str, dict[str, str]]:
    """The compiler's remarks by kernel and key."""
    found: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for match in _REMARK.finditer(text):
        key, value = match["key"].strip(), match["value"].strip()
        if key == "Function Name":
            current = found.setdefault(value, {})
        else:
            current[key] = value
    return found


def _resources(
    kernel: dict[str, Any], said: dict[str, str], sizes: dict[str, int], architecture: str
) -> KernelResources:
    name = str(kernel[".name"])
    agprs = int(kernel.get(".agpr_count", 0))
    # Since gfx90a the metadata counts both kinds of vector registers as one file.
    vgprs = int(said["VGPRs"]) if "VGPRs" in said else int(kernel[".vgpr_count"])
    occupancy = said.get("Occupancy")
    return KernelResources(
        kernel=name,
        architecture=architecture,
        vgprs=vgprs,
        agprs=int(said.get("AGPRs", agprs)),
        sgprs=int(said.get("TotalSGPRs", kernel[".sgpr_count"])),
        vgpr_spills=int(kernel.get(".vgpr_spill_count", 0)),
        sgpr_spills=int(kernel.get(".sgpr_spill_count", 0)),
        scratch_bytes=int(kernel.get(".private_segment_fixed_size", 0)),
        lds_bytes=int(kernel.get(".group_segment_fixed_size", 0)),
        occupancy=int(occupancy) if occupancy and occupancy.isdigit() else None,
        max_block_threads=int(kernel.get(".max_flat_workgroup_size", 1024)),
        code_bytes=sizes.get(name, 0),
    )
