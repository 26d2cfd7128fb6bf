"""The small library of this folder, its host side built once and called by one worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from extractor.project import Project
from extractor.trace.session import Limits
from extractor.trace.tracer import Tracer

BROOK = Path(__file__).parent / "brook" / "rules.toml"
LIMITS = Limits(milliseconds=1500, lines=50, launches=5000)


@pytest.fixture(scope="session")
def _tracer(shared_cache: Path) -> Iterator[Tracer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCQUARRY_CACHE", str(shared_cache))
        project = Project(BROOK)
        with Tracer(project, "source", LIMITS) as tracer:
            # One shared object with all of them, so that one worker serves every test.
            called = [e for e in project.entry_points if tracer.why_not(e) is None]
            tracer.shared_object(called)
            yield tracer
        project.store.close()


@pytest.fixture
def tracer(_tracer: Tracer, in_shared_cache: Path) -> Tracer:
    """The small library, ready to be called."""
    return _tracer
