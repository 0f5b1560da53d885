"""Instructors' side: build the notebooks, run them, grade them with nbgrader.

Learners never need this package; helpers/ does not import it.
"""
