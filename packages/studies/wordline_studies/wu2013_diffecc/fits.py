"""The loads: what was fitted, what it gives, and what cannot be met together."""

from __future__ import annotations

import altair as alt

from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.study import Part
from wordline_studies.wu2013_diffecc.loads import (
    POINTS,
    TIMES,
    TRACES,
    gap_us,
    inferred,
    is_of_source,
    requests,
)

FITTED = (("read latency", "read_ms"), ("write latency", "write_ms"))


def fits(quick: bool) -> Part:
    """Printed and fitted figures of the baseline by trace."""
    del quick
    rows: list[Row] = []
    points: list[Row] = []
    for name, printed in TRACES.items():
        found = inferred()[name]
        compression = found["compress_time"]
        rows.append(
            {
                "trace": name,
                "compression, printed and fitted": f"{printed.compression:g}, {compression:g}",
                "burst bias": found["burst_bias"],
                "requests/s, printed and fitted": f"{printed.rate:,.0f}, {1e6 / gap_us(name, compression):,.0f}",
                "requests of a run": requests(name, compression),
                "read, ms, printed and found": f"{printed.read_ms:g}, {found['read_ms']:.3g}",
                "write, ms": f"{printed.write_ms:g}, {found['write_ms']:.3g}",
                "idle, %": f"{100 * printed.idle:.1f}, {100 * found['idle_share']:.1f}",
                "mean idle slot, ms": f"{printed.idle_ms:g}, {found['idle_ms']:.3g}",
                "in the band": "yes" if is_of_source(name) else "no",
                "WR_max, %": f"{100 * printed.highest:.1f}, {100 * found['of_written']:.1f}",
                "written, MiB": round(found["written_pages"] / 256),
                "writes of a written page": found["writes_of_each"],
                "written pages ever read, %": round(100 * found["read_too"], 1),
                "requests from write to read": found["requests_between"],
            }
        )
        ratios = [(what, found[key] / getattr(printed, key)) for what, key in FITTED]
        ratios.append(("busy share", (1 - found["idle_share"]) / (1 - printed.idle)))
        points += [{"trace": name, "figure": what, "ratio": ratio} for what, ratio in ratios]
    chart = (
        alt.Chart(data(points))
        .mark_point(filled=True, size=70)
        .encode(
            x=alt.X("ratio:Q", title="fitted over printed", scale=alt.Scale(type="log")),
            y=alt.Y("trace:N", title=None, sort=list(TRACES)),
            color=alt.Color("figure:N", title=None),
            shape=alt.Shape("figure:N", title=None),
        )
        .properties(width=480, height=200)
    )
    inside = [name for name in TRACES if is_of_source(name)]
    outside = [name for name in TRACES if name not in inside]
    return Part(
        "The loads",
        "Two numbers a trace are free, compression of time and burstiness. They are fitted to three figures of the baseline together: mean read and write latency with 32 MB, and the share of the time without any flash operation with 64 MB "
        "(`python packages/studies/benchmarks/wu2013_diffecc_loads.py`; the sum of the squared logarithms of found over printed is least). "
        f"**Band, set before the fit**: both latencies within a factor of {TIMES:g}, and the idle share within {100 * POINTS:.0f} points. In it {'is' if len(inside) == 1 else 'are'} {listed(inside) or 'none'}; "
        f"the claims of the source are judged under {'this load' if len(inside) == 1 else 'these loads'} only. Outside {'is' if len(outside) == 1 else 'are'} {listed(outside) or 'none'}: the search finds no load of this kind that meets their three figures together. "
        "The law of a trace has a footprint, and reads and writes meet in it so often that as many page reads as printed find a page that was written before in the run (WR_max); how soon they do follows from popularity (20 % of the places get 80 % of the visits, assumed).",
        Figure(
            "Figures of the baseline under the fitted loads, over those printed",
            specification(chart),
            rows,
        ),
        open_table=True,
    )


def listed(names: list[str]) -> str:
    """Names in a sentence."""
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else "".join(names)
