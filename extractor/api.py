"""The documented Python API: ``extractor.extract`` and the records it returns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from extractor.errors import UnknownName
from extractor.progress import Reporter
from extractor.project import Project
from extractor.records import Scope


class NotInConfiguration(UnknownName):
    """An interface of which the chosen configurations define nothing, though others may."""


def extract(
    project: str | Path,
    interface: str,
    *,
    config: str = "all",
    source: str | None = None,
    jobs: int = 0,
    reporter: Reporter | None = None,
) -> Scope:
    """What one interface of a library reaches.

    Args:
        project: Name of a shipped rule file, or the path of one.
        interface: Family, half of a twin, or one entry point.
        config: One configuration, or ``all``.
        source: Folder or ``URL@REF`` instead of the pinned source.
        jobs: Worker processes; the number of cores when 0.
        reporter: Told about progress; silent when ``None``.

    Raises:
        UserError: Something the user must fix; the message is one line and says how.

    Example:
        >>> scope = extract("rocblas", "axpy")  # doctest: +SKIP
        >>> scope.per_entry["rocblas_saxpy"]["source"]  # doctest: +SKIP
    """
    opened = Project(project, source=source, jobs=jobs, reporter=reporter)
    return Scope.model_validate_json(scope_bytes(opened, interface, opened.configurations(config)))


def scope_bytes(project: Project, interface: str, configs: Sequence[str]) -> bytes:
    """``scope.json`` of an interface; taken from the store when nothing has changed."""
    entries = project.resolve(interface)
    key = f"scope:{project.state}:{interface}:{','.join(configs)}"
    data = project.store.recall(key)
    if data is not None:
        return data
    builder = project.builder(configs, entries)
    scope = builder.build(interface, entries)
    if not scope.entry_points and not scope.failed_units:
        hint = f"{' and '.join(configs)} of {project.rule.name} defines nothing of it"
        raise NotInConfiguration("interface", interface, (), hint)
    data = scope.model_dump_json(by_alias=True).encode() + b"\n"
    if not any(run.lost for run in project.runs):
        project.store.remember(key, data)
    return data
