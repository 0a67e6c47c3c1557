"""`wordline crash-test`: what a program finds after power cuts."""

from pathlib import Path
from typing import Annotated

import typer

from wordline import _wordline
from wordline.cli.common import (
    OneSet,
    app,
    complain,
    exit_status,
    keys_and_values,
    preset_names,
    say,
    stopped,
)
from wordline.config import resolve_named
from wordline.formatting import counted
from wordline.outputs import refuse_unwritable, refuse_unwritable_directory

CHECKS = {
    "ext4": 'e2fsck -E journal_only -y "$IMAGE" >/dev/null 2>&1; e2fsck -fn "$IMAGE"',
}
"""Checks by name: the journal of the file system is carried out, then nothing may be wrong."""


@app.command("crash-test")
def crash_test(
    drive: Annotated[
        str,
        typer.Option(
            help="A preset (`wordline presets`) or a TOML file.", autocompletion=preset_names
        ),
    ] = "onfi5-tlc-journal",
    set_: OneSet = None,
    command: Annotated[
        str | None,
        typer.Option(
            help="What works on the drive, for the shell; it finds the drive by $NBD_URI and $NBD_SOCKET.",
            metavar="COMMAND",
        ),
    ] = None,
    check: Annotated[
        str,
        typer.Option(
            help="What checks an image, for the shell, by its status: it finds the image by $IMAGE and the marks before the cut in the file $MARKS; `ext4` is e2fsck.",
            metavar="COMMAND",
        ),
    ] = "ext4",
    cuts: Annotated[int, typer.Option(help="Power cuts to draw.", min=1)] = 100,
    event: Annotated[
        list[int] | None,
        typer.Option(
            help="Cut at this event of the stream instead of drawn ones; may be repeated.", min=1
        ),
    ] = None,
    during: Annotated[
        str | None,
        typer.Option(
            help="Draw events at which this is under way: collection, or flush.",
            metavar="WHAT",
            show_default=False,
        ),
    ] = None,
    recovery: Annotated[
        bool, typer.Option("--recovery", help="Cut once more while recovery repairs the flash.")
    ] = False,
    seed: Annotated[int, typer.Option(help="What is drawn is drawn from this.", min=0)] = 1,
    size: Annotated[
        str, typer.Option(help="Bytes that the command sees of the drive.", metavar="SIZE")
    ] = "64MiB",
    stream: Annotated[
        Path | None,
        typer.Option(
            help="Keep what the command asked in this file; without --command, ask what is in it.",
            metavar="FILE",
        ),
    ] = None,
    volatile_buffer: Annotated[
        bool,
        typer.Option("--volatile-buffer", help="The drive's buffer has no capacitor."),
    ] = False,
    lie_about_flush: Annotated[
        bool,
        typer.Option(
            "--lie-about-flush",
            help="Answer flushes and forced unit access without carrying them out, as some drives do.",
        ),
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option(help="Keep images whose check failed in this directory.", metavar="DIRECTORY"),
    ] = None,
    json_: Annotated[
        bool, typer.Option("--json", help="Print the figures as JSON, and nothing else.")
    ] = False,
) -> None:
    """Run a program on a drive, cut the power, and check what each cut leaves.

    The program runs once, at the pace of the drive's own time. What it asked is asked again of a fresh drive; at each drawn event what is in flight is
    torn, the drive recovers, and the check sees an image of what it shows then. A cut is named by its event, by which --stream repeats it.

    Exit status 3 where a check failed.

    Examples:
    * `wordline crash-test --command 'mkfs.ext4 -q image && qemu-img convert -n -f raw image -O raw "$NBD_URI"'`

    * `wordline crash-test --command ./work.sh --check ./check.sh --cuts 1000 --stream asked.stream --keep failed`

    * `wordline crash-test --stream asked.stream --check ./check.sh --event 48213` makes one cut again

    * `wordline crash-test --stream asked.stream --check ./check.sh --during flush --cuts 1000` cuts in the middle of flushes
    """
    from wordline.crashing import crash, recorded
    from wordline.live import size_of

    with exit_status():
        if not command and not stream:
            raise _wordline.ConfigError(
                "--command: there is none, and no --stream to ask instead of it"
            )
        refuse_unwritable(stream if command else None)
        refuse_unwritable_directory(keep)
        overrides = keys_and_values(set_)
        if volatile_buffer:
            overrides = (*overrides, ("buffer.capacitor", "false"))
        resolved = resolve_named(drive, overrides)
        for warning in resolved.warnings:
            complain(f"warning: {warning}")
        if command:
            asked = recorded(resolved, command, size=size_of(size), lies=lie_about_flush, seed=seed)
            if stream:
                asked.save(stream)
        else:
            assert stream is not None
            asked = _wordline.Stream.load(stream)
        found = crash(
            resolved,
            asked,
            CHECKS.get(check, check),
            events=event or [],
            cuts=cuts,
            during=during,
            again=recovery,
            seed=seed,
            keep=keep,
        )
        if json_:
            import json

            say(json.dumps(found.as_dict(), indent=2))
        else:
            say(
                f"{counted(len(found.cuts), 'cut')} of {counted(found.events, 'event')} of {counted(found.requests, 'request')}, "
                f"{sum(cut.torn > 0 for cut in found.cuts):,} in the middle of a program or an erase: "
                f"{len(found.failed):,} failed"
            )
            for cut in found.failed[:20]:
                say(
                    f"event {cut.event}, at {cut.at_s:.6f} s, {counted(cut.marks, 'mark')} before it: {cut.said}"
                )
            if found.failed:
                kept = f"--stream {stream}" if stream else "with --stream FILE, which keeps it,"
                say(f"{kept} --seed {seed} --event {found.failed[0].event} repeats the first one")
        if found.is_interrupted:
            raise stopped("the figures are those of the cuts so far")
        if found.failed:
            raise typer.Exit(FAILED)


FAILED = 3
"""The status where a check failed."""
