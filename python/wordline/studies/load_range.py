"""Over which range of load each claim of a study holds: its figures once more, their requests faster and slower."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import altair as alt

from wordline.points.outcome import Outcome
from wordline.points.point import Point
from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.grid import GridFigure, Load
from wordline.studies.study import Form, Part, Pickled
from wordline.studies.verdict import VOID, Claim

CELL = 44
"""Width of a cell of the chart in pixels; half of it is its height."""
BUSY = "nand.die_utilization"
"""The figure that says how busy a drive is."""


@dataclass(frozen=True)
class LoadRange(Pickled):
    """A verdict for each claim at each speed of the loads."""

    heading: str
    """Heading of its section."""
    text: str
    """What was run."""
    figures: Mapping[str, GridFigure]
    """The figures whose claims are judged, by name."""
    speeds: Sequence[float]
    """By how much the requests of each load come faster than in the figures, from slow to fast."""
    quick: Sequence[float]
    """The same in the quick form."""
    requests: int
    """Requests of each load at other speeds than its own."""

    def speeds_of(self, form: Form) -> Sequence[float]:
        """The speeds that are run."""
        return self.quick if form.quick else self.speeds

    def at(self, speed: float, form: Form) -> Mapping[str, GridFigure]:
        """The figures with surrogates of traces only: their own runs at their own speed, elsewhere faster ones with one seed."""
        found = {}
        for name, figure in self.figures.items():
            loads = [load for load in figure.loads if load.keys.get("kind") == "profile"]
            if speed == 1:
                found[name] = replace(figure, loads=loads)
            else:
                faster = [self.faster(load, speed, form) for load in loads]
                found[name] = replace(figure, loads=faster, seeds=figure.seeds[:1])
        return found

    def faster(self, load: Load, speed: float, form: Form) -> Load:
        """A load with the same name whose requests come faster."""
        keys = {**load.keys, "requests": self.requests}
        if form.quick:
            keys |= load.quick
        keys["compress_time"] = float(str(keys.get("compress_time", 1))) * speed
        return replace(load, keys=keys, quick={})

    def points(self, form: Form) -> Sequence[Point]:
        """Every run."""
        return [
            point
            for speed in self.speeds_of(form)
            for figure in self.at(speed, form).values()
            for point in figure.points(form)
        ]

    def part(self, form: Form, outcomes: Mapping[Point, Outcome]) -> Part:
        """The table of verdicts, and its picture."""
        speeds = self.speeds_of(form)
        judged: dict[str, dict[float, Claim]] = {}
        busy: dict[float, list[float]] = {}
        runs = done = 0
        for speed in speeds:
            for figure in self.at(speed, form).values():
                found = figure.measured(form, outcomes)
                for judge in figure.claims:
                    claim = judge(found)
                    judged.setdefault(claim.text, {})[speed] = claim
                cells = found.outcomes.values()
                runs += sum(map(len, figure.grid(form).values()))
                done += sum(map(len, cells))
                shares = (each.number(BUSY) for cell in cells for each in cell.values())
                busy.setdefault(speed, []).extend(share for share in shares if share is not None)
        # a claim about other loads than surrogates of traces has no case here
        judged = {
            text: claims for text, claims in judged.items() if any(map(asked, claims.values()))
        }
        rows: list[Row] = [self.busy_row(busy, speeds)]
        rows += [self.row(text, claims) for text, claims in judged.items()]
        return Part(
            self.heading,
            self.text,
            Figure("Share of the cases in which a claim holds, by speed", chart(judged), rows),
            runs=runs,
            done=done,
            open_table=True,
        )

    def busy_row(self, busy: Mapping[float, Sequence[float]], speeds: Sequence[float]) -> Row:
        """How busy the drives are at each speed."""
        shown = {
            named(speed): f"{100 * min(busy[speed]):.2g} to {100 * max(busy[speed]):.2g} %"
            for speed in speeds
            if busy[speed]
        }
        return {"claim": "*share of the time that a plane works*", **shown, "holds": "–"}

    def row(self, text: str, claims: Mapping[float, Claim]) -> Row:
        """The verdicts of a claim."""
        cells = {named(speed): told(claim) for speed, claim in claims.items()}
        return {"claim": text, **cells, "holds": span(claims)}


def asked(claim: Claim) -> bool:
    """Whether a claim has a case, judged or not."""
    return claim.verdict.of + claim.verdict.void > 0


def named(speed: float) -> str:
    """A speed as a column has it."""
    return f"×{speed:g}"


def told(claim: Claim) -> str:
    """A verdict in a cell: its mark, and in how many cases the claim holds where that is some."""
    verdict = claim.verdict
    if 0 < verdict.held < verdict.of:
        return f"{verdict.mark} {verdict.held}/{verdict.of}"
    return verdict.mark


def span(claims: Mapping[float, Claim]) -> str:
    """The speeds at which a claim holds in every case, as ranges of neighbouring ones."""
    ranges: list[list[float]] = []
    before = False
    for speed, claim in claims.items():
        if claim.verdict.outright:
            if before:
                ranges[-1].append(speed)
            else:
                ranges.append([speed])
        before = claim.verdict.outright
    if not ranges:
        return "at none"
    if len(ranges[0]) == len(claims):
        return "at all"
    return ", ".join(
        named(each[0]) if len(each) == 1 else f"{named(each[0])} to {named(each[-1])}"
        for each in ranges
    )


def chart(judged: Mapping[str, Mapping[float, Claim]]) -> Mapping[str, object]:
    """A cell for each claim at each speed, the darker the more cases it holds in; void ones are left out."""
    points = [
        {"claim": text, "speed": named(speed), "share": claim.verdict.held / claim.verdict.of}
        for text, claims in judged.items()
        for speed, claim in claims.items()
        if claim.verdict.mark != VOID
    ]
    speeds = list(dict.fromkeys(named(speed) for claims in judged.values() for speed in claims))
    drawn = (
        alt.Chart(data(points))
        .mark_rect()
        .encode(
            x=alt.X("speed:N", sort=speeds, title="requests faster", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("claim:N", sort=None, title=None, axis=alt.Axis(labelLimit=560)),
            color=alt.Color(
                "share:Q",
                title="holds in",
                scale=alt.Scale(scheme="blues", domain=[0, 1]),
                legend=alt.Legend(format="%"),
            ),
        )
        .properties(width=CELL * len(speeds), height=CELL / 2 * max(len(judged), 1))
    )
    return specification(drawn)
