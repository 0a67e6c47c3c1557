"""The script that draws charts.

To put Vega and the script of this package into one takes a second of CPU time, as much as all else of a report, so the
outcome is kept in the user's cache, under a name that says what it was made of.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from wordline.errors import OutputError
from wordline.saving import whole


@cache
def drawing() -> str:
    """The script with all of Vega inside, so that a page needs no network."""
    script = files("wordline.report").joinpath("draw.js").read_text("utf-8")
    kept = place(f"{version('vl-convert-python')}\n{script}")
    # absent or unreadable: it is made anew
    with suppress(OSError, UnicodeDecodeError):
        return kept.read_bytes().decode()
    import vl_convert

    bundle: str = vl_convert.javascript_bundle(script)
    # a cache that cannot be written is done without
    with suppress(OSError, OutputError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with whole(kept) as file:
            file.write_bytes(bundle.encode())
    return bundle


def place(made_of: str) -> Path:
    """Where the script that is made of this is kept."""
    from platformdirs import user_cache_path

    name = sha256(made_of.encode()).hexdigest()
    return user_cache_path("wordline") / "drawing" / f"{name}.js"
