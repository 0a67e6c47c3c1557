"""Searches: what is wanted (`expressions.py`, `goal.py`), and which points are tried (`search.py`)."""
