"""Slices of many kernels: unit by unit, several at once, here or on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from extractor.project import Project
from extractor.slice_record import SliceRecord
from extractor.spread import spread
from kernels.slice.choice import Chosen
from kernels.slice.folder import save_slice, slices_folder
from kernels.slice.job import Plan, UnitRequest, slice_unit


def slice_kernels(
    project: Project, chosen: Sequence[Chosen], out: Path, plan: Plan, jobs: int = 0
) -> list[SliceRecord]:
    """Cuts, compiles and compares slices, and writes them as they come.

    A finished slice is found again by the content of its unit, of the program that made it and of
    the compiler, so an interrupted run goes on where it was. The project's engine says whether
    units are cut here or on a Ray cluster; the slices are the same.

    Args:
        project: The library, opened.
        chosen: The kernels.
        out: Output folder.
        plan: What is done with every slice.
        jobs: Units at once on this machine; that of the project when 0.

    Returns:
        The records in the order of the kernels.
    """
    rows = sorted(chosen, key=lambda one: (one.config, one.unit))
    groups = [tuple(group) for _, group in groupby(rows, key=lambda one: (one.config, one.unit))]
    rule, source = str(project.rule.path), project.override
    requests = [UnitRequest(rule, source, group, plan) for group in groups]
    slugs = {one.function: one.slug for one in chosen}
    found: dict[str, SliceRecord] = {}
    folder = slices_folder(out, project.rule.name)
    running = spread(slice_unit, requests, jobs=jobs or project.indexer.jobs, engine=project.engine)
    with project.reporter.work(f"{project.rule.name} slices") as advance:
        for done, (number, results) in enumerate(running, start=1):
            for record, text in results:
                save_slice(folder / slugs[record.function], record, text)
                found[record.function] = record
            advance(done, len(requests), requests[number].chosen[0].unit)
    return [found[one.function] for one in chosen]
