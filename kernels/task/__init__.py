"""Task folders: a baseline kernel with everything needed to judge another in its place."""

from kernels.task.folder import load_task, save_task
from kernels.task.model import Task

__all__ = ["Task", "load_task", "save_task"]
