"""The slowest requests: their stories, and what the drive did around the slowest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wordline.formatting import duration_us
from wordline.report.gantt import gantt
from wordline.report.section import Section, Stories, Story

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
    return Section("The slowest requests", [figure] if figure else [], stories=stories(result))


def stories(result: Result) -> list[Stories]:
    """Every story, the slowest of each class first; the class of the slowest of all comes first."""
    by_class: dict[str, list[Story]] = {}
    for request in result.slowest.to_dicts():
        story = Story(heading(request), request["story"])
        by_class.setdefault(request["class"], []).append(story)
    return [Stories(CLASSES[kind], told[:OPEN], told[OPEN:]) for kind, told in by_class.items()]


def heading(request: dict[str, Any]) -> str:
    """A request in a few words."""
    latency = duration_us((request["completed_ns"] - request["arrival_ns"]) / 1e3)
    place = "" if request["die"] is None else f", die {request['die']}"
    return f"{latency}{place}."
