"""JSON and TOML that anybody may have written: whatever is wrong with a text is a `ValueError`."""

from __future__ import annotations

import json
import tomllib
from typing import Any

TOO_DEEP = "its values are nested too deeply"
"""Both parsers call themselves for every level, and Python limits the depth of calls."""


def json_of(text: str) -> Any:
    """The value that a text of JSON holds.

    Raises:
        ValueError: the text is no JSON, or nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error


def toml_of(text: str) -> dict[str, Any]:
    """The tables that a text of TOML holds.

    Raises:
        ValueError: the text is no TOML, or nested too deeply.
    """
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
