"""Energy: by component, kind of operation, cause and window it is the same."""

from __future__ import annotations

from collections.abc import Iterator

from configurations.checks.run import Run, number, unequal

BESIDE_FLASH = ("controller", "dram", "channel_io", "idle", "idle_states")
TOTALS = {"total", "flash", *BESIDE_FLASH}


def every_cut_of_energy_is_the_total(run: Run) -> Iterator[str]:
    if not run.has("energy.total_mj"):
        return
    flash = run["energy.flash_mj"]
    components = {
        name: value for name, value in run.family("energy.", "_mj").items() if name not in TOTALS
    }
    operations = run.family("energy.operation.", "_mj")
    causes = run.family("energy.cause.", "_mj")
    for name, cut in (("<component>", components), ("operation", operations), ("cause", causes)):
        yield from unequal(f"energy.{name}", sum(cut.values()), flash)
    for cause, value in causes.items():
        parts = run.family(f"energy.cause.{cause}.", "_mj")
        yield from unequal(f"energy.cause.{cause}", sum(parts.values()), value)
    # of a drive without idle states nothing is said of these
    beside = [f"energy.{name}_mj" for name in BESIDE_FLASH if run.has(f"energy.{name}_mj")]
    total = flash + sum(run[key] for key in beside)
    yield from unequal("energy.total_mj", run["energy.total_mj"], total)
    if run["sim.time_s"]:
        yield from unequal("power.mean_mw", run["power.mean_mw"], total / run["sim.time_s"])
    if run["host.all.bytes"]:
        each = total * 1e6 / run["host.all.bytes"]
        yield from unequal("energy.per_host_byte_nj", run["energy.per_host_byte_nj"], each)
    table = run.result.time_series
    width = table["width_ns"] / 1e9
    yield from unequal("time_series.power_mw", float((table["power_mw"] * width).sum()), total)
    series = sum(
        float((table[f"power_flash_{cause}_mw"] * width).sum()) for cause in ("host", "gc", "other")
    )
    yield from unequal("time_series.power_flash_*", series, flash)
    most = number(table["power_mw"].max())
    yield from unequal("power.max_window_mw", run["power.max_window_mw"], most)
