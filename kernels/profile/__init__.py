"""How fast a task's kernel is on a card, and how near that is to what the card can do."""
