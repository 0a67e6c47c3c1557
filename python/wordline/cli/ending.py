"""How a command ends: exit statuses, signals, and a standard output that takes no more."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

DEFECT = 1
BAD_INPUT = 2
CTRL_C = 128 + signal.SIGINT
CLOSED = 141
"""Standard output was closed by its reader, as `head` does: 128 and the number of SIGPIPE, as shells have it."""
STATUSES = (
    f"Exit status: 0 done, {DEFECT} a defect of Wordline, {BAD_INPUT} bad input or an output that cannot be "
    f"written, {CTRL_C} interrupted (Ctrl-C), {CLOSED} standard output was closed early, 143 terminated (SIGTERM)."
)
"""For the help of every command."""


class Stop:
    """The signal that stopped the command; that of Ctrl-C unless another came."""

    signal = int(signal.SIGINT)

    @classmethod
    def status(cls) -> int:
        """The exit status of a command that was stopped."""
        return 128 + cls.signal

    @classmethod
    def word(cls) -> str:
        """What happened to it."""
        return "interrupted" if cls.signal == signal.SIGINT else "terminated"


def stop_on_signals() -> None:
    """Let a request to terminate, and the end of the terminal, do what Ctrl-C does; what is ignored stays ignored."""

    def stop(number: int, _frame: FrameType | None) -> None:
        Stop.signal = number
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, stop)


@contextmanager
def standard_output() -> Iterator[None]:
    """End with a message and a status of its own where standard output cannot be written.

    That it was closed is no cause for a message: whoever closed it has read enough.
    """
    if sys.stdout is None:
        stand_in()
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        leave_output()
        sys.exit(CLOSED)
    except SystemExit as end:
        # Typer has met it before and has wrapped standard output
        if isinstance(end.__context__, BrokenPipeError):
            leave_output()
            sys.exit(CLOSED)
        raise
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        leave_output()
        with suppress(OSError):
            print(f"error: standard output: {error.strerror}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def stand_in() -> None:
    """Stand in for a standard output that the caller closed: nothing can be written to it.

    Its descriptor is taken, or it would be that of the next file that is opened, perhaps of a result.
    """
    unwritable = os.open(os.devnull, os.O_RDONLY)
    os.dup2(unwritable, 1)
    if unwritable != 1:
        os.close(unwritable)
    sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115 (for as long as the process lives)


def leave_output() -> None:
    """Send what is still to be written to standard output nowhere, or the interpreter would complain at its end."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
