"""Results of a study that no engine runs, kept in its store as soon as they are there."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from wordline.points.point import simulator
from wordline.points.store import Store

T = TypeVar("T")

FORMAT = 1
"""Form of what is kept; a change of it makes every result new."""
LIBRARIES = ("numpy", "polars", "altair", "scikit-learn", "scipy")
"""Libraries whose versions may change a result or its picture."""
STORE: ContextVar[Store | None] = ContextVar("store", default=None)
"""Where results are kept; nowhere outside of `keeping`."""


@contextmanager
def keeping(store: Store) -> Iterator[None]:
    """Have results that are computed inside kept in a store, and taken from it."""
    token = STORE.set(store)
    try:
        yield
    finally:
        STORE.reset(token)


def kept(
    depends_on: object,
    compute: Callable[[], T],
    to_plain: Callable[[T], object],
    of_plain: Callable[[Any], T],
) -> T:
    """A result from the store, or computed and kept there.

    What cannot be written as JSON is not kept; what is kept and cannot be read is computed again.

    Args:
        depends_on: whatever the result depends on beside the build of the simulator, as JSON has it.
        compute: computes it.
        to_plain: the result as JSON has it.
        of_plain: the result of what `to_plain` gave.

    Raises:
        OutputError: the store cannot be written.
    """
    store = STORE.get()
    if store is None:
        return compute()
    whole = json.dumps((FORMAT, simulator(), depends_on), sort_keys=True, default=item)
    key = hashlib.sha256(whole.encode()).hexdigest()
    try:
        return of_plain(store.read(key))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        # absent, or not ours
        pass
    found = compute()
    try:
        text = json.dumps(to_plain(found), default=item)
    except TypeError:
        return found
    store.write(key, text)
    return found


def item(value: Any) -> Any:
    """A number of NumPy as one of Python.

    Raises:
        TypeError: it is none.
    """
    try:
        return value.item()
    except (AttributeError, ValueError):
        raise TypeError(f"{type(value).__name__} has no form in JSON") from None


def plain_table(table: pl.DataFrame | None) -> object:
    """A table as columns with their types."""
    if table is None:
        return None
    return [[name, str(column.dtype), column.to_list()] for name, column in table.to_dict().items()]


def table_of(plain: Any) -> pl.DataFrame | None:
    """The table of what `plain_table` gave; types are those without parameters (`Float64`, `UInt32`, `String`)."""
    if plain is None:
        return None
    return pl.DataFrame(
        [pl.Series(name, values, getattr(pl, kind)) for name, kind, values in plain]
    )


def installed(library: str) -> str:
    """The version of a library; nothing where it is absent."""
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


def code_of(module: str) -> Path | None:
    """The folder of the package that a module belongs to, or the file of a module that is in none; nothing where it has no file."""
    file = getattr(sys.modules.get(module.partition(".")[0]), "__file__", None)
    if file is None:
        return None
    path = Path(file)
    return path.parent if path.stem == "__init__" else path


def files_of_code(place: Path) -> list[Path]:
    """The files of a package that decide what it computes: code and settings."""
    if place.is_file():
        return [place]
    return [path for path in sorted(place.rglob("*")) if path.suffix in (".py", ".toml")]


@cache
def sources(module: str) -> str:
    """What tells one version of the Python code behind a module from another: the digest of the files of Wordline and of the package that the module belongs
    to, and of the versions of the libraries that compute or draw with them.
    """
    whole = hashlib.sha256()
    for library in LIBRARIES:
        whole.update(f"{library}\0{installed(library)}\0".encode())
    places = (code_of("wordline"), code_of(module))
    for place in dict.fromkeys(filter(None, places)):
        for path in files_of_code(place):
            whole.update(f"{path.relative_to(place.parent)}\0".encode())
            whole.update(path.read_bytes())
    return whole.hexdigest()
