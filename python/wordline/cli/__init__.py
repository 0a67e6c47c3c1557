"""The `wordline` command: one file for each group of commands."""

from __future__ import annotations

from importlib import import_module

from wordline.cli.common import app, main

__all__ = ["app", "main"]

# importing a file adds its commands, in the order of `wordline --help`
for _group in (
    "run",
    "compare",
    "drives",
    "traces",
    "power",
    "cell",
    "ecc",
    "retention",
    "lifetime",
    "reproduce",
):
    import_module(f"wordline.cli.{_group}")
