"""Tests of every package have the fixtures of `tests/shared.py`."""

pytest_plugins = ["shared"]
