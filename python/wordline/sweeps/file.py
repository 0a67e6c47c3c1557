"""A sweep as it is written: in a TOML file, on the command line, or in both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from wordline import _wordline
from wordline.config import Workload, flatten
from wordline.errors import ConfigError
from wordline.parsing import toml_of
from wordline.sweeps.layers import Layers
from wordline.sweeps.space import Axis, Sample, Space
from wordline.sweeps.values import Range, range_of

TABLES = ("vary", "together")
"""Tables of which a sweep file has one at least; a drive file has none of them."""
KEYS = ("drive", "workload", "seeds", "set", "sample", "targets", *TABLES)
"""Keys of a sweep file."""


@dataclass(frozen=True)
class Asked:
    """What a sweep file or a command line asks for."""

    layers: Layers
    axes: tuple[Axis, ...] = ()
    sample: Sample | None = None
    seeds: int | None = None
    """Runs of each point; as many as the command does without."""
    targets: Mapping[str, Any] = field(default_factory=dict)
    """What was measured, by figure; for `wordline infer`."""
    has_workload: bool = False
    """Whether a sweep file has a workload of its own."""

    def with_sample(self, sample: Sample | None) -> Asked:
        """The same with a sample, or without."""
        return replace(self, sample=sample)

    @property
    def space(self) -> Space:
        """What is varied.

        Raises:
            ConfigError: what makes no sense.
        """
        return Space(self.axes, self.sample)


def is_sweep(path: Path) -> bool:
    """Whether a file is a sweep file rather than a drive file.

    A file that cannot be read is none: the reader of drive files says why.
    """
    try:
        read = toml_of(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return any(name in read for name in TABLES)


def read_sweep(path: Path) -> Asked:
    """What a sweep file asks for; files that it names lie beside it.

    Raises:
        ConfigError: a key or value that is not accepted, with the name of the file.
    """
    tree = toml_of(path.read_text(encoding="utf-8"))
    try:
        refuse_unknown(tree, KEYS, "")
        if not isinstance(tree.get("drive"), str):
            raise ConfigError('drive: accepted is a preset or a file, such as drive = "tiny"')
        seeds = tree.get("seeds")
        if seeds is not None and (not isinstance(seeds, int) or isinstance(seeds, bool)):
            raise ConfigError(f"seeds = {seeds!r}: accepted is a whole number")
        layers = Layers.named(
            beside(path, tree["drive"]),
            workload_of(path, tree.get("workload")),
            flatten(table(tree, "set")),
        )
        return Asked(
            layers,
            axes_of(tree),
            sample_of(tree.get("sample")),
            seeds,
            dict(nested(table(tree, "targets"), leaves="value")),
            "workload" in tree,
        )
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def workload_of(path: Path, given: object) -> Workload | None:
    """The workload of a sweep file: a file, or the keys of its table."""
    match given:
        case None:
            return None
        case str():
            return Workload(beside(path, given))
        case dict():
            return Workload(**given)
        case _:
            raise ConfigError("workload: accepted are the name of a file and a table of keys")


def beside(path: Path, name: str) -> str:
    """A file beside another, if there is one of that name; else the name as it is: that of a preset, or of a file elsewhere."""
    place = path.parent / name
    return str(place) if place.is_file() else name


def axes_of(tree: Mapping[str, Any]) -> tuple[Axis, ...]:
    """What `[vary]` and every `[[together]]` list."""
    axes = [Axis.of(key, values_of(key, values)) for key, values in nested(table(tree, "vary"))]
    groups = tree.get("together", [])
    if not isinstance(groups, list):
        raise ConfigError("together: accepted are tables [[together]] of keys with lists of values")
    for group in groups:
        columns = dict(nested(group))
        for key, values in columns.items():
            if not isinstance(values, list):
                raise ConfigError(f"together: {key}: accepted is a list of values")
        axes.append(together(columns))
    return tuple(axes)


def together(columns: Mapping[str, Sequence[Any]]) -> Axis:
    """Keys that change together: the first values, the second, and so on.

    Raises:
        ConfigError: lists of different length.
    """
    lengths = {key: len(values) for key, values in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{key} {count}" for key, count in lengths.items())
        raise ConfigError(f"keys that change together have different numbers of values: {told}")
    return Axis.of(tuple(columns), list(zip(*columns.values(), strict=True)))


def values_of(key: str, given: object) -> Sequence[Any] | Range:
    """A list of values, or a range."""
    if isinstance(given, list):
        return given
    if isinstance(given, Mapping):
        names = [each.name for each in fields(Range)]
        refuse_unknown(given, names, f"vary.{key}.")
        if {"low", "high"} <= given.keys():
            return Range(**given)
    elif isinstance(given, str):
        found = range_of(given)
        if found is not None:
            return found
    raise ConfigError(
        f"vary.{key}: accepted are a list of values, LOW..HIGH:COUNT as text, and "
        "{ low = 1, high = 64, count = 7, log = true }"
    )


def nested(
    tree: Mapping[str, Any], prefix: str = "", leaves: str = "low"
) -> Iterable[tuple[str, Any]]:
    """Dotted keys, written in quotes or as nested tables, and their values; tables that have the key `leaves` are values."""
    for key, value in tree.items():
        if isinstance(value, Mapping) and leaves not in value:
            yield from nested(value, f"{prefix}{key}.", leaves)
        else:
            yield f"{prefix}{key}", value


def table(tree: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A table of the file, empty where there is none."""
    found = tree.get(name, {})
    if not isinstance(found, Mapping):
        raise ConfigError(f"{name}: accepted is a table")
    return found


