"""Errors planted into clean entries: how many the gates catch, and whether a clean one is lost.

Usage: python benchmarks/qa_planted.py [ENTRIES.jsonl] [--out DIR] [--seed N] [--count N]

Without a file, entries of a few small interfaces are built first. The planter changes the answer's
text alone, or the metadata alone. In a second round, the careful one, it also rewrites the claims
that quote the changed sentence, so that only what the source says can give it away.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from extractor.project import Project
from qa.build import build
from qa.judgement import Judge
from qa.records import Entry
from qa.text.prose import numbers

RESULTS = Path(__file__).parent / "results" / "qa_planted.json"
SMALL = (("rocblas", ("axpy", "dot", "ger", "scal")), ("rocsolver", ("getf2", "larfg", "potf2")))
Row = dict[str, Any]
Planter = Callable[[Row, random.Random, "Bench"], bool]


class Bench:
    """The clean entries, and the libraries they are about."""

    def __init__(self, rows: list[Row], out: Path) -> None:
        self.rows = rows
        self.judge = Judge(Project, out, write_again=True)
        self._kernels: dict[tuple[str, str], list[str]] = {}

    def kernels(self, row: Row) -> list[str]:
        key = (row["project"], row["interface"])
        if key not in self._kernels:
            ground = self.judge.ground(row["project"])
            assert ground is not None
            found = {f.name for f in ground.view(row["interface"]).of_kind("kernel")}
            self._kernels[key] = sorted(found)
        return self._kernels[key]

    def passes(self, row: Row) -> tuple[bool, str]:
        verdict = self.judge.judge_alone(Entry.model_validate_json(json.dumps(row)))
        return verdict.passed, verdict.reason


def wrong_number(row: Row, rng: random.Random, bench: Bench) -> bool:
    found = [n for n in numbers(row["answer"]) if isinstance(n.value, int)]
    if not found:
        return False
    chosen = rng.choice(found)
    other = rng.choice([chosen.value + 1, chosen.value * 2 + 1, max(0, chosen.value - 1)])
    if other == chosen.value:
        other += 2
    row["answer"] = f"{row['answer'][: chosen.start]}{other}{row['answer'][chosen.end :]}"
    return True


def wrong_kernel(row: Row, rng: random.Random, bench: Bench) -> bool:
    kernels = bench.kernels(row)
    present = [k for k in kernels if re.search(rf"\b{k}\b", row["answer"])]
    if not present or len(kernels) < 2:
        return False
    old = rng.choice(present)
    new = rng.choice([k for k in kernels if k != old])
    row["answer"] = re.sub(rf"\b{old}\b", new, row["answer"], count=rng.choice((0, 1)))
    return True


def dead_span(row: Row, rng: random.Random, bench: Bench) -> bool:
    span = rng.choice(row["evidence"])
    if rng.random() < 0.5:
        span["file"] = span["file"].replace(".", "_old.", 1)
    else:
        span["start_line"] += 100_000
        span["end_line"] += 100_000
    return True


def invented_identifier(row: Row, rng: random.Random, bench: Bench) -> bool:
    names = sorted(set(re.findall(r"`([A-Za-z_]\w{3,})`", row["answer"])))
    if not names:
        return False
    old = rng.choice(names)
    new = f"{old}_{rng.choice(('fast', 'v2', 'tiled', 'aux'))}"
    row["answer"] = row["answer"].replace(f"`{old}`", f"`{new}`")
    return True


def swapped_lines(row: Row, rng: random.Random, bench: Bench) -> bool:
    wide = [s for s in row["evidence"] if s["end_line"] > s["start_line"]]
    if wide:
        span = rng.choice(wide)
        span["start_line"], span["end_line"] = span["end_line"], span["start_line"]
        return True
    if len(row["evidence"]) < 2:
        return False
    one, two = rng.sample(row["evidence"], 2)
    for key in ("start_line", "end_line"):
        one[key], two[key] = two[key], one[key]
    return (one["start_line"], one["end_line"]) != (two["start_line"], two["end_line"])


def wrong_level(row: Row, rng: random.Random, bench: Bench) -> bool:
    row["level"] = rng.choice([n for n in (1, 2, 3) if n != row["level"]])
    return True


def wrong_architecture(row: Row, rng: random.Random, bench: Bench) -> bool:
    row["archs"] = [rng.choice(("gfx1100", "gfx90a", "gfx942", "gfx906", "sm_90"))]
    return True


def wrong_citation(row: Row, rng: random.Random, bench: Bench) -> bool:
    others = [r for r in bench.rows if r["project"] == row["project"] and r["id"] != row["id"]]
    spans = [s for r in others for s in r["evidence"] if s not in row["evidence"]]
    row["evidence"][rng.randrange(len(row["evidence"]))] = copy.deepcopy(rng.choice(spans))
    return True


_TURNS = (
    ("<=", ">"), (">=", "<"), ("==", "!="), ("!=", "=="), (" < ", " >= "), (" > ", " <= "),
    (" holds", " fails"), (" fails", " holds"), (" is false", " is true"),
    ("does not hold", "holds"),
    (" is not taken", " is taken"), (" less than ", " more than "), ("&&", "||"),
)  # fmt: skip


def negated_condition(row: Row, rng: random.Random, bench: Bench) -> bool:
    spots = [(m.start(), a, b) for a, b in _TURNS for m in re.finditer(re.escape(a), row["answer"])]
    spots = [s for s in spots if row["answer"][s[0] - 1 : s[0]] not in "<>-"]
    if not spots:
        return False
    start, old, new = rng.choice(spots)
    row["answer"] = row["answer"][:start] + new + row["answer"][start + len(old) :]
    return True


def stale_source(row: Row, rng: random.Random, bench: Bench) -> bool:
    way = rng.randrange(3)
    if way == 0:
        row["source"]["version"] = "6.3.1"
    elif way == 1:
        row["source"]["commit"] = "0" * 40
    else:
        rng.choice(row["evidence"])["sha256"] = f"{rng.getrandbits(256):064x}"
    return True


KINDS: tuple[Planter, ...] = (
    wrong_number, wrong_kernel, dead_span, invented_identifier, swapped_lines, wrong_level,
    wrong_architecture, wrong_citation, negated_condition, stale_source,
)  # fmt: skip


def rewrite_claims(clean: Row, planted: Row) -> None:
    """What a careful forger does: quotes in claims follow the changed answer."""
    from qa.text.prose import sentences

    before, after = sentences(clean["answer"]), sentences(planted["answer"])
    changed = dict(zip(before, after, strict=False))
    for claim in planted["claims"]:
        if claim["type"] == "statement":
            claim["subject"] = changed.get(claim["subject"], claim["subject"])


def run(bench: Bench, seed: int, count: int) -> dict[str, Any]:
    rng = random.Random(seed)
    prose = [row for row in bench.rows if row["kind"] == "qa"]
    lost = [(row["id"], why) for row in bench.rows for ok, why in [bench.passes(row)] if not ok]
    result: dict[str, Any] = {
        "seed": seed, "clean": len(bench.rows), "clean_lost": len(lost), "lost": lost[:5],
        "kinds": {},
    }  # fmt: skip
    pairs = []
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        for _attempt in range(50):
            clean = rng.choice(prose)
            planted = copy.deepcopy(clean)
            if kind(planted, rng, bench) and planted != clean:
                break
        pairs.append((kind, clean, planted))
    # Those of one interface together: a judge keeps but a few scopes open.
    pairs.sort(key=lambda one: (one[1]["project"], one[1]["interface"]))
    for kind, clean, planted in pairs:
        figures = result["kinds"].setdefault(
            kind.__name__, {"planted": 0, "caught": 0, "gates": Counter(), "missed": [],
                            "careful": 0, "careful_caught": 0, "careful_missed": []}
        )  # fmt: skip
        ok, why = bench.passes(planted)
        figures["planted"] += 1
        figures["caught"] += not ok
        if ok:
            figures["missed"].append([planted["id"], planted["answer"][:300]])
        else:
            figures["gates"][why.split(":")[0]] += 1
        if planted["answer"] != clean["answer"]:
            rewrite_claims(clean, planted)
            careful_ok, _why = bench.passes(planted)
            figures["careful"] += 1
            figures["careful_caught"] += not careful_ok
            if careful_ok:
                figures["careful_missed"].append([planted["id"], _difference(clean, planted)])
    result["planted"] = sum(f["planted"] for f in result["kinds"].values())
    result["caught"] = sum(f["caught"] for f in result["kinds"].values())
    return result


def _difference(clean: Row, planted: Row) -> str:
    from qa.text.prose import sentences

    for one, two in zip(sentences(clean["answer"]), sentences(planted["answer"]), strict=False):
        if one != two:
            return two[:300]
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("entries", nargs="?", type=Path)
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--seed", type=int, default=20261129)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument(
        "--most", type=int, default=400, help="clean entries read, drawn by the seed"
    )
    given = parser.parse_args()
    if given.entries is None:
        built = build(SMALL, given.out, jobs=1)
        rows = [json.loads(line) for line in built.entries]
    else:
        rows = [json.loads(line) for line in given.entries.read_text().splitlines()]
    random.Random(given.seed).shuffle(rows)
    rows = sorted(rows[: given.most], key=lambda r: (r["project"], r["interface"], r["id"]))
    result = run(Bench(rows, given.out), given.seed, given.count)
    print(f"seed {given.seed}: {result['caught']} of {result['planted']} planted errors caught, "
          f"{result['clean_lost']} of {result['clean']} clean entries lost")  # fmt: skip
    for name, figures in result["kinds"].items():
        careful = (
            f", careful {figures['careful_caught']} of {figures['careful']}"
            if figures["careful"]
            else ""
        )
        print(f"  {name:20} {figures['caught']:3} of {figures['planted']:3}{careful}  "
              f"{dict(figures['gates'])}")  # fmt: skip
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(main, "qa_planted")
