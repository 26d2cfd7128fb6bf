"""How much a program may take before it is ended."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Limits of one run.

    Attributes:
        wall_seconds: Time from its start until the whole process group is killed.
        cpu_seconds: Processor time of each process.
        memory_bytes: Address space of each process; 0 for no limit.
        output_bytes: Bytes kept of standard output and of standard error; more ends the run.
        file_bytes: Size of the largest file it may write.
        open_files: Open files of each process.
    """

    wall_seconds: float = 60
    cpu_seconds: int = 120
    memory_bytes: int = 8192 * _MIB
    output_bytes: int = 4 * _MIB
    file_bytes: int = 2048 * _MIB
    open_files: int = 1024

    def shell(self) -> str:
        """The limits that the kernel enforces, as commands of a POSIX shell."""
        memory = f"ulimit -v {self.memory_bytes // 1024}; " if self.memory_bytes else ""
        # The unit of -f is a block of 512 bytes in POSIX shells and 1,024 in some others.
        return (
            f"ulimit -c 0; {memory}ulimit -t {self.cpu_seconds}; "
            f"ulimit -f {self.file_bytes // 512}; ulimit -n {self.open_files}"
        )


BUILD = Limits(wall_seconds=900, cpu_seconds=400, memory_bytes=6144 * _MIB, output_bytes=2 * _MIB)
"""For a compiler on a source that nobody vouches for."""

EXECUTION = Limits(wall_seconds=60, cpu_seconds=120)
"""For a kernel on one set of inputs."""
