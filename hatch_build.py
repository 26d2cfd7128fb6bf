"""Build hook: puts Cytoscape.js into the wheel, so that an installed rocQuarry needs no npm.

Without npm and without a local copy the wheel is built all the same; the page then asks for the
file when it is first drawn.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class AssetsHook(BuildHookInterface):
    """Adds third-party files of the pages to a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it packs; an editable install takes nothing."""
        if self.target_name != "wheel" or version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root))
        try:
            module = _load(root / "extractor" / "render" / "assets.py")
            text = module.asset(module.CYTOSCAPE)
        except Exception as error:
            self.app.display_warning(f"the wheel has no Cytoscape.js: {error}")
            return
        finally:
            sys.path.remove(str(root))
        file = Path(tempfile.mkdtemp(prefix="rocquarry-")) / module.CYTOSCAPE.file_name
        file.write_bytes(text.encode())
        build_data["force_include"][str(file)] = f"extractor/data/assets/{file.name}"


def _load(path: Path) -> Any:
    """Loads one file without its package, whose other modules need what a build does not have."""
    spec = importlib.util.spec_from_file_location("rocquarry_assets", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
