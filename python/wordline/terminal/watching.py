"""A page of a drive that is served, drawn again and again, or a line at a time where nobody looks at a terminal."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.live import Live
from rich.table import Table

from wordline.formatting import display
from wordline.terminal.console import Terminal

Status = Mapping[str, Any]
CLASSES = ("read", "write")


def rate(now: Status, before: Status | None, class_: str) -> float | None:
    """Requests of a class per second of the drive's time between two statuses; none where no time has passed."""
    if before is None:
        return None
    passed = now["seconds"] - before["seconds"]
    done = now[class_]["requests"] - before[class_]["requests"]
    # a power cut between them leaves both counts as they were
    return float(done / passed) if passed > 0 else None


def warmth(status: Status) -> str:
    """The temperature of the drive, if it has one."""
    celsius = status["celsius"]
    return "no thermal model" if celsius is None else f"{celsius:.1f} °C"


def line(now: Status, before: Status | None) -> str:
    """What a page shows, as a line."""
    classes = (
        f"{class_}s {display(rate(now, before, class_))}/s, mean {display(now['recent'][class_]['mean_us'])} µs, "
        f"p99 {display(now['recent'][class_]['p99_us'])} µs"
        for class_ in CLASSES
    )
    return (
        f"{now['seconds']:.3f} s: {'; '.join(classes)}; write amplification {display(now['write_amplification'])}, "
        f"{display(now['free_blocks'])} free blocks, {warmth(now)}, {len(now['power_cuts'])} power cuts"
    )


def page(now: Status, before: Status | None) -> Table:
    """Latency and IOPS since the last look and since the start, and how the drive is."""
    table = Table(caption="q or Ctrl-C leaves; the drive goes on")
    for heading in ("", *(f"{class_}s" for class_ in CLASSES)):
        table.add_column(heading, justify="right" if heading else "left")

    def row(name: str, of: Callable[[str], object]) -> None:
        table.add_row(name, *(display(of(class_)) for class_ in CLASSES))

    row("IOPS", lambda class_: rate(now, before, class_))
    row("mean latency (µs)", lambda class_: now["recent"][class_]["mean_us"])
    row("99th percentile (µs)", lambda class_: now["recent"][class_]["p99_us"])
    row("requests since the start", lambda class_: now[class_]["requests"])
    row("mean since the start (µs)", lambda class_: now[class_]["mean_us"])
    table.add_section()
    late = now["late"]["share"] if now["late"]["is_paced"] else None
    for name, value in (
        ("time of the drive (s)", f"{now['seconds']:.3f}"),
        ("clients", display(now["clients"])),
        ("requests under way", display(now["under_way"])),
        ("write amplification", display(now["write_amplification"])),
        ("free blocks", display(now["free_blocks"])),
        ("temperature", warmth(now)),
        ("power cuts", display(len(now["power_cuts"]))),
        ("late answers", "–" if late is None else f"{late:.1%}"),
    ):
        table.add_row(name, value)
    return table


@contextmanager
def keys() -> Iterator[Callable[[float], bool]]:
    """A wait of some seconds that ends with true where somebody types q; without a keyboard it only waits."""
    if not sys.stdin.isatty():

        def nothing(seconds: float) -> bool:
            time.sleep(seconds)
            return False

        yield nothing
        return
    import termios
    import tty

    keyboard = sys.stdin.fileno()
    usual = termios.tcgetattr(keyboard)

    def typed(seconds: float) -> bool:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([keyboard], [], [], left)[0]:
                read = os.read(keyboard, 64)
                if not read or b"q" in read.lower():
                    return True
        return False

    try:
        tty.setcbreak(keyboard)
        yield typed
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, usual)


def watch(look: Callable[[], Status | None], seconds: float) -> None:
    """Show what `look` finds every so many seconds, until somebody types q or it finds nothing any more.

    Raises:
        KeyboardInterrupt: Ctrl-C, which is the other way to leave.
    """
    console = Terminal()
    before: Status | None = None
    if not console.is_terminal:
        while (now := look()) is not None:
            print(line(now, before), flush=True)
            before = now
            time.sleep(seconds)
        return
    with keys() as typed, Live(console=console, auto_refresh=False) as live:
        while (now := look()) is not None:
            live.update(page(now, before), refresh=True)
            before = now
            if typed(seconds):
                return
