"""Functions of columns, applied to arrays of any shape that broadcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordline.errors import ConfigError

Floats: TypeAlias = NDArray[np.float64]


def mapped(function: Callable[..., Floats], *values: ArrayLike) -> Floats:
    """The values of a function of columns, in the shape to which the arguments broadcast.

    Raises:
        ConfigError: arguments that are no numbers or do not broadcast, and what the function refuses.
    """
    columns, shape = flat(*values)
    return function(*columns).reshape(shape)


def mapped_columns(
    function: Callable[..., dict[str, NDArray[Any]]], *values: ArrayLike
) -> dict[str, NDArray[Any]]:
    """As `mapped`, for a function that gives several columns by name."""
    columns, shape = flat(*values)
    return {name: column.reshape(shape) for name, column in function(*columns).items()}


def flat(*values: ArrayLike) -> tuple[list[Floats], tuple[int, ...]]:
    """Arguments as columns of one length, and the shape to which they broadcast.

    Raises:
        ConfigError: arguments that are no numbers or do not broadcast.
    """
    try:
        arrays = np.broadcast_arrays(*(np.asarray(value, np.float64) for value in values))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"arrays: {error}; accepted are numbers that broadcast") from error
    return [np.ascontiguousarray(array).ravel() for array in arrays], arrays[0].shape
