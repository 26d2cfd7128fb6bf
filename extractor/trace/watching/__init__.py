"""Single calls looked at more closely: streams and scalar arguments of launches, and whether
launches hang on what only a real run would write.

objects of an interface ── linker's --wrap ──> watched shared object ──> worker ──> watch
"""

from extractor.trace.watching.watch import Watch, WatchedLaunch

__all__ = ["Watch", "WatchedLaunch"]
