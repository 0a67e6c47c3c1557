"""Install the wheel in a directory into a fresh virtual environment and use it; `make wheel` runs this.

Neither Rust nor this repository can be reached from there: what the package needs must be in the wheel.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path


def main() -> int:
    """Install and use the one wheel in the directory that the command line names."""
    wheels = list(Path(sys.argv[1]).resolve().glob("*.whl"))
    if len(wheels) != 1:
        print(f"{sys.argv[1]}: {len(wheels)} wheels; accepted is one", file=sys.stderr)
        return 2
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

        call(
            "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            str(wheels[0]),
        )
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
    print(f"{wheels[0].name} works")
    return 0


if __name__ == "__main__":
    sys.exit(main())
