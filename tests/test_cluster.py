"""Sweeps on a real Dask scheduler with workers in processes of their own, of which some are killed."""

from __future__ import annotations

import errno
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from clusters import Ending, Waiting, processes
from options import call, effect
from wordline import cluster as module
from wordline.cluster import Cluster
from wordline.points.engine import Engine
from wordline.points.job import Failure
from wordline.points.store import Store
from wordline.sweeps.layers import Layers

pytestmark = [
    # one process runs them all, so that they share a cluster
    pytest.mark.xdist_group("cluster"),
    pytest.mark.skipif(sys.platform == "win32", reason="sends signals to processes"),
    # of Dask itself, when a connection ends
    pytest.mark.filterwarnings("default"),
]

LOAD = {"requests": 100}
GRID: dict[Any, Any] = {"geometry.channels": [1, 2], "ftl.gc.victim": ["greedy", "fifo", "nope"]}
PATCH = "__import__('builtins').setattr(__import__('wordline.{}', fromlist=['x']), '{}', {})"


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers, whose machine keeps files in a cache of its own."""
    directory = tmp_path_factory.mktemp("cluster")
    with processes(directory) as started:
        address = started.scheduler()
        for _ in range(2):
            started.worker(XDG_CACHE_HOME=str(directory / "cache"))
        yield address


def in_workers(address: str, of_module: str, name: str, value: str) -> None:
    """Set an attribute of a module of Wordline in every worker."""
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(1)
        client.run(eval, PATCH.format(of_module, name, value))


def saved(directory: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in directory.iterdir()}


@effect("sweep", "--cluster")
def test_results_are_the_same_to_the_byte(two: str, tmp_path: Path) -> None:
    vary = ("--vary", "geometry.channels=1,2", "--vary", "ftl.gc.victim=greedy,fifo,nope")
    for name, options in (("threads", ()), ("cluster", ("--cluster", two))):
        few = ("--set", "workload.requests=100", "--cache", tmp_path / f"kept {name}")
        call("sweep", "tiny", *few, *vary, *options, "--out", tmp_path / name)
    assert saved(tmp_path / "threads") == saved(tmp_path / "cluster")
    assert saved(tmp_path / "kept threads") == saved(tmp_path / "kept cluster")
    assert len(saved(tmp_path / "kept cluster")) == 4


@effect("run", "--cluster")
@effect("lifetime", "--cluster")
@effect("reproduce", "--cluster")
def test_seeds_replicas_and_studies_run_on_it_too(
    two: str, only_mini: None, tmp_path: Path
) -> None:
    few = ("tiny", "--set", "workload.requests=100")
    commands: dict[str, tuple[Any, ...]] = {
        "run": (*few, "--seeds", 2, "--json"),
        "lifetime": (
            *few,
            "--replicas",
            2,
            "--horizon",
            "30 d",
            "--every",
            "15 d",
            "--writes-per-day",
            1,
            "--json",
        ),
        "reproduce": ("mini", "--figure", "channels"),
    }
    # processor time differs between any two studies
    of_machine = re.compile(r'"run\..*')
    for command, options in commands.items():
        kept = ("--cache", tmp_path / command) if command == "reproduce" else ()
        there = call(command, *options, *kept, "--cluster", two).stdout
        again = ("--cache", tmp_path / "other") if command == "reproduce" else ()
        here = call(command, *options, *again).stdout
        assert of_machine.sub("", there) == of_machine.sub("", here), command
    done = call("run", "tiny", "--cluster", two, status=2)
    assert "--cluster: there are no --seeds" in done.stderr


def test_files_are_sent_to_workers_that_have_them_not(two: str, tmp_path: Path) -> None:
    trace = tmp_path / "t.spc"
    trace.write_text("".join(f"0,{8 * i},4096,{'rw'[i % 2]},{i / 1000}\n" for i in range(300)))
    state = tmp_path / "state.bin"
    wl.simulate("tiny", LOAD, save_state=state, progress=False)
    layers = Layers.of("tiny", {"kind": "trace", "path": str(trace), "format": "spc"})
    aged = (("age.method", "snapshot"), ("age.snapshot", str(state)))
    points = [layers.point(aged)]
    here = Engine(Store(tmp_path / "here"), progress=False).each(points)
    in_workers(
        two,
        "workers",
        "is_there",
        "(lambda there: lambda path, digest: '/files/' in str(path) and there(path, digest))(__import__('wordline.workers', fromlist=['x']).is_there)",
    )
    there = Engine(Store(tmp_path / "there"), progress=False, cluster=two).each(points)
    assert there == here
    kept = [*tmp_path.parent.glob("cluster0/cache/wordline/files/*/*")]
    assert sorted(each.name for each in kept) == ["state.bin", "t.spc"]
    assert {each.read_bytes() for each in kept} == {trace.read_bytes(), state.read_bytes()}


def test_a_disk_that_is_full_is_said_once(
    two: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "other.spc"
    trace.write_text("0,0,4096,r,0.0\n")
    load = {"kind": "trace", "path": str(trace), "format": "spc"}
    in_workers(two, "workers", "is_there", "lambda *_: False")
    in_workers(
        two,
        "workers",
        "receive",
        f"lambda *_, **__: (_ for _ in ()).throw(OSError({errno.ENOSPC}, 'No space left on device'))",
    )
    with pytest.raises(
        wl.ClusterError,
        match=r"other\.spc could not be sent .*No space left on device\. Finished runs are kept",
    ):
        wl.sweep(
            "tiny",
            load,
            vary={"geometry.channels": [1, 2]},
            cluster=two,
            cache=tmp_path / "kept",
            progress=False,
        )

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(wl.OutputError, match="No space left on device"):
            wl.sweep(
                "tiny",
                LOAD,
                vary={"geometry.channels": [1, 2]},
                cluster=two,
                cache=tmp_path / "kept",
                progress=False,
            )


def test_a_killed_worker_costs_nothing_but_time(tmp_path: Path) -> None:
    with processes(tmp_path) as started:
        address = started.scheduler()
        started.worker("--no-nanny")
        victim = tmp_path / "0"
        with Cluster(address) as cluster:
            jobs = [Waiting(number, tmp_path / str(number)) for number in range(3)]
            found = cluster.run(jobs)
            # the second worker joins while the first is at work
            started.worker("--no-nanny")

            def kill() -> None:
                while not victim.exists() or not victim.read_text():
                    time.sleep(0.02)
                os.kill(int(victim.read_text()), signal.SIGKILL)

            threading.Thread(target=kill).start()
            assert sorted(found) == [(0, 0), (1, 1), (2, 2)]


def test_a_job_that_kills_twice_is_given_up_and_its_neighbours_are_not(tmp_path: Path) -> None:
    with processes(tmp_path) as started:
        address = started.scheduler()
        # their guardians start them again
        for _ in range(2):
            started.worker("--nanny")
        with Cluster(address) as cluster:
            found = dict(cluster.run([Ending(number, number == 3) for number in range(12)]))
    assert str(found.pop(3)).startswith("ended the worker that it ran on, 2 times")
    assert found == {number: number for number in range(12) if number != 3}


def test_a_point_that_is_given_up_is_a_row_with_its_error() -> None:
    point = Layers.of("tiny", LOAD).point(())
    assert point.job.lost("ended two workers") == Failure("WorkerLost", "ended two workers")


def test_a_scheduler_that_goes_away_is_said_and_what_is_done_is_kept(tmp_path: Path) -> None:
    with processes(tmp_path) as started:
        address = started.scheduler()
        started.worker("--no-nanny")
        jobs = [Waiting(number, tmp_path / str(number)) for number in range(3)]
        with Cluster(address) as cluster:
            found = cluster.run(jobs)
            done = next(found)
            started.running[0].kill()
            with pytest.raises(wl.ClusterError, match=r"not answer any more .* goes on from there"):
                next(found)
    assert done == (0, 0)


def test_workers_of_another_build_and_without_wordline_are_refused(
    two: str, tmp_path: Path
) -> None:
    in_workers(two, "workers", "simulator", "lambda: 'another build'")
    with pytest.raises(
        wl.ClusterError, match=r"has Wordline .*, build another buil, this machine Wordline"
    ):
        Cluster(two).__enter__()
    (tmp_path / "wordline.py").write_text("")
    with processes(tmp_path) as started:
        address = started.scheduler()
        started.worker("--no-nanny", PYTHONPATH=str(tmp_path))
        with pytest.raises(wl.ClusterError, match=r"has no Wordline that can be used"):
            Cluster(address).__enter__()


def test_a_cluster_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "CONNECT", 0.3)
    monkeypatch.setattr(module, "PATIENCE", 0.3)
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        with pytest.raises(wl.ClusterError, match="no Dask scheduler answers there"):
            Cluster(address).__enter__()
    with processes(tmp_path) as started:
        address = started.scheduler()
        monkeypatch.setattr(module, "CONNECT", 10.0)
        with pytest.raises(wl.ClusterError, match=r"no worker in 0 s.*dask worker"):
            Cluster(address).__enter__()
    with pytest.raises(wl.ConfigError, match="--jobs"):
        Cluster(address, 2)


def test_without_dask_the_pip_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = call("sweep", "tiny", "--vary", "geometry.channels=1,2", "--cluster", "local", status=2)
    assert 'python -m pip install "wordline[sweep]"' in done.stderr


def test_processes_of_this_machine(tmp_path: Path) -> None:
    grid = {"geometry.channels": [1, 2]}
    own = wl.sweep(
        "tiny", LOAD, vary=grid, cluster="local", jobs=1, cache=tmp_path / "a", progress=False
    )
    here = wl.sweep("tiny", LOAD, vary=grid, cache=tmp_path / "b", progress=False)
    assert own.table.equals(here.table)


@pytest.mark.slow
def test_processes_of_a_command_that_is_killed_end_too(tmp_path: Path) -> None:
    script = (
        "import time; import wordline.cluster as module; module.IDLE = '20 s'\n"
        "with module.Cluster('local', 1) as found:\n"
        "    print(found._client.scheduler.address, flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        process.kill()
    until = time.monotonic() + 60
    while is_open(port):
        assert time.monotonic() < until, "the scheduler is still there"
        time.sleep(0.2)


def is_open(port: int) -> bool:
    """Whether something listens at a port of this machine."""
    with socket.socket() as found:
        return found.connect_ex(("127.0.0.1", port)) == 0
