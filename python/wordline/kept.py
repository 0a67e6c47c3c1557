"""What a run measured, in tables that can be pickled; what the simulator hands over cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from wordline.columns import TABLES

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from wordline import _wordline
    from wordline.results import Result, Scalar


@dataclass(frozen=True)
class Kept:
    """What a run measured; every table is an attribute, as of what the simulator gives."""

    summary: Mapping[str, Scalar]
    notes: list[_wordline.Note]
    latency: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    tables: Mapping[str, pl.DataFrame]

    @classmethod
    def of(cls, result: Result) -> Self:
        """What a result was made from."""
        return cls(
            result.summary,
            [
                {"severity": note.severity, "key": note.key, "text": note.text}
                for note in result.notes
            ],
            {name: (each.value_us, each.fraction) for name, each in result.latency.items()},
            {name: getattr(result, name) for name in TABLES},
        )

    def __getattr__(self, name: str) -> Any:
        if name not in TABLES:  # while it is unpickled there are no tables yet
            raise AttributeError(name)
        return self.tables[name]
