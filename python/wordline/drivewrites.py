"""How much of a drive a run wrote: whether its figures show policies at work, or the state that it began in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SHORT = 0.5
"""Drive writes below which a run that writes shows the start of the drive rather than its policies."""
POLICIES = ("ftl.", "buffer.", "allocation.", "geometry.", "age.")
"""What keys begin with whose effects build up while the drive is written."""


def drive_writes(summary: Mapping[str, Any]) -> float:
    """How often the host wrote the user space of the drive; 0 where the summary does not say."""
    pages, space, units = (
        float(summary.get(key) or 0)
        for key in ("ftl.pages_programmed.host", "ftl.user_pages", "ftl.units_per_page")
    )
    return pages * (units or 1.0) / space if space else 0.0


def is_short(writes: float) -> bool:
    """Whether so many drive writes are some, and too few to show policies."""
    return 0 < writes < SHORT


def text_of(least: float) -> str:
    """What is to be said of runs of which the shortest wrote so little."""
    return (
        f"the host wrote less than half of the drive's user space (least {100 * least:.2g} %). Policy effects appear only "
        "after several drive writes; these differences may still reflect the initial state, even where the intervals look "
        "tight. Run longer, or make the drives smaller"
    )
