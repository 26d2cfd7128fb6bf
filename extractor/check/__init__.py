"""An independent answer from the compiler's own IR, to hold the index against."""
