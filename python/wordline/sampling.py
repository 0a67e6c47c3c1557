"""Cells drawn one by one and read: an independent check of the closed forms of `wordline.cell`.

Nothing else depends on it. It draws threshold voltages from their laws, compares them with the references and
counts wrong bits; no formula of the error rates is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from wordline.errors import ConfigError

Backend: TypeAlias = Literal["numpy", "jax"]

BATCH = 1 << 20
"""Cells that are in memory at once."""


@dataclass(frozen=True)
class Sampled:
    """Wrong bits counted."""

    cells: int
    """Cells drawn."""
    wrong: NDArray[np.int64]
    """Wrong bits by page, lower page first."""

    @property
    def rates(self) -> NDArray[np.float64]:
        """Bit error rate of each page."""
        return self.wrong / self.cells

    def standard_errors(self, expected: NDArray[np.float64]) -> NDArray[np.float64]:
        """Standard error of each page's rate, were it `expected`."""
        found: NDArray[np.float64] = np.sqrt(expected * (1.0 - expected) / self.cells)
        return found


def sample(
    cells: int,
    references: Sequence[float],
    *,
    step: float,
    sigma: float,
    sigma_erased: float = 0.1,
    seed: int = 1,
    backend: Backend = "numpy",
) -> Sampled:
    """Program cells with random data, read them and count wrong bits.

    Args:
        cells: number of cells.
        references: reference voltages of reads; their number, `2**bits - 1`, determines the bits of a cell.
        step: program step.
        sigma: standard deviation of the tails of programmed states.
        sigma_erased: deviation of the erased state.
        seed: seed of the random cells, which differ between the two backends.
        backend: NumPy, or JAX where it is installed.

    Raises:
        ConfigError: no cells, references whose number is not `2**bits - 1`, a step or deviation out of range, no such
            backend.
        ModuleNotFoundError: JAX is not installed.
    """
    for name, value, low, high in (
        ("step", step, 0.0, 2.0),
        ("sigma", sigma, 1e-9, 10.0),
        ("sigma_erased", sigma_erased, 1e-9, 10.0),
    ):
        if not low <= value <= high:
            raise ConfigError(f"{name} = {value}: accepted are numbers from {low:g} to {high:g}")
    if backend not in get_args(Backend):
        raise ConfigError(f"backend = {backend!r}: accepted are {' and '.join(get_args(Backend))}")
    states = len(references) + 1
    bits = states.bit_length() - 1
    if cells < 1 or states < 2 or states != 1 << bits:
        raise ConfigError(
            f"{cells} cells with {len(references)} references: accepted are 1 cell and more with 1, 3, 7, ... "
            "references"
        )
    draws: NumpyDraws | JaxDraws = NumpyDraws(seed) if backend == "numpy" else JaxDraws(seed)
    wrong = np.zeros(bits, np.int64)
    for first in range(0, cells, BATCH):
        count = min(BATCH, cells - first)
        state = draws.integers(count, states)
        voltage = voltages(draws, state, step, sigma, sigma_erased)
        # what is read is the number of references below the voltage
        read = sum(voltage > place for place in references)
        flipped = gray(state) ^ gray(read)
        # bit `bits - 1 - page` of the label belongs to a page
        wrong += [int(((flipped >> (bits - 1 - page)) & 1).sum()) for page in range(bits)]
    return Sampled(cells, wrong)


def voltages(draws: Any, state: Any, step: float, sigma: float, sigma_erased: float) -> Any:
    """Threshold voltages of cells in their states.

    A programmed cell is with probability `1 - c` anywhere within the step, else beyond one of its ends by a normal
    deviate.
    """
    count = len(state)
    c = 1.0 / (1.0 + step / (sigma * np.sqrt(2.0 * np.pi)))
    deviate = draws.normal(count)
    where = draws.module.where
    beyond = sigma * deviate + where(deviate < 0, -0.5, 0.5) * step
    within = (draws.uniform(count) - 0.5) * step
    programmed = state + where(draws.uniform(count) < c, beyond, within)
    return where(state == 0, sigma_erased * deviate, programmed)


def gray(state: Any) -> Any:
    """The binary-reflected Gray code: adjacent states differ in one bit."""
    return state ^ (state >> 1)


class NumpyDraws:
    """Draws of NumPy."""

    def __init__(self, seed: int) -> None:
        self.module: Any = np
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def integers(self, count: int, below: int) -> Any:
        """Whole numbers from 0, equally likely."""
        return self._generator.integers(below, size=count)

    def uniform(self, count: int) -> Any:
        """Uniform on [0, 1)."""
        return self._generator.random(count)

    def normal(self, count: int) -> Any:
        """Standard normal deviates."""
        return self._generator.standard_normal(count)


class JaxDraws:
    """Draws of JAX, in single precision unless JAX is told otherwise."""

    def __init__(self, seed: int) -> None:
        self.module: Any = import_module("jax.numpy")
        self._random: Any = import_module("jax.random")
        self._key = self._random.key(seed)

    def _next(self) -> Any:
        self._key, key = self._random.split(self._key)
        return key

    def integers(self, count: int, below: int) -> Any:
        """Whole numbers from 0, equally likely."""
        return self._random.randint(self._next(), (count,), 0, below)

    def uniform(self, count: int) -> Any:
        """Uniform on [0, 1)."""
        return self._random.uniform(self._next(), (count,))

    def normal(self, count: int) -> Any:
        """Standard normal deviates."""
        return self._random.normal(self._next(), (count,))


def has_jax() -> bool:
    """Whether JAX is installed."""
    return find_spec("jax") is not None
