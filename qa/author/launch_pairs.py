"""A launcher and a kernel it launches, with the host's facts of the launch put into numbers."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from extractor.launch_text import split_arguments
from qa.author.draft import Draft, code, listed
from qa.author.kernel_facts import KernelFacts, kernel_facts, ordinary
from qa.author.launch_prose import Trace
from qa.author.reached_with import taking
from qa.author.subjects import entries_through, types_of
from qa.ground import Ground
from qa.reading.template_parameters import template_parameters
from qa.records import Category
from qa.scope_view import FunctionView, ScopeView, Site
from qa.text.arithmetic import Unknown, Value, evaluate

_PLAIN = re.compile(r"[A-Za-z_]\w*")
_MOST_LAUNCHERS = 2
Facts = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Shape:
    """Grid and block of a launch in numbers, with the values of the launcher's names behind them.

    Attributes:
        values: Names of the launcher's formulas.
        grid: Blocks along x, y and z; ``None`` along an axis that the values do not settle.
        block: Threads of a block along x, y and z.
        trace: The recorded call that makes this launch, if one does.
        launch: Its launch.
    """

    values: dict[str, int]
    grid: tuple[int | None, int | None, int | None]
    block: tuple[int, int, int]
    trace: Trace | None = None
    launch: dict[str, Any] | None = None

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    def spot(self) -> dict[str, Value]:
        """Extents as the kernel's built-in names give them."""
        names: dict[str, Value] = {}
        for axis, blocks, threads in zip("xyz", self.grid, self.block, strict=True):
            names[f"blockDim.{axis}"] = threads
            if blocks is not None:
                names[f"gridDim.{axis}"] = blocks
        return names


@dataclass
class Pair:
    """One kernel under one launcher.

    Attributes:
        launcher: The host function with the launch.
        kernel: What it launches.
        site: The launch that the facts are about.
        facts: Of the kernel.
        number: Which of the kernel's instantiations is looked at.
        grid: Extents of the grid, constants put in.
        named: The same with the launcher's names for constants.
        block: Extents of a block, constants put in.
        block_named: The same with names.
        conditions: What holds wherever the launch is reached.
        arguments: The kernel's parameters, and what the launch passes for them.
        rows: The host's facts of the launch.
    """

    launcher: FunctionView
    kernel: FunctionView
    site: Site
    facts: KernelFacts
    number: int
    grid: tuple[str, str, str]
    named: tuple[str, str, str]
    block: tuple[str, str, str]
    block_named: tuple[str, str, str]
    conditions: tuple[str, ...]
    arguments: dict[str, str]
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def types(self) -> dict[str, str]:
        """Template parameters of the instantiation and what they are bound to."""
        return types_of(self.kernel, self.number)

    @property
    def constants(self) -> dict[str, int]:
        """Those that are whole numbers."""
        return {n: int(v) for n, v in self.types.items() if re.fullmatch(r"\d+", v)}

    @property
    def varying(self) -> dict[str, int]:
        """Whole-number template arguments in which the kernel's instantiations differ."""
        names = template_parameters(self.kernel)
        columns = zip(
            *(one["template_arguments"] for one in self.kernel.instantiations), strict=False
        )
        several = {n for n, column in zip(names, columns, strict=False) if len(set(column)) > 1}
        return {n: v for n, v in self.constants.items() if n in several}

    def named_kernel(self) -> str:
        """The kernel's name, with the template arguments that tell its instantiations apart."""
        told = [f"{code(n)} = {v}" for n, v in list(self.varying.items())[:5]]
        return f"{code(self.kernel.name)}{f' (instantiated with {listed(told)})' if told else ''}"

    @property
    def same_file(self) -> bool:
        """Launcher and kernel stand in one file."""
        return self.launcher.file == self.kernel.file

    def passed(self, name: str, shape: Shape) -> int | None:
        """What the launch passes for a parameter; ``None`` where the values do not say."""
        expression = self.arguments.get(name)
        if expression is None:
            return None
        try:
            value = evaluate(expression, shape.values)
        except Unknown:
            return None
        return int(value) if value == int(value) else None

    def value_of(self, name: str, shape: Shape) -> int:
        """A parameter's value: what the launch passes, or an ordinary one."""
        if name in self.constants:
            return self.constants[name]
        passed = self.passed(name, shape)
        return ordinary(name) if passed is None else passed

    def claim_shape(self, draft: Draft, *kinds: str) -> None:
        """Claims the host's facts that a draft speaks of."""
        for kind in kinds or ("launch_grid", "launch_block"):
            row = self.rows[kind]
            keys = ("expressions", "named") if kind != "launch_condition" else ("conditions",)
            said = {k: row.get(k) for k in ("fact", "function", "subject", "arch", "instantiation")}
            value = {key: row["value"][key] for key in keys}
            draft.claim("fact", self.launcher.name, {**said, "value": value}, "fact")


