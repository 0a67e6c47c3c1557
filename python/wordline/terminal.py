"""Results as text on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from wordline.comparison import relative_change
from wordline.explaining import lead
from wordline.fitting import Fit
from wordline.formatting import display, printable
from wordline.headlines import HEADLINES, TOTALS
from wordline.notes import Note
from wordline.results import Result, Scalar
from wordline.saving import SEEDS
from wordline.seeds import Summaries, metrics
from wordline.tenants import figure_of, tenant_names
from wordline.traces import Tree, flat

if TYPE_CHECKING:
    from wordline.comparison import Comparison, Metric
    from wordline.power import Chip
    from wordline.studies.study import Part

STYLES = {"warning": "yellow", "info": "cyan"}


class Terminal(Console):
    """A console that shows the control characters of a text, such as the name of a file, and sends none of them."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """As Rich does, with every text made printable."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def print_result(result: Result, out: Path | None) -> None:
    """Print what most readers look for first, the notes, and where the rest is."""
    console = Terminal(highlight=False)
    latencies = latency_table(result.summary)
    console.print(latencies if latencies.row_count else "no read or write was completed")
    console.print(totals_table(result.summary))
    if tenant_names(result.summary):
        console.print()
        print_whole(console, tenants_table(result.summary))
    for paragraph in lead(result):
        console.print(Text(paragraph), soft_wrap=True)
    print_notes(console, result.notes)
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def print_notes(console: Terminal, notes: Sequence[Note]) -> None:
    """Print what the reader of the numbers should know."""
    for note in notes:
        style = STYLES.get(note.severity, "bold")
        console.print(f"[{style}]{escape(note.severity)}[/]: {escape(note.text)}", soft_wrap=True)


def latency_table(summary: Mapping[str, Scalar]) -> Table:
    """Latencies by class of request."""
    columns = ("mean", "p50", "p95", "p99", "p999", "max")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("latency (us)")
    for name in ("requests", *columns):
        table.add_column(name, justify="right")
    for kind in ("read", "write", "all"):
        count = summary[f"host.{kind}.count"]
        if count:
            cells = [display(summary[f"host.{kind}.latency.{column}_us"]) for column in columns]
            table.add_row(kind, display(count), *cells)
    return table


def tenants_table(summary: Mapping[str, Scalar]) -> Table:
    """What each tenant, or each job of a fio file, got."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("tenant or job")
    latencies = [(kind, point) for kind in ("read", "write") for point in ("mean", "p99")]
    figures = [f"{kind}.latency.{point}_us" for kind, point in latencies]
    names = (
        "requests",
        "requests/s",
        "MB/s",
        *(f"{kind} {point} (us)" for kind, point in latencies),
    )
    for name in names:
        table.add_column(name, justify="right")
    for name in tenant_names(summary):
        keys = ("iops", "bandwidth_mb_s", *figures)
        cells = (
            summary[f"tenants.{name}.all.count"],
            *(figure_of(summary, name, key) for key in keys),
        )
        table.add_row(escape(name), *map(display, cells))
    return table


def print_seeds(summaries: Summaries, notes: Sequence[Note], out: Path | None) -> None:
    """Print the means over several seeds, how far they spread, and the notes of one of them."""
    console = Terminal(highlight=False)
    found = metrics(summaries)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in (f"{len(summaries)} seeds", "mean", "95 % interval", "standard deviation", ""):
        table.add_column(
            name, justify="left" if name in ("", f"{len(summaries)} seeds") else "right"
        )
    for key, name, unit in HEADLINES:
        if key in found:
            each = found[key]
            half_width = None if each.half_width is None else f"± {display(each.half_width)}"
            cells = (display(each.mean), half_width or display(None), display(each.deviation))
            table.add_row(name, *cells, unit)
    print_whole(console, table)
    print_notes(console, notes)
    if out:
        console.print(Text(f"seeds: {out / SEEDS}"), soft_wrap=True)


def totals_table(summary: Mapping[str, Scalar]) -> Table:
    """The totals that matter in every run."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for key, name, unit in (*TOTALS, ("run.wall_s", "wall clock time of the run", "s")):
        if summary.get(key) is not None:
            table.add_row(name, display(summary[key]), unit)
    return table


