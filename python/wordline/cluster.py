"""Runs jobs on the workers of a Dask scheduler.

Dask connects, finds workers and carries functions and results. Two things are decided here, as Dask decides them otherwise: a worker
has one job at a time, so that a process that ends is held against the job that it ran and against no other; and a job that
has ended two processes is given up.
"""

from __future__ import annotations

import logging
import os
import time
import uuid
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from wordline.config import counted
from wordline.errors import ClusterError, ConfigError
from wordline.executor import MOST, Job, cores
from wordline.points.files import File
from wordline.workers import Absent, Build, Stopped, build, perform, receive

if TYPE_CHECKING:
    from distributed import Client, Future

R = TypeVar("R")

LOCAL = "local"
"""In place of an address: processes of this machine."""
CHANCES = 2
"""Workers that a job may end before it is given up."""
LOOK = 0.2
"""Seconds between two looks at the workers, and for Ctrl-C."""
PATIENCE = 30.0
"""Seconds to wait for a worker."""
CONNECT = 10.0
"""Seconds to wait for a scheduler to answer."""
IDLE = "60 s"
"""How long processes of this machine stay without a job."""
PART = 4 << 20
"""Bytes of a file that are sent at a time."""
BUILD = "__import__('wordline.workers', fromlist=['build']).build()"
"""Evaluated in a worker: a function of Wordline could not be sent to one that has none."""
PIP = 'python -m pip install "wordline[sweep]"'
"""What installs Dask."""
GOES_ON = "Finished runs are kept: the same command goes on from there."


@dataclass(frozen=True)
class Running(Generic[R]):
    """A job that a worker has."""

    number: int
    job: Job[R]
    address: str
    future: Future[Any]


