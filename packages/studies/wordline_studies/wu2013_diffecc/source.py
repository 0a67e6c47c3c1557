"""What the source says against itself, by arithmetic on its own tables."""

from __future__ import annotations

import altair as alt

from wordline.report.section import Figure, Row
from wordline.report.theme import data, specification
from wordline.studies.study import Part
from wordline_studies.wu2013_diffecc.loads import TRACES, gap_us
from wordline_studies.wu2013_diffecc.profiles import LAWS


def by_little(trace: str) -> float:
    """Mean number of writes between arrival and completion: their printed rate times their printed latency."""
    printed = TRACES[trace]
    return printed.rate * (1 - LAWS[trace].read_fraction) * printed.write_ms / 1e3


def inside(trace: str) -> float:
    """Mean number of requests between arrival and completion, reads and writes."""
    printed, reads = TRACES[trace], LAWS[trace].read_fraction
    return printed.rate * (reads * printed.read_ms + (1 - reads) * printed.write_ms) / 1e3


def against_itself(quick: bool) -> Part:
    """The tables of the source beside what follows from them."""
    del quick
    rows: list[Row] = []
    points: list[Row] = []
    for name, printed in TRACES.items():
        from_length = 1e6 / gap_us(name, printed.compression)
        rows.append(
            {
                "trace": name,
                "writes in the queue, printed": printed.queue,
                "rate times write latency": round(by_little(name), 2),
                "requests in the drive, at least (1 - idle)": round(1 - printed.idle, 3),
                "rate times response": round(inside(name), 3),
                "requests/s, printed": printed.rate,
                "requests over length times compression": round(from_length),
            }
        )
        points += [
            {"trace": name, "whose": "printed", "writes": printed.queue},
            {"trace": name, "whose": "rate times latency", "writes": by_little(name)},
        ]
    chart = (
        alt.Chart(data(points))
        .mark_point(filled=True, size=70)
        .encode(
            x=alt.X("writes:Q", title="writes in the driver's queue", scale=alt.Scale(type="log")),
            y=alt.Y("trace:N", title=None, sort=list(TRACES)),
            color=alt.Color("whose:N", title=None),
            shape=alt.Shape("whose:N", title=None),
        )
        .properties(width=480, height=200)
    )
    return Part(
        "What the source says against itself",
        "Not all that the source prints of its baseline can be true at once; [the loads](#loads) meet what can be met.\n\n"
        f"* **The mean queue is no time average.** By Little's law the mean number of writes outstanding is their rate times their latency: {by_little('C3'):.2f} for C3, where 19.88 is printed, and {by_little('DAP'):.2f} for DAP, where 69.23 is printed. "
        "The printed column was therefore averaged over something else, perhaps over arrivals in bursts, and no load is fitted to it.\n"
        f"* **Idle cannot mean without a request.** Where the drive has a request for {100 * (1 - TRACES['C3'].idle):.0f} % of the time, as C3's idle share of 57.4 % would say, the mean number of requests in it is {1 - TRACES['C3'].idle:.2f} at least; rate times response is {inside('C3'):.2f}. "
        "The share must count flushing and cleaning as work; here it is the time without any flash operation.\n"
        "* **One table is copied.** Read and write latencies of table 2.4 (this chapter of the source) and of the MLC drive of table 3.3 (suspension) are the same in eight of eight cells (F1, F2, DAP, MSN), although programs (500 and 660 µs), reads, buffers and compressions of time (10 and 9 for F1, 30 and 25 for F2) differ.\n"
        "* **Reads that go first take longer than writes.** C8 is printed with 6.30 ms for a read and 4.54 ms for a write, and C3 with 0.52 and 0.56 ms, although reads go before writes on every chip and a program takes five times as long as a read. No load of one burstiness gives that, which is why neither is in the band.\n"
        "* **Rates contradict lengths.** Requests over the length of the trace, times the printed compression, are far below the printed rate for C3 and C8, and below it for F2 and DAP; only F1 and MSN agree. The fitted compression decides here.\n"
        "* **Half of the time is a third of the writes.** With 200 and 100 pages a second in fast and slow mode and 150 written, the most writes that can be slow are one third of them; the printed one half is a share of time.",
        Figure(
            "Writes in the driver's queue, printed and by Little's law", specification(chart), rows
        ),
        open_table=True,
    )
