"""What a rule file knows about the host side of a library: the table ``[facts]``."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class FactsRule(BaseModel):
    """How host functions answer, and the state that an ordinary call meets.

    Attributes:
        success: Enumerators that mean success, as globs.
        going_on: Enumerators with which a check says that the call goes on, as globs.
        workspace: Names of functions that hand out device memory, or note how much a call needs;
            what they are given are bytes. As globs.
        sizes: Names of functions that return a number of bytes, as globs.
        state: Value of an expression of the host code in an ordinary call: no query of sizes, no
            logging. Only evaluation on concrete calls uses it; no fact depends on it.
        arch_state: The same for an architecture.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    success: tuple[str, ...] = ("*_success", "*_SUCCESS", "*Success")
    going_on: tuple[str, ...] = ("*_continue", "*_CONTINUE")
    workspace: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ("*workspace*", "*size", "*bytes")
    state: dict[str, int | str] = {}
    arch_state: dict[str, dict[str, int | str]] = {}
