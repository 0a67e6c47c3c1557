"""How long a lifetime study takes, said before it begins."""

from __future__ import annotations

from pathlib import Path

from wordline import _wordline
from wordline.errors import WordlineError
from wordline.formatting import about, counted, decimal_count
from wordline.lifetime_programs import programs
from wordline.points.point import Point
from wordline.service import Service
from wordline.spoken import speak

SMALL_MAPS = 64 << 20
"""Bytes of maps up to which most of them are in the cache of the processor (assumed)."""
FAST, SLOW = 10e6, 2e6
"""Pages programmed in a second by drives with small maps and with larger ones: measured on `bench` (4 GiB) and `datacenter-tlc`, on one core
of a server of 2023."""
LONG = 60.0
"""Seconds from which on a study says how long it takes."""


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
    found = forecast(resolved, horizon, writes_per_day, exact=exact)
    if found is None:
        return
    pages, seconds = (replicas * each for each in found)
    if seconds < LONG:
        return
    said = f"estimated time: {about(seconds)} of one core (about {decimal_count(pages)} pages are programmed)."
    if replicas > 1:
        said += " Ctrl-C keeps the studies that are finished."
    elif state:
        said += f" After Ctrl-C the same command with --resume continues from {state}."
    else:
        said += " With --state FILE --resume the same command continues after Ctrl-C; without, it begins anew."
    speak(f"{said} A smaller drive takes less (--set capacity=...).")


def say_services(first: Point, service: Service, studies: int) -> None:
    """Say about how long the studies of a search over a service take, where that is long and somebody reads it.

    Args:
        first: one of the designs; the others count as like it.
        service: what each is studied over.
        studies: how many designs and seeds are studied, at most.
    """
    try:
        found = forecast(first.resolved, service.length, service.writes_per_day, exact=False)
    except WordlineError:
        return  # the run itself is refused for the same reason
    if found is None or studies * found[1] < LONG:
        return
    each = found[1]
    speak(
        f"{counted(studies, 'study')} over the service of {about(each)} each, one at a time: {about(studies * each)} (estimate from the size of the first design). "
        "They are not kept: the same command studies its designs anew. A smaller drive takes less (--set capacity=...)."
    )


def forecast(
    resolved: _wordline.Resolved, horizon: float, writes_per_day: float | None, *, exact: bool
) -> tuple[float, float] | None:
    """Pages that a study programs, and about how many seconds of one core it takes; none where that cannot be told, or where the study is
    refused anyway.
    """
    try:
        pages = programs(resolved, horizon, writes_per_day, exact=exact)
    except WordlineError:
        return None
    if pages is None:
        return None
    rate = FAST if resolved.sizes()["memory"] <= SMALL_MAPS else SLOW
    return pages, pages / rate
