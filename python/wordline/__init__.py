"""Wordline simulates NAND-flash solid state drives.

A drive description and a workload go in; latency, write amplification, wear and the reasons for them
come out:

```python
import wordline as wl

drive = wl.Drive.from_toml("onfi5-tlc", **{"ftl.gc.victim": "greedy"})
result = wl.simulate(drive, wl.Workload(kind="random", read_fraction=0.7, requests=100_000))
result.summary["host.read.latency.p99_us"]
result.requests  # a Polars frame, one row per request
result.save("out")  # summary, tables, report.html and the complete configuration
```
"""

from wordline._wordline import (
    ConfigError,
    RunError,
    TraceError,
    __version__,
    write_amplification,
)
from wordline.cell import BlockClass, Cells
from wordline.comparison import Comparison, compare
from wordline.config import Drive, Workload
from wordline.ecc import Bch, Ldpc, PageCode, find_codes
from wordline.fitting import Fit, fit
from wordline.lifetimes import Lifetime, LifetimeStudy, lifetime
from wordline.loading import ResultError, load
from wordline.power import Calibrated, Chip, Energy, Measured, StateEnergy
from wordline.results import Note, Result
from wordline.retention import RetentionModel, cell_constants
from wordline.saving import OutputError
from wordline.seeds import SeedRuns, simulate_seeds
from wordline.simulation import simulate
from wordline.statistics import Difference, Estimate
from wordline.traces import Converted, convert, trace_stats

__all__ = [
    "Bch",
    "BlockClass",
    "Calibrated",
    "Cells",
    "Chip",
    "Comparison",
    "ConfigError",
    "Converted",
    "Difference",
    "Drive",
    "Energy",
    "Estimate",
    "Fit",
    "Ldpc",
    "Lifetime",
    "LifetimeStudy",
    "Measured",
    "Note",
    "OutputError",
    "PageCode",
    "Result",
    "ResultError",
    "RetentionModel",
    "RunError",
    "SeedRuns",
    "StateEnergy",
    "TraceError",
    "Workload",
    "__version__",
    "cell_constants",
    "compare",
    "convert",
    "find_codes",
    "fit",
    "lifetime",
    "load",
    "simulate",
    "simulate_seeds",
    "trace_stats",
    "write_amplification",
]
