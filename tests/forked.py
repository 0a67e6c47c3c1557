"""Commands in processes forked from one that has imported the package, with polars and Altair.

The tests run the command line some 350 times, and imports take most of that time. A forked process has arguments, a
directory, an environment and output files of its own, as one that was started has; only its imports are done.
"""

from __future__ import annotations

import json
import os
import pkgutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

LIMIT_S = 1200
"""After so long a command is taken to hang, and ended by SIGALRM."""


class Forked:
    """A process that forks one for each command; ended by `close`."""

    def __init__(self) -> None:
        command = [sys.executable, __file__]
        self._server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(
        self,
        arguments: Sequence[str],
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run `wordline` with these arguments, as `subprocess.run` with `capture_output` does."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        with TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("output", "errors")]
            job = {
                "arguments": list(arguments),
                "cwd": str(cwd or Path.cwd()),
                "env": dict(os.environ if env is None else env),
                "files": [str(file) for file in files],
            }
            print(json.dumps(job), file=self._server.stdin, flush=True)
            status = int(self._server.stdout.readline())
            output, errors = (file.read_text(encoding="utf-8") for file in files)
        return subprocess.CompletedProcess(["wordline", *arguments], status, output, errors)

    def close(self) -> None:
        """End the process."""
        self._server.communicate()  # which closes its standard input


def serve() -> None:
    """Fork a process for each line of standard input, and print the status that it ended with."""
    import wordline

    for module in pkgutil.walk_packages(wordline.__path__, "wordline."):
        # the file of a command adds it to the application, which is for the process to do
        if not module.name.startswith("wordline.cli."):
            import_module(module.name)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(command(**json.loads(line)))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def command(
    arguments: Sequence[str], cwd: str, env: Mapping[str, str], files: Sequence[str]
) -> int:
    """Run `wordline` in this process, printing into files; the exit status."""
    from wordline.cli import main

    signal.alarm(LIMIT_S)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    for stream, file in zip((sys.stdout, sys.stderr), files, strict=True):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), stream.fileno())
    sys.argv = ["wordline", *arguments]
    status: object = 0
    try:
        main()
    except SystemExit as end:
        status = end.code
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status if isinstance(status, int) else int(status is not None)


if __name__ == "__main__":
    serve()
