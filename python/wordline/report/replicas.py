"""The page of lifetime studies under several seeds: how long the drive lasts, and how much of that is chance."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import polars as pl

from wordline.formatting import counted
from wordline.lifetimes import LifetimeStudy
from wordline.replicas import LifetimeReplicas
from wordline.report.html import Page
from wordline.report.lifetime import given, retention_lines
from wordline.report.retention import span
from wordline.report.section import Figure, Fold, Row, Section
from wordline.retention import MONTH, YEAR
from wordline.statistics import CONFIDENCE


def answer(found: LifetimeReplicas, asked: LifetimeStudy) -> dict[str, Any]:
    """Everything but the blocks, as JSON."""
    return {
        **given(asked),
        "replicas": len(found.found),
        "interrupted": found.is_interrupted,
        "beyond_horizon": found.lives.count(None),
        "confidence": CONFIDENCE,
        "life_s": None if found.life is None else asdict(found.life),
        "studies": [{"seed": seed, **own.summary} for seed, own in found.found.items()],
    }


def verdict(found: LifetimeReplicas, asked: LifetimeStudy) -> str:
    """How long the drive lasts, in words."""
    required, number = span(asked.required), len(found.found)
    end = "; interrupted before the other studies were done" if found.is_interrupted else ""
    if found.life is None:
        return (
            f"{found.lives.count(None):,} of {number:,} drives still retain data for at least {required} after "
            f"{span(asked.horizon)}{end}"
        )
    width = found.life.half_width
    about = f" ± {width / MONTH:.2g}" if width is not None else ""
    return f"Drives keep data less than {required} after {found.life.mean / MONTH:.4g}{about} months, by {counted(number, 'seed')}{end}"


def rows(found: LifetimeReplicas) -> list[Row]:
    """A row for each study."""
    return [
        {
            "seed": seed,
            "life (months)": None
            if own.summary["life_s"] is None
            else own.summary["life_s"] / MONTH,
            "p10 at the end": span(own.snapshots["retention_p10_s"][-1]),
            "erases": own.snapshots["erase_count_mean"][-1],
            "write amplification": own.summary["write_amplification"],
            "error of retention (%)": None
            if own.summary["error"] is None
            else 100 * own.summary["error"],
        }
        for seed, own in found.found.items()
    ]


def tables(found: LifetimeReplicas, asked: LifetimeStudy) -> list[tuple[str, list[Row]]]:
    """What is shown in a terminal."""
    return [(verdict(found, asked), rows(found))]


def snapshots(found: LifetimeReplicas) -> pl.DataFrame:
    """The snapshots of all studies, with their seeds."""
    return pl.concat(
        own.snapshots.select(pl.lit(seed).alias("seed"), pl.all())
        for seed, own in found.found.items()
    )


def render(found: LifetimeReplicas, asked: LifetimeStudy) -> str:
    """The page."""
    config = next(iter(found.found.values())).config
    points = [
        {
            "months": row["time_s"] / MONTH,
            "years": row["retention_p10_s"] / YEAR,
            "seed": row["seed"],
        }
        for row in snapshots(found).iter_rows(named=True)
        if row["retention_p10_s"] > 0
    ]
    title = "retention of the tenth percentile (years)"
    chart = retention_lines(points, "seed", title, asked.required, opacity=0.7)
    remark = "One line for each seed. Dashed: what is required. A month is a twelfth of a year."
    figure = Figure(verdict(found, asked), chart, rows(found), remark)
    fold = Fold("Drive and workload of the first seed: `config.toml`", text=config)
    sections = [Section("Retention", [figure]), Section("Configuration", folds=[fold])]
    return Page(verdict(found, asked), sections).html()
