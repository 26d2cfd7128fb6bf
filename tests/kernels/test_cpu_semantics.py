"""What HIP means, on the CPU runtime: every check of semantics.hip under every schedule."""

from __future__ import annotations

import re

import pytest
from cpu_program import HIP, CpuProgram

CHECKS = re.findall(r"^CHECK\((\w+)\)", (HIP / "semantics.hip").read_text(), re.MULTILINE)
SETTINGS = [
    ("ascending", 64, "1", False),
    ("descending", 64, "1", False),
    ("random:7", 64, "1", False),
    ("ahead", 64, "1", False),
    ("behind", 64, "1", False),
    ("together", 64, "1", False),
    ("random:8", 32, "1", False),
    ("ascending", 64, "3", False),
    ("together", 64, "1", True),
    ("random:9", 64, "2", True),
]


@pytest.fixture(scope="module")
def answers(cpu: CpuProgram) -> dict[tuple[str, int, str, bool], dict[str, str]]:
    found = {}
    for setting in SETTINGS:
        schedule, wavefront, threads, lockstep = setting
        done = cpu(
            "semantics",
            wavefront=wavefront,
            lockstep=lockstep,
            schedule=schedule,
            threads=threads,
        )
        assert done.outcome.ok, done.outcome.describe() + done.outcome.stderr
        assert not done.findings or done.kinds == set()
        lines = done.outcome.stdout.splitlines()
        found[setting] = {line.split()[0].rstrip(":"): line for line in lines}
    return found


@pytest.mark.parametrize("check", CHECKS)
def test_every_schedule_and_wavefront_gives_what_hip_means(
    answers: dict[tuple[str, int, str, bool], dict[str, str]], check: str
) -> None:
    said = {setting: answer.get(check) for setting, answer in answers.items()}
    assert set(said.values()) == {f"{check} ok"}


def test_there_are_checks() -> None:
    assert len(CHECKS) >= 15
