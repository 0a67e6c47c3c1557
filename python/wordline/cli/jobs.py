"""fio on the command line of `wordline run`: its job files, their variables, and its own command lines."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from wordline import _wordline
from wordline.config import Overrides, Workload, toml_value

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""What a variable may be called."""


def defined(given: Sequence[str]) -> Overrides:
    """The keys that `--define` options stand for.

    Raises:
        ConfigError: one that is not `NAME=VALUE`.
    """
    found = []
    for each in given:
        name, sign, value = each.partition("=")
        if not sign or not NAME.fullmatch(name):
            raise _wordline.ConfigError(
                f"--define {each}: accepted is NAME=VALUE, for ${{NAME}} in a fio job file"
            )
        found.append((f"workload.define.{name}", toml_value(name, value)))
    return tuple(found)


@contextmanager
def workload_of(words: Sequence[str] | None, file: Path | None) -> Iterator[Workload | None]:
    """The workload that a command line of fio stands for, or a file, while it is resolved; none where there is neither.

    Raises:
        ConfigError: the command line begins otherwise than with `fio`, or is none that runs jobs.
    """
    if not words:
        yield Workload(file) if file else None
        return
    if Path(words[0]).name != "fio":
        raise _wordline.ConfigError(
            f"{words[0]}: accepted behind DRIVE is a command line of fio: -- fio --name=a --rw=randread"
        )
    text, variables = _wordline.fio_jobs(list(words))
    lines = ["[workload]", 'kind = "fio"', f"jobs = {json.dumps(text)}"]
    lines += ["[workload.define]"] if variables else []
    lines += [
        f"{name} = {json.dumps(os.environ[name])}"
        for name in variables
        if name in os.environ and NAME.fullmatch(name)
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "fio.toml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield Workload(path)
