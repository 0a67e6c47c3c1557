"""What can be wrong with result directories; what is wrong with configurations and runs the core says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordline.results import Result
    from wordline.seeds import SeedRuns


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a run; what was finished by then is in `result`.

    It is a `KeyboardInterrupt`: a script that does not catch it ends, as it does elsewhere.

    ```python
    try:
        result = wl.simulate(drive)
    except wl.Interrupted as stopped:
        result = stopped.result
    ```
    """

    def __init__(self, result: Result | SeedRuns) -> None:
        super().__init__("interrupted")
        self.result = result
        """The run so far, as if its workload had ended there (`run.interrupted` is true in its summary); of
        `simulate_seeds` the runs of the seeds that were done."""


class OutputError(OSError):
    """A result directory cannot be written; the message is one clear paragraph."""


class ResultError(ValueError):
    """A directory holds no result, or a damaged one; the message is one clear paragraph."""
