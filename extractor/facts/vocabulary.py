"""The facts there are: name, shape of the value, meaning."""

from __future__ import annotations

VOCABULARY: dict[str, str] = {
    # Kernels and device functions, from the AST.
    "launch_bounds": "threads a block may have; {max_threads, min_waves}",
    "block_shape": "[x, y, z] threads, one for each launch site",
    "lds_array": "{type, elements, bytes}; subject is the array",
    "lds_bytes": "static LDS of a block",
    "barrier": "{divergent: bool, condition}; subject is file:line",
    "shuffle": "{function, width}; subject is file:line",
    "atomic": "{function, target}; subject is file:line",
    "wavefront_assumption": "{width, how}; subject is file:line",
    "loop": "{variable, start, bound, step, trip_count, unroll}; subject is file:line",
    "guard": "{condition, effect: return|skip}; subject is file:line",
    "scalar_handling": "what happens for alpha or beta equal to 0 or 1; subject is the scalar",
    "device_calls": "ids of the device functions called",
    "global_access": "{buffer, access: load|store|atomic, index, symbols, element, class: "
    "coalesced|strided|broadcast|irregular, stride, vector_bytes}; subject is file:line:column",
    "lds_access": "{array, access, index, conflict_ways}; subject is file:line:column",
    # Host functions, from the AST.
    "argument_check": "{condition, returns}; subject is file:line",
    "quick_return": "{condition, returns}; subject is file:line",
    "workspace_bytes": "expression",
    "launch_condition": "{conditions: [..], text}; subject is file:line of the launch",
    "launch_grid": "[x, y, z] expressions; subject is file:line of the launch",
    "launch_block": "[x, y, z] expressions; subject is file:line of the launch",
    "launch_shared_bytes": "expression; subject is file:line of the launch",
    # From the compiler, for an architecture and an instantiation.
    "vgprs": "registers",
    "agprs": "registers",
    "sgprs": "registers",
    "vgpr_spills": "registers",
    "sgpr_spills": "registers",
    "scratch_bytes": "bytes of a thread",
    "code_object_lds_bytes": "static LDS of a block",
    "occupancy": "waves on a SIMD",
    "code_bytes": "bytes of machine code",
    "instruction_mix": "{mfma, lds, global, flat, scratch, barrier, wait, valu, salu, other}",
}
"""Name of a fact: what its value holds."""
