"""The index: instantiated functions, their calls and launches, one translation unit at a time."""
