"""What changed between two revisions or configurations: ``extract PROJECT --diff OLD NEW``."""

from extractor.difference.compare import compare
from extractor.difference.inventory import Inventory, take_inventory
from extractor.difference.records import Change, Difference, Place

__all__ = ["Change", "Difference", "Inventory", "Place", "compare", "take_inventory"]
