"""Reads and writes task folders.

| file | content |
|---|---|
| ``task.json`` | what is called, with which inputs, and what counts as right |
| ``baseline.hip`` | the kernel to be replaced |
| ``binding.cpp`` | its pybind11 binding |
"""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from extractor.errors import UserError
from kernels.task.model import Task

TASK, BASELINE, BINDING = "task.json", "baseline.hip", "binding.cpp"


def load_task(folder: Path) -> Task:
    """Reads a task.

    Raises:
        UserError: The folder holds none, or one with a fault.
    """
    path = folder / TASK if folder.is_dir() else folder
    try:
        return Task.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; a task is a folder with {TASK}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise UserError(f"{path}: {where}: {first['msg']}") from error


def save_task(task: Task, folder: Path, baseline: str, binding: str) -> None:
    """Writes a task folder.

    Raises:
        UserError: The folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / BASELINE).write_text(baseline, encoding="utf-8")
        (folder / BINDING).write_text(binding, encoding="utf-8")
        text = task.model_dump_json(by_alias=True, indent=1) + "\n"
        (folder / TASK).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror}; choose another folder with --out") from error
