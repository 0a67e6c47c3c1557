"""Real traces replay to the end, and are described as their collection describes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TRACES = Path(os.environ.get("WORDLINE_TRACES", ROOT.parent / "shared" / "traces"))
"""The development set of block traces; it is not part of the repository."""

ENDINGS = (
    ".spc.gz",
    ".csv.gz",
    ".disksim.gz",
    ".ssdsim.gz",
    ".ssdsim-us.gz",
    ".mqsim.gz",
    ".flashsim.gz",
    ".replayer.gz",
)

pytestmark = pytest.mark.skipif(
    not TRACES.is_dir(),
    reason=f"no traces at {TRACES}; name their folder in WORDLINE_TRACES",
)
