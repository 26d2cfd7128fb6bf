"""Kernels written in a test, read by a worker process as those of a library are."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from extractor import settings
from extractor.facts.device.trees import NAME, SOURCES
from extractor.index import native_library
from extractor.index.pool import Pool, Task
from extractor.toolchain.find import find

Findings = dict[str, list[dict[str, Any]]]
Read = Callable[..., Findings]


@pytest.fixture(scope="session")
def read(product_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Read:
    """Reads kernels: ``read(text, "name", ...)`` gives what is found in each, by its name."""

    def findings(text: str, *kernels: str) -> Findings:
        tools = find()
        folder = tmp_path_factory.mktemp("kernels")
        unit = folder / "unit.hip"
        unit.write_text(f"#include <hip/hip_runtime.h>\n{text}")
        flags = [*tools.flags, "-x", "hip", "-std=c++17", "-w", "--cuda-device-only"]
        architecture = settings.DEFAULT_ARCHITECTURE
        flags += [f"--offload-arch={architecture}"]
        flags += [f"-D__AMDGCN_WAVEFRONT_SIZE={settings.wavefront_size(architecture)}"]
        flags += [f for root in tools.prefixes for f in ("-idirafter", f"{root}/include")]
        request = {
            "path": str(unit),
            "arguments": flags,
            "plain": flags,
            "root": str(folder),
            "kernels": list(kernels),
        }
        library = native_library.build(tools, SOURCES, NAME)
        with Pool(library, tools.libclang, 1, "extractor.facts.device.worker") as pool:
            (answer,) = pool.run([Task(0, request)])
        assert not answer.crashed, answer.errors
        assert not answer.errors
        return {
            symbol.decode(): orjson.loads(zlib.decompress(data)) for symbol, data in answer.records
        }

    return findings
