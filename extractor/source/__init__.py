"""Where a library's source comes from."""
