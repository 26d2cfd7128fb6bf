from __future__ import annotations

import pytest
from cpu_program import CpuProgram

from kernels.backends.cpu import CpuBackend


@pytest.fixture(scope="session")
def cpu(tmp_path_factory: pytest.TempPathFactory) -> CpuProgram:
    found = CpuBackend().availability()
    assert found.usable, found.reason
    return CpuProgram(tmp_path_factory.mktemp("cpu"))
