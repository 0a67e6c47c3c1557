"""Several lives in one command: what `wordline lifetime --also` asks for, and what is shown of lives side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline import _wordline
from wordline.cli.answer import csv_of, show_with_notes
from wordline.cli.common import answer, complain, keys_and_values, stopped
from wordline.config import Overrides, Workload, resolve_named
from wordline.errors import ConfigError

if TYPE_CHECKING:
    from wordline.lifetimes import Lifetime, LifetimeStudy
    from wordline.lives import LivesComparison

FIRST = "as given"
"""Name of the life that the command describes without `--also`."""
OPTIONS = ("drive", "temperature", "cell", "require", "writes-per-day")
"""What `--also` may set beside keys of the configuration: the argument and options of the command."""
REPORT, ANSWER, TABLE = "report.html", "lives.json", "lives.csv"
"""Files of the comparison; each life has a directory beside them."""


@dataclass(frozen=True)
class AskedLife:
    """A life to be simulated."""

    name: str
    """What is different in it."""
    resolved: _wordline.Resolved
    """Drive and workload."""
    asked: LifetimeStudy
    """The options of the study."""

    @property
    def directory(self) -> str:
        """A name of a directory: letters, digits and a few signs of its own name."""
        return re.sub(r"[^A-Za-z0-9._=-]+", "-", self.name).strip("-.") or "life"


def asked_lives(
    also: Sequence[str],
    drive: str,
    overrides: Overrides,
    workload: Workload | None,
    asked: LifetimeStudy,
    temperature_of: Callable[[str], Any],
) -> list[AskedLife]:
    """The life that the command describes, and one for each `--also`.

    Args:
        also: what is different in each further life, `KEY=VALUE; KEY=VALUE`.
        drive: preset or file of the first life.
        overrides: dotted keys and their values, of all lives.
        workload: the workload of all lives.
        asked: the options of the first life.
        temperature_of: reads a temperature or a profile.

    Raises:
        ConfigError: a key, an option or a value that is not accepted, or two lives that are the same.
    """
    lives = [AskedLife(FIRST, resolve_named(drive, overrides, workload), asked)]
    for text in also:
        pairs = pairs_of(text)
        given = {key: bare(value) for key, value in pairs if key in OPTIONS}
        keys = tuple((key, value) for key, value in pairs if key not in OPTIONS)
        try:
            own = with_options(asked, given, temperature_of)
            resolved = resolve_named(given.get("drive", drive), (*overrides, *keys), workload)
        except ConfigError as error:
            raise ConfigError(f"--also '{text}': {error}") from error
        lives.append(AskedLife("; ".join(f"{key}={value}" for key, value in pairs), resolved, own))
    seen: dict[tuple[str, str], str] = {}
    for life in lives:
        key = (life.resolved.toml, repr(life.asked))
        if key in seen:
            raise ConfigError(
                f"--also '{life.name}': is the same life as '{seen[key]}'; accepted are lives that differ"
            )
        seen[key] = life.name
    return lives


def pairs_of(text: str) -> Overrides:
    """The keys and values of an `--also`.

    Raises:
        ConfigError: it is not of that form.
    """
    parts = [part for part in text.split(";") if part.strip()]
    try:
        if not parts:
            raise ConfigError("nothing is given")
        return keys_and_values(parts)
    except ConfigError as error:
        raise ConfigError(
            f"--also '{text}': accepted are KEY=VALUE, more of them with semicolons between, such as 'ftl.refresh.policy=remaining' or "
            f"'temperature=55 degC'; beside keys of the configuration: {', '.join(OPTIONS)}"
        ) from error


def bare(value: str) -> str:
    """A value without the quotation marks of TOML."""
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def with_options(
    asked: LifetimeStudy, given: Mapping[str, str], temperature_of: Callable[[str], Any]
) -> LifetimeStudy:
    """The options of a life in which some are different.

    Raises:
        ConfigError: a value that is not accepted.
    """
    changed: dict[str, Any] = {}
    if "temperature" in given:
        changed["temperature"] = temperature_of(given["temperature"])
    if "cell" in given:
        changed["cell"] = given["cell"]
    if "require" in given:
        changed["required"] = _wordline.seconds(given["require"])
    if "writes-per-day" in given:
        try:
            changed["writes_per_day"] = float(given["writes-per-day"])
        except ValueError as error:
            raise ConfigError(
                f"writes-per-day = {given['writes-per-day']}: accepted is a number"
            ) from error
    return replace(asked, **changed)


def several_lives(
    lives: Sequence[AskedLife],
    jobs: int | None,
    out: Path | None,
    *,
    force: bool,
    for_program: bool,
) -> None:
    """Simulate lives side by side, keep each as soon as it is done, and show how they differ."""
    from wordline.lives import Life, LivesComparison
    from wordline.outputs import output_directory
    from wordline.saving import refuse_another_configuration, write_all

    for life in lives:
        for warning in life.resolved.warnings:
            complain(f"warning: {life.name}: {warning}")
    places = {
        life.name: out / f"{number}-{life.directory}" if out else None
        for number, life in enumerate(lives, 1)
    }
    if not force:
        for life in lives:
            if place := places[life.name]:
                refuse_another_configuration(place, life.resolved.toml)
    found: dict[str, Life] = {}
    with output_directory(out) if out else nullcontext():
        try:
            for life, study in studied(lives, jobs):
                found[life.name] = Life.of(life.name, study, life.asked)
                if place := places[life.name]:
                    write_all(place, files_of(study, life.asked))
        except KeyboardInterrupt:
            if not (found and out):
                raise
            done = f"the {len(found)} of {len(lives)} lives that are done are kept in {out}"
            raise stopped(f"{done}; `wordline compare` takes them") from None
        compared = LivesComparison(tuple(found[life.name] for life in lives))
        if out:
            from wordline.notes import as_json
            from wordline.report.lives import render

            write_all(
                out,
                {
                    REPORT: render(compared),
                    ANSWER: as_json(compared.tree()) + "\n",
                    TABLE: csv_of(compared.rows),
                },
            )
    show_lives(compared, out, for_program=for_program, is_saved=True)


def studied(lives: Sequence[AskedLife], jobs: int | None) -> Any:
    """Each life with its study, as each is finished."""
    from wordline.executor import Executor
    from wordline.lifetimes import LifetimeFiles, study
    from wordline.progress import replicas_bar

    with replicas_bar(len(lives), shown=True) as report_of, Executor(jobs) as executor:

        def one(number: int, life: AskedLife) -> tuple[AskedLife, Lifetime]:
            report = report_of(number)

            def goes_on(phase: str, share: float, programmed: int) -> bool:
                return report(phase, share, programmed) and executor.goes_on()

            return life, study(life.resolved, life.asked, LifetimeFiles(), goes_on)

        for finished in executor.gather(partial(one, *each) for each in enumerate(lives)):
            yield finished.result()


def files_of(found: Lifetime, asked: LifetimeStudy) -> dict[str, str]:
    """The files of a study, as `wordline lifetime --out` writes them."""
    from wordline.notes import as_json
    from wordline.report import lifetime as page

    return {
        "lifetime.json": as_json(page.answer(found, asked)) + "\n",
        "report.html": page.render(found, asked),
        "snapshots.csv": found.snapshots.write_csv(),
        "blocks.csv": found.blocks.write_csv(),
        "config.toml": found.config,
    }


def show_lives(
    found: LivesComparison, out: Path | None, *, for_program: bool, is_saved: bool = False
) -> None:
    """Print lives side by side; write the page to `out`, a file, unless the comparison is saved in a directory."""
    from wordline.report.lives import tables

    if out and not is_saved:
        found.save(out)
    if for_program:
        answer(found.tree(), found.notes)
        return
    show_with_notes(tables(found), out if is_saved else None, found.notes)
    if out and not is_saved:
        print(f"page: {out}")
