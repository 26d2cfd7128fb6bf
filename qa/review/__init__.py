"""What people decided about entries: read back, applied, kept over a rebuild."""
