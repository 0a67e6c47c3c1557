"""Studies of the literature, done again: `wordline reproduce STUDY` writes their chapters.

A study is a declared list of figures (`study.py`). A figure is computed on the spot, or declared as a grid of runs (`grid.py`): drives,
loads and seeds, what is looked at, what it is divided by, and the claims about it with their signs and
margins (`claims.py`). The engine (`engine.py`) runs what has not been run yet. Nothing here tunes a parameter: a study
names the presets it uses, and says so where a claim does not hold.
"""

from __future__ import annotations

from wordline import _wordline
from wordline.studies import (
    cui2018_dlv,
    ftl_family,
    hu2011,
    mohan_fence,
    mohan_flashpower,
    mohan_fscale,
    mohan_refresh,
    power_cuts,
    tai2016,
    wu2012,
    wu2013_delta,
    wu2013_diffecc,
)
from wordline.studies.study import Study

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        mohan_flashpower.STUDY,
        mohan_fence.STUDY,
        mohan_fscale.STUDY,
        mohan_refresh.STUDY,
        hu2011.STUDY,
        wu2012.STUDY,
        wu2013_diffecc.STUDY,
        wu2013_delta.STUDY,
        cui2018_dlv.STUDY,
        ftl_family.STUDY,
        tai2016.STUDY,
        power_cuts.STUDY,
    )
}
"""Every study, by name."""


def find(name: str) -> Study:
    """The study called `name`.

    Raises:
        ConfigError: there is none.
    """
    try:
        return STUDIES[name]
    except KeyError:
        hint = _wordline.did_you_mean(name, list(STUDIES))
        raise _wordline.ConfigError(
            f"study {name!r}: unknown; {hint}accepted are {', '.join(STUDIES)}"
        ) from None
