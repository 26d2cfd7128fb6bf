"""Prose and code as text: sentences, names, numbers, equations, comparisons, skeletons."""
