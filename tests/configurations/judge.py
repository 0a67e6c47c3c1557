"""One configuration: repaired until it is accepted, run, checked, run again as saved."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configurations import checks
from configurations.case import FIRST, STATE, Case
from configurations.checks.run import Run
from configurations.refusals import keys_named, repaired
from wordline import _wordline
from wordline.config import resolve_named
from wordline.errors import ConfigError, RunError, TraceError
from wordline.loading import load
from wordline.results import Result

SECONDS = 8.0
"""CPU seconds that a run may take in all: hundreds of times what one of a few hundred requests needs."""
MOST_REPAIRS = 200
SAVED_OF = 16
"""One in so many results is saved and loaded again, which takes longer than the run."""


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
            first = run_first(folder) if case.goes_on else None
            found = run_and_check(drive, folder, first)
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
        if case.goes_on and STATE in told:
            found = [f"refusal of its own state: {message}"]
            return Verdict(case, found, has_run=False, refusals=refusals)
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


def run_first(folder: Path) -> Result:
    """The run that comes first; the state of its drive is left behind.

    Raises:
        ConfigError, TraceError, RunError: as `run_and_check`.
    """
    return simulated(resolve_named(str(folder / FIRST)), folder / STATE)


def run_and_check(drive: Path, folder: Path, first: Result | None) -> list[str]:
    """What is wrong with the run of a drive file, which may go on with the drive of a first run.

    Raises:
        ConfigError, TraceError: it is refused.
        RunError: a defect that the simulator found itself.
    """
    resolved = resolve_named(str(drive))
    result = simulated(resolved)
    found = list(checks.findings(Run(resolved, result)))
    if (
        first is not None
        and not (result.blocks["erase_count"] >= first.blocks["erase_count"]).all()
    ):
        found.append("state: a block has been erased less often than after the first run")
    again = resolve_named(result.config, is_text=True)
    if again.toml != resolved.toml or again.hash != resolved.hash:
        found.append(f"saved configuration: read again it is {again.toml!r}")
    repeated = simulated(again)
    found += [f"run again: {text}" for text in differences(result, repeated)]
    if int(resolved.hash[:8], 16) % SAVED_OF == 0:
        found += [f"loaded: {text}" for text in saved_differences(result, folder / "saved")]
    return found


def simulated(resolved: _wordline.Resolved, state: Path | None = None) -> Result:
    """The result of an audited run; the state of its drive goes to a file."""
    output = _wordline.simulate(resolved, True, None, state)
    return Result(output, resolved.toml, tuple(resolved.warnings))


TABLES = (
    "requests",
    "time_series",
    "start_levels",
    "temperature",
    "blocks",
    "distribution",
    "attribution",
    "slowest",
    "slowest_parts",
    "in_front",
    "timeline",
    "utilisation",
)


def differences(one: Result, other: Result) -> list[str]:
    """In what two results of one configuration differ."""
    first, second = (reproducible(result.summary) for result in (one, other))
    found = [
        f"{key} is {second.get(key)!r} after {value!r}"
        for key, value in first.items()
        if second.get(key) != value
    ]
    found += [f"{key} is there" for key in second if key not in first]
    for table in TABLES:
        before, after = getattr(one, table), getattr(other, table)
        if before.schema != after.schema or not before.equals(after):
            found.append(f"the table {table} differs")
    if one.notes != other.notes:
        found.append(f"the notes are {other.notes!r} after {one.notes!r}")
    return found


def saved_differences(result: Result, folder: Path) -> list[str]:
    """In what a result differs that was saved and is loaded again."""
    loaded = load(result.save(folder))
    found = differences(result, loaded)
    # what depends on the machine is that of the run, not of loading
    if dict(loaded.summary) != dict(result.summary):
        found.append("the summary differs")
    of_both = ((each.config, each.warnings, each.version) for each in (result, loaded))
    before, after = of_both
    if before != after:
        found.append(f"{after!r} after {before!r}")
    return found


def reproducible(summary: Any) -> dict[str, Any]:
    """A summary without what depends on the machine."""
    return {key: value for key, value in summary.items() if not key.startswith("run.")}
