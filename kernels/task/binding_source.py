"""Writes ``binding.cpp``: a task's entry as a Python function."""

from __future__ import annotations

from kernels.task.model import Task

_TEMPLATE = """\
// Python binding of {task}. Build it with kernels.binding.load, or by hand as a HIP unit:
// ROCQUARRY_SOURCE names the file that defines the entry, PYTHON_MODULE the module.
#include ROCQUARRY_SOURCE
#include "binding.hpp"

PYBIND11_MODULE(PYTHON_MODULE, module) {{
  // {call}
  rocquarry::{bind}(module, "{name}", {entry}, {{{parameters}}});
}}
"""


def binding_source(task: Task) -> str:
    """The text of ``binding.cpp``."""
    names = [parameter.name for parameter in task.parameters]
    plain = task.entry.name.split("<")[0].split("::")[-1]
    kernel = task.entry.kind == "kernel"
    before = ["grid", "block", "shared_bytes"] if kernel else []
    return _TEMPLATE.format(
        task=task.task,
        call=f"{plain}({', '.join([*before, *names])})",
        bind="bind_kernel" if kernel else "bind",
        name=plain,
        entry=task.entry.name,
        parameters=", ".join(f'"{name}"' for name in names),
    )
