"""How long a lifetime study takes, said before it begins."""

from __future__ import annotations

from pathlib import Path

from wordline import _wordline
from wordline.errors import WordlineError
from wordline.formatting import about, decimal_count
from wordline.spoken import speak

OVERWRITES = 160
"""How often a study that skips time programs all of its flash: measured on `bench` over five years at one drive write a day, of which
158 times until its tenth and last skip; the number hardly depends on the size of the drive."""
SMALL_MAPS = 64 << 20
"""Bytes of maps up to which most of them are in the cache of the processor (assumed)."""
FAST, SLOW = 10e6, 2e6
"""Pages programmed in a second by drives with small maps and with larger ones: measured on `bench` (4 GiB) and `datacenter-tlc`, on one core
of a server of 2023."""
LONG = 60.0
"""Seconds from which on a study says how long it takes."""
DAY = 86_400.0


def say_forecast(
    resolved: _wordline.Resolved,
    *,
    horizon: float,
    writes_per_day: float | None,
    exact: bool,
    replicas: int,
    state: Path | None,
) -> None:
    """Say about how long a study takes and how it goes on after Ctrl-C, where that is long and somebody reads it.

    Args:
        resolved: drive and workload.
        horizon: seconds of the study.
        writes_per_day: drive writes per day; the workload's own rate without any.
        exact: whether every write is simulated.
        replicas: studies with seeds of their own.
        state: the file in which the study is saved.
    """
    try:
        pages = programs(resolved, horizon, writes_per_day, exact=exact)
    except WordlineError:
        return  # the study itself is refused for the same reason
    if pages is None:
        return
    rate = FAST if resolved.sizes()["memory"] <= SMALL_MAPS else SLOW
    seconds = replicas * pages / rate
    if seconds < LONG:
        return
    said = f"estimated time: {about(seconds)} of one core (about {decimal_count(replicas * pages)} pages are programmed)."
    if replicas > 1:
        said += " Ctrl-C keeps the studies that are finished."
    elif state:
        said += f" After Ctrl-C the same command with --resume continues from {state}."
    else:
        said += " With --state FILE --resume the same command continues after Ctrl-C; without, it begins anew."
    speak(f"{said} A smaller drive takes less (--set capacity=...).")


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
