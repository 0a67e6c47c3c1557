"""Codes: how likely they fail, which one an error rate asks for, and what a read with retries costs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordline import _wordline

Floats: TypeAlias = NDArray[np.float64]
Per: TypeAlias = Literal["codeword", "page"]

SENSE_US = 25.0
"""Sensing of a page: G. Wu, PhD dissertation, Virginia Commonwealth University 2013, chapter 2."""
TRANSFER_US = 40.96
"""Transfer of a page of 4096 bytes at 100 MB/s; as above."""
SECTOR = 512


def mapped(function: Any, values: ArrayLike, *arguments: Any) -> Floats:
    """Applies a function of flat arrays to an array of any shape."""
    array = np.asarray(values, np.float64)
    found: Floats = function(np.ascontiguousarray(array).ravel(), *arguments)
    return found.reshape(array.shape)


class Bch:
    """A BCH code of `n` bits, `k` of them information, that corrects `t` errors.

    Narrow-sense, primitive or shortened. Without `t` it is the strongest one of `n` and `k`.

    Raises:
        ConfigError: the parity is less than `t` errors take, or a number is out of range.
    """

    def __init__(self, n: int, k: int, t: int | None = None) -> None:
        self._inner = _wordline.Bch(n, k, t)

    @classmethod
    def of(cls, inner: _wordline.Bch) -> Self:
        """The code of a code of the Rust side."""
        return cls(inner.n, inner.k, inner.t)

    @property
    def n(self) -> int:
        """Bits of a codeword."""
        return self._inner.n

    @property
    def k(self) -> int:
        """Bits of information in a codeword."""
        return self._inner.k

    @property
    def t(self) -> int:
        """Errors that are corrected."""
        return self._inner.t

    @property
    def degree(self) -> int:
        """Degree of the Galois field: the least that holds `n` bits."""
        return self._inner.degree

    @property
    def parity(self) -> int:
        """Parity bits that `t` errors take, counted from cyclotomic cosets; at most `n - k`."""
        return self._inner.parity

    @property
    def rate(self) -> float:
        """Share of information in a codeword."""
        return self.k / self.n

    @property
    def decode_us(self) -> float:
        """Microseconds to decode a codeword: the published time, else a line through the four."""
        return self._inner.decode_ns / 1e3

    def ln_failure(self, rber: ArrayLike, *, correlation: float = 0.0) -> Floats:
        """Natural logarithms of the probability that a codeword fails, at raw bit error rates.

        Args:
            rber: raw bit error rates, 0 to 1.
            correlation: of two bits of a codeword; above 0 the number of errors is beta-binomial.

        Raises:
            ConfigError: a rate or the correlation is out of range.
        """
        return mapped(self._inner.ln_failure, rber, correlation)

    def p_max(self, target: ArrayLike, *, correlation: float = 0.0) -> Floats:
        """The highest raw bit error rates at which a codeword fails with probability `target` at most.

        Raises:
            ConfigError: a target or the correlation is out of range.
        """
        return mapped(self._inner.p_max, target, correlation)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bch) and self._inner == other._inner

    def __hash__(self) -> int:
        return hash(self._inner)

    def __repr__(self) -> str:
        return f"Bch({self.n}, {self.k}, {self.t})"


def published_codes() -> dict[int, Bch]:
    """The codes of G. Wu (2013), table 2.2, by the codewords of a page of 4 KiB."""
    return {codewords: Bch.of(code) for codewords, code in _wordline.published_codes()}


def ln_page_failure(ln_codeword: ArrayLike, codewords: int) -> Floats:
    """Natural logarithms of the probability that a page of several codewords fails."""
    return mapped(_wordline.ln_page_failure, ln_codeword, codewords)


def segmented_read_us(
    segments: int, *, sense_us: float, transfer_us: float, decode_us: float
) -> float:
    """Microseconds to read some segments of a page on an idle channel.

    A segment is transferred while the one before it is decoded.

    Args:
        segments: segments that are read.
        sense_us: sensing of the page.
        transfer_us: transfer of a segment.
        decode_us: decoding of a segment.
    """
    return _wordline.pipeline_ns(sense_us * 1e3, transfer_us * 1e3, decode_us * 1e3, segments) / 1e3


@dataclass(frozen=True)
class PageCode:
    """The code of a page that an error rate asks for."""

    codewords: int
    """Codewords of the page."""
    code: Bch | None
    """The code with the least parity that meets the target; none if none does."""
    rber: float
    """The raw bit error rate that was asked for."""
    parity_bytes: int | None = None
    """Bytes of parity of the page, each codeword's rounded up."""
    ln_failure: float | None = None
    """Natural logarithm of the probability that a codeword fails."""
    ln_page_failure: float | None = None
    """The same of the page."""
    p_max: float | None = None
    """The highest rate at which the code meets the target."""
    sector_us: float | None = None
    """Microseconds to read the first sector on an idle channel."""
    page_us: float | None = None
    """Microseconds to read the page on an idle channel."""


