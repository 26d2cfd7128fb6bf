"""Graded question-and-answer entries, their gates and the dataset release."""
