"""What the assumed state of the aged drive does to the claims about commands."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies import charts
from wordline.studies.claims import ordering
from wordline.studies.grid import GridFigure
from wordline.studies.verdict import BEYOND
from wordline_studies.hu2011 import causes
from wordline_studies.hu2011.drives import AGED, BLIND, ERASES, RESPONSE, Keys, dynamic, variant
from wordline_studies.hu2011.loads import surrogate


def threshold(share: float) -> Keys:
    """Collection below this share of free pages."""
    return {f"ftl.gc.{mark}": share for mark in ("hard", "low", "high")}


STATES: Mapping[str, Keys] = {
    "0.3 live, threshold 0.1": AGED,
    "threshold 0.2": {**AGED, **threshold(0.2)},
    "threshold 0.3": {**AGED, **threshold(0.3)},
    "0.5 live": {**AGED, "age.fill": 0.5 / 0.9},
    "0.7 dead, none live": {"age.method": "invalidated"},
    "no software cost": {**AGED, "firmware.enabled": False},
}
"""Aged drives, the study's own first."""

COMMANDS: Mapping[str, Keys] = {
    "basic": {},
    "copy-back, blind": {"commands.copyback": "blind"},
    "multi-plane, blind": {"commands.multi_plane_write": "blind"},
    "approach 2": BLIND,
}


FIGURE = GridFigure(
    heading="Sensitivity to the aged state",
    text=(
        "One channel, dynamic allocation (channel > die > plane > chip). The threshold of collection and the share of live data are not printed in the source. Here the "
        "threshold is 0.1, 0.2 or 0.3 of the pages of a plane, half of the raw space holds data, or the drive is as SSDsim "
        "ages it: 0.7 of its pages dead and nothing live, so that collection has nothing to move and reads of what was never written find nothing. Software cost is on everywhere but in the last panel."
    ),
    title="Mean response and erases over those with basic commands",
    variants=[
        variant(name, dynamic("CDPW"), commands, panel=panel, channels=1, aged=True, state=state)
        for panel, state in STATES.items()
        for name, commands in COMMANDS.items()
    ],
    loads=[surrogate(trace) for trace in ("Dev", "Ex", "Fin1")],
    metrics=[RESPONSE, ERASES],
    baseline="basic",
    chart=charts.bars,
    claims=[
        ordering(
            "Mean response time is shorter with approach 2 than with basic commands, in each of six aged drives, under every load",
            f"{BEYOND}: the state of the drive",
            metric="response time",
            of="approach 2",
            than="basic",
            relation="below",
            why=causes.NO_WAIT_NO_GAIN,
        ),
        ordering(
            "More blocks are erased with blind multi-plane writes than with basic commands, in each of six aged drives, under every load",
            f"{BEYOND}: the state of the drive",
            metric="erased blocks",
            of="multi-plane, blind",
            than="basic",
            relation="above",
        ),
    ],
    whole_only=True,
)
