"""The facts there are: name, shape of the value, meaning."""

from __future__ import annotations

VOCABULARY: dict[str, str] = {
    # Kernels and device functions, from the AST.
    "launch_bounds": "threads a block may have; {max_threads, min_waves}",
    "block_shape": "[x, y, z] threads, one for each launch site",
    "lds_array": "{type, elements, bytes, dynamic}; subject is the array",
    "lds_bytes": "static LDS of a block",
    "barrier": "{divergent: bool, condition, line, assumes, through}; subject is file:line",
    "shuffle": "{function, width, offset, through}; subject is file:line",
    "atomic": "{function, target}; subject is file:line",
    "wavefront_assumption": "{width, how}; subject is file:line",
    "loop": "{variable, start, bound, step, trip_count, unroll, symbols, through}; "
    "subject is file:line",
    "guard": "{condition, effect: return|skip|break|continue, resolved, through}; "
    "subject is file:line",
    "scalar_handling": "{equals: 0|1, then, else: {reads, writes, returns}}; subject is the scalar",
    "device_calls": "ids of the device functions called",
    "global_access": "{buffer, access: load|store|atomic, index, symbols, element, class: "
    "coalesced|strided|broadcast|irregular, stride, run, irregular_because, vector_bytes, "
    "index_unit_bytes, member, parameter, matrix: {leading_dimension, row, column, batch, shift}, "
    "through: calls that lead there}; subject is file:line:column",
    "lds_access": "{array, access, index, symbols, class, stride, run, conflict_ways, through}; "
    "subject is file:line:column",
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
