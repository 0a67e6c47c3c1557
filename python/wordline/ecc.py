"""Codes: how likely they fail, which one an error rate asks for, and what a read with retries costs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self, TypeAlias, get_args

from numpy.typing import ArrayLike, NDArray

from wordline import _wordline
from wordline.arrays import Floats, mapped, mapped_columns
from wordline.config import counted
from wordline.errors import ConfigError
from wordline.notebook import view

Per: TypeAlias = Literal["codeword", "page"]

SENSE_US = 25.0
"""Sensing of a page: G. Wu, PhD dissertation, Virginia Commonwealth University 2013, chapter 2."""
TRANSFER_US = 40.96
"""Transfer of a page of 4096 bytes at 100 MB/s; as above."""
SECTOR = 512
LEVELS = 7
"""Most reference voltages per boundary of states."""


MOST_BYTES = 2**28
"""Bytes beyond any page: 256 MiB."""
MOST_BITS = 2**32 - 1
"""Bits beyond any codeword or page."""


class Bch:
    """A BCH code of `n` bits, `k` of them information, that corrects `t` errors.

    Narrow-sense, primitive or shortened. Without `t` it is the strongest one of `n` and `k`.

    Raises:
        ConfigError: the parity is less than `t` errors take, or a number is out of range.
    """

    def __init__(self, n: int, k: int, t: int | None = None) -> None:
        bits = (counted("n", n, MOST_BITS), counted("k", k, MOST_BITS))
        self._inner = _wordline.Bch(
            *bits, None if t is None else counted("t", t, MOST_BITS, least=0)
        )

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
        """Degree of the Galois field: the smallest for `n` bits."""
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
        return mapped(partial(self._inner.ln_failure, correlation=correlation), rber)

    def p_max(self, target: ArrayLike, *, correlation: float = 0.0) -> Floats:
        """The highest raw bit error rates at which a codeword fails with probability `target` at most.

        Raises:
            ConfigError: a target or the correlation is out of range.
        """
        return mapped(partial(self._inner.p_max, correlation=correlation), target)

    def __reduce__(self) -> tuple[type[Bch], tuple[int, int, int]]:
        return type(self), (self.n, self.k, self.t)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bch) and self._inner == other._inner

    def __hash__(self) -> int:
        return hash(self._inner)

    def _repr_html_(self) -> str:
        names = ("n", "k", "t", "degree", "parity", "rate", "decode_us")
        return view(self, [{name: getattr(self, name) for name in names}])

    def __repr__(self) -> str:
        return f"Bch({self.n}, {self.k}, {self.t})"


def published_codes() -> dict[int, Bch]:
    """The codes of G. Wu (2013), table 2.2, by the codewords of a page of 4 KiB."""
    return {codewords: Bch.of(code) for codewords, code in _wordline.published_codes()}


def ln_page_failure(ln_codeword: ArrayLike, codewords: int) -> Floats:
    """Natural logarithms of the probability that a page of several codewords fails.

    Args:
        ln_codeword: natural logarithms of the probability that a codeword fails.
        codewords: codewords of the page.

    Raises:
        ConfigError: a logarithm above 0, or codewords that are no whole number from 1.
    """
    counted("codewords", codewords, MOST_BITS)
    return mapped(partial(_wordline.ln_page_failure, codewords=codewords), ln_codeword)


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

    Raises:
        ConfigError: segments that are no whole number from 1, or a time that is negative or not finite.
    """
    counted("segments", segments, MOST_BITS)
    return _wordline.segmented_read_us(sense_us, transfer_us, decode_us, segments)


@dataclass(frozen=True)
class PageCode:
    """The code of a page for an error rate."""

    codewords: int
    """Codewords of the page."""
    code: Bch | None
    """The code with the least parity that meets the target; none if none does."""
    rber: float
    """The raw bit error rate for which the code was found."""
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
    """The BCH code that a raw bit error rate requires, for each division of a page into codewords.

    Args:
        rber: raw bit error rate.
        target: largest failure probability that is accepted.
        page_size: data bytes of a page.
        metadata: additional bytes of a page that the code protects.
        codewords: numbers of codewords that a page may be divided into; one result for each.
        per: what the target applies to.
        correlation: of two bits of a codeword.
        sense_us: sensing of a page.
        transfer_us: transfer of a page's data; at 100 MB/s without one.

    Raises:
        ConfigError: a number is out of range, or the page does not divide by the codewords.
    """
    if per not in get_args(Per):
        raise ConfigError(f"per = {per!r}: accepted are {' and '.join(get_args(Per))}")
    bits = 8 * (
        counted("page_size", page_size, MOST_BYTES)
        + counted("metadata", metadata, MOST_BYTES, least=0)
    )
    transfer = TRANSFER_US * page_size / 4096 if transfer_us is None else transfer_us
    found = []
    for count in codewords:
        if bits % counted("codewords", count, bits):
            raise ConfigError(
                f"codewords = {count}: accepted is a number that divides the {bits} bits of "
                f"page_size = {page_size} and metadata = {metadata} bytes"
            )
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
    """An LDPC code with soft sensing: a page with many errors is sensed with more reference voltages.

    Args:
        keys: as `[ecc.ldpc]` of a drive spells them: `thresholds` (`"published"`,
            `"mutual_information"` or seven rates), `sense_max`, `transfer_max` and `decode` (`"90 us"`),
            `retry` (`"full"`, `"incremental"`), `start` (1 to 7, `"needed"`).

    Raises:
        ConfigError: a key or value that is not accepted.
    """

    def __init__(self, **keys: Any) -> None:
        try:
            text = json.dumps(keys)
        except TypeError as error:
            raise ConfigError(f"{error}; accepted are text, numbers and lists of them") from error
        self._keys = keys
        self._inner = _wordline.Ldpc(text)

    @property
    def thresholds(self) -> list[float]:
        """The highest raw bit error rate at which each level, 1 to 7, succeeds."""
        return self._inner.thresholds

    def attempt_us(self, level: int) -> float:
        """Microseconds of a first attempt at a level, 1 to 7.

        Raises:
            ConfigError: there is no such level.
        """
        return self._inner.attempt_ns(counted("level", level, LEVELS)) / 1e3

    def read(self, rber: ArrayLike) -> dict[str, NDArray[Any]]:
        """The course of page reads at raw bit error rates: levels tried, success, and time.

        Returns:
            Columns `first_level`, `last_level`, `corrected` and `us`, in the shape of the rates.

        Raises:
            ConfigError: a rate is out of range.
        """
        columns = mapped_columns(self._inner.read, rber)
        return columns | {"us": columns.pop("ns") / 1e3}

    def __reduce__(self) -> tuple[partial[Ldpc], tuple[()]]:
        return partial(type(self), **self._keys), ()

    def _repr_html_(self) -> str:
        rows = [
            {
                "level": level,
                "up to an error rate of": most,
                "first attempt (µs)": self.attempt_us(level),
            }
            for level, most in enumerate(self.thresholds, 1)
        ]
        return view(self, rows)

    def __repr__(self) -> str:
        return f"Ldpc({', '.join(f'{key}={value!r}' for key, value in self._keys.items())})"


def information(level: int, rber: ArrayLike) -> Floats:
    """Mutual information, in bits, of a bit and its reading with the references of a level.

    Binary input, Gaussian noise such that a hard decision is wrong with probability `rber`, and equally
    spaced references that tell most.

    Raises:
        ConfigError: no such level, or a rate that is not above 0 and below 0.5.
    """
    return mapped(partial(_wordline.information, counted("level", level, LEVELS)), rber)
