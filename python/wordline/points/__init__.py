"""Runs that are kept: a point is one run, named by the hash of whatever its outcome depends on.

Studies, sweeps and searches declare points; the engine (`engine.py`) runs those that are not in the store (`store.py`) yet,
on the threads of this process or on the workers of a Dask cluster.
"""
