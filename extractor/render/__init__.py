"""Pictures and exchange formats of a call graph.

``render`` draws one interface; ``render_library`` draws every interface whose scope lies on disk
and the overview that links them, ``render_overview`` the overview alone.
"""

from extractor.render.formats import FORMATS, render
from extractor.render.library import render_library
from extractor.render.overview import LibraryOverview, load_overview, render_overview

__all__ = [
    "FORMATS",
    "LibraryOverview",
    "load_overview",
    "render",
    "render_library",
    "render_overview",
]
