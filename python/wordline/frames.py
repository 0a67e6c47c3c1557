"""Tables of results as pandas frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wordline.errors import ConfigError

if TYPE_CHECKING:
    import polars as pl

PIP = "python -m pip install pandas"
"""What installs pandas."""


def to_pandas(table: pl.DataFrame) -> Any:
    """A table of a result, such as `result.requests`, as a pandas frame.

    This needs pandas only; the method `to_pandas` of Polars needs PyArrow too. Names such as those of `class` become
    categories, and integers with missing values become floats with NaN.

    Raises:
        ConfigError: pandas is not installed.
    """
    import polars as pl

    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise ConfigError(f"pandas is not installed: {PIP}") from error

    def values(column: pl.Series) -> object:
        if isinstance(column.dtype, pl.Enum):
            codes = column.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
            return pd.Categorical.from_codes(codes, column.dtype.categories.to_list())
        if column.dtype.is_numeric() or column.dtype == pl.Boolean:
            return column.to_numpy()
        return column.to_list()

    return pd.DataFrame({column.name: values(column) for column in table})
