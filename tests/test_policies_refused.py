"""Policies written in Python that fail, are stopped or are refused."""

from __future__ import annotations

import functools
import signal
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from python_policies import AGEING, SMALL, WRITES, Fifo, Greedy, TwoLevelLru, same, simulated


def failed(keys: dict[str, Any]) -> wl.PolicyError:
    """The error of a run."""
    with pytest.raises(wl.PolicyError) as caught:
        simulated(keys)
    return caught.value


class Broken:
    """Fails in the tenth call."""

    calls = 0

    def choose(self, blocks: wl.VictimView) -> int:
        """A division by zero."""
        self.calls += 1
        return Greedy().choose(blocks).index + 0 * (1 // (self.calls - 10))


@pytest.mark.parametrize(
    ("register", "key", "method"),
    [
        (wl.register_victim, "ftl.gc.victim", "choose"),
        (wl.register_classifier, "ftl.hot.classifier", "temperature"),
        (wl.register_scheduler, "scheduler.policy", "pick"),
    ],
)
def test_an_exception_ends_the_run_and_names_the_policy(
    register: Callable[..., None], key: str, method: str
) -> None:
    class Failing:
        def __init__(self) -> None:
            self.calls = 0

        def fail(self, _: object) -> int:
            self.calls += 1
            if self.calls < 10:
                raise ValueError("no idea")
            raise AssertionError("it is not asked again")

    setattr(Failing, method, Failing.fail)
    register("failing", Failing, replace=True)
    error = failed({**SMALL, key: "failing"})
    assert str(error).startswith(f'{key} = "failing": {method}, at ')
    assert "raised ValueError: no idea (" in str(error)
    assert "test_policies_refused.py, line " in str(error)
    assert isinstance(error.__cause__, ValueError)
    (*_, last) = traceback.extract_tb(error.__cause__.__traceback__)
    assert last.name == "fail"

    class Unmade(Failing):
        def __init__(self) -> None:
            raise ValueError("not today")

    register("failing", Unmade, replace=True)
    error = failed({**SMALL, key: "failing"})
    assert f'{key} = "failing": making the policy raised ValueError: not today' in str(error)
    # a function may make anything
    register("failing", lambda: 7, replace=True)
    assert f"no attribute '{method}'" in str(failed({**SMALL, key: "failing"}))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "choose returned None at "),
        (5_000, "choose returned 5000 at "),
        (-1, "choose returned -1 at "),
        (True, "choose returned True at "),
        (0.5, "choose returned 0.5 at "),
        ("x" * 200, "choose returned 'xxx"),
    ],
)
def test_an_answer_that_is_no_block_is_refused(answer: object, words: str) -> None:
    class Wrong:
        def choose(self, _: wl.VictimView) -> object:
            return answer

    wl.register_victim("wrong", Wrong, replace=True)  # type: ignore[arg-type]
    text = str(failed({**WRITES, "ftl.gc.victim": "wrong"}))
    assert text.startswith('ftl.gc.victim = "wrong": ' + words), text
    assert "; accepted is one of the " in text
    assert len(text) < 300


def test_a_block_of_an_earlier_choice_is_refused_where_it_is_none_any_more() -> None:
    class Stale(Greedy):
        first: wl.BlockView | None = None

        def choose(self, blocks: wl.VictimView) -> wl.BlockView:
            self.first = self.first or super().choose(blocks)
            return self.first

    wl.register_victim("stale", Stale, replace=True)
    text = str(failed({**WRITES, "ftl.gc.victim": "stale"}))
    assert "choose returned <block " in text
    assert " valid pages> at " in text


@pytest.mark.parametrize(
    ("answer", "told"), [(2, "2"), (-1, "-1"), (None, "None"), (False, "False")]
)
def test_a_temperature_that_is_none_is_refused(answer: object, told: str) -> None:
    class Wrong:
        def temperature(self, _: wl.WriteView) -> object:
            return answer

    wl.register_classifier("wrong", Wrong, replace=True)  # type: ignore[arg-type]
    text = str(failed({**WRITES, "ftl.hot.classifier": "wrong"}))
    assert f"temperature returned {told} at " in text
    assert text.endswith("accepted is a whole number from 0 (the hottest) to 1")


