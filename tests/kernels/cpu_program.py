"""Programs of the tests, built for and run on the CPU runtime."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernels.cpu.build import compile_unit, link
from kernels.isolation import Limits, Outcome, run

HIP = Path(__file__).parent / "hip"


@dataclass(frozen=True)
class CpuRun:
    """One run of a program on the CPU runtime."""

    outcome: Outcome
    findings: list[dict[str, Any]]

    @property
    def kinds(self) -> set[str]:
        return {finding["kind"] for finding in self.findings}


class CpuProgram:
    """A HIP program of the tests, built once for each wavefront."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._built: dict[tuple[str, int, bool], Path] = {}

    def build(self, name: str, wavefront: int = 64, lockstep: bool = False) -> Path:
        key = (name, wavefront, lockstep)
        if key not in self._built:
            unit = compile_unit(HIP / f"{name}.hip", (), wavefront, lockstep=lockstep)
            target = self._folder / f"{name}-{wavefront}-{lockstep}"
            link(unit.objects, target, shared=False)
            self._built[key] = target
        return self._built[key]

    def __call__(
        self,
        name: str,
        *arguments: str,
        wavefront: int = 64,
        lockstep: bool = False,
        seconds: float = 60,
        **settings: str,
    ) -> CpuRun:
        program = self.build(name, wavefront, lockstep)
        report = self._folder / f"report-{os.getpid()}.jsonl"
        report.unlink(missing_ok=True)
        environment = {f"HIPCPU_{key.upper()}": value for key, value in settings.items()}
        outcome = run(
            [str(program), *arguments],
            Limits(wall_seconds=seconds),
            folder=self._folder,
            environment={**environment, "HIPCPU_REPORT": str(report)},
        )
        lines = report.read_text().splitlines() if report.exists() else []
        return CpuRun(outcome, [json.loads(line) for line in lines])
