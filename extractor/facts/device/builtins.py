"""Names of HIP and of clang that a kernel can use, by what they do."""

from __future__ import annotations

BARRIERS = frozenset(
    {
        "__syncthreads",
        "__syncthreads_count",
        "__syncthreads_and",
        "__syncthreads_or",
        "__builtin_amdgcn_s_barrier",
        "__barrier",
    }
)
"""Calls at which every thread of a block waits."""

SHUFFLES = frozenset(
    {
        "__shfl",
        "__shfl_up",
        "__shfl_down",
        "__shfl_xor",
        "__shfl_sync",
        "__shfl_up_sync",
        "__shfl_down_sync",
        "__shfl_xor_sync",
        "__builtin_amdgcn_ds_bpermute",
        "__builtin_amdgcn_ds_permute",
        "__builtin_amdgcn_ds_swizzle",
        "__builtin_amdgcn_mov_dpp",
        "__builtin_amdgcn_mov_dpp8",
        "__builtin_amdgcn_update_dpp",
        "__builtin_amdgcn_readlane",
        "__builtin_amdgcn_readfirstlane",
    }
)
"""Calls that move values between the lanes of a wavefront."""

VOTES = frozenset({"__ballot", "__any", "__all", "__activemask", "__builtin_amdgcn_ballot_w64"})
"""Calls that ask the whole wavefront."""

LANES = frozenset({"__lane_id", "__builtin_amdgcn_mbcnt_lo", "__builtin_amdgcn_mbcnt_hi"})
"""Calls that tell a thread its lane."""

ATOMICS = (
    "atomic",
    "__hip_atomic_",
    "unsafeAtomic",
    "safeAtomic",
    "__atomic_",
    "__builtin_amdgcn_",
)
"""How names of atomic operations on memory begin; for the last the name also says so."""

FENCES = frozenset({"__threadfence", "__threadfence_block", "__threadfence_system"})
"""Calls that order memory."""

INDICES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
"""The variables that place a thread."""

WAVEFRONT = "warpSize"
"""The variable that holds the number of lanes."""


def is_atomic(name: str) -> bool:
    """Whether a function of this name is an atomic operation on memory.

    Example:
        >>> is_atomic("atomicAdd"), is_atomic("__builtin_amdgcn_s_barrier")
        (True, False)
    """
    return name.startswith(ATOMICS[:-1]) or (name.startswith(ATOMICS[-1]) and "_atomic_" in name)