def test_a_choice_that_is_no_candidate_is_refused() -> None:
    class Wrong:
        kept: wl.CandidateView | None = None

        def pick(self, channel: wl.ChannelView) -> wl.CandidateView:
            self.kept = self.kept or channel.candidates[0]
            return self.kept

    wl.register_scheduler("wrong", Wrong, replace=True)
    text = str(failed({**SMALL, "scheduler.policy": "wrong"}))
    assert "pick returned <candidate " in text
    assert "candidates of the view, its place among them (0 to " in text


def test_a_scheduler_that_lets_nothing_start_is_named() -> None:
    class Waiting:
        def pick(self, _: wl.ChannelView) -> None:
            return None

    wl.register_scheduler("waiting", Waiting, replace=True)
    text = str(failed({**SMALL, "scheduler.policy": "waiting"}))
    assert text.startswith('scheduler.policy = "waiting": pick returned None at ')
    assert "nothing else could happen" in text


@pytest.mark.parametrize("age", AGEING)
def test_victims_that_gain_nothing_end_the_run(age: dict[str, Any]) -> None:
    """Collection would never end: in ageing, where there is no clock, not even Ctrl-C would be looked for."""

    class Fullest:
        def choose(self, blocks: wl.VictimView) -> wl.BlockView:
            return max(blocks, key=lambda block: block.valid)

    wl.register_victim("fullest", Fullest, replace=True)
    # once all of them are full of valid pages
    text = str(failed({**WRITES, **age, "ftl.gc.victim": "fullest", "workload.requests": 100_000}))
    assert "choose returned blocks without an invalid page " in text


@pytest.mark.parametrize("key", ["ftl.gc.victim", "ftl.hot.classifier", "scheduler.policy"])
def test_ctrl_c_in_a_policy_stops_the_run(key: str) -> None:
    class Stopped:
        def choose(self, _: object) -> int:
            for _ in range(2):
                signal.raise_signal(signal.SIGINT)
            return 0

        temperature = pick = choose

    wl.register_victim("stopped", Stopped, replace=True)
    wl.register_classifier("stopped", Stopped, replace=True)
    wl.register_scheduler("stopped", Stopped, replace=True)
    with pytest.raises(KeyboardInterrupt) as caught:
        simulated({**WRITES, key: "stopped"})
    # the first Ctrl-C waits for the policy, the second does not
    assert not isinstance(caught.value, wl.Interrupted)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("requests", [1_000_000_000, 2_000])
def test_the_run_until_ctrl_c_is_kept(requests: int) -> None:
    class Stopping(Greedy):
        calls = 0

        def choose(self, blocks: wl.VictimView) -> wl.BlockView:
            self.calls += 1
            if self.calls == 10:
                signal.raise_signal(signal.SIGINT)
            return super().choose(blocks)

    wl.register_victim("stopping", Stopping, replace=True)
    keys = {**WRITES, "ftl.gc.victim": "stopping", "workload.requests": requests}
    with pytest.raises(wl.Interrupted) as caught:
        simulated({**keys, "output.request_log": 1_000})
    result = caught.value.result
    assert isinstance(result, wl.Result)
    # a run that is over before the next look is whole
    assert result.is_interrupted == (result.number("host.requests") < requests)
    assert result.number("ftl.gc.victims") >= 10
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_policy_may_simulate_itself() -> None:
    """The inner run has policies of its own, and its errors are not those of the outer one."""
    wl.register_victim("broken", Broken, replace=True)

    told: list[str] = []

    class Nested(Greedy):
        def choose(self, blocks: wl.VictimView) -> wl.BlockView:
            if not told:
                told.append(str(failed({**WRITES, "ftl.gc.victim": "broken"})))
            return super().choose(blocks)

    wl.register_victim("nested", Nested, replace=True)
    outer = simulated({**WRITES, "ftl.gc.victim": "nested"})
    assert "ZeroDivisionError" in told[0]
    same(outer, simulated({**WRITES, "ftl.gc.victim": "greedy"}))


