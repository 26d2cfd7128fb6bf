"""Entries that a language model writes, held to the same gates as the rest."""
