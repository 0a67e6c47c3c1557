"""The lifetime benchmark, a part of `make bench`: pages programmed per CPU second without a clock, and five years by skipping.

Uniform random writes of 4 KiB pages to the `bench` preset in a steady state, with greedy collection and wear levelling
by swaps, every block keeping its wear; on one core. The time of ageing is taken out: it is the difference of two lengths of
the same study.
"""

from __future__ import annotations

import wordline as wl

DAY = 86_400.0
DRIVES = {"4 GiB": 128, "64 GiB": 2048}
"""Blocks of a plane."""
LOAD = {"kind": "random", "read_fraction": 0.0, "request_size": "4 KiB"}
REPEATS = 3
"""The fastest counts, since other processes can only slow a study down."""


def main() -> None:
    """Print the benchmark."""
    print(f"{'without a clock':28}{'programs / CPU s':>18}{'write amplification':>22}")
    for name, blocks in DRIVES.items():
        # overwrites of the drive
        short, long = (4, 20) if blocks < 1000 else (0.25, 1.25)
        rates = [rate(blocks, short, long) for _ in range(REPEATS)]
        best, amplification = max(rates)
        print(f"{name:28}{best:>18,.0f}{amplification:>22.2f}", flush=True)
    # a datacentre-class load: one drive write a day, three quarters of it to a fifth of the drive
    hot = {"kind": "hot_cold", "hot_space": 0.2, "hot_requests": 0.75, **{"read_fraction": 0.0}}
    asked = wl.LifetimeStudy(writes_per_day=1.0, horizon=5 * 365 * DAY)
    found = wl.lifetime(drive(DRIVES["64 GiB"]), hot, asked, progress=False).summary
    print(
        f"\nfive years of 64 GiB, one write of the drive a day: {found['run.cpu_s']:.0f} CPU s, "
        f"{found['simulated_share']:.1%} of the time simulated, {found['skips_kept']} skips"
    )
    # the drive of Mohan 2015 with refresh, its workload ten times as fast as recorded
    accelerated = wl.scale_intensity("mohan-m-ssd", None, 10)
    asked = wl.LifetimeStudy(writes_per_day=None, horizon=5 * 365 * DAY)
    found = wl.lifetime(accelerated, None, asked, progress=False).summary
    print(
        f"five years of mohan-m-ssd with refresh, intensity 10: {found['run.cpu_s']:.0f} CPU s, "
        f"{found['simulated_share']:.1%} of the time simulated, {found['skips_kept']} skips"
    )


def drive(blocks: int) -> wl.Drive:
    """The drive with so many blocks in a plane."""
    overrides = {
        "geometry.blocks_per_plane": blocks,
        "age.method": "steady_state",
        "ftl.wear.static": "swap",
    }
    return wl.Drive.from_toml("bench", **overrides)


def rate(blocks: int, short: float, long: float) -> tuple[float, float]:
    """Programs per CPU second, and write amplification."""
    costs = []
    for overwrites in (short, long):
        asked = wl.LifetimeStudy(
            writes_per_day=1.0, horizon=overwrites * DAY, every=overwrites * DAY, tolerance=None
        )
        found = wl.lifetime(drive(blocks), LOAD, asked, progress=False)
        costs.append(
            (float(found.summary["pages_programmed"] or 0), float(found.summary["run.cpu_s"] or 0))
        )
    (few, before), (many, after) = costs
    return (many - few) / (after - before), float(found.summary["write_amplification"] or 0)


if __name__ == "__main__":
    main()
