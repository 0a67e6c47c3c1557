"""How long a run takes on this machine, estimated from its first seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from wordline import _wordline
from wordline.config import resolve_named
from wordline.progress import SIMULATING

SECONDS = 2.0
"""How long a trial may prepare its drive, and twice as long as it may then serve requests."""
PATIENCE = 4.0
"""Where preparation is done within so many times that, the trial waits for it."""
REQUESTS = "workload.requests"
"""The key of the number of requests."""
LOG = "output.request_log"
"""The key of the number of requests that a run lists."""


@dataclass(frozen=True)
class Trial:
    """What the first seconds of a run told of the whole."""

    seconds: float
    """How long the trial took."""
    preparing_s: float
    """How long the run takes until its first request: it reads its trace and ages its drive."""
    request_s: float | None
    """How long a request takes; `None` where the trial ended before the first."""
    amplification: float | None = None
    """Write amplification that its preconditioning counted on; `None` where there is no closed form, or the trial ended before that."""

    def run_s(self, requests: int) -> float:
        """How long a run of so many requests takes."""
        return self.preparing_s + requests * (self.request_s or 0.0)


@dataclass
class Watch:
    """Looks at the progress of a run, and ends it after some seconds."""

    limit: float
    """Seconds of preparation, and twice the seconds of requests, after which the run is ended."""
    started: float = field(default_factory=monotonic)
    preparing: tuple[float, float] = (0.0, 1.0)
    """When preparation was last seen, and the share of it that was done."""
    served: list[tuple[float, int]] = field(default_factory=list)
    """When requests were first and last seen, and how many were done."""
    is_over: bool = False
    """Whether it has ended the run."""

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return monotonic() - self.started

    def look(self, phase: str, fraction: float, requests: int, _simulated: float) -> bool:
        """Note the progress; whether the run goes on."""
        now = self.elapsed
        if phase == SIMULATING:
            self.served = [*self.served[:1], (now, requests)]
            self.is_over = now >= self.served[0][0] + self.limit / 2
        else:
            self.preparing = now, fraction
            # what is nearly done is waited for
            self.is_over = now >= self.limit and self.prepared_in >= PATIENCE * self.limit
        return not self.is_over

    @property
    def prepared_in(self) -> float:
        """Seconds that preparation takes, by the share of it that was done when it was last seen."""
        now, share = self.preparing
        return now / max(share, 1e-3)


def trial_of(resolved: _wordline.Resolved, seconds: float = SECONDS) -> Trial:
    """Run a configuration for some seconds.

    Raises:
        ConfigError, TraceError, PolicyError: what the run itself is refused for.
    """
    watch, requests, amplification = watched(resolved, seconds)
    if requests is None:
        return Trial(watch.elapsed, watch.prepared_in, None)
    request_s = request_time(watch, requests)
    (now, done), *_ = watch.served or [(watch.elapsed, requests)]
    return Trial(watch.elapsed, max(now - done * request_s, 0.0), request_s, amplification)


def watched(resolved: _wordline.Resolved, seconds: float) -> tuple[Watch, int | None, float | None]:
    """What was seen of a run, how many requests it served, none where it was ended before, and the write amplification that it expects."""
    # tables of single requests are not what is measured
    short = resolve_named(resolved.toml, ((LOG, "0"),), is_text=True)
    watch = Watch(seconds)
    try:
        output = _wordline.simulate(short, False, watch.look)
    except KeyboardInterrupt:
        if not watch.is_over:  # it was the user
            raise
        # a run that is stopped again while it completes its last requests has no result
        return watch, watch.served[-1][1] or None if watch.served else None, None
    if output.summary["run.interrupted"] and not watch.is_over:
        raise KeyboardInterrupt
    if not watch.served:
        watch.preparing = (0.0, 1.0)
    expected = output.summary["ftl.write_amplification.expected"]
    amplification = expected if isinstance(expected, float) else None
    return watch, max(int(str(output.summary["host.requests"])), 1), amplification


def request_time(watch: Watch, requests: int) -> float:
    """Seconds for a request."""
    if len(watch.served) > 1:
        (begun, before), (now, done) = watch.served
        if done > before:
            return (now - begun) / (done - before)
    return (watch.elapsed - watch.preparing[0]) / requests
