"""Handed in as released."""

SOLVE = False
