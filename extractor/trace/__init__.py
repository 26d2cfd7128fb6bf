"""Launch traces: the library's own host code, run against a HIP runtime that only records."""
