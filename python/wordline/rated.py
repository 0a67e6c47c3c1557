"""What makers rate flash for."""

from __future__ import annotations

from collections.abc import Mapping

CYCLES: Mapping[str, int] = {"slc": 100_000, "mlc": 10_000, "tlc": 3_000, "qlc": 1_000}
"""Program/erase cycles that blocks are rated for, by type of cell; assumed: usual figures of makers of flash."""
