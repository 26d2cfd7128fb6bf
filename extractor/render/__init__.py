"""Pictures and exchange formats of a call graph.

``render`` draws one interface; ``render_overview`` draws a library from the scopes on disk.
"""

from extractor.render.formats import FORMATS, render
from extractor.render.overview import LibraryOverview, load_overview, render_overview

__all__ = ["FORMATS", "LibraryOverview", "load_overview", "render", "render_overview"]
