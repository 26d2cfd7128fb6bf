"""The page on which people read and judge entries."""