def pairs(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> list[Pair]:
    """One pair for each kernel, with the launcher that stands nearest; kernels without facts of
    their launch left out."""
    return view.once("pairs", lambda: _pairs(view, ground, functions))


def _pairs(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> list[Pair]:
    own = {function.id for function in functions}
    sites: dict[str, list[Site]] = defaultdict(list)
    for site in view.launches:
        if not site.dead and site.callee.id in own and site.caller.span is not None:
            sites[site.callee.id].append(site)
    found = []
    for rows in sites.values():
        # The plain launcher before the one for 64 bit sizes, the same file before others.
        rows.sort(key=lambda s: (s.caller.file != s.callee.file, "64" in s.caller.name,
                                 s.at.file, s.at.start_line))  # fmt: skip
        for site in rows[:6]:
            pair = pair_at(view, ground, site)
            if pair is not None and (pair.same_file or _early_in_library(ground, pair)):
                found.append(pair)
                break
    return found


def _early_in_library(ground: Ground, pair: Pair) -> bool:
    """Hardly a launcher of another interface comes before this one: a kernel that many share is
    told with two of them."""
    known = ground.launchers.get(pair.kernel.id, [])
    return pair.launcher.id not in known or pair.launcher.id in known[:_MOST_LAUNCHERS]


def pair_at(view: ScopeView, ground: Ground, site: Site) -> Pair | None:
    """The launcher and the kernel of one launch; ``None`` where facts of it are missing."""
    by_symbol: dict[str, Facts] = defaultdict(lambda: defaultdict(list))
    for row in ground.facts_of(view.interface, site.caller.id):
        value = row["value"]
        if not isinstance(value, dict) or value.get("kernel") != site.callee.id:
            continue
        if row["span"]["start_line"] != site.at.start_line:
            continue
        by_symbol[str(value.get("symbol") or "")][row["fact"]].append(row)
    facts = kernel_facts(view, ground, site.callee)
    wanted = facts.symbol()
    for symbol in sorted(by_symbol, key=lambda s: (s != wanted, _rank(facts, s), s)):
        rows = {kind: all_[0] for kind, all_ in by_symbol[symbol].items()}
        if not {"launch_grid", "launch_block"} <= set(rows):
            continue
        if not symbol:
            # A fact about all instantiations that this one place launches, which need not be all.
            launched = _launched(view, site)
            symbol = min(launched, key=lambda s: (s != wanted, _rank(facts, s), s), default="")
            more = {kind: all_[0] for kind, all_ in by_symbol.get(symbol, {}).items()}
            rows = {**rows, **more}
        number = _number(site.callee, symbol)
        if number is None:
            continue
        grid, block = rows["launch_grid"]["value"], rows["launch_block"]["value"]
        if len(grid["expressions"]) != 3 or len(block["expressions"]) != 3:
            continue
        return Pair(
            launcher=site.caller, kernel=site.callee, site=site, facts=facts, number=number,
            grid=tuple(grid["expressions"]), named=tuple(grid["named"]),
            block=tuple(block["expressions"]), block_named=tuple(block["named"]),
            conditions=tuple(rows.get("launch_condition", {"value": {"conditions": ()}})["value"]["conditions"]),
            arguments=passed_arguments(ground, site, facts), rows=rows,
        )  # fmt: skip
    return None


def _launched(view: ScopeView, site: Site) -> set[str]:
    """Symbols of the kernel's instantiations that one place launches."""
    return {
        row["kernel"].split("@")[0] for row in view.launch_rows
        if not row["dead"] and row["at"]["file"] == site.at.file
        and row["at"]["start_line"] == site.at.start_line
        and row["kernel"] in view.owner and view.owner[row["kernel"]].id == site.callee.id
    }  # fmt: skip


def _rank(facts: KernelFacts, symbol: str) -> tuple[int, int]:
    number = _number(facts.function, symbol)
    if number is None:
        return (9, 0)
    kinds = list(facts.function.instantiations[number]["template_arguments"])
    return (facts.arrays(number), -sum("float" in k and "complex" not in k for k in kinds))


def _number(kernel: FunctionView, symbol: str) -> int | None:
    return next((i for i, one in enumerate(kernel.instantiations) if one["symbol"] == symbol), None)


def passed_arguments(ground: Ground, site: Site, facts: KernelFacts) -> dict[str, str]:
    """The kernel's parameters and the expressions that a launch passes; empty where a macro hides
    them too well."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", ground.text(site.at), flags=re.S)
    chevrons = re.search(r">>>\s*\(", text)
    if chevrons:
        given = split_arguments(_inside(text[chevrons.end() - 1 :]))
    else:
        start = text.find("(")
        parts = split_arguments(_inside(text[start:])) if start >= 0 else []
        parts = [p for part in parts for p in split_arguments(_expanded(ground, site, part))]
        head = next((i for i, p in enumerate(parts) if site.callee.name in _PLAIN.findall(p)), None)
        if head is None:
            return {}
        given = parts[head + 5 :]
    names = [p.name for p in facts.reading.parameters]
    if not given or len(given) > len(names):
        return {}
    if len(given) < len(names) and "=" not in site.callee.signature:
        return {}
    return dict(zip(names, given, strict=False))


def _inside(text: str) -> str:
    depth = 0
    for index, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            return text[1:index]
    return text[1:]


def _expanded(ground: Ground, site: Site, part: str) -> str:
    """An argument that is a macro of the launcher's file, written out."""
    match = re.fullmatch(r"([A-Za-z_]\w*)\s*(\(.*\))?", part.strip(), re.S)
    if match is None:
        return part
    lines = ground.project.text.lines(ground.locate(site.at.file))[: site.at.start_line]
    made = None
    if any(b"define" in line and match[1].encode() in line for line in lines):
        made = _macro(b"".join(lines), match[1])
    if made is None:
        return part
    body = re.sub(r"\\\r?\n", " ", made[1])
    body = re.sub(r"/\*.*?\*/|//[^\n]*", " ", body, flags=re.S)
    names = [n.strip() for n in made[0].split(",") if n.strip()]
    values = split_arguments(_inside(match[2])) if match[2] else []
    for name, value in zip(names, values, strict=False):
        body = re.sub(rf"\b{re.escape(name)}\b", value.replace("\\", "\\\\"), body)
    return re.sub(r"\s+", " ", body).strip()


@functools.lru_cache(maxsize=256)
def _macro(text: bytes, name: str) -> tuple[str, str] | None:
    """Parameters and body of a macro as it is defined last in a text."""
    found = list(
        re.finditer(
            rf"^[ \t]*#[ \t]*define[ \t]+{name}(?:\(([^)]*)\))?[ \t]*((?:[^\n]*\\\r?\n)*[^\n]*)",
            text.decode(errors="replace"),
            re.M,
        )
    )
    return (found[-1][1] or "", found[-1][2]) if found else None


def draft_of(
    view: ScopeView,
    ground: Ground,
    pair: Pair,
    shape: Shape | None,
    category: Category,
    subject: str,
) -> Draft:
    """An entry on a kernel under a launcher: about the recorded call, where the shape has one.

    Args:
        view: The scope.
        ground: The library.
        pair: The kernel and its launcher.
        shape: The launch's shape; ``None`` where the entry is about no call.
        category: What it is about.
        subject: What tells it from other entries of the interface.
    """
    trace = shape.trace if shape is not None else None
    given = shape.values if shape is not None else ()
    entries = taking(view, entries_through(view, pair.kernel, pair.number), given)
    configs = tuple(c for c in view.configs if c in pair.site.configs)
    if trace is not None:
        entries, configs = [trace["entry"]], (trace.get("config", "source"),)
    return Draft(view, ground, category, subject, entries, configs=configs)
