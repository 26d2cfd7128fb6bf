"""Many independent calls on many processors: of this machine, or of a Ray cluster.

units, IR of the check, objects of traces, slices ─> spread ─┬─ local: processes or threads
                                                             └─ ray: tasks, given again when lost
"""

from extractor.spread.calls import Engine, spread

__all__ = ["Engine", "spread"]
