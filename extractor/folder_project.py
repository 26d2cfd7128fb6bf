"""A folder of the user's as a project: which rule stands for it, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from extractor.compile_commands import find_database
from extractor.errors import UserError
from extractor.rules import Rule, list_rules, load_rule, rule_of_text

RULE_NAME = "rocquarry.toml"
"""A rule file of this name in a folder is that folder's own."""


@dataclass(frozen=True)
class Opened:
    """What a folder is opened with.

    Attributes:
        rule: Its rule.
        source: What ``--source`` would say; ``None`` where the rule names its source itself.
        note: What a person should know about the choice; empty when there was none.
    """

    rule: Rule
    source: str | None
    note: str = ""


def is_folder(name: str) -> bool:
    """Whether a project's name on the command line is a folder.

    A shipped rule's name means the rule, whatever folders are here; with a slash it is a folder.
    """
    return Path(name).is_dir() and ("/" in name or name not in list_rules())


def open_folder(name: str, *, rules: Path | None = None, database: Path | None = None) -> Opened:
    """Chooses the rule of a folder: the user's, its own, or one drafted from its build.

    Args:
        name: The folder, or with ``rules`` anything that ``--source`` takes.
        rules: ``--rules``.
        database: ``--compile-commands``.

    Raises:
        UserError: Nothing says how the folder is compiled.
    """
    folder = Path(name).expanduser()
    own = folder / RULE_NAME
    if rules is None and database is None and own.is_file():
        rules = own
    if rules is not None:
        return Opened(load_rule(rules), name)
    database = database or find_database(folder)
    if database is None:
        raise UserError(
            f"{folder} has no {RULE_NAME} and no compile_commands.json; give --rules FILE or "
            f"--compile-commands FILE, or draft a rule file: extract --init {folder}"
        )
    return Opened(_drafted(folder, database), None, _note(database))


def _drafted(folder: Path, database: Path) -> Rule:
    from extractor.draft import draft_rule

    root = folder.resolve()
    draft = draft_rule(root, folder=".", database=database)
    return rule_of_text(draft.text, root / RULE_NAME)


def _note(database: Path) -> str:
    return (
        f"units and flags from {database}; what is public was guessed: write the rule down with "
        "extract --init"
    )
