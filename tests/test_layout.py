"""Modules: names of their own among the tests, and no circles of imports in the product."""

import ast
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import networkx as nx

TESTS = Path(__file__).parent
PACKAGES = ("extractor", "kernels", "qa")


def import_name(path: Path) -> str:
    """The name pytest imports a module by: from the topmost folder that is a package."""
    parts = [path.stem]
    folder = path.parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


def test_no_two_modules_of_the_suite_share_an_import_name() -> None:
    # conftest.py is left out: pytest loads those by path.
    modules = [
        path for path in sorted(TESTS.rglob("*.py")) if path.stem not in ("conftest", "__init__")
    ]
    counted = Counter(import_name(path) for path in modules)
    assert len(modules) > 100
    assert {name: n for name, n in counted.items() if n > 1} == {}


def imported(statements: Iterable[ast.stmt], known: dict[str, ast.Module]) -> set[str]:
    """Modules that are imported when a module is, its packages' own ones among them."""
    found: set[str] = set()
    for one in statements:
        if isinstance(one, ast.If) and "TYPE_CHECKING" not in ast.dump(one.test):
            found |= imported(one.body, known)
        elif isinstance(one, ast.Import):
            found |= {name.name for name in one.names}
        elif isinstance(one, ast.ImportFrom) and not one.level:
            names = {f"{one.module}.{name.name}" for name in one.names}
            found |= (names & known.keys()) or {str(one.module)}
    return found


def test_any_module_can_be_the_first_that_is_imported() -> None:
    known: dict[str, ast.Module] = {}
    for package in PACKAGES:
        for path in sorted((TESTS.parent / package).rglob("*.py")):
            parts = path.relative_to(TESTS.parent).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            known[name] = ast.parse(path.read_text(encoding="utf-8"))
    graph = nx.DiGraph()
    for module, tree in known.items():
        for target in imported(tree.body, known) & known.keys():
            parts = target.split(".")
            above = {".".join(parts[:depth]) for depth in range(1, len(parts))}
            # A package that a module lies in is being imported already.
            inside = {name for name in above if f"{module}.".startswith(f"{name}.")}
            graph.add_edges_from((module, one) for one in ({target} | above) - inside - {module})
    assert len(graph) > 400
    circles = [sorted(c) for c in nx.strongly_connected_components(graph) if len(c) > 1]
    assert circles == []
