"""Tasks sent to a machine with a card, and what comes back from it."""