def refused(call: Callable[[], object]) -> str:
    """Why something is refused."""
    with pytest.raises(wl.ConfigError) as caught:
        call()
    return str(caught.value)


def test_registration_refuses_what_is_no_policy() -> None:
    register = wl.register_victim

    class Other:
        def pick(self) -> None:
            """Not what a victim policy has."""

    class Needy(Greedy):
        def __init__(self, window: int, seed: int) -> None:
            """Needs more than the seed."""

    wrong: Any = Other
    assert "has no method `choose`" in refused(lambda: register("mine", wrong))
    wrong = functools.partial(Other)
    assert "has no method `choose`" in refused(lambda: register("mine", wrong))
    wrong = Greedy()
    assert "is no class; accepted is a class with a method `choose`" in refused(
        lambda: register("mine", wrong)
    )
    assert "needs `window`" in refused(lambda: register("mine", Needy))
    for name in ("", "Mine", "my policy", "4th", "a" * 65, "mine\n"):
        named = functools.partial(register, name, Greedy)
        assert "accepted are names of small letters" in refused(named)
    text = refused(lambda: register("greedy", Greedy, replace=True))
    assert text == 'ftl.gc.victim = "greedy": this policy comes with Wordline; choose another name'
    assert "age_of = 'birth'" in refused(lambda: register("mine", Greedy, age_of="birth"))  # type: ignore[arg-type]
    few: Any = functools.partial(wl.register_classifier, "mine", TwoLevelLru)
    assert "temperatures = 65: accepted are whole numbers from 1 to 64" in refused(
        lambda: few(temperatures=65)
    )
    assert "needs `candidates`, `hot_pages`" in refused(few)
    # nothing of this is registered
    assert "`mine`" not in refused(lambda: wl.Drive("tiny", **{"ftl.gc.victim": "min"}))


def test_a_name_is_replaced_on_demand_only() -> None:
    wl.register_victim("twice", Fifo, replace=True)
    text = refused(lambda: wl.register_victim("twice", Greedy))
    assert 'ftl.gc.victim = "twice": the name is registered already; replace=True' in text
    keys = {**WRITES, "age.method": "overwritten", "ftl.gc.victim": "twice"}
    before = simulated(keys)
    wl.register_victim("twice", Greedy, replace=True)
    after = simulated(keys)
    assert before.number("ftl.write_amplification") > after.number("ftl.write_amplification")
    # of any number of registrations one row is left
    for _ in range(100):
        wl.register_victim("twice", Greedy, replace=True)
    assert refused(lambda: wl.Drive("tiny", **{"ftl.gc.victim": "twicee"})).count("`twice`") <= 2


def test_what_cannot_have_a_policy_in_python_says_so(tmp_path: Path) -> None:
    wl.register_victim("greedy-again", Greedy, replace=True)
    drive = wl.Drive("tiny", **WRITES, **{"ftl.gc.victim": "greedy-again"})
    said = 'ftl.gc.victim = "greedy-again": this policy is written in Python; '
    text = refused(lambda: wl.simulate_seeds(drive, seeds=2, cluster="local", progress=False))
    assert said + "`cluster` would run it in other processes" in text
    text = refused(lambda: wl.lifetime_replicas(drive, replicas=2, cluster="local", progress=False))
    assert said + "`cluster` would run it in other processes" in text
    files = wl.LifetimeFiles(state=tmp_path / "state")
    text = refused(lambda: wl.lifetime(drive, files=files, progress=False))
    assert said + "`state` cannot hold what it remembers" in text
    vary = {"ftl.gc.victim": ["greedy", "greedy-again"]}
    load = {"requests": 100, "read_fraction": 0}
    sweep = wl.sweep("tiny", load, vary=vary, cache=tmp_path / "cache", progress=False)
    of_greedy, own = sweep.table["error"]
    assert of_greedy is None
    assert said + "sweeps, searches and inferences keep runs by their configuration" in own
