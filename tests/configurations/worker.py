"""The process that runs configurations: a case in a line of JSON on standard input, a verdict on standard output.

A panic is an exception of Python; an endless loop, an abort or memory without bound ends the process, not the test.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
import time
from dataclasses import asdict
from pathlib import Path

from configurations.case import Case
from configurations.judge import SECONDS, judge


def main() -> None:
    """Judge case after case."""
    faulthandler.enable()
    # what libraries print must not come between the verdicts
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        allow(SECONDS)
        verdict = judge(Case(**asked["case"]), Path(asked["folder"]))
        answers.write(json.dumps(asdict(verdict)) + "\n")
        answers.flush()


def allow(seconds: float) -> None:
    """Let the system end this process with SIGXCPU once it has used this much more CPU time."""
    most = int(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main()