MOST_SETTINGS = 20
MOST_METRICS = 20
"""Rows of a comparison that fit a terminal; the page and the JSON have all."""


def print_comparison(found: Comparison, out: Path | None) -> None:
    """Print what differs between results, what changed most first."""
    console = Terminal(highlight=False)
    names = [each.name for each in found.contenders]
    print_whole(console, settings_table(found, names))
    headlines = {key: (name, unit) for key, name, unit in HEADLINES}
    chosen = [metric for metric in found.metrics if metric.key in headlines]
    rest = [metric for metric in found.metrics if metric.key not in headlines]
    for metrics_, title in ((chosen, "figure"), (rest[:MOST_METRICS], "further figures")):
        if metrics_:
            console.print()
            table = metrics_table(names, title)
            for metric in metrics_:
                name, unit = headlines.get(metric.key, (metric.key, metric.unit.strip("1")))
                table.add_row(name, unit, *differences(metric))
            print_whole(console, table)
    console.print()
    hidden = len(rest) - MOST_METRICS
    more = f"; {hidden} more differ (--json, --out)" if hidden > 0 else ""
    console.print(Text(f"{found.same} figures are the same{more}"), soft_wrap=True)
    if any(metric.is_chance for metric in found.metrics):
        console.print("~: may be chance (zero lies within the 95 % interval of the difference)")
    for note in found.notes:
        console.print(f"[{STYLES[note.severity]}]note[/]: {escape(note.text)}", soft_wrap=True)
    if out:
        console.print(Text(f"report: {out}"), soft_wrap=True)


def settings_table(found: Comparison, names: Sequence[str]) -> Table:
    """What is configured differently."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("configuration" if found.settings else "the configurations are the same", *names):
        table.add_column(escape(name))
    for setting in found.settings[:MOST_SETTINGS]:
        cells = ("–" if value is None else str(value) for value in setting.values)
        table.add_row(setting.key, *map(escape, cells))
    if len(found.settings) > MOST_SETTINGS:
        table.add_row(f"{len(found.settings) - MOST_SETTINGS} more keys (--json, --out)")
    return table


def metrics_table(names: Sequence[str], title: str) -> Table:
    """An empty table of figures: the first result, then each other with its difference."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title)
    table.add_column("")
    table.add_column(escape(names[0]), justify="right")
    for name in names[1:]:
        table.add_column(escape(name), justify="right")
        table.add_column("", justify="right")
    return table


def differences(metric: Metric) -> Iterator[str]:
    """The cells of a figure."""
    first, *others = metric.values
    yield display(first.mean)
    for value, each, share in zip(others, metric.differences, metric.relative, strict=True):
        yield display(value.mean)
        sign = "~ " if each.is_significant is False else ""
        yield f"{sign}{relative_change(share)}"


def print_trace_stats(stats: Tree, report: Path | None) -> None:
    """Print what a trace is like, a table per aspect, and where the charts are."""
    console = Terminal(highlight=False)
    for table in (totals_of_trace(stats), classes_of_trace(stats), *histograms_of_trace(stats)):
        console.print(table)
        console.print()
    for note in stats["notes"]:
        console.print(Text(f"note: {note}"), soft_wrap=True)
    if report:
        console.print(Text(f"report: {report}"), soft_wrap=True)


