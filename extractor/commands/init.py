"""``extract --init PATH``: drafts a rule file and says what it was unsure of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from extractor.compile_commands import find_database
from extractor.draft import draft_rule
from extractor.errors import UserError
from extractor.output import write
from extractor.rules import rule_of_text


def run(folder: Path, rules: Path | None, database: Path | None) -> dict[str, Any]:
    """Drafts a rule file.

    Args:
        folder: The tree.
        rules: Where the rule file goes; ``NAME.toml`` in this folder when ``None``.
        database: Compilation database; one that the folder has is used when ``None``.

    Raises:
        UserError: The folder is none, or the rule file is there already.
    """
    if not folder.is_dir():
        raise UserError(f"no folder {folder}; give the root of a source tree to --init")
    root = folder.resolve()
    draft = draft_rule(root, database=database or find_database(root))
    target = rules or Path(f"{draft.name}.toml")
    if target.exists():
        raise UserError(f"{target} is there already; move it, or name another with --rules FILE")
    rule_of_text(draft.text, target)  # a draft that is no rule is a bug and not the user's
    write(target, draft.text.encode())
    return {"rule": str(target), "found": draft.found, "unsure": list(draft.unsure)}


def show(answer: dict[str, Any]) -> None:
    """Prints what was found and what was not sure."""
    found = answer["found"]
    print(
        f"written {answer['rule']}: "
        + ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found.items())
    )
    if answer["unsure"]:
        print("unsure, and marked so in the file:")
        for text in answer["unsure"]:
            print(f"  - {text}")
    print(f"next: extract {answer['rule']}, then one --interface, then --check")
