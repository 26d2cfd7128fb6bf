"""Scopes of any size with the shape of real ones, made from a seed and from nothing else."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from typing import Any

PRECISIONS = {
    "s": "float",
    "d": "double",
    "c": "rocblas_complex_num<float>",
    "z": "rocblas_complex_num<double>",
}
LAYOUTS = ("", "_batched", "_strided_batched")
CONFIGS = ("source", "tensile")
HOSTILE = (
    "</script><script>alert(1)</script>",
    "operator()",
    "operator<",
    'lookup<"a\\"b", \'c\'>',
    "(lambda at gemv.cpp:12:7)",
    "pick<&T::x, (A && B), '\\n'>",
    "größe<λ>",
    "sub`graph end %% ]] }} <!-- -->",
)


@dataclass
class _Function:
    """One definition while it is being written."""

    name: str
    kind: str
    file: str
    arguments: list[list[str]]
    calls: list[tuple[int, str, bool]] = field(default_factory=list)
    sites: list[int] = field(default_factory=list)
    identifier: str = ""
    start_line: int = 1
    lines: list[str] = field(default_factory=list)


def synthetic_scope(
    functions: int = 40,
    edges: int | None = None,
    *,
    seed: int = 1,
    hostile: bool = False,
    interface: str = "gemv",
) -> dict[str, Any]:
    """Makes a scope.

    Args:
        functions: About how many definitions; shares of the kinds follow real libraries.
        edges: About how many edges between definitions; by default 2.5 for each definition.
        seed: Same seed, same bytes.
        hostile: Puts names into the scope that break careless escaping.
        interface: Family name, used in every function's name.

    Returns:
        The dictionary that ``scope.json`` holds.
    """
    rng = random.Random(seed)
    table = _functions(functions, interface, rng, hostile)
    _wire(table, int(functions * 2.5) if edges is None else edges, rng)
    _write_texts(table, interface)
    return _scope(table, interface, rng)


def _functions(count: int, interface: str, rng: random.Random, hostile: bool) -> list[_Function]:
    table: list[_Function] = []
    entries = max(4, min(count // 5, 120))
    for index in range(entries):
        letter = list(PRECISIONS)[index % 4]
        layout = LAYOUTS[index // 4 % 3]
        suffix = "" if index < 12 else f"_v{index // 12}"
        name = f"rocblas_{letter}{interface}{layout}{suffix}"
        table.append(
            _Function(
                name,
                "entry_point",
                f"library/src/rocblas_{interface}{layout}.cpp",
                [[PRECISIONS[letter]]],
            )
        )
    rest = count - entries - 2
    plan = [("host", 0.3), ("launcher", 0.2), ("kernel", 0.3), ("device", 0.2)]
    for kind, share in plan:
        for index in range(max(2, round(rest * share))):
            name, file = _name(kind, index, interface)
            wide = {"host": 1, "launcher": 1, "kernel": 3, "device": 2}[kind]
            arguments = [
                [precision, str(64 << variant), "true" if variant else "false"]
                for precision in PRECISIONS.values()
                for variant in range(wide)
            ]
            table.append(_Function(name, kind, file, arguments))
    table.append(_Function("runContractionProblem", "boundary", "tensile_host.hpp", [[]]))
    table.append(_Function("hipMemcpyAsync", "boundary", "hip/hip_runtime_api.h", [[]]))
    if hostile:
        plain = [f for f in table if f.kind not in ("boundary", "entry_point")]
        for function, name in zip(plain, HOSTILE, strict=False):
            function.name = name
            function.arguments[0][0] = name
    rng.shuffle(table)
    return table


def _name(kind: str, index: int, interface: str) -> tuple[str, str]:
    file = index // 9
    if kind == "kernel" and index < 2:
        return f"reset_kernel_{index}", "library/src/include/reset.hpp"
    if kind == "host":
        return f"rocblas_internal_{interface}_template_{index}", (
            f"library/src/blas2/rocblas_{interface}_host_{file}.hpp"
        )
    if kind == "launcher":
        return f"rocblas_{interface}_launcher_{index}", (
            f"library/src/blas2/rocblas_{interface}_kernels_{file}.cpp"
        )
    if kind == "kernel":
        return f"rocblas_{interface}n_kernel_{index}", (
            f"library/src/blas2/{interface}_device_{file}.hpp"
        )
    return f"rocblas_wavefront_reduce_{index}", f"library/src/include/reduction_{file}.hpp"


def _wire(table: list[_Function], edges: int, rng: random.Random) -> None:
    by_kind: dict[str, list[int]] = {}
    for index, function in enumerate(table):
        by_kind.setdefault(function.kind, []).append(index)
    below = {
        "entry_point": ["host"],
        "host": ["host", "launcher", "launcher", "boundary"],
        "launcher": ["kernel", "kernel", "kernel", "launcher", "host"],
        "kernel": ["device"],
        "device": ["device"],
    }
    made: set[tuple[int, int]] = set()

    def connect(caller: int, callee: int, dead: bool = False) -> None:
        if caller != callee and (caller, callee) not in made:
            made.add((caller, callee))
            kind = "launch" if table[callee].kind == "kernel" else "call"
            if kind == "call" and rng.random() < 0.04:
                kind = "reference"
            table[caller].calls.append((callee, kind, dead))

    for kind, uppers in (
        ("host", ["entry_point"]),
        ("launcher", ["host"]),
        ("kernel", ["launcher"]),
        ("device", ["kernel"]),
        ("boundary", ["host", "launcher"]),
    ):
        callers = [i for upper in uppers for i in by_kind[upper]]
        for callee in by_kind[kind]:
            connect(rng.choice(callers), callee)
    for caller in by_kind["entry_point"]:
        connect(caller, rng.choice(by_kind["host"]))
    tries = 0
    while len(made) < edges and tries < edges * 20:
        tries += 1
        caller = rng.randrange(len(table))
        kinds = below.get(table[caller].kind)
        if kinds is None:
            continue
        callee = rng.choice(by_kind[rng.choice(kinds)])
        if table[callee].kind == table[caller].kind and rng.random() < 0.9 and callee < caller:
            continue
        connect(caller, callee, dead=rng.random() < 0.06)


def _write_texts(table: list[_Function], interface: str) -> None:
    next_line: dict[str, int] = {}
    for index, function in enumerate(table):
        function.identifier = f"c:@F@{function.name}#{index}"
        function.start_line = next_line.get(function.file, 40)
        lines = function.lines
        if function.kind == "kernel":
            lines.append("template <typename T, int NB, bool CONJ>")
            lines.append(f"ROCBLAS_KERNEL(NB) {function.name}(rocblas_int n, const T* x, T* y)")
        elif function.kind == "entry_point":
            lines.append(f"rocblas_status {function.name}(rocblas_handle handle, rocblas_int n)")
        else:
            lines.append("template <typename T>")
            lines.append(f"rocblas_status {function.name}(rocblas_handle handle, rocblas_int n)")
        lines.append("{")
        lines.append("    // quick return, as the reference implementation does")
        lines.append(f'    static const char* who = "{interface} <n> \\" \'";')
        if function.kind == "kernel":
            lines.append("    __shared__ T sdata[NB];")
            lines.append("    const int tx = blockIdx.x * NB + threadIdx.x;")
            lines.append("    if(tx >= n) return;")
        for callee, kind, dead in function.calls:
            target = table[callee].name
            lines.append(f"    if({'false && ' if dead else ''}n > {len(lines) * 8})")
            lines.append("    {")
            function.sites.append(function.start_line + len(lines))
            if kind == "launch":
                lines.append(f"        ROCBLAS_LAUNCH_KERNEL(({target}<T, NB>), grid, threads,")
                lines.append("                              0, handle->get_stream(), n, x, y);")
            elif kind == "reference":
                lines.append(f"        auto* chosen = &{target}<T>;")
            else:
                lines.append(f"        {target}<T>(handle, n);")
            lines.append("    }")
            lines.append("    else")
            lines.append("        return rocblas_status_continue;")
        lines.append("    return rocblas_status_success;")
        lines.append("}")
        next_line[function.file] = function.start_line + len(lines) + 3


def _scope(table: list[_Function], interface: str, rng: random.Random) -> dict[str, Any]:
    def span(function: _Function, line: int, length: int = 1) -> dict[str, Any]:
        text = "\n".join(function.lines[line - function.start_line :][:length])
        digest = hashlib.sha256(text.encode()).hexdigest()
        return {
            "file": function.file,
            "start_line": line,
            "end_line": line + length - 1,
            "sha256": digest,
        }

    records, calls, launches = [], [], []
    for function in table:
        records.append(
            {
                "id": function.identifier,
                "name": function.name,
                "qualified_name": function.name,
                "signature": f"{function.name}(rocblas_handle, rocblas_int)",
                "kind": function.kind,
                "span": span(function, function.start_line, len(function.lines)),
                "text": "\n".join(function.lines) + "\n",
                "launch_bounds": "NB" if function.kind == "kernel" else None,
                "infrastructure": "zeroes outputs" if function.name == "reset_kernel_1" else None,
                "instantiations": [
                    {
                        "id": f"{function.identifier}<{','.join(arguments)}>",
                        "symbol": f"_Z{function.identifier}<{','.join(arguments)}>",
                        "template_arguments": arguments if function.kind != "entry_point" else [],
                        "configs": list(CONFIGS),
                    }
                    for arguments in function.arguments
                ],
            }
        )
    for function, record in zip(table, records, strict=True):
        for (callee, kind, dead), line in zip(function.calls, function.sites, strict=True):
            only = [rng.choice(CONFIGS)] if rng.random() < 0.1 else list(CONFIGS)
            at = span(function, line, 2 if kind == "launch" else 1)
            for caller, source in zip(
                record["instantiations"],
                function.arguments,
                strict=True,  # type: ignore[arg-type]
            ):
                for target, arguments in zip(
                    records[callee]["instantiations"],  # type: ignore[arg-type]
                    table[callee].arguments,
                    strict=True,
                ):
                    if arguments and source and arguments[0] != source[0]:
                        continue
                    common = {
                        "caller": caller["id"],
                        "at": at,
                        "dead": dead,
                        "dead_reason": "condition is false: false && n" if dead else None,
                        "configs": only,
                    }
                    if kind == "launch":
                        launches.append(
                            common | {"kernel": target["id"]} | _configuration(arguments)
                        )
                    else:
                        calls.append(common | {"callee": target["id"], "kind": kind})
    scope: dict[str, Any] = {
        "schema": "rocquarry.scope/1",
        "tool_version": "0.1.0",
        "project": "rocblas",
        "interface": interface,
        "configs": list(CONFIGS),
        "source": {
            "name": "rocBLAS",
            "version": "6.4.4",
            "commit": "rocm-6.4.4",
            "license": "MIT",
        },
        "entry_points": [f.name for f in table if f.kind == "entry_point"],
        "functions": records,
        "calls": calls,
        "launches": launches,
        "boundaries": [
            {
                "name": f.name,
                "library": "Tensile" if f.name.startswith("run") else "HIP runtime",
                "callers": sorted(
                    {c["caller"] for c in calls if c["callee"] == f"{f.identifier}<>"}
                ),
                "configs": list(CONFIGS),
            }
            for f in table
            if f.kind == "boundary"
        ],
        "excluded": [
            {"rule": "rocblas_internal_check_numerics_*", "reason": "numeric checks", "count": 14},
            {"rule": "*_log_*", "reason": "logging", "count": 9},
        ],
        "unresolved": [
            {
                "at": span(table[0], table[0].start_line + 3),
                "text": "functor(n)",
                "reason": "callee depends on a template argument",
            }
        ],
        "indirect": [
            {
                "at": span(table[0], table[0].start_line + 2),
                "text": "callback(n)",
                "caller": table[0].name,
            }
        ],
        "divergent": [
            {
                "usr": "c:@F@rocblas_internal_rotm_launcher",
                "symbol": "_Z30rocblas_internal_rotm_launcher",
                "at": [span(table[1], table[1].start_line), span(table[2], table[2].start_line)],
                "units": ["library/src/rocblas_rotm.cpp", "library/src/rocblas_rotm_batched.cpp"],
            }
        ],
        "failed_units": [
            {
                "path": "library/src/tensile_host.cpp",
                "config": "tensile",
                "side": "host",
                "errors": ["'Tensile/Tensile.hpp' file not found"],
            }
        ],
    }
    scope["per_entry"] = _per_entry(scope)
    return scope


def _configuration(arguments: list[str]) -> dict[str, Any]:
    block = arguments[1] if len(arguments) > 1 else "64"
    return {
        "grid": {"written": "grid", "expanded": "dim3((n - 1) / NB + 1, batch_count)"},
        "block": {"written": "threads", "expanded": f"dim3({block})"},
        "shared_bytes": {"written": "0", "expanded": "0"},
        "stream": {"written": "handle->get_stream()", "expanded": "handle->get_stream()"},
    }


def _per_entry(scope: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
    kernels = {
        i["id"] for f in scope["functions"] if f["kind"] == "kernel" for i in f["instantiations"]
    }
    entries = {
        f["name"]: [i["id"] for i in f["instantiations"]]
        for f in scope["functions"]
        if f["kind"] == "entry_point"
    }
    answer: dict[str, dict[str, list[str]]] = {name: {} for name in entries}
    for config in scope["configs"]:
        after: dict[str, list[str]] = {}
        for edge in [*scope["calls"], *scope["launches"]]:
            if not edge["dead"] and config in edge["configs"]:
                after.setdefault(edge["caller"], []).append(edge.get("callee") or edge["kernel"])
        for name, seeds in entries.items():
            seen, stack = set(seeds), list(seeds)
            while stack:
                for callee in after.get(stack.pop(), []):
                    if callee not in seen:
                        seen.add(callee)
                        stack.append(callee)
            answer[name][config] = sorted(seen & kernels)
    return answer