TRACE_TOTALS = (
    ("requests", "requests", ""),
    ("read_percent", "reads", "%"),
    ("trims", "trims", ""),
    ("zero_length", "without length", ""),
    ("span_s", "span", "s"),
    ("mean_interarrival_ms", "mean gap", "ms"),
    ("interarrival.cv", "coefficient of variation of the gaps", ""),
    ("interarrival.p50_us", "median gap", "us"),
    ("interarrival.p99_us", "gap, 99 %", "us"),
    ("out_of_order", "rows out of order", ""),
    ("devices", "devices", ""),
    ("highest_byte", "highest byte of a device", "B"),
    ("laid_out_bytes", "devices side by side", "B"),
    ("pages_touched", "different 4-KiB pages", ""),
    ("pages_sampled_share", "share of the pages that is measured", ""),
    ("aligned_start_percent", "start at 4 KiB", "%"),
    ("aligned_percent", "start and end at 4 KiB", "%"),
    ("sequential_percent", "sequential", "%"),
    ("sequential.streams_percent", "sequential to one of 32 requests", "%"),
    ("sequential.mean_run_requests", "requests in a run", ""),
)
"""Figures of a whole trace: key, name, unit."""

TRACE_CLASSES = (
    ("requests", "{kind}s", 1),
    ("mean size (KiB)", "mean_{kind}_bytes", 1024),
    ("sequential (%)", "sequential.{kind}_percent", 1),
    ("different pages (MiB)", "pages_{past}", 256),
    ("hottest page (%)", "{kind}_popularity.hottest_percent", 1),
    ("top 1 % of pages (%)", "{kind}_popularity.top_1_percent", 1),
    ("top 10 % of pages (%)", "{kind}_popularity.top_10_percent", 1),
    ("top 20 % of pages (%)", "{kind}_popularity.top_20_percent", 1),
    ("pages used once (%)", "{kind}_popularity.once_percent", 1),
    ("Zipf exponent", "{kind}_popularity.zipf_exponent", 1),
    ("first touches of pages", "{kind}_reuse.first_touches", 1),
    ("median reuse distance (pages)", "{kind}_reuse.median_pages", 1),
)
"""Figures of reads and of writes: name, key, what the figure is divided by."""

PAST = {"read": "read", "write": "written"}


def totals_of_trace(stats: Tree) -> Table:
    """The figures of the trace as a whole."""
    figures = flat(stats)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    table.add_row("format", str(stats["format"]), f"times in {stats['time_unit']}")
    for key, name, unit in TRACE_TOTALS:
        if figures.get(key) is not None:
            table.add_row(name, display(figures[key]), unit)
    return table


def classes_of_trace(stats: Tree) -> Table:
    """The figures of reads and of writes."""
    figures = flat(stats)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", *PAST):
        table.add_column(name, justify="right" if name else "left")
    for name, pattern, scale in TRACE_CLASSES:
        values = [figures.get(pattern.format(kind=kind, past=past)) for kind, past in PAST.items()]
        shown = [value if value is None or scale == 1 else value / scale for value in values]
        if any(value is not None for value in shown):
            table.add_row(name, *map(display, shown))
    return table


def histograms_of_trace(stats: Tree) -> Iterator[Table]:
    """Sizes, gaps and burstiness."""
    sizes = histogram("size from (B)", "requests")
    for bucket in stats["size_histogram"]:
        sizes.add_row(display(bucket["from"]), display(bucket["count"]))
    gaps = histogram("gap from (us)", "gaps")
    for bucket in stats["interarrival_histogram"]:
        if bucket["count"]:
            gaps.add_row(display(bucket["from"] / 1e3), display(bucket["count"]))
    bursts = histogram("window (s)", "index of dispersion", "busiest over mean")
    for row in stats["dispersion"]:
        bursts.add_row(*(display(row[key]) for key in ("window_s", "index", "peak_to_mean")))
    yield from (table for table in (sizes, gaps, bursts) if table.row_count)


