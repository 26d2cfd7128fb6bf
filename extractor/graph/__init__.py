"""The linked call graph of a library and the walk over it."""
