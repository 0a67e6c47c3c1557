"""How many pages a lifetime study programs, told from the size of its drive."""

from __future__ import annotations

from wordline import _wordline

OVERWRITES = 160
"""How often a study that skips time programs all of its flash: measured on `bench` over five years at one drive write a day, of which
158 times until its tenth and last skip; the number hardly depends on the size of the drive."""
DAY = 86_400.0


def programs(
    resolved: _wordline.Resolved, horizon: float, writes_per_day: float | None, *, exact: bool
) -> float | None:
    """Pages that a study programs, in mapping units; none where that cannot be told.

    Raises:
        ConfigError: the drive cannot be built.
    """
    sizes = resolved.sizes()
    units = sizes["blocks"] * sizes["units_per_block"]
    skipping = float(OVERWRITES * units)
    if writes_per_day is None:
        return None if exact else skipping
    spare = sizes["raw"] / sizes["capacity"] - 1
    amplification = _wordline.write_amplification(
        "greedy", max(spare, 0.01), sizes["units_per_block"]
    )
    exported = units * sizes["capacity"] / sizes["raw"]
    every = writes_per_day * horizon / DAY * exported * amplification
    return every if exact else min(every, skipping)