def histogram(*columns: str) -> Table:
    """An empty table of numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, justify="right")
    return table


def print_energies(found: Sequence[tuple[Mapping[str, str], Chip]], out: Path | None) -> None:
    """Print the energies of a chip by state and component, or of its variants by state."""
    console = Terminal(highlight=False)
    if any(varied for varied, _ in found):
        print_whole(console, variants_table(found))
    else:
        for _, chip in found:
            console.print(
                Text(f"{chip.name}, {chip.capacity_bits / 2**30:,.2f} Gibit; energies in uJ")
            )
            print_whole(console, energy_table(chip))
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def print_codes(answer: Tree, out: Path | None) -> None:
    """Print codes, the levels of soft sensing, and what error rates ask for."""
    console = Terminal(highlight=False)
    codes = Table(box=None, pad_edge=False, header_style="bold")
    p_max = f"highest RBER at {answer['target']:g}"
    for name in ("n", "k", "t", "parity", "rate", "decoding (us)", p_max):
        codes.add_column(name, justify="right")
    for code in answer["codes"]:
        names = ("n", "k", "t", "parity", "rate", "decode_us", "p_max")
        codes.add_row(*(display(code[name]) for name in names))
    print_whole(console, codes)
    levels = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("LDPC level", "highest RBER", "attempt (us)"):
        levels.add_column(name, justify="right")
    for level in answer["levels"]:
        levels.add_row(*map(display, level.values()))
    console.print()
    console.print(levels)
    for need in answer["needed"]:
        console.print()
        print_whole(console, needed_table(need))
        ldpc = need["ldpc"]
        how = f"read at level {ldpc['level']}" if ldpc["corrected"] else "uncorrectable"
        console.print(f"LDPC: {how}, {display(ldpc['read_us'])} us with the attempts before")
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def print_retention(
    tables: Sequence[tuple[str, Sequence[Mapping[str, object]]]], out: Path | None
) -> None:
    """Print what a cell may be put through."""
    console = Terminal(highlight=False)
    for heading, rows in tables:
        console.print(Text(heading))
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in rows[0]:
            table.add_column(name, justify="right")
        for row in rows:
            table.add_row(*map(display, row.values()))
        print_whole(console, table)
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def needed_table(need: Tree) -> Table:
    """The BCH codes that an error rate asks for."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    names = ("codewords", "n", "k", "t", "parity (bytes)", "log10 of failure", "page (us)")
    table.add_column(f"RBER {need['rber']:g}")
    for name in names:
        table.add_column(name, justify="right")
    for page in need["bch"]:
        code = page["code"]
        cells = (
            (
                code["n"],
                code["k"],
                code["t"],
                page["parity_bytes"],
                page["log10_failure"],
                page["page_us"],
            )
            if code
            else ("no code",)
        )
        table.add_row("", display(page["codewords"]), *map(display, cells))
    return table


def print_cells(answer: Mapping[str, Any], out: Path | None) -> None:
    """Print states, error rates by age and quantile of the blocks, and classes of blocks."""
    console = Terminal(highlight=False)
    for table in (
        states_table(answer["states"]),
        *rber_tables(answer),
        classes_table(answer["classes"]),
    ):
        if table.row_count:
            print_whole(console, table)
            console.print()
    if out:
        console.print(Text(f"report: {out / 'report.html'}"), soft_wrap=True)


def states_table(states: Mapping[str, Any]) -> Table:
    """Program step, deviation and error rates at the design age."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("program step (gaps between states)", display(states["step"]))
    table.add_row("program step (mV)", display(states["step_mv"]))
    table.add_row("deviation of programmed states", display(states["sigma"]))
    from wordline.cell import page_name

    for name in ("pages", "readings"):
        for key, rate in states.get(name, {}).items():
            table.add_row(f"bit error rate, {page_name(key)}", display(rate))
    return table


def rber_tables(answer: Mapping[str, Any]) -> Iterator[Table]:
    """Error rates of a block by age and quantile of the block factor: a table for each page that has its own."""
    from wordline.cell import page_name

    for page in dict.fromkeys(row["page"] for row in answer["rber"]):
        rows = [row for row in answer["rber"] if row["page"] == page]
        title = f"bit error rate, {page_name(page)}, {display(answer['cycles'])} cycles"
        table = Table(
            box=None, pad_edge=False, header_style="bold", title=title, title_justify="left"
        )
        table.add_column("after days", justify="right")
        for quantile in dict.fromkeys(row["quantile"] for row in rows):
            table.add_column(f"{quantile:.0%} of blocks", justify="right")
        for age in dict.fromkeys(row["age_days"] for row in rows):
            rates = [display(row["rber"]) for row in rows if row["age_days"] == age]
            table.add_row(f"{age:g}", *rates)
        yield table


def classes_table(classes: Sequence[Mapping[str, Any]]) -> Table:
    """Classes of blocks and how fast each may be programmed."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("blocks up to", "largest factor", "program step", "program time (us)", "relative"):
        table.add_column(name, justify="right")
    for each in classes:
        cells = (each[key] for key in ("factor", "step", "t_prog_us", "slowdown"))
        table.add_row(f"{each['quantile']:.0%}", *map(display, cells))
    return table


