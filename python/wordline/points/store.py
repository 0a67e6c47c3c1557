"""Finished points on disk: a study that was interrupted or edited runs only what is missing."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from wordline.errors import OutputError
from wordline.notes import Note
from wordline.parsing import json_of
from wordline.points.outcome import Outcome
from wordline.saving import write_text


def default_directory() -> Path:
    """Where points are kept if nothing else is said: the user's cache."""
    return user_cache_path("wordline") / "points"


class Store:
    """A directory with a file for each finished point, or for each result that no engine runs (`keeping.py`), named by its hash."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __repr__(self) -> str:
        return f"<Store {self.directory}>"

    def path(self, key: str) -> Path:
        """The file of a point."""
        return self.directory / f"{key}.json"

    def load(self, key: str) -> Outcome | None:
        """The outcome that is kept under `key`; `None` where there is none that can be read."""
        try:
            kept = self.read(key)
            notes = {key: Note(**note) for key, note in kept["notes"].items()}
            return Outcome(kept["summary"], notes, kept["observed"])
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            # absent, or not ours: the point is simply run
            return None

    def read(self, key: str) -> Any:
        """What is kept under `key`, as JSON has it.

        Raises:
            OSError: there is none.
            ValueError: it is no JSON.
        """
        return json_of(self.path(key).read_text(encoding="utf-8"))

    def save(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome.

        Raises:
            OutputError: the place cannot be written.
        """
        self.write(key, json.dumps(asdict(outcome)))

    def write(self, key: str, text: str) -> None:
        """Keep a text of JSON; the file is whole or not there.

        Raises:
            OutputError: the place cannot be written.
        """
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise OutputError(f"{self.directory}: cannot be written: {reason}") from error
        write_text(self.path(key), text + "\n")
