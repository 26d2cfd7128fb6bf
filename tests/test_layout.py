"""Every test module has an import name of its own, or the suite cannot be collected as a whole."""

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parent


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