def print_whole(console: Terminal, table: Table) -> None:
    """Print a table as wide as it is: numbers that are cut off are none."""
    unbounded = console.options.update(max_width=10_000)
    width = Measurement.get(console, unbounded, table).maximum
    Terminal(highlight=False, width=max(width, console.width)).print(table)


NOTABLE = 0.01
"""Components that make up less than this share of every energy are summed."""


def energy_table(chip: Chip) -> Table:
    """Energies by power state, with the components that matter."""
    rows = chip.energies()
    notable = [
        part
        for part in rows[0].energy.parts
        if any(row.energy.parts[part] > NOTABLE * row.energy.total for row in rows)
    ]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("operation")
    table.add_column("state")
    names = [part.replace("_", " ") for part in notable]
    for name in ("energy", "power (mW)", *names, "rest"):
        table.add_column(name, justify="right")
    for row in rows:
        parts = [row.energy.parts[part] for part in notable]
        cells = [
            row.energy.total * 1e6,
            row.watts * 1e3,
            *(part * 1e6 for part in parts),
            max(row.energy.total - sum(parts), 0.0) * 1e6,
        ]
        table.add_row(row.operation, row.state, *map(display, cells))
    return table


def variants_table(found: Sequence[tuple[Mapping[str, str], Chip]]) -> Table:
    """Energies of variants in microjoules: a row for each, a column for each power state."""
    energies = [
        {f"{row.operation} {row.state}": row.energy.total * 1e6 for row in chip.energies()}
        for _, chip in found
    ]
    states = list(dict.fromkeys(state for row in energies for state in row))
    table = Table(box=None, pad_edge=False, header_style="bold", title="energies (uJ)")
    for key in found[0][0]:
        table.add_column(key)
    for state in states:
        table.add_column(state, justify="right")
    for (varied, _), row in zip(found, energies, strict=True):
        table.add_row(*map(escape, varied.values()), *(display(row.get(state)) for state in states))
    return table


def print_claims(parts: Mapping[str, Part]) -> None:
    """Print the claims of a study, each with its verdict."""
    console = Terminal(highlight=False)
    for part in parts.values():
        for claim in part.claims:
            console.print(
                f"[{'green' if claim.verdict.outright else 'yellow'}]{claim.verdict}[/]: {escape(claim.text)} "
                f"({escape(claim.where)}): {escape(claim.ours)}",
                soft_wrap=True,
            )


def print_fit(found: Fit, out: Path | None) -> None:
    """Print a trace and its surrogate side by side."""
    console = Terminal(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("figure")
    for name in ("unit", "trace", "surrogate", "difference"):
        table.add_column(name, justify="left" if name == "unit" else "right")
    for row in found.comparison:
        difference = row["difference"]
        unit = "points" if row["unit"] == "%" else "%"
        shown = "" if difference is None else f"{difference:+.2f} {unit}"
        table.add_row(
            row["figure"], row["unit"], display(row["trace"]), display(row["surrogate"]), shown
        )
    console.print(table)
    for note in found.trace["notes"]:
        console.print(Text(f"note: {note}"), soft_wrap=True)
    if out:
        console.print(Text(f"profile: {out}"), soft_wrap=True)
