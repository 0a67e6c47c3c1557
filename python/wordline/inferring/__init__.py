"""Inference: which settings explain what was measured.

Targets (`targets.py`) are figures with tolerances, or the latencies of a trace (`measured.py`). Points of the space of unknown keys (`unknowns.py`) are run, emulators of the figures are
fitted to them (`emulator.py`), and what these make likely (`posterior.py`) says where to run next (`waves.py`). `findings.py` sums up what the last
sample says, `infer.py` is what users call.
"""
