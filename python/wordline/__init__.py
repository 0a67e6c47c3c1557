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

import lazy_loader

# names and their modules are listed in __init__.pyi; importing all of them takes a third of a second
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
