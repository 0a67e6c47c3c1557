"""The slowest requests: their stories, and what the drive did around the slowest."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from wordline.formatting import duration_us
from wordline.report.gantt import gantt
from wordline.report.section import Section

if TYPE_CHECKING:
    from wordline.results import Result

OPEN = 3
"""Stories that are shown; the others are folded away."""
ABSENT = (
    "The run kept no timeline (`output.timeline`), or no requests were to be kept (`output.slowest`), so that the "
    "stories of the slowest cannot be told."
)


def section(result: Result) -> Section:
    """Stories and the Gantt chart."""
    if result.slowest.is_empty():
        return Section("The slowest requests", absent=ABSENT)
    figure = gantt(result)
    return Section("The slowest requests", [figure] if figure else [], before=stories_html(result))


def stories_html(result: Result) -> str:
    """Every story, the slowest first."""
    requests = result.slowest.to_dicts()
    told = [
        f"<li><b>{escape(heading(request))}</b> {escape(request['story'])}</li>"
        for request in requests
    ]
    shown, folded = told[:OPEN], told[OPEN:]
    more = (
        f"<details><summary>{len(folded)} more</summary><ol class=stories start={OPEN + 1}>"
        f"{''.join(folded)}</ol></details>"
        if folded
        else ""
    )
    missing = "".join(
        f"<p class=remark>No {kind} is among the {len(requests)} slowest requests; "
        "<code>output.slowest</code> keeps more.</p>"
        for kind in ("read", "write")
        if result.summary[f"host.{kind}.count"]
        and not any(request["class"] == kind for request in requests)
    )
    return f"<ol class=stories>{''.join(shown)}</ol>{more}{missing}"


def heading(request: dict[str, Any]) -> str:
    """A request in a few words."""
    latency = duration_us((request["completed_ns"] - request["arrival_ns"]) / 1e3)
    kind = "TRIM or flush" if request["class"] == "other" else request["class"]
    place = "" if request["die"] is None else f", die {request['die']}"
    return f"{latency}: {kind}{place}."
