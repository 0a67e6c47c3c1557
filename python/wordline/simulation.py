"""A run, from a drive and a workload to its results."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from threading import current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING, Any, overload

from wordline import _wordline
from wordline.config import Drive, Workload, resolve
from wordline.errors import ConfigError, Interrupted
from wordline.progress import progress_bar
from wordline.results import Result
from wordline.sampled.options import Sampling

if TYPE_CHECKING:
    from wordline.sampled.result import SampledResult


@overload
def simulate(
    drive: Drive | str | PathLike[str],
    workload: Workload | Mapping[str, Any] | str | PathLike[str] | None = None,
    *,
    audit: bool = False,
    progress: bool = True,
    save_state: str | PathLike[str] | None = None,
    timeline: str | PathLike[str] | None = None,
    sample: None = None,
) -> Result: ...


@overload
def simulate(
    drive: Drive | str | PathLike[str],
    workload: Workload | Mapping[str, Any] | str | PathLike[str] | None = None,
    *,
    audit: bool = False,
    progress: bool = True,
    sample: Sampling,
) -> SampledResult: ...


def simulate(
    drive: Drive | str | PathLike[str],
    workload: Workload | Mapping[str, Any] | str | PathLike[str] | None = None,
    *,
    audit: bool = False,
    progress: bool = True,
    save_state: str | PathLike[str] | None = None,
    timeline: str | PathLike[str] | None = None,
    sample: Sampling | None = None,
) -> Result | SampledResult:
    """Simulate `drive` under `workload` until its last request is done.

    Args:
        drive: a `Drive`, the name of a preset, or the path of a TOML file.
        workload: a `Workload`, the keys of its table as a mapping, or the path of a TOML file;
            without one, the `[workload]` table of the drive's own file.
        audit: check every operation against the rules of the medium and the guarantees of the FTL (slower).
        progress: show a progress bar, if standard error is a terminal.
        save_state: a file for the state of the drive after the run; a later run starts from it
            with `age.method = "snapshot"` and `age.snapshot`.
        timeline: a file for the timeline as trace events, which Perfetto opens; compressed where the name
            ends in `.gz`.
        sample: simulate windows of the workload with a clock and everything else without one; the result has estimates with confidence
            intervals. Not together with `save_state` and `timeline`.

    The interpreter lock is released while the simulation runs. Ctrl-C stops it: requests under way are completed, and
    the result of the run so far is in the exception.

    Raises:
        Interrupted: Ctrl-C, once the workload has begun; before that a plain `KeyboardInterrupt`.
        ConfigError: a key or value that is not accepted.
        TraceError: a trace that cannot be read.
        PolicyError: a policy written in Python failed.
        RunError: the simulator broke one of its own rules; please report this defect.
    """
    resolved = configuration(drive, workload)
    if sample:
        for name, given in (("save_state", save_state), ("timeline", timeline)):
            if given:
                raise ConfigError(
                    f"{name}: a run that is sampled has none; accepted is one or the other"
                )
        from wordline.sampled.running import run_sampled  # NumPy takes as long as a small run

        return run_sampled(resolved, sample, audit=audit, progress=progress)
    return run(resolved, audit=audit, progress=progress, save_state=save_state, timeline=timeline)


def configuration(
    drive: Drive | str | PathLike[str],
    workload: Workload | Mapping[str, Any] | str | PathLike[str] | None,
) -> _wordline.Resolved:
    """The complete configuration of a run, from whatever names a drive and a workload."""
    if not isinstance(drive, Drive):
        drive = Drive.from_toml(drive)
    if isinstance(workload, Mapping):
        workload = Workload(**workload)
    elif workload is not None and not isinstance(workload, Workload):
        workload = Workload.from_toml(workload)
    return resolve(drive, workload)


def run(
    resolved: _wordline.Resolved,
    *,
    audit: bool,
    progress: bool,
    save_state: str | PathLike[str] | None = None,
    timeline: str | PathLike[str] | None = None,
) -> Result:
    """Simulate a resolved configuration.

    Raises:
        Interrupted: Ctrl-C, with the run so far.
    """
    with progress_bar(shown=progress) as report, first_stop(resolved) as goes_on:

        def look(phase: str, fraction: float, requests: int, simulated: float) -> bool:
            told = report is None or report(phase, fraction, requests, simulated)
            return told and goes_on()

        output = _wordline.simulate(resolved, audit, look, save_state, timeline)
    result = Result(output, resolved.toml, tuple(resolved.warnings))
    if result.is_interrupted or not goes_on():
        raise Interrupted(result)
    return result


@contextmanager
def first_stop(resolved: _wordline.Resolved) -> Iterator[Callable[[], bool]]:
    """Have the first Ctrl-C end a run between two operations where a policy in Python is at work most of the time: in the middle of
    it, the run would be lost. A second one ends what the policy does.

    Yields what tells whether the run goes on.
    """
    usual = signal.getsignal(signal.SIGINT)
    stops: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        stops.append(number)
        signal.signal(signal.SIGINT, usual)

    is_handled = callable(usual) and current_thread() is main_thread()
    if is_handled and resolved.python_policies:
        signal.signal(signal.SIGINT, stop)
    try:
        yield lambda: not stops
    finally:
        if is_handled and signal.getsignal(signal.SIGINT) is stop:
            signal.signal(signal.SIGINT, usual)
