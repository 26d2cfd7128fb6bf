"""Notices when another project's package called ``kernels`` stands in the way of this one.

Two distributions that ship one import name write into one folder; whichever was installed last
wins, file by file. A module of ours can then run beside an ``__init__`` of theirs, and what follows
is an error nobody understands. The command line asks here first.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from extractor.errors import UserError


def require_own_package() -> None:
    """Checks that ``import kernels`` gives this package.

    Raises:
        UserError: It gives somebody else's.
    """
    package = importlib.import_module("kernels")
    if getattr(package, "DISTRIBUTION", None) == "rocquarry":
        return
    place = getattr(package, "__file__", None) or "an unknown place"
    raise UserError(
        f"'kernels' is another project's package here ({Path(place).parent}); install rocQuarry "
        "in an environment of its own: python -m venv rocquarry && "
        "rocquarry/bin/pip install 'rocquarry[kernels]'"
    )
