"""What runs several functions at a time: order, how far ahead, and how it stops."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import wordline as wl
from wordline.executor import Executor
from wordline.points.engine import Engine
from wordline.points.point import Point
from wordline.points.store import Store


def test_calls_are_taken_up_a_few_ahead_and_given_as_they_finish() -> None:
    taken: list[int] = []

    def calls() -> Iterator[Callable[[], int]]:
        for number in range(20):
            taken.append(number)
            yield partial(abs, -number)

    with Executor(2) as executor:
        found = executor.gather(calls())
        first = next(found).result()
        # one more than can run
        assert taken == [0, 1, 2]
        assert sorted([first, *(each.result() for each in found)]) == list(range(20))


def test_closing_stops_what_runs_and_drops_the_rest() -> None:
    started: list[int] = []
    running = threading.Event()

    def until_stopped(executor: Executor, number: int) -> None:
        started.append(number)
        running.set()
        while executor.goes_on():
            time.sleep(0.001)

    executor = Executor(1)
    waiting = [executor.submit(until_stopped, executor, number) for number in range(3)]
    assert running.wait(10)
    executor.close()
    assert started == [0]
    assert [each.cancelled() for each in waiting] == [False, True, True]


def test_a_failure_is_of_its_call_alone() -> None:
    def failing() -> int:
        raise wl.RunError("broken")

    with Executor(1) as executor:
        calls: list[Callable[[], int]] = [failing, partial(abs, -1)]
        found = list(executor.gather(calls))
    assert isinstance(found[0].exception(), wl.RunError)
    assert found[1].result() == 1


@pytest.mark.parametrize("workers", [0, -1, 10_001, 1.5])
def test_the_number_of_threads_is_checked(workers: int) -> None:
    with pytest.raises(wl.ConfigError, match="jobs = "):
        Executor(workers)


def test_batches_share_what_runs_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are started with the first points that must be run, and serve every later batch."""
    entered: list[tuple[str | None, int | None]] = []
    closed: list[bool] = []

    @contextmanager
    def counted(cluster: str | None, jobs: int | None) -> Iterator[Executor]:
        entered.append((cluster, jobs))
        with Executor(jobs) as executor:
            yield executor
        closed.append(True)

    monkeypatch.setattr("wordline.executor.executor_on", counted)
    monkeypatch.setattr("wordline.points.engine.executor_on", counted)
    engine = Engine(Store(tmp_path), jobs=1, progress=False, cluster="local")
    points = [
        Point("tiny", (("seed", str(seed)), ("workload.requests", "20"), ("age.method", '"fresh"')))
        for seed in (1, 2, 3)
    ]
    with engine.for_batches() as batches:
        assert not entered
        first = batches.run(points[:1])
        second = batches.run(points[1:])
        assert (entered, closed) == ([("local", 1)], [])
    assert closed == [True]
    assert entered == [("local", 1)]
    # what is kept starts nothing
    with engine.for_batches() as batches:
        assert batches.run(points) == {**first, **second}
    assert entered == [("local", 1)]
    # a batch of its own does
    engine.run([replace(points[0], raised=7)])
    assert len(entered) == 2


def test_a_search_starts_its_processes_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = 0
    whole = Executor.__init__

    def counted(self: Executor, workers: int | None = None) -> None:
        nonlocal started
        started += 1
        whole(self, workers)

    monkeypatch.setattr(Executor, "__init__", counted)
    found = wl.search(
        wl.Drive("tiny", **{"age.method": "fresh"}),
        {"requests": 20},
        vary={"geometry.channels": [1, 2, 3, 4, 5, 6]},
        minimize="sim.time_s",
        trials=6,
        batch=2,
        cache=tmp_path,
        progress=False,
    )
    assert found.table.height > 2
    assert started == 1
