"""The overview page of a whole library, made from the scopes that lie on disk."""

from __future__ import annotations
