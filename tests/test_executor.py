"""What runs several functions at a time: order, how far ahead, and how it stops."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

import wordline as wl
from wordline.executor import Executor


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
