"""Policies written in Python: victims of garbage collection, hot/cold classifiers, schedulers.

A policy is a class. It is registered under a name, which the configuration then accepts, and each drive gets an object of its own:

```python
import wordline as wl

class Emptiest:
    def choose(self, blocks):
        return min(blocks, key=lambda block: block.valid)

wl.register_victim("emptiest", Emptiest)
drive = wl.Drive("tiny", **{"ftl.gc.victim": "emptiest"})
```
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
import runpy
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Protocol

from wordline import _wordline
from wordline._wordline import BlockView as BlockView
from wordline._wordline import CandidateView, ChannelView, VictimView, WriteView
from wordline._wordline import UnitView as UnitView
from wordline.config import counted
from wordline.errors import ConfigError

NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
"""What a policy may be called."""
KEYS = dict(_wordline.policy_keys())
"""The key that names policies of a kind."""

ELSEWHERE = "`cluster` would run it in other processes, which do not know it: leave `cluster` out"
UNNAMED = (
    "sweeps, searches and inferences keep runs by their configuration, of which its code is no part: register it in a file that "
    "`--policies` names, or call simulate for each configuration"
)
UNSAVED = "`state` cannot hold what it remembers: leave `state` out"
"""What is not possible with a policy in Python, and why."""


class VictimPolicy(Protocol):
    """What a victim policy has."""

    def choose(self, blocks: VictimView, /) -> _wordline.BlockView | int:
        """The block that is collected next, one of the view or its number.

        The view is that of one pool (`ftl.gc.pool`) and holds at least one block. Blocks without any valid page are collected
        without asking.
        """


class Classifier(Protocol):
    """What a hot/cold classifier has."""

    def temperature(self, write: WriteView, /) -> int:
        """The temperature of a page that the host writes: from 0, the hottest, to one less than there are temperatures."""


class Scheduler(Protocol):
    """What a scheduler has."""

    def pick(self, channel: ChannelView, /) -> CandidateView | int | None:
        """What starts next on a free channel: one of `channel.candidates` or its place there.

        None has the channel wait until something changes on it: an operation becomes ready or ends.
        """


def register_victim(
    name: str,
    policy: Callable[..., VictimPolicy],
    *,
    age_of: Literal["last_write", "last_invalidation"] | None = None,
    replace: bool = False,
) -> None:
    """Have `ftl.gc.victim = name` stand for a victim policy written in Python.

    Args:
        name: small letters, digits, `_` and `-`, beginning with a letter, at most 64 characters.
        policy: a class with a method `choose` (see `VictimPolicy`), or a function that makes such an object. Each drive gets an
            object of its own. Where it takes an argument `seed`, it is given the seed of the drive.
        age_of: the event from which `BlockView.age_ns` counts; without one ages count from the start of the drive.
        replace: put the policy in the place of one that was registered under the name before.

    Raises:
        ConfigError: a name that is not accepted or taken, or a policy without the method.
    """
    events = ("last_write", "last_invalidation", None)
    if age_of not in events:
        raise ConfigError(f"age_of = {age_of!r}: accepted are {', '.join(map(repr, events))}")
    takes_seed = checked("victim", name, policy, "choose")
    _wordline.register_victim(name, policy, takes_seed, replace, age_of)


def register_classifier(
    name: str,
    policy: Callable[..., Classifier],
    *,
    temperatures: int = 2,
    replace: bool = False,
) -> None:
    """Have `ftl.hot.classifier = name` stand for a hot/cold classifier written in Python.

    Args:
        name: as for `register_victim`.
        policy: as for `register_victim`; the method is `temperature` (see `Classifier`).
        temperatures: how many temperatures it tells apart, from 1 to 64. Each has an open block of its own in every plane.
        replace: as for `register_victim`.

    Raises:
        ConfigError: as for `register_victim`, or a number of temperatures that is not possible.
    """
    counted("temperatures", temperatures, _wordline.most_temperatures())
    takes_seed = checked("classifier", name, policy, "temperature")
    _wordline.register_classifier(name, policy, takes_seed, replace, temperatures)


def register_scheduler(
    name: str, policy: Callable[..., Scheduler], *, replace: bool = False
) -> None:
    """Have `scheduler.policy = name` stand for a scheduler written in Python.

    Args:
        name: as for `register_victim`.
        policy: as for `register_victim`; the method is `pick` (see `Scheduler`).
        replace: as for `register_victim`.

    Raises:
        ConfigError: as for `register_victim`.
    """
    takes_seed = checked("scheduler", name, policy, "pick")
    _wordline.register_scheduler(name, policy, takes_seed, replace)


def checked(kind: str, name: str, policy: Callable[..., Any], method: str) -> bool:
    """Whether a policy takes the seed of its drive.

    Raises:
        ConfigError: a name that is not accepted, or what does not make policies of the kind.
    """
    key = KEYS[kind]
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        raise ConfigError(
            f"{key} = {name!r}: accepted are names of small letters, digits, _ and -, which begin with a letter and have at "
            "most 64 characters"
        )
    place = f'{key} = "{name}"'
    if not callable(policy):
        raise ConfigError(
            f"{place}: {policy!r} is no class; accepted is a class with a method `{method}`, or a function that makes such an "
            "object"
        )
    made = policy
    while isinstance(made, functools.partial):
        made = made.func
    if isinstance(made, type) and not callable(getattr(made, method, None)):
        raise ConfigError(f"{place}: the class {made.__qualname__} has no method `{method}`")
    _of_files.pop(place, None)
    if _being_loaded:
        _of_files[place] = _being_loaded[-1]
    return takes_seed(place, policy)


def takes_seed(place: str, policy: Callable[..., Any]) -> bool:
    """Whether what makes a policy has an argument `seed`.

    Raises:
        ConfigError: it needs other arguments.
    """
    try:
        parameters = inspect.signature(policy).parameters
    except (TypeError, ValueError):  # of a class that is not written in Python
        return False
    kinds = inspect.Parameter
    needed = [
        parameter.name
        for parameter in parameters.values()
        if parameter.default is kinds.empty
        and parameter.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)
        and parameter.name != "seed"
    ]
    if needed:
        raise ConfigError(
            f"{place}: making the policy needs {', '.join(f'`{each}`' for each in needed)}; accepted is what needs nothing or "
            "`seed`, such as functools.partial(policy, ...) with the rest"
        )
    return "seed" in parameters


_of_files: dict[str, str] = {}
"""Policies that were registered by a file, as `key = "name"`, with the hash of the text of the file."""
_being_loaded: list[str] = []
"""Hashes of the files that are being run."""


def hashes_of_policies(resolved: _wordline.Resolved) -> list[str]:
    """Hashes of the files that registered the policies in Python which a configuration names: runs of other versions of them are others.

    Raises:
        ConfigError: one was registered without a file, so that no hash tells its versions apart.
    """
    named = resolved.python_policies
    if any(policy not in _of_files for policy in named):
        refuse_python(resolved, UNNAMED)
    return sorted(_of_files[policy] for policy in named)


def load_policies(path: Path) -> None:
    """Run a file that registers policies.

    Raises:
        ConfigError: it cannot be read, or raises an exception.
    """
    try:
        _being_loaded.append(hashlib.sha256(path.read_bytes()).hexdigest())
        runpy.run_path(str(path), run_name="policies")
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [f", line {frame.lineno}" for frame in frames if frame.filename == str(path)]
        place = f"--policies {path}{lines[-1] if lines else ''}"
        raise ConfigError(f"{place}: {type(error).__name__}: {error}") from error
    finally:
        _being_loaded.clear()


def refuse_python(resolved: _wordline.Resolved, what: str) -> None:
    """Refuse a configuration with a policy in Python where that is not possible.

    Raises:
        ConfigError: it names one; `what` says what is not possible, and why.
    """
    named = resolved.python_policies
    if named:
        raise ConfigError(f"{named[0]}: this policy is written in Python; {what}")
