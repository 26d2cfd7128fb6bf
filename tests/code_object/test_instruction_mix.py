"""Instructions counted by class."""

from __future__ import annotations

from extractor.code_object.instruction_mix import instruction_mix

ASSEMBLY = """\
\t.text
kernel:                                 ; @kernel
; %bb.0:
\ts_load_dwordx2 s[0:1], s[4:5], 0x0
\tv_mov_b32_e32 v0, 0
\ts_waitcnt lgkmcnt(0)
\tglobal_load_dword v1, v0, s[0:1]
\tds_write_b32 v0, v1
\ts_barrier
.LBB0_1:
\tv_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]
\tbuffer_store_dword v1, off, s[0:3], 0 offset:4
\tflat_load_dword v2, v[0:1]
\ts_endpgm
\t.section\t.rodata,"a",@progbits
\t.amdhsa_kernel kernel
.Lfunc_end0:
other:
\ts_endpgm
.Lfunc_end1:
"""


def test_each_instruction_counts_once_in_its_class() -> None:
    mix = instruction_mix(ASSEMBLY, ["kernel"])
    assert mix == {
        "kernel": {
            "mfma": 1,
            "lds": 1,
            "global": 1,
            "flat": 1,
            "scratch": 1,
            "barrier": 1,
            "wait": 1,
            "valu": 1,
            "salu": 2,
            "other": 0,
        }
    }
