"""The page of codes: how they fail, which one an error rate asks for, what a read costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np

from wordline.ecc import Bch, Ldpc, PageCode, Per
from wordline.formatting import display
from wordline.report.html import Page
from wordline.report.section import Figure, Row, Section
from wordline.report.theme import WIDTH, data, specification

LN_10 = math.log(10)
POINTS = 121
"""Rates of a curve."""
DEEPEST = 60
"""Curves end where failures are rarer than one in 10 to this power."""


@dataclass(frozen=True)
class Question:
    """What was asked."""

    codes: Sequence[Bch]
    """Codes whose failures are wanted."""
    ldpc: Ldpc
    """The code with soft sensing."""
    needed: Mapping[float, Sequence[PageCode]]
    """The codes that each raw bit error rate asks for."""
    target: float
    """Failure probability that may be reached."""
    per: Per
    """What the target counts."""
    correlation: float
    """Of two bits of a codeword."""

    def p_max(self, code: Bch) -> float:
        """The highest rate at which a codeword of a code meets the target."""
        return float(code.p_max(self.target, correlation=self.correlation))


def answer(asked: Question) -> dict[str, Any]:
    """Everything as JSON."""
    rates = np.array(list(asked.needed), np.float64)
    reads = asked.ldpc.read(rates)
    return {
        "target": asked.target,
        "per": asked.per,
        "correlation": asked.correlation,
        "codes": [
            {**of_code(code), "p_max": asked.p_max(code), "decode_us": code.decode_us}
            for code in asked.codes
        ],
        "levels": [
            {
                "level": level,
                "rber_max": threshold,
                "attempt_us": asked.ldpc.attempt_us(level),
            }
            for level, threshold in enumerate(asked.ldpc.thresholds, 1)
        ],
        "needed": [
            {
                "rber": rber,
                "bch": [of_page(page) for page in pages],
                "ldpc": {
                    "level": int(reads["last_level"][place]),
                    "corrected": bool(reads["corrected"][place]),
                    "read_us": float(reads["us"][place]),
                },
            }
            for place, (rber, pages) in enumerate(asked.needed.items())
        ],
    }


def of_code(code: Bch) -> dict[str, Any]:
    """A code as JSON."""
    return {
        "n": code.n,
        "k": code.k,
        "t": code.t,
        "degree": code.degree,
        "parity": code.parity,
        "rate": code.rate,
    }


def of_page(page: PageCode) -> dict[str, Any]:
    """The code of a page as JSON."""
    if page.code is None or page.ln_failure is None or page.ln_page_failure is None:
        return {"codewords": page.codewords, "code": None}
    return {
        "codewords": page.codewords,
        "code": of_code(page.code),
        "parity_bytes": page.parity_bytes,
        "log10_failure": finite(page.ln_failure / LN_10),
        "log10_page_failure": finite(page.ln_page_failure / LN_10),
        "p_max": page.p_max,
        "sector_us": page.sector_us,
        "page_us": page.page_us,
    }


def finite(value: float) -> float | None:
    """JSON has no infinity: the logarithm of zero is none."""
    return value if math.isfinite(value) else None


def curves(asked: Question) -> Iterator[tuple[Bch, float, float]]:
    """Failures: code, raw bit error rate, decimal logarithm of the probability."""
    for code in asked.codes:
        middle = asked.p_max(code)
        rates = np.geomspace(middle / 10, min(middle * 10, 0.5), POINTS)
        logs = code.ln_failure(rates, correlation=asked.correlation) / LN_10
        yield from ((code, float(rate), float(log)) for rate, log in zip(rates, logs, strict=True))


def curve_rows(asked: Question) -> list[dict[str, float]]:
    """The failure curves, a row for each point."""
    return [
        {"n": code.n, "k": code.k, "t": code.t, "rber": rate, "log10_failure": log}
        for code, rate, log in curves(asked)
    ]


def render(asked: Question) -> str:
    """The page."""
    sections = [Section("BCH codes", [failures(asked)])]
    if asked.needed:
        sections.append(Section("Codes by raw bit error rate", [needs(asked)]))
    sections.append(Section("LDPC with soft sensing", [reads(asked)]))
    return Page("Error-correcting codes", sections).html()


def failures(asked: Question) -> Figure:
    """How likely codewords fail, over the error rate."""
    rows: list[Row] = [
        {
            "code": str(code),
            "parity (bits)": code.parity,
            "rate": code.rate,
            "decoding (µs)": code.decode_us,
            f"highest RBER at {asked.target:g}": asked.p_max(code),
        }
        for code in asked.codes
    ]
    points = [
        {"code": str(code), "rber": rate, "log10": log}
        for code, rate, log in curves(asked)
        if log > -DEEPEST
    ]
    lines = (
        alt.Chart(data(points))
        .mark_line()
        .encode(
            x=alt.X("rber:Q", title="raw bit error rate (log scale)", scale=alt.Scale(type="log")),
            y=alt.Y("log10:Q", title="log10 of the codeword failure probability"),
            color=alt.Color("code:N", sort=None, scale=alt.Scale(scheme="tableau10")),
            tooltip=["code:N", alt.Tooltip("rber:Q", format=".4g"), "log10:Q"],
        )
    )
    rule = (
        alt.Chart(data([{"target": math.log10(asked.target)}]))
        .mark_rule(strokeDash=[4, 4])
        .encode(y="target:Q")
    )
    best = max(asked.codes, key=asked.p_max)
    title = (
        f"{best} tolerates the highest raw bit error rate, {display(asked.p_max(best))}, at a failure probability of "
        f"{asked.target:g}"
    )
    chart = alt.layer(lines, rule).properties(width=WIDTH - 120, height=320)
    return Figure(title, specification(chart), rows, "Dashed: the target, of a codeword.")


def needs(asked: Question) -> Figure:
    """The code that each error rate asks for."""
    rows: list[Row] = []
    points: list[Row] = []
    for rber, pages in asked.needed.items():
        for page in pages:
            rows.append(
                {
                    "RBER": rber,
                    "codewords": page.codewords,
                    "code": "none" if page.code is None else str(page.code),
                    "parity (bytes)": page.parity_bytes,
                    "log10 of failure": None
                    if page.ln_failure is None
                    else finite(page.ln_failure / LN_10),
                    "highest RBER": page.p_max,
                    "first sector (µs)": page.sector_us,
                    "page (µs)": page.page_us,
                }
            )
            if page.code is not None:
                points.append(
                    {"rber": f"{rber:g}", "codewords": page.codewords, "bytes": page.parity_bytes}
                )
    chart = (
        alt.Chart(data(points))
        .mark_bar()
        .encode(
            x=alt.X("bytes:Q", title="parity of a page (bytes)"),
            y=alt.Y("codewords:N", title="codewords", sort=None),
            row=alt.Row("rber:N", title="raw bit error rate", sort=None),
            tooltip=["rber:N", "codewords:N", "bytes:Q"],
        )
        .properties(width=WIDTH - 240)
    )
    least = [row for row in rows if row["parity (bytes)"] is not None]
    title = f"{len(least)} of {len(rows)} combinations of rate and codewords have a code that meets {asked.target:g} per {asked.per}"
    remark = "Times are those of a page on an idle channel: 25 µs of sensing, 100 MB/s."
    return Figure(title, specification(chart), rows, remark)


def reads(asked: Question) -> Figure:
    """What a read costs, over the error rate."""
    highest = asked.ldpc.thresholds[-1]
    rates = np.linspace(0, 1.1 * highest, 221)
    columns = asked.ldpc.read(rates)
    points = [
        {
            "rber": float(rate),
            "us": float(us),
            "level": int(level),
            "outcome": "corrected" if good else "uncorrectable",
        }
        for rate, us, level, good in zip(
            rates, columns["us"], columns["last_level"], columns["corrected"], strict=True
        )
    ]
    rows: list[Row] = [
        {
            "level": level,
            "highest RBER": threshold,
            "attempt (µs)": asked.ldpc.attempt_us(level),
            "whole read at that rate (µs)": float(asked.ldpc.read(threshold)["us"]),
        }
        for level, threshold in enumerate(asked.ldpc.thresholds, 1)
    ]
    chart = (
        alt.Chart(data(points))
        .mark_point(filled=True, size=25)
        .encode(
            x=alt.X("rber:Q", title="raw bit error rate"),
            y=alt.Y("us:Q", title="read, retries included (µs)"),
            color=alt.Color(
                "outcome:N",
                scale=alt.Scale(
                    domain=["corrected", "uncorrectable"], range=["#0072b2", "#d55e00"]
                ),
            ),
            tooltip=["rber:Q", "us:Q", "level:Q", "outcome:N"],
        )
        .properties(width=WIDTH - 120, height=280)
    )
    title = (
        f"Pages can be read up to a raw bit error rate of {display(highest)}; hard decisions are enough up to "
        f"{display(asked.ldpc.thresholds[0])}"
    )
    return Figure(title, specification(chart), rows, "")