class Cluster:
    """Runs jobs on the workers of a Dask scheduler, one at a time on each."""

    def __init__(self, address: str, jobs: int | None = None) -> None:
        """Name a cluster; it is connected to when it is entered.

        Args:
            address: of the scheduler, such as `tcp://10.0.0.5:8786`; `"local"` starts a scheduler and workers on this machine.
            jobs: workers to start on this machine, one per core without any.

        Raises:
            ConfigError: Dask is not installed, or `jobs` beside the address of a scheduler.
        """
        try:
            import distributed
        except ImportError:
            raise ConfigError(
                f"--cluster {address}: needs Dask, which is not installed: {PIP}"
            ) from None
        del distributed
        if address != LOCAL and jobs is not None:
            raise ConfigError(
                f"--jobs: --cluster {address} has as many runs at a time as it has workers"
            )
        self.address = address
        self._jobs = cores() if jobs is None else counted("jobs", jobs, MOST)
        self._checked: set[str] = set()
        self._resources = ExitStack()
        self._ended: Queue[Future[Any]] = Queue()
        self._build = build()

    def __enter__(self) -> Self:
        with ExitStack() as resources:
            log = logging.getLogger("distributed")
            resources.callback(log.setLevel, log.level)
            # what matters is said in a paragraph of our own
            log.setLevel(logging.CRITICAL)
            self._client = self._connected(resources)
            self._resources = resources.pop_all()
        try:
            self._await_worker("it has none")
        except BaseException:
            self._resources.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._resources.close()

    def _connected(self, resources: ExitStack) -> Client:
        """A connection to the scheduler."""
        from distributed import Client

        address = self._started(resources) if self.address == LOCAL else self.address
        try:
            client = Client(address, timeout=CONNECT, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise ClusterError(
                f"--cluster {self.address}: no Dask scheduler answers there ({brief(error)}). Start one with `dask scheduler`, and "
                "workers with `dask worker ADDRESS --nthreads 1`."
            ) from error
        resources.callback(client.close, 5)
        return client

    def _started(self, resources: ExitStack) -> str:
        """The address of a scheduler that was started on this machine, with its workers."""
        from distributed.deploy.subprocess import SubprocessCluster

        with quiet():
            cluster = SubprocessCluster(
                n_workers=self._jobs,
                threads_per_worker=1,
                dashboard_address=None,  # type: ignore[arg-type]  # none at all
                # where this process ends without a word, the others do so too
                scheduler_kwargs={"idle_timeout": IDLE},
                # drives take the memory that they need; a worker whose scheduler ended before it came ends too
                worker_kwargs={"memory_limit": 0, "dashboard": False, "death_timeout": IDLE},
                silence_logs=logging.CRITICAL,
            )
        resources.callback(cluster.close, 10)
        address: str = cluster.scheduler_address
        return address

    def run(self, jobs: Iterable[Job[R]]) -> Iterator[tuple[int, R]]:
        """Run jobs; yield the number of each and its result as soon as it is done.

        Raises:
            ClusterError: the scheduler does not answer, no worker is left, or a worker has another build.
            Exception: what a job raises.
        """
        further = iter(enumerate(jobs))
        # the next of the jobs, and those that are to be run again
        ready: deque[tuple[int, Job[R]]] = deque(islice(further, 1))
        losses: Counter[int] = Counter()
        running: dict[str, Running[R]] = {}
        taken: dict[Any, Running[R]] = {}
        looked = 0.0
        present: set[str] = set()
        try:
            while True:
                if time.monotonic() - looked >= LOOK:
                    present, looked = self._workers(), time.monotonic()
                    for address in running.keys() - present:
                        gone = running.pop(address)
                        taken.pop(gone.future.key, None)
                        yield from self._lost(gone, losses, ready)
                for address in sorted(present - running.keys()):
                    if address not in self._checked:
                        self._check([address])
                    if not ready:
                        break
                    if address not in self._checked:  # it ended meanwhile
                        continue
                    running[address] = self._submit(*ready.popleft(), address)
                    ready.extend(islice(further, 0 if ready else 1))
                    taken[running[address].future.key] = running[address]
                if not running:
                    if not ready:
                        return
                    present = self._await_worker("none is left")
                    continue
                try:
                    future = self._ended.get(timeout=LOOK)
                except Empty:
                    continue
                done = taken.pop(future.key, None)
                if done is None:  # of a worker that was given up
                    continue
                del running[done.address]
                yield from self._finished(done, losses, ready)
        finally:
            for each in running.values():
                each.future.cancel()

    def _submit(self, number: int, job: Job[R], address: str) -> Running[R]:
        """Give a worker a job."""
        future = self._client.submit(
            perform,
            job,
            key=f"wordline-{uuid.uuid4().hex}",
            workers=[address],
            allow_other_workers=False,
            pure=False,
        )
        future.add_done_callback(self._ended.put)
        return Running(number, job, address, future)

    def _finished(
        self, done: Running[R], losses: Counter[int], ready: deque[tuple[int, Job[R]]]
    ) -> Iterator[tuple[int, R]]:
        """The result of a job that ended; none where it is to be run again."""
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        try:
            result = done.future.result(timeout=PATIENCE)
        except (KilledWorker, CancelledError, CommClosedError, TimeoutError):
            # its worker ended, and perhaps the connection to the scheduler
            self._workers()
            yield from self._lost(done, losses, ready)
            return
        if isinstance(result, Absent):
            for file in done.job.files:
                if file.digest in result.digests:
                    self._send(file, done.address)
            ready.append((done.number, done.job))
        elif isinstance(result, Stopped):
            ready.append((done.number, done.job))
        else:
            yield done.number, result

    def _lost(
        self, gone: Running[R], losses: Counter[int], ready: deque[tuple[int, Job[R]]]
    ) -> Iterator[tuple[int, R]]:
        """Note that the worker of a job ended; give the job up if that was not the first."""
        gone.future.cancel()
        losses[gone.number] += 1
        if losses[gone.number] < CHANCES:
            ready.append((gone.number, gone.job))
            return
        yield (
            gone.number,
            gone.job.lost(
                f"ended the worker that it ran on, {CHANCES} times (the last was {gone.address}); it may need more memory than there is"
            ),
        )

    def _workers(self) -> set[str]:
        """The addresses of the workers.

        Raises:
            ClusterError: the scheduler does not answer.
        """
        try:
            if self._client.status != "running":
                raise OSError(f"the connection is {self._client.status}")
            info = self._client.scheduler_info(n_workers=-1)
        except (OSError, TimeoutError, RuntimeError, ValueError) as error:
            raise ClusterError(
                f"--cluster {self.address}: the scheduler does not answer any more ({brief(error)}). {GOES_ON}"
            ) from error
        return {address for address, each in info["workers"].items() if each["status"] == "running"}

    def _await_worker(self, found: str) -> set[str]:
        """The workers that there are, once there is one; every new one is checked."""
        until = time.monotonic() + PATIENCE
        while not (present := self._workers()):
            if time.monotonic() > until:
                raise ClusterError(
                    f"--cluster {self.address}: no worker in {PATIENCE:.0f} s, {found}. Start some with `dask worker ADDRESS "
                    f"--nthreads 1`. {GOES_ON}"
                )
            time.sleep(LOOK)
        self._check(sorted(present - self._checked))
        return present

    def _check(self, addresses: list[str]) -> None:
        """Refuse workers that would give other results.

        Raises:
            ClusterError: a worker has no Wordline, or another build.
        """
        answers = self._client.run(eval, BUILD, workers=addresses, on_error="return")
        for address in addresses:
            found = answers.get(address)
            if isinstance(found, Build) and found.simulator == self._build.simulator:
                self._checked.add(address)
            elif isinstance(found, ModuleNotFoundError | AttributeError):
                raise ClusterError(
                    f"--cluster {self.address}: the worker at {address} has no Wordline that can be used ({brief(found)}). Install {self._build} "
                    f"in the environment that it runs in. {GOES_ON}"
                )
            elif isinstance(found, Build):
                raise ClusterError(
                    f"--cluster {self.address}: the worker at {address} ({found.host}) has {found}, this machine {self._build}; results could "
                    f"differ. Install the same wheel on both. {GOES_ON}"
                )
            # else it ended while it was asked, and is seen to be gone with the next look

    def _send(self, file: File, address: str) -> None:
        """Send a file to a worker.

        Raises:
            ClusterError: it cannot be read here, or kept there.
        """
        path, sender = Path(file.path), uuid.uuid4().hex
        try:
            size = path.stat().st_size
            with path.open("rb") as stream:
                start = 0
                while True:
                    content = stream.read(PART)
                    last = start + len(content) >= size
                    self._client.run(
                        receive, file, sender, start, content, is_last=last, workers=[address]
                    )
                    start += len(content)
                    if last:
                        return
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"--cluster {self.address}: {path} could not be sent to the worker at {address}: {brief(error)}. {GOES_ON}"
            ) from error


@contextmanager
def quiet() -> Iterator[None]:
    """Let processes that are started meanwhile keep their log to themselves."""
    name = "DASK_LOGGING__DISTRIBUTED"
    before = os.environ.get(name)
    os.environ[name] = "critical"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def brief(error: BaseException) -> str:
    """An error in one line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())[:200]
