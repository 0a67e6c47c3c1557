"""What says how long the blocks of a lifetime study keep data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wordline import _wordline
from wordline.cell import Cells
from wordline.errors import ConfigError
from wordline.retention import LEVEL_GAPS, level_gap

AUTO = "auto"
"""The cells are those of the drive."""
WITHOUT_CODE = {"slc": "slc", "mlc": "mlc", "tlc": "tlc_3d", "qlc": "qlc_3d"}
"""The cells of a drive that names no code, by its type of cell: of FENCE, which knows no code, or of a file."""
BITS: Mapping[str, int] = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4, "plc": 5}
"""Bits of a cell by its type."""
NO_CODE = "the default LDPC code (the drive names none)"


@dataclass(frozen=True)
class StudiedCells:
    """Cells and the code that protects them."""

    engine: float | _wordline.Cells | None
    """What the engine takes: a threshold gap in volts for FENCE, cells of a file, or `None` for those of the drive."""
    words: str
    """What they are, in words."""
    code: str
    """The code, in words."""
    bits: int | None
    """Bits of a cell; unknown of a threshold gap that is none of a known kind."""


def cells_of(cell: str | float, resolved: _wordline.Resolved) -> StudiedCells:
    """The cells that a study of a drive goes by.

    Args:
        cell: `"auto"` for those of the drive; `"slc"`, `"mlc"` or a threshold gap in volts for FENCE; or the name of a file of cells.
        resolved: the drive.

    Raises:
        ConfigError: no such cells; a drive whose type of cell has none.
    """
    kind, code = resolved.get("geometry.cell_type"), resolved.get("ecc.kind")
    if cell == AUTO:
        if code != "none":
            words = f"{kind.upper()} cells of the drive ([cell])"
            return StudiedCells(None, words, code_of(resolved), BITS.get(kind))
        if kind not in WITHOUT_CODE:
            accepted = f"{', '.join(LEVEL_GAPS)}, a gap such as '1.2 V', and files of cells"
            raise ConfigError(
                f'cell = "auto": no cells of the type "{kind}" are known; accepted are {accepted}'
            )
        cell = WITHOUT_CODE[kind]
    if is_fence(cell):
        gap = level_gap(cell)
        name = {gap: name for name, gap in LEVEL_GAPS.items()}.get(gap)
        words = f"{name.upper()} cells" if name else f"cells with a gap of {gap:g} V"
        return StudiedCells(
            gap, f"planar {words} of 80 nm (FENCE)", "no code", BITS.get(name or "")
        )
    cells = Cells.from_toml(str(cell))
    words = f"cells of {cells.bits} bits ({cell})"
    return StudiedCells(
        cells._inner, words, NO_CODE if code == "none" else code_of(resolved), cells.bits
    )


def check_cells(cell: str | float) -> None:
    """Check that there are such cells.

    Raises:
        ConfigError: there are none.
    """
    if cell == AUTO or is_fence(cell):
        return
    try:
        Cells.from_toml(str(cell))
    except ConfigError as error:
        names = [AUTO, *LEVEL_GAPS, *(entry["name"] for entry in _wordline.cells())]
        if "no file and no built-in" not in str(error):
            raise  # a file with a fault
        hint = _wordline.did_you_mean(str(cell), names)
        raise ConfigError(
            f"cell = {cell!r}: {hint}accepted are {', '.join(names)}, a file of cells, and a gap such as '1.2 V'"
        ) from error


def is_fence(cell: str | float) -> bool:
    """Whether this names cells of FENCE: a kind, or a threshold gap in volts."""
    if not isinstance(cell, str) or cell in LEVEL_GAPS:
        return True
    try:
        float(cell.removesuffix("V"))
    except ValueError:
        return False
    return True


def code_of(resolved: _wordline.Resolved) -> str:
    """The code of a drive, in words."""
    kind = resolved.get("ecc.kind")
    if kind == "bch":
        return f"its BCH code ({resolved.get('ecc.bch.n')}, {resolved.get('ecc.bch.k')})"
    return "its LDPC code"
