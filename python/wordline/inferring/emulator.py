"""Emulators: Gaussian processes that predict figures between the points that were run."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from wordline.inferring.unknowns import Floats

LENGTHS = (0.05, 20.0)
"""Bounds of the lengths, in ranges, over which a figure changes with an unknown."""
ROUGHNESS = (1e-8, 0.2)
"""Bounds of the share of a figure's variance that no smooth function explains."""
LEAST_NOISE = 1e-10
"""Least variance of a value, relative to that of the figure: keeps matrices regular where figures do not depend on the seed."""


class Predictor(Protocol):
    """Predicts one figure."""

    @property
    def explained(self) -> float:
        """Share of the variance of the figure that is predicted of points that it was not fitted to."""

    def predict(self, features: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the figure at points, without the noise of a run."""


@dataclass(frozen=True)
class Emulator:
    """Predicts one figure from the features of a point."""

    process: Any
    """A fitted `GaussianProcessRegressor`."""
    inflation: float
    """What its variances are multiplied by, so that left-out points lie as far off as it says."""
    explained: float
    """Share of the variance of the figure that is predicted when each point is left out in turn; below 0 where the mean does better."""

    def predict(self, features: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the figure, without the noise of a run."""
        mean, deviation = self.process.predict(features, return_std=True)
        return mean, self.inflation * deviation**2


def fitted(
    features: Floats, values: Floats, noise: float, start: Emulator | None = None
) -> Emulator:
    """An emulator of values whose noise has a variance; `start` is an earlier emulator, whose lengths are tried first."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    scale = float(np.var(values)) or 1.0
    kernel = (
        start.process.kernel_
        if start is not None
        else ConstantKernel(4.0, (0.1, 1e3))
        * Matern(np.full(features.shape[1], 1.0), LENGTHS, nu=2.5)
        + WhiteKernel(1e-4, ROUGHNESS)
    )
    process = GaussianProcessRegressor(
        kernel, alpha=max(noise / scale, LEAST_NOISE), normalize_y=True, random_state=0
    )
    with warnings.catch_warnings():
        # that a length reached its bound, as it does where a figure does not depend on an unknown
        warnings.simplefilter("ignore", ConvergenceWarning)
        process.fit(features, values)
    residuals, variances = left_out(process)
    inflation = max(1.0, float(np.mean(residuals**2 / variances)))
    spread = float(np.var((values - values.mean()) / (values.std() or 1.0)))
    explained = 1.0 - float(np.mean(residuals**2)) / spread if spread else 1.0
    return Emulator(process, inflation, explained)


def left_out(process: Any) -> tuple[Floats, Floats]:
    """Error and predicted variance of each point when the others alone predict it, both of normalised values.

    Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, equations 5.10 to 5.12.
    """
    from scipy.linalg import cho_solve

    inverse = cho_solve((process.L_, True), np.eye(len(process.alpha_)))
    diagonal = np.diag(inverse)
    return np.ravel(process.alpha_) / diagonal, 1.0 / diagonal


def fit_all(
    features: Floats, values: Floats, noise: Floats, before: Sequence[Emulator] | None
) -> list[Emulator]:
    """An emulator for each column of values."""
    return [
        fitted(
            features,
            values[:, place],
            float(noise[place]),
            None if before is None else before[place],
        )
        for place in range(values.shape[1])
    ]
