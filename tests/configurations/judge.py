"""One configuration: repaired until it is accepted, run, checked, run again as saved."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configurations import checks
from configurations.case import Case
from configurations.checks.run import Run
from configurations.refusals import keys_named, repaired
from wordline import _wordline
from wordline.config import resolve_named
from wordline.errors import ConfigError, RunError, TraceError
from wordline.results import Result

SECONDS = 8.0
"""CPU seconds that a run may take in all: hundreds of times what one of a few hundred requests needs."""
MOST_REPAIRS = 200


@dataclass(frozen=True)
class Verdict:
    """What became of a configuration."""

    case: Case
    """As it was accepted."""
    findings: list[str]
    """What is wrong, as `name: what was found`."""
    has_run: bool
    refusals: list[str]
    """What was said each time that it was refused."""


def judge(case: Case, folder: Path) -> Verdict:
    """Run a configuration and check everything; `folder` has the files of it that reproduce what is wrong."""
    tried: set[str] = set()
    refusals: list[str] = []
    for _ in range(MOST_REPAIRS):
        drive = case.write(folder)
        try:
            found = run_and_check(drive)
            return Verdict(case, found, has_run=True, refusals=refusals)
        except (ConfigError, TraceError) as error:
            message = str(error)
            refusals.append(message)
        except RunError as error:
            return Verdict(case, [f"defect: {error}"], has_run=False, refusals=refusals)
        except Exception as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            found = [f"exception at {Path(at.filename).name}:{at.lineno}: {error!r}"]
            return Verdict(case, found, has_run=False, refusals=refusals)
        # the path of the drive's own file says nothing about a key
        told = message.replace(str(folder), "")
        if not keys_named(told) and not any(f"/{file}" in told for file in texts(case)):
            found = [f"refusal without a key: {message}"]
            return Verdict(case, found, has_run=False, refusals=refusals)
        changed = repaired(case, told, tried)
        if changed is None:
            return Verdict(case, [], has_run=False, refusals=refusals)
        case = changed
    found = [f"refusal: {MOST_REPAIRS} in a row"]
    return Verdict(case, found, has_run=False, refusals=refusals)


def texts(case: Case) -> list[str]:
    """Texts that the case sets, any of which may name a file."""
    return [value for value in case.keys.values() if isinstance(value, str) and value]


def run_and_check(drive: Path) -> list[str]:
    """What is wrong with the run of a drive file.

    Raises:
        ConfigError, TraceError: it is refused.
        RunError: a defect that the simulator found itself.
    """
    resolved = resolve_named(str(drive))
    result = simulated(resolved)
    found = list(checks.findings(Run(resolved, result)))
    again = resolve_named(result.config, is_text=True)
    if again.toml != resolved.toml or again.hash != resolved.hash:
        found.append(f"saved configuration: read again it is {again.toml!r}")
    repeated = simulated(again)
    found += differences(result, repeated)
    return found


def simulated(resolved: _wordline.Resolved) -> Result:
    """The result of an audited run."""
    output = _wordline.simulate(resolved, True, None)
    return Result(output, resolved.toml, tuple(resolved.warnings))


TABLES = ("requests", "time_series", "blocks", "attribution", "slowest", "timeline", "utilisation")


def differences(one: Result, other: Result) -> list[str]:
    """In what two runs of one configuration differ."""
    first, second = (reproducible(result.summary) for result in (one, other))
    found = [
        f"run again: {key} is {second.get(key)!r} after {value!r}"
        for key, value in first.items()
        if second.get(key) != value
    ]
    for table in TABLES:
        if not getattr(one, table).equals(getattr(other, table)):
            found.append(f"run again: the table {table} differs")
    return found


def reproducible(summary: Any) -> dict[str, Any]:
    """A summary without what depends on the machine."""
    return {key: value for key, value in summary.items() if not key.startswith("run.")}
