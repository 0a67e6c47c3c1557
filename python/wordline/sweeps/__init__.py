"""Sweeps: what is varied (`values.py`, `space.py`), how it is written in a file (`file.py`), and the runs (`sweep.py`)."""
