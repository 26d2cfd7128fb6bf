"""Tests of the model author, against a real server process."""
