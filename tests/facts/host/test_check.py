"""Facts held against traces: what the words of a trace mean."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from extractor.facts.host.check import Comparison
from extractor.facts.records import Fact
from extractor.rules import Rule

RULE = SimpleNamespace(
    facts=SimpleNamespace(state={}, arch_state={}),
    trace=SimpleNamespace(letters={"op_none": "N", "op_conjugate": "C"}, pointer_mode=None),
)
PARAMETERS = (("trans", "trans"), ("A", "A"), ("C", "C"))


def _compared(condition: str, arguments: dict[str, Any], launched: bool) -> dict[str, Any]:
    value = {
        "conditions": [condition],
        "text": condition,
        "named": condition,
        "assumes": [],
        "loops": [],
        "kernel": "a.hip:1:inplace",
        "symbol": "_Zinplace",
    }
    fact = Fact(
        project="brook",
        function="a.hip:9:geam",
        subject="a.hip:20",
        fact="launch_condition",
        value=cast(Any, value),
        instantiation="geam",
        span=None,
        proved_by="ast",
    )
    comparison = Comparison(
        cast(Rule, RULE), [fact], {}, frozenset({"A", "C"}), {"geam": PARAMETERS}
    )
    launches = [{"kernel": "inplace", "symbol": "_Zinplace"}] if launched else []
    comparison.compare(
        {
            "entry": "geam",
            "args": arguments,
            "status": "success",
            "arch": ["gfx90a"],
            "pointer_mode": "host",
            "launches": launches,
        }
    )
    return dict(comparison.result.counts)


@pytest.mark.parametrize(
    ("condition", "arguments", "launched"),
    [
        ("C == A", {"trans": "C"}, False),  # a letter is not the array of that name
        ("trans == op_conjugate", {"trans": "C"}, True),
        ("trans == op_none", {"trans": "C"}, False),
        ("C == A", {"trans": "N", "A": "C"}, True),  # two arrays in one memory
    ],
)
def test_letters_and_shared_arrays(
    condition: str, arguments: dict[str, Any], launched: bool
) -> None:
    counts = _compared(condition, arguments, launched)
    assert counts == {("launch_condition", "agrees"): 1}
