"""The slowest requests: their stories, and what the drive did around the slowest."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from wordline.formatting import duration_us
from wordline.report.gantt import gantt
from wordline.report.section import Section

if TYPE_CHECKING:
    from wordline.results import Result

OPEN = 2
"""Stories of each class that are shown; the others are folded away."""
CLASSES = {"read": "Reads", "write": "Writes", "other": "TRIMs and flushes"}
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
    """Every story, the slowest of each class first; the class of the slowest of all comes first."""
    requests = result.slowest.to_dicts()
    classes = dict.fromkeys(request["class"] for request in requests)
    return "".join(
        of_class(kind, [request for request in requests if request["class"] == kind])
        for kind in classes
    )


def of_class(kind: str, requests: list[dict[str, Any]]) -> str:
    """The stories of one class."""
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
    return f"<h3>{CLASSES[kind]}</h3><ol class=stories>{''.join(shown)}</ol>{more}"


def heading(request: dict[str, Any]) -> str:
    """A request in a few words."""
    latency = duration_us((request["completed_ns"] - request["arrival_ns"]) / 1e3)
    place = "" if request["die"] is None else f", die {request['die']}"
    return f"{latency}{place}."
