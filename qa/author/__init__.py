"""The static author: answers from scopes, facts, traces and text, then their questions."""
