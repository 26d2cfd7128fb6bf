"""Dataset releases: built from entries, verified when received."""
