"""Architectures that a text may name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from qa.gates.architecture import architectures


def verdict(name: str, evidence: str) -> str | None:
    entry = SimpleNamespace(
        archs=(), question=f"What does it do on {name}?", answer="", claims=(), interface="work"
    )
    ground = SimpleNamespace(architectures_with_facts=lambda interface: set())
    case: Any = SimpleNamespace(entry=entry, is_code=True, evidence_text=evidence, ground=ground)
    return architectures(cast(Any, case))


@pytest.mark.parametrize("name", ["gfx803", "gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1200"])
def test_an_architecture_that_the_lines_name_may_be_named(name: str) -> None:
    assert verdict(name, f'if(arch == "{name}")') is None


@pytest.mark.parametrize("name", ["gfx1399", "gfx5000"])
def test_what_has_no_such_form_is_none(name: str) -> None:
    assert "no architecture" in (verdict(name, f'if(arch == "{name}")') or "")