def find_codes(
    rber: float,
    target: float = 1e-15,
    *,
    page_size: int = 4096,
    metadata: int = 0,
    codewords: Sequence[int] = (1, 2, 4, 8),
    per: Per = "codeword",
    correlation: float = 0.0,
    sense_us: float = SENSE_US,
    transfer_us: float | None = None,
) -> list[PageCode]:
    """The BCH code that a raw bit error rate asks for, for each cut of a page.

    Args:
        rber: raw bit error rate.
        target: failure probability that may be reached.
        page_size: data bytes of a page.
        metadata: further bytes of a page that the code covers.
        codewords: into how many codewords a page may be cut; an answer for each.
        per: what the target counts.
        correlation: of two bits of a codeword.
        sense_us: sensing of a page.
        transfer_us: transfer of a page's data; at 100 MB/s without one.

    Raises:
        ConfigError: a number is out of range, or the page does not divide by the codewords.
    """
    transfer = TRANSFER_US * page_size / 4096 if transfer_us is None else transfer_us
    found = []
    for count in codewords:
        bits = 8 * (page_size + metadata)
        if page_size < 1 or metadata < 0 or count < 1 or bits % count:
            raise _wordline.ConfigError(
                f"codewords = {count}: accepted is a number that divides the {bits} bits of "
                f"page_size = {page_size} and metadata = {metadata} bytes"
            )
        if bits // count >= 1 << 32:
            raise _wordline.ConfigError(f"page_size = {page_size}: accepted are 512 MiB at most")
        inner = _wordline.weakest_code(
            bits // count, count, rber, target, per == "page", correlation
        )
        if inner is None:
            found.append(PageCode(count, None, rber))
            continue
        code = Bch.of(inner)
        ln = float(code.ln_failure(rber, correlation=correlation))
        goal = target if per == "codeword" else -math.expm1(math.log1p(-target) / count)
        times = {
            "sense_us": sense_us,
            "transfer_us": transfer / count,
            "decode_us": code.decode_us,
        }
        found.append(
            PageCode(
                count,
                code,
                rber,
                count * -(-code.parity // 8),
                ln,
                float(ln_page_failure(ln, count)),
                float(code.p_max(goal, correlation=correlation)),
                segmented_read_us(1, **times),
                segmented_read_us(count, **times),
            )
        )
    return found


class Ldpc:
    """An LDPC code with soft sensing: a page that is noisy is sensed with more reference voltages.

    Args:
        keys: as `[ecc.ldpc]` of a drive spells them: `thresholds` (`"published"`,
            `"mutual_information"` or seven rates), `sense_max`, `transfer_max` and `decode` (`"90 us"`),
            `retry` (`"full"`, `"incremental"`), `start` (1 to 7, `"needed"`).

    Raises:
        ConfigError: a key or value that is not accepted.
    """

    def __init__(self, **keys: Any) -> None:
        self._inner = _wordline.Ldpc(json.dumps(keys))

    @property
    def thresholds(self) -> list[float]:
        """The highest raw bit error rate at which each level, 1 to 7, succeeds."""
        return self._inner.thresholds

    def attempt_us(self, level: int) -> float:
        """Microseconds of a first attempt at a level, 1 to 7."""
        return sum(self._inner.attempts_ns[level - 1]) / 1e3

    def read(self, rber: ArrayLike) -> dict[str, NDArray[Any]]:
        """How reads of pages go, at raw bit error rates.

        Returns:
            Columns `first_level`, `last_level`, `corrected` and `us`, in the shape of the rates.

        Raises:
            ConfigError: a rate is out of range.
        """
        array = np.asarray(rber, np.float64)
        columns = self._inner.read(np.ascontiguousarray(array).ravel())
        columns["us"] = columns.pop("ns") / 1e3
        return {name: column.reshape(array.shape) for name, column in columns.items()}


def information(level: int, rber: ArrayLike) -> Floats:
    """Mutual information, in bits, of a bit and its reading with the references of a level.

    Binary input, Gaussian noise such that a hard decision is wrong with probability `rber`, and equally
    spaced references that tell most.

    Raises:
        ConfigError: no such level, or a rate that is not above 0 and below 0.5.
    """

    def inner(rates: Floats) -> Floats:
        return _wordline.information(level, rates)

    return mapped(inner, rber)