def sample_of(given: object) -> Sample | None:
    """A sample, if one is asked for."""
    if given is None:
        return None
    if not isinstance(given, Mapping) or not {"kind", "points"} <= given.keys():
        raise ConfigError('sample: accepted is { kind = "sobol", points = 64, seed = 1 }')
    refuse_unknown(given, [each.name for each in fields(Sample)], "sample.")
    return Sample(**given)


def refuse_unknown(tree: Mapping[str, Any], accepted: Sequence[str], prefix: str) -> None:
    """Refuse keys that are not accepted."""
    for key in tree:
        if key not in accepted:
            hint = _wordline.did_you_mean(key, list(accepted))
            raise ConfigError(f"{prefix}{key}: unknown; {hint}accepted are {', '.join(accepted)}")


def axis_from_text(text: str) -> Axis:
    """An axis as `--vary` takes it: `KEY=a,b,c`, `KEY=LOW..HIGH:COUNT` or `KEY=LOW..HIGH:COUNT:log`.

    Raises:
        ConfigError: it is none.
    """
    key, values = key_and_values("--vary", text)
    found = range_of(values) if "," not in values else None
    return (
        Axis((key,), span=found)
        if found
        else Axis((key,), tuple((each,) for each in listed(values)))
    )


def axis_from_columns(texts: Sequence[str]) -> Axis | None:
    """Keys that change together, as every `--together` lists one: `KEY=a,b,c`.

    Raises:
        ConfigError: lists of different length.
    """
    if not texts:
        return None
    columns = {
        key: listed(values)
        for key, values in (key_and_values("--together", text) for text in texts)
    }
    axis = together(columns)
    # as they are written: bare, not as quoted text
    return Axis(axis.keys, tuple(dict.fromkeys(zip(*columns.values(), strict=True))))


def key_and_values(option: str, text: str) -> tuple[str, str]:
    """Key and values of an option."""
    key, equals, values = text.partition("=")
    if not (equals and key.strip() and values.strip()):
        raise ConfigError(
            f"{option} {text}: accepted is KEY=VALUE,VALUE,... such as ftl.gc.victim=greedy,fifo"
        )
    return key.strip(), values.strip()


def listed(values: str) -> list[str]:
    """Values with commas between them."""
    found = [each.strip() for each in values.split(",")]
    if not all(found):
        raise ConfigError(f"{values}: a value is empty")
    return list(found)


def sample_from_text(text: str, seed: int | None) -> Sample:
    """A sample as `--sample` takes it: `sobol:64` or `random:100`.

    Raises:
        ConfigError: it is none.
    """
    kind, colon, points = text.partition(":")
    if not colon or not points.isdecimal():
        raise ConfigError(
            f"--sample {text}: accepted is KIND:POINTS, such as sobol:64 or random:100"
        )
    return Sample(kind, int(points), 1 if seed is None else seed)  # type: ignore[arg-type]  # checked there


def laid_over(asked: Asked, axes: Sequence[Axis]) -> tuple[Axis, ...]:
    """The axes of a file with those of a command line: one that varies the same key replaces it."""
    keys = {key for axis in axes for key in axis.keys}
    return (*(axis for axis in asked.axes if not keys & set(axis.keys)), *axes)
