"""Install the wheels in a directory, of Wordline and of its studies, into a fresh virtual environment and use them; `make wheel` runs this.

Neither Rust nor this repository can be reached from there: what a package needs must be in its wheel.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

NAMES = ("wordline", "wordline_studies")


def main() -> int:
    """Install and use the wheels in the directory that the command line names."""
    found = [[*Path(sys.argv[1]).resolve().glob(f"{name}-*.whl")] for name in NAMES]
    if any(len(wheels) != 1 for wheels in found):
        print(f"{sys.argv[1]}: accepted is one wheel of each of {NAMES}", file=sys.stderr)
        return 2
    wheel, studies = (wheels[0] for wheels in found)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        venv.create(place / "venv", with_pip=True)
        binaries = place / "venv" / "bin"
        # a path without cargo and rustc, a home without settings
        environment = {"PATH": f"{binaries}:/usr/bin:/bin", "HOME": directory}

        def call(*command: str) -> str:
            print(f"> {' '.join(command)}", flush=True)
            done = subprocess.run(
                [str(binaries / command[0]), *command[1:]],
                cwd=place,
                env=environment,
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
            return done.stdout

        install = ("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        call(*install, str(wheel))
        version = call("wordline", "--version").split()[-1]
        summary = json.loads(
            call(
                "wordline",
                "run",
                "tiny",
                "--set",
                "workload.requests=2000",
                "--out",
                "result",
                "--json",
            )
        )
        assert summary["host.requests"] == 2000, summary["host.requests"]
        assert summary["run.version"] == version, summary["run.version"]
        names = {file.name for file in (place / "result").iterdir()}
        assert {"summary.json", "report.html", "requests.parquet", "config.toml"} <= names, names
        call("wordline", "compare", "result", "result", "--out", "compared.html")
        call("wordline", "power", "b-mlc8", "--out", "energy")
        call("wordline", "cell", "--out", "cells")
        code = "import wordline as wl; print(wl.load('result').requests.height)"
        assert call("python", "-c", code).strip() == "2000"
        call(*install, str(studies))
        call("wordline", "reproduce", "mohan-fence", "--quick", "--out", "chapter")
        # whose settings are files of the package
        call("wordline", "reproduce", "wu2012-suspension", "--quick", "--figure", "shadow-buffer")
    print(f"{wheel.name} and {studies.name} work")
    return 0


if __name__ == "__main__":
    sys.exit(main())
