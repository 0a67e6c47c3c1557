"""What a command line and the file that it names vary, together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wordline.config import Overrides, Workload
from wordline.errors import ConfigError
from wordline.policies import load_policies
from wordline.sweeps.file import (
    Asked,
    axis_from_columns,
    axis_from_text,
    is_sweep,
    laid_over,
    read_sweep,
)
from wordline.sweeps.layers import Layers


def asked_for(
    source: str,
    workload: Path | None,
    overrides: Overrides,
    vary: Sequence[str] | None,
    together: Sequence[str] | None,
    seeds: int | None,
    policies: Sequence[Path] | None = None,
    *,
    targets: bool = False,
) -> Asked:
    """What is asked for: options lie over the file.

    Raises:
        ConfigError: a key, value or file of policies that is not accepted, or a second workload.
    """
    for file in policies or ():
        load_policies(file)
    load = Workload(workload) if workload else None
    path = Path(source)
    if is_sweep(path):
        asked = read_sweep(path)
        if asked.targets and not targets:
            raise ConfigError(f"{source}: targets: only `wordline infer` has a use for them")
        layers = replace(asked.layers, overrides=(*asked.layers.overrides, *overrides))
        if load is not None:
            if asked.has_workload:
                raise ConfigError(f"--workload {workload}: {source} has a workload")
            layers = replace(layers, workload=load.path)
        asked = replace(asked, layers=layers)
    else:
        asked = Asked(Layers.named(source, load, overrides))
    named = tuple(map(str, policies or ()))
    asked = replace(asked, layers=replace(asked.layers, policies=named))
    axes = [axis_from_text(text) for text in vary or ()]
    zipped = axis_from_columns(together or ())
    if zipped is not None:
        axes.append(zipped)
    return replace(
        asked, axes=laid_over(asked, axes), seeds=asked.seeds if seeds is None else seeds
    )
