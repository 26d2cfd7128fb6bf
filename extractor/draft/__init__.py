"""Drafts a rule file for a tree that has none: ``extract --init PATH``.

A draft is a guess made from text alone, and says so: what it was unsure of stands beside the line
that depends on it, and in one list. Nothing of the tree is run.
"""

from extractor.draft.rule_text import Draft, draft_rule

__all__ = ["Draft", "draft_rule"]
