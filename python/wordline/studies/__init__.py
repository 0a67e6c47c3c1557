"""Studies of the literature, done again: `wordline reproduce STUDY` writes their chapters.

This is the engine. A study is a declared list of figures (`study.py`). A figure is computed on the spot, or declared as a grid of
runs (`grid.py`): drives, loads and seeds, what is looked at, what it is divided by, and the claims about it with their signs and
margins (`claims.py`). What has not been run yet is run by `wordline.points.engine`. Nothing here tunes a parameter: a study
names the presets it uses, and says so where a claim does not hold.

The studies themselves come with packages of their own, such as `wordline-studies`. A package names each in the entry points of the group
`wordline.studies`; a study is imported once it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from wordline import _wordline

if TYPE_CHECKING:
    from wordline.studies.study import Study

GROUP = "wordline.studies"
"""Entry points of studies."""
PIP = 'python -m pip install "wordline[studies]"'


def offered() -> Mapping[str, EntryPoint]:
    """Where each study of the installed packages is, by name."""
    return {each.name: each for each in sorted(entry_points(group=GROUP), key=lambda e: e.name)}


def find(name: str) -> Study:
    """The study called `name`.

    Raises:
        ConfigError: there is none.
    """
    found = offered()
    if not found:
        raise _wordline.ConfigError(
            f"study {name!r}: no package of studies is installed; {PIP} installs one"
        )
    if name not in found:
        hint = _wordline.did_you_mean(name, list(found))
        raise _wordline.ConfigError(
            f"study {name!r}: unknown; {hint}accepted are {', '.join(found)}"
        )
    study: Study = found[name].load()
    return study
