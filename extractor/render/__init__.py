"""Pictures and exchange formats of a call graph."""
