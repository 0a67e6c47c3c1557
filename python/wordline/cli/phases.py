"""Options of `wordline lifetime` in words: temperatures and for how long, and numbers that may be left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordline import _wordline

if TYPE_CHECKING:
    from wordline.lifetimes import Profile


def present_only(**values: float | None) -> dict[str, float]:
    """What was given."""
    return {name: value for name, value in values.items() if value is not None}


def climate(text: str) -> float | Profile:
    """A temperature, or temperatures and for how long.

    Raises:
        ConfigError: a temperature or a time that is none.
    """
    if " for " not in text:
        return _wordline.celsius(text)
    phases = [phase.split(" for ", 1) for phase in text.split(",")]
    for phase in phases:
        if len(phase) < 2:
            raise _wordline.ConfigError(
                f"--temperature: '{phase[0].strip()}' does not say for how long; accepted are phases such as "
                "'30 degC for 1 y', with commas between them"
            )
    return tuple(
        (_wordline.seconds(time.strip()), _wordline.celsius(value.strip()))
        for value, time in phases
    )
