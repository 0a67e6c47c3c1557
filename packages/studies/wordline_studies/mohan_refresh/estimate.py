"""Section 7: the published way of estimating retention over time and intensity, for all loads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from wordline.report.section import Figure, Row
from wordline.studies.study import Part
from wordline.studies.verdict import Claim, Verdict
from wordline_studies.mohan_refresh.common import MONTH, lines, of, study

HORIZON = 36
"""Months of a study: t = 72."""
TRAINED = 48
"""The last t that families are fitted on."""
NORMAL_P90 = 1.2816
"""Standard deviations from the mean of a normal law to its ninetieth percentile."""
Values = NDArray[np.float64]
Surface = Callable[[Values, Values], Values]


def linear(
    columns: Callable[[Values, Values], list[Values]],
) -> Callable[[Values, Values, Values], Surface]:
    """A family that is linear in its parameters."""

    def fitted(t: Values, i: Values, z: Values) -> Surface:
        weights, *_ = np.linalg.lstsq(np.column_stack(columns(t, i)), z, rcond=None)
        return lambda t, i: np.column_stack(columns(t, i)) @ weights

    return fitted


def power(t: Values, i: Values, z: Values) -> Surface:
    """a·t^b·i^c, fitted by its logarithm."""
    columns = np.column_stack([np.ones_like(t), np.log(t), np.log(i)])
    weights, *_ = np.linalg.lstsq(columns, np.log(np.maximum(z, 1e-9)), rcond=None)
    return lambda t, i: np.exp(weights[0]) * t ** weights[1] * i ** weights[2]


def exponential(t: Values, i: Values, z: Values) -> Surface:
    """a·exp(-b·t·i) + c, with the b of a grid that fits best."""
    best: tuple[float, float, Values] | None = None
    for rate in np.geomspace(1e-4, 10, 200):
        columns = np.column_stack([np.exp(-rate * t * i), np.ones_like(t)])
        weights, *_ = np.linalg.lstsq(columns, z, rcond=None)
        error = float(((columns @ weights - z) ** 2).sum())
        if best is None or error < best[0]:
            best = (error, float(rate), weights)
    assert best is not None
    _, chosen, kept = best
    return lambda t, i: kept[0] * np.exp(-chosen * t * i) + kept[1]


FAMILIES: dict[str, Callable[[Values, Values, Values], Surface]] = {
    "a + b ln t + c ln i": linear(lambda t, i: [np.ones_like(t), np.log(t), np.log(i)]),
    "a t^b i^c": power,
    "a exp(-b t i) + c": exponential,
    "quadratic in ln t, ln i": linear(
        lambda t, i: [
            np.ones_like(t),
            np.log(t),
            np.log(i),
            np.log(t) ** 2,
            np.log(i) ** 2,
            np.log(t) * np.log(i),
        ]
    ),
}


def cross_validated(
    family: Callable[[Values, Values, Values], Surface], t: Values, i: Values, z: Values
) -> float:
    """Root mean square error, relative to the mean, where every fifth point is left out in turn."""
    errors = []
    for fold in range(5):
        out = np.arange(len(t)) % 5 == fold
        surface = family(t[~out], i[~out], z[~out])
        errors.append(((surface(t[out], i[out]) - z[out]) ** 2).mean())
    return float(np.sqrt(np.mean(errors)) / z.mean())


def moments(percentiles: dict[str, float]) -> tuple[float, float]:
    """Mean and deviation of retention in months, by a normal law through its tenth, fiftieth and ninetieth percentile."""
    low, middle, high = (percentiles[f"retention_p{at}_s"] / MONTH for at in (10, 50, 90))
    return (low + middle + high) / 3, (high - low) / (2 * NORMAL_P90)


def fitted(
    points: list[tuple[float, float, float]],
) -> tuple[str, float, Surface]:
    """The family with the least error by cross-validation, that error, and its surface."""
    t, i, z = (np.array(column) for column in zip(*points, strict=True))
    errors = {name: cross_validated(family, t, i, z) for name, family in FAMILIES.items()}
    name = min(errors, key=lambda name: errors[name])
    return name, errors[name], FAMILIES[name](t, i, z)


def estimate(quick: bool) -> Part:
    """Measured and estimated retention of blocks, for all loads."""
    rows: list[Row] = []
    chart: list[Row] = []
    for load, server in of(quick).items():
        steps = (1, 2) if quick or load == "SSD-EXCH" else (1, 2, 3)
        training: dict[str, list[tuple[float, float, float]]] = {"mean": [], "deviation": []}
        measured: dict[int, tuple[float, float]] = {}
        for step in steps:
            # intensity 1 is the rate of the trace
            found = study(load, quick=quick, intensity=step / server.acceleration, months=HORIZON)
            for row in found.snapshots.to_dicts():
                half_months = 2 * row["time_s"] / MONTH
                mean, deviation = moments(row)
                if 2 <= half_months <= TRAINED:
                    training["mean"].append((half_months, float(step), mean))
                    training["deviation"].append((half_months, float(step), deviation))
                if step <= 2:
                    line = f"{load}, intensity {step}"
                    chart.append({"half months": half_months, "line": line, "mean": mean})
            if step <= 2:
                kept = found.blocks["retention_s"] / MONTH
                measured[step] = (float(str(kept.mean())), float(str(kept.std(ddof=0))))
        surfaces = {name: fitted(points) for name, points in training.items()}
        for step, (mean, deviation) in measured.items():
            at = (np.array([2.0 * HORIZON]), np.array([float(step)]))
            found_mean, found_deviation = (
                float(surfaces[name][2](*at)[0]) for name in ("mean", "deviation")
            )
            rows.append(
                {
                    "load": load,
                    "intensity": step,
                    "mean, measured (months)": mean,
                    "mean, estimated (months)": found_mean,
                    "error of the mean": found_mean / mean - 1,
                    "deviation, measured (months)": deviation,
                    "deviation, estimated (months)": found_deviation,
                    "error of the deviation": found_deviation / deviation - 1
                    if deviation
                    else None,
                    "family of the mean": surfaces["mean"][0],
                    "error by cross-validation": surfaces["mean"][1],
                }
            )
    return Part(
        "The published estimate",
        f"The source simulates low intensities (1: the rate of the trace; up to 3 here, 2 for Exchange), fits each parameter of the distribution of block retention over time t (snapshots of 15 days) and intensity i on t up to {TRAINED}, and validates at t = {2 * HORIZON}, i = 1 and 2. Here the mean and the deviation "
        "of a normal law, for all loads, each by the family of least error by cross-validation (every fifth point left out in turn), beside what is measured over the blocks. To be compared with the source's table; its numbers are held back.",
        Figure(
            "Mean retention of blocks",
            lines(
                chart, ("half months", "half months"), ("mean", "mean retention (months)"), "line"
            ),
            rows,
        ),
        [
            Claim(
                "The estimate is within a tenth of the mean that is measured",
                "beyond the source",
                "; ".join(
                    f"{row['load']}, {row['intensity']}: {float(str(row['error of the mean'])):+.1%}"
                    for row in rows
                ),
                Verdict.of_cases([abs(float(str(row["error of the mean"]))) < 0.1 for row in rows]),
            )
        ],
        open_table=True,
    )
