"""What can go wrong; every message is one clear paragraph.

All errors share `WordlineError`, and each is also what Python itself would raise: a `ValueError` for bad input, a
`RuntimeError` for a defect, an `OSError` for a place that cannot be written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordline.replicas import LifetimeReplicas
    from wordline.results import Result
    from wordline.seeds import SeedRuns


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a run; what was finished by then is in `result`.

    It is a `KeyboardInterrupt`: a script that does not catch it ends, as it does elsewhere.

    ```python
    import wordline as wl

    try:
        result = wl.simulate("onfi5-tlc")
    except wl.Interrupted as stopped:
        result = stopped.result
    ```
    """

    def __init__(self, result: Result | SeedRuns | LifetimeReplicas) -> None:
        super().__init__("interrupted")
        self.result = result
        """The run so far, as if its workload had ended there (`run.interrupted` is true in its summary); of
        `simulate_seeds` the runs of the seeds that were done, of `lifetime_replicas` the studies that were done."""


class WordlineError(Exception):
    """Anything that Wordline refuses, or that goes wrong in it."""


class ConfigError(WordlineError, ValueError):
    """A drive, a workload, an override or an argument is refused; the message names it and says what is accepted."""


class TraceError(WordlineError, ValueError):
    """A trace cannot be read; the message names file and row."""


class RunError(WordlineError, RuntimeError):
    """The simulator broke one of its own rules: a defect of Wordline, not of the input."""


class PolicyError(WordlineError, RuntimeError):
    """A policy written in Python raised an exception or gave an answer that is not accepted; the message names it.

    The exception of the policy, with its traceback, is the `__cause__`.
    """


class OutputError(WordlineError, OSError):
    """A result directory cannot be written."""


class ClusterError(WordlineError, ConnectionError):
    """A cluster cannot be used: no scheduler or worker, another build, or a connection that ended."""


class ResultError(WordlineError, ValueError):
    """A directory holds no result, or a damaged one."""
