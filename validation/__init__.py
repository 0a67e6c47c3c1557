"""Drives that were sold, assembled from parts, simulated and put beside what they were measured to do.

`python -m validation` (`make validate`) simulates every load point and writes docs/reference/validation.md.
"""
