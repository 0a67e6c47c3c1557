"""The drives that are compared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("drives")


@dataclass(frozen=True)
class Entry:
    """A drive of the validation."""

    name: str
    """As the table of measurements has it."""
    title: str
    file: str
    """In `validation/drives`."""
    blocks: int
    """Blocks of a plane that are simulated."""

    @property
    def path(self) -> Path:
        """The drive file."""
        return FOLDER / self.file


DRIVES = (
    Entry("Samsung PM9A3 960GB", "Samsung PM9A3, 960 GB", "samsung-pm9a3-960gb.toml", 171),
    Entry(
        "WD Ultrastar DC 960GB (PCIe 3.1, model unnamed)",
        "WD Ultrastar DC, 960 GB",
        "wd-dc-960gb.toml",
        228,
    ),
    # nothing is collected, so that its write amplification does not depend on its blocks
    Entry("WD Ultrastar DC ZN540 1TB", "WD Ultrastar DC ZN540, 1 TB", "wd-zn540-1tb.toml", 64),
)
