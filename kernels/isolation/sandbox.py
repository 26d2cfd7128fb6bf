"""What stands between a program and this machine.

| means | what it adds |
|---|---|
| ``bubblewrap`` | own process, mount, network and IPC namespaces; only its folder is writable |
| ``unshare`` | own process namespace, so that no child outlives the run |
| none | process group and limits alone |

The first that works here is used. Whether one works is tried once, since containers often have the
program and forbid what it does.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_DESCRIBED = {
    "bubblewrap": "bubblewrap: programs see no network and no other process, and write one folder",
    "unshare": "process namespaces and limits: no child outlives a run, but programs see this "
    "machine's files; install bubblewrap for more",
    "none": "process groups and limits alone; install bubblewrap for more",
}


@dataclass(frozen=True)
class Sandbox:
    """One means.

    Attributes:
        name: ``bubblewrap``, ``unshare`` or ``none``.
        program: Its program, or empty.
        devices: Whether the machine's device files are seen inside.
    """

    name: str
    program: str = ""
    devices: bool = False

    def describe(self) -> str:
        """What it is, in one line."""
        return _DESCRIBED[self.name]

    def wrap(
        self,
        command: list[str],
        folder: Path,
        readable: Iterable[Path] = (),
        hidden: Iterable[Path] = (),
    ) -> list[str]:
        """The command that runs another inside.

        Args:
            command: What to run.
            folder: Where it runs, and the one place it can write.
            readable: Folders it needs that may lie in one of those it does not see.
            hidden: Folders that it must not see, beside ``/tmp``; they must exist.
        """
        if self.name == "bubblewrap":
            devices = ["--dev-bind", "/dev", "/dev"] if self.devices else ["--dev", "/dev"]
            # The sandbox is entered from another folder: a relative path would mean another place.
            shows = [f for path in map(_absolute, readable) for f in ("--ro-bind", path, path)]
            covers = [f for path in map(_absolute, hidden) for f in ("--tmpfs", path)]
            own = _absolute(folder)
            return [
                self.program, "--unshare-all", "--die-with-parent", "--new-session",
                "--ro-bind", "/", "/", *devices, "--proc", "/proc", "--tmpfs", "/tmp",
                *covers, *shows, "--bind", own, own, "--chdir", own,
                "--", *command,
            ]  # fmt: skip
        if self.name == "unshare":
            user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
            return [
                self.program,
                *user,
                "--pid",
                "--mount-proc",
                "--fork",
                "--kill-child",
                "--",
                *command,
            ]
        return command


@functools.cache
def best_sandbox() -> Sandbox:
    """The strongest means that works on this machine."""
    for name, program in (("bubblewrap", "bwrap"), ("unshare", "unshare")):
        found = shutil.which(program)
        if found and _works(Sandbox(name, found)):
            return Sandbox(name, found)
    return Sandbox("none")


def _absolute(path: Path) -> str:
    return str(path.absolute())


def _works(sandbox: Sandbox) -> bool:
    try:
        tried = subprocess.run(
            sandbox.wrap(["true"], Path("/tmp")), capture_output=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0
