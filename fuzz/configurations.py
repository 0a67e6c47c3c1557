"""Run random configurations for a while: `make fuzz`, or on its own with a seed that was printed.

The configurations with findings are shrunk and kept in `fuzz/artifacts/configurations`, a folder for each;
`wordline run` reproduces them. A finding is looked for once.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
import time
from pathlib import Path

FUZZ = Path(__file__).resolve().parent
sys.path.insert(0, str(FUZZ.parent / "tests"))

from configurations.features import Coverage  # noqa: E402
from configurations.hunt import Hunt, name_of  # noqa: E402
from configurations.runner import Runner  # noqa: E402

KEPT = FUZZ / "artifacts" / "configurations"
PAIRS, OTHERS = 50, 30
"""Pairs of features, two configurations of each, and configurations of any keys, between two looks at the clock."""


def main() -> None:
    """Draw configurations; the exit status says whether one of them has a finding."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32), help="of the first")
    parser.add_argument(
        "--refused", action="store_true", help="print the pairs that were drawn and refused"
    )
    options = parser.parse_args()
    print(f"random configurations from seed {options.seed}", flush=True)
    until = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder, Runner(Path(folder) / "case") as runner:
        hunt = Hunt(runner, KEPT, coverage=Coverage(options.seed))
        number = options.seed
        while time.monotonic() < until:
            found = hunt.look_at_pairs(PAIRS) or hunt.look(OTHERS, number)
            if found is not None:
                print(f"\nseed {number}: {found}", flush=True)
                hunt.told.add(name_of(str(found)))
            number += 1
    outcomes = ", ".join(f"{count:,} {name}" for name, count in sorted(hunt.outcomes.items()))
    print(f"{outcomes}; {len(hunt.told)} findings", flush=True)
    print(hunt.coverage)
    if options.refused:
        for one, other in hunt.coverage.refused():
            print(f"refused: {one} with {other}")
    sys.exit(bool(hunt.told))


if __name__ == "__main__":
    main()
