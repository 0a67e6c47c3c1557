"""The simulator itself, written in Rust. Private: use the names of the `wordline` package."""

from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from typing import Any, Final, TypeAlias, TypedDict, final

import numpy as np
from numpy.typing import NDArray

from wordline.errors import ConfigError as ConfigError
from wordline.errors import PolicyError as PolicyError
from wordline.errors import RunError as RunError
from wordline.errors import TraceError as TraceError

__version__: Final[str]

Columns: TypeAlias = dict[str, NDArray[Any]]

class Preset(TypedDict):
    name: str
    title: str
    text: str

class Format(TypedDict):
    name: str
    title: str
    description: str
    example: str
    binary: bool
    extensions: list[str]
    time_unit: str
    source: str
    traps: list[str]

class Note(TypedDict):
    severity: str
    key: str
    text: str

class BuiltInChip(TypedDict):
    name: str
    title: str
    text: str

class Chip:
    """A chip whose energies are worked out."""

    def __init__(self, source: str, is_text: bool, overrides: list[tuple[str, str]]) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def toml(self) -> str: ...
    @property
    def advisories(self) -> list[str]: ...
    @property
    def cells(self) -> float: ...
    @property
    def ones(self) -> float: ...
    @property
    def capacity_bits(self) -> float: ...
    @property
    def kinds(self) -> list[str]: ...
    def states(self) -> tuple[list[str], list[str], list[str]]: ...
    def read(self, kind: str, ones: float | None, planes: int) -> dict[str, float]: ...
    def program(
        self,
        kind: str,
        ones: float,
        states: list[tuple[str, float]] | None,
        planes: int,
    ) -> dict[str, float]: ...
    def erase(self, programmed: float, planes: int) -> dict[str, float]: ...
    def energies(self) -> list[tuple[str, str, float, dict[str, float]]]: ...
    def pages(self, ones: float) -> list[tuple[str, str, float, float, dict[str, float]]]: ...
    def pulses(self, operation: str, kind: str | None) -> dict[str, NDArray[np.float64]]: ...
    def circuit(self) -> dict[str, float]: ...
    def page(self, page: int) -> tuple[str, int, list[int]]: ...
    def sweep(
        self, variables: list[tuple[str, NDArray[np.float64]]], by_part: bool
    ) -> dict[str, NDArray[np.float64]]: ...
    def calibrate(
        self,
        unknowns: list[tuple[str, float]],
        measured: list[tuple[str, str | None, float, list[tuple[str, float]], float]],
        tolerance: float,
    ) -> tuple[Chip, list[float], list[float]]: ...

class Cells:
    """Cells whose reliability is worked out."""

    def __init__(self, source: str, is_text: bool, overrides: list[tuple[str, str]]) -> None: ...
    @property
    def toml(self) -> str: ...
    @property
    def bits(self) -> int: ...
    @property
    def block(self) -> tuple[int, int, float]: ...
    @property
    def later_programs(self) -> tuple[int, int, int]: ...
    @property
    def program(self) -> tuple[float, float, float, float | None]: ...
    @property
    def given(self) -> tuple[float | None, str, str]: ...
    @property
    def shared(self) -> str | None: ...
    @property
    def variation(self) -> tuple[float, float, float, float]: ...
    def references(self, step: float, sigma: float) -> list[float]: ...
    def density(
        self, state: int, x: NDArray[np.float64], step: float, sigma: float
    ) -> NDArray[np.float64]: ...
    def rates(
        self, steps: NDArray[np.float64], sigmas: NDArray[np.float64], exact: bool
    ) -> dict[str, NDArray[np.float64]]: ...
    def page_rates(
        self,
        cycles: NDArray[np.float64],
        ages: NDArray[np.float64],
        reads: NDArray[np.float64],
        inhibited: NDArray[np.float64],
        adjacent: NDArray[np.float64],
        pass_: NDArray[np.float64],
        steps: NDArray[np.float64],
    ) -> dict[str, NDArray[np.float64]]: ...
    def sigma_after(self, factor: float, age_days: float) -> float: ...
    def sigma_for_rber(
        self, steps: NDArray[np.float64], rates: NDArray[np.float64], reading: str | None
    ) -> NDArray[np.float64]: ...
    def step_for_rber(
        self, sigmas: NDArray[np.float64], rates: NDArray[np.float64], reading: str | None
    ) -> NDArray[np.float64]: ...
    def slowdown(self, steps: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def retention(
        self, cycles: NDArray[np.float64], corrected: float, celsius: float
    ) -> NDArray[np.float64]: ...
    def rber(
        self,
        cycles: NDArray[np.float64],
        ages: NDArray[np.float64],
        factors: NDArray[np.float64],
        reads: NDArray[np.float64],
        inhibited: NDArray[np.float64],
        adjacent: NDArray[np.float64],
        pass_: NDArray[np.float64],
        step: float | None,
        page: int,
    ) -> NDArray[np.float64]: ...
    def factors(self, blocks: NDArray[np.uint64], seed: int) -> NDArray[np.float64]: ...
    def quantiles(self, shares: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def shares_below(self, factors: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def classes(
        self, cycles: int, quantiles: list[float]
    ) -> list[tuple[float, float, float, float]]: ...

class Bch:
    """A BCH code."""

    def __init__(self, n: int, k: int, t: int | None) -> None: ...
    @property
    def n(self) -> int: ...
    @property
    def k(self) -> int: ...
    @property
    def t(self) -> int: ...
    @property
    def degree(self) -> int: ...
    @property
    def parity(self) -> int: ...
    @property
    def decode_ns(self) -> float: ...
    def ln_failure(self, rber: NDArray[np.float64], correlation: float) -> NDArray[np.float64]: ...
    def p_max(self, targets: NDArray[np.float64], correlation: float) -> NDArray[np.float64]: ...

class Ldpc:
    """An LDPC code with soft sensing."""

    def __init__(self, keys: str) -> None: ...
    @property
    def thresholds(self) -> list[float]: ...
    def attempt_ns(self, level: int) -> float: ...
    def read(self, rber: NDArray[np.float64]) -> Columns: ...

class Resolved:
    """A complete drive and workload, checked, every default filled in."""

    @property
    def toml(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def python_policies(self) -> list[str]: ...
    def get(self, path: str) -> Any: ...
    def energies(self) -> list[tuple[str, str, str | None, float, float, int]]:
        """Operation, mode, page type, seconds, joules, data bits of each operation; empty without `power.chip` and `power.supply`."""

    def idle_powers(self) -> list[tuple[str, float, float, float, float]]:
        """States without work, the idle one first: name, watts beside the DRAM, watts of the DRAM, seconds before it, seconds to leave it."""

    def sizes(self) -> dict[str, int]:
        """Bytes of `capacity`, `raw` flash and simulated `memory`; `dies`, `planes`, `blocks`; logical pages of a block (`units_per_block`)."""

    def table_design(self, design: str, amount: int) -> dict[str, float]:
        """What a design of the map that is not simulated would cost on this drive.

        Args:
            design: `extents`, `journal` or `tree`.
            amount: pages of an extent, or writes between two checkpoints of the map beside a journal; a tree does not use it.

        Returns:
            keys of the summary (`ftl.table.*`), and `reads_per_lookup`.

        Raises:
            ConfigError: an unknown design, an amount of 0, a drive without spare areas.
        """

class Trace:
    """A block trace and how it is read."""

    def workload(self) -> str: ...

class Output:
    """What a run measured. Columns are handed over, not copied."""

    @property
    def summary(self) -> dict[str, int | float | str | bool | None]: ...
    @property
    def notes(self) -> list[Note]: ...
    @property
    def requests(self) -> Columns: ...
    @property
    def time_series(self) -> Columns: ...
    @property
    def blocks(self) -> Columns: ...
    @property
    def attribution(self) -> Columns: ...
    @property
    def slowest(self) -> Columns: ...
    @property
    def slowest_parts(self) -> Columns: ...
    @property
    def in_front(self) -> Columns: ...
    @property
    def timeline(self) -> Columns: ...
    @property
    def utilisation(self) -> Columns: ...
    @property
    def modes(self) -> Columns: ...
    @property
    def start_levels(self) -> Columns: ...
    @property
    def temperature(self) -> Columns: ...
    @property
    def latency(self) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]: ...

@final
class BlockView:
    """A block that could be collected, as a victim policy sees it: its state at the moment of the choice."""

    @property
    def index(self) -> int:
        """Its number in the drive."""
    @property
    def valid(self) -> int:
        """Pages with data of the host, which collection has to move."""
    @property
    def invalid(self) -> int:
        """Pages that collection gains; `valid` and these are all pages of the block."""
    @property
    def erase_count(self) -> int:
        """Times that it was erased, those of its ageing included."""
    @property
    def age_ns(self) -> int:
        """Simulated time since the event that the policy was registered with (`age_of`), in ns; since time 0 without one."""
    @property
    def closed_ago(self) -> int:
        """Blocks of the drive that were closed (written to their ends) since it was; the largest is that of the block closed first."""

@final
class VictimView:
    """The blocks that a victim is chosen among: the closed ones of a pool in which no program is under way, by their numbers.

    A sequence: `len(view)`, `view[i]`, `for block in view`. A `BlockView` is made when it is asked for.
    """

    @property
    def now_ns(self) -> int:
        """Simulated time in ns."""
    @property
    def pages_per_block(self) -> int:
        """Pages of a block."""
    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> BlockView: ...
    def __iter__(self) -> Iterator[BlockView]: ...

@final
class WriteView:
    """A logical page that the host writes, as a classifier sees it."""

    @property
    def now_ns(self) -> int:
        """Simulated time in ns."""
    @property
    def page(self) -> int:
        """The logical page."""
    @property
    def sectors(self) -> int:
        """Sectors of the page that are written."""
    @property
    def command_sectors(self) -> int:
        """Sectors of the whole command; a write buffer forwards each page as a command of its own."""
    @property
    def placement(self) -> int:
        """Placement handle of the command; 0 is none."""

@final
class CandidateView:
    """Something that could start on a free channel, as a scheduler sees it."""

    @property
    def action(self) -> str:
        """What it would do: `"read"` (command a read), `"program"` (send the data of a program, or command a copy-back), `"erase"`,
        or `"data_out"` (move the data of a read out of its die)."""
    @property
    def level(self) -> str:
        """How pressing it is: `"urgent"` (host writes wait for the space that it makes), `"host"`, `"normal"` or `"idle"`."""
    @property
    def cause(self) -> str:
        """Why it was planned: `"host"`, `"gc"`, `"wear"` or another cause of `ftl.pages_programmed.<cause>`."""
    @property
    def die(self) -> int | None:
        """The die that it works in; none for a program that may go to several units, whose place is chosen when it starts. Where a
        chip is a unit and the program may go to any die of it, the first one."""
    @property
    def page(self) -> int | None:
        """The physical page that is read, or the first page of the block that is erased; none for a program that has no page yet."""
    @property
    def logical_page(self) -> int:
        """The logical page that it concerns."""
    @property
    def sequence(self) -> int:
        """Its number in the order in which the operations of the drive became ready."""
    @property
    def ready_ns(self) -> int:
        """When it became ready, in ns."""
    @property
    def arrival_ns(self) -> int | None:
        """When the host sent the request that it serves, in ns; none for what no request waits for."""
    @property
    def deadline_ns(self) -> int | None:
        """When `scheduler.max_wait` has it go before everything else, in ns; none where that is not set."""

@final
class UnitView:
    """What becomes busy as one, as a scheduler sees it: a die, or a chip whose dies the controller cannot tell apart."""

    @property
    def first_die(self) -> int:
        """Its first die."""
    @property
    def is_idle(self) -> bool:
        """Whether it can take any command."""
    @property
    def free_at_ns(self) -> int:
        """When the last array step that has been started in it ends, in ns; not after the present moment where no array works. Data
        that then wait for the bus and what is suspended keep it busy for longer."""
    @property
    def waiting(self) -> tuple[tuple[int, int, int, int], ...]:
        """Operations in its own queues: reads, programs (with copy-backs) and erases, each by level (urgent, host, normal, idle)."""

@final
class ChannelView:
    """A channel whose bus is free, as a scheduler sees it."""

    @property
    def channel(self) -> int:
        """Which one."""
    @property
    def now_ns(self) -> int:
        """Simulated time in ns."""
    @property
    def candidates(self) -> tuple[CandidateView, ...]:
        """What could start, at least one: the data that came into a register first, of every unit that can take one the reads that
        wait (the oldest 64) and the oldest program and erase of each level, and the oldest programs that may go to several units."""
    @property
    def units(self) -> tuple[UnitView, ...]:
        """Its units, in the order of their dies; made when they are asked for."""

def register_victim(
    name: str, make: Callable[..., Any], takes_seed: bool, replace: bool, age_of: str | None
) -> None: ...
def register_classifier(
    name: str, make: Callable[..., Any], takes_seed: bool, replace: bool, temperatures: int
) -> None: ...
def register_scheduler(
    name: str, make: Callable[..., Any], takes_seed: bool, replace: bool
) -> None: ...
def most_temperatures() -> int: ...
def policy_keys() -> list[tuple[str, str]]: ...
def cells() -> list[Preset]: ...
def cell_reference() -> str: ...

class RetentionModel:
    """How long a cell keeps its data."""

    def __init__(
        self,
        level_gap: float,
        heat_heals: bool,
        constants: list[tuple[str, float]],
        barrier: list[tuple[float, float]] | None,
        allow_thick_oxide: bool,
    ) -> None: ...
    def vth_trapped(self, events: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def equivalent_events_for(self, volts: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def silc_current(self, events: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def vth_recovered(
        self, events: NDArray[np.float64], rest: NDArray[np.float64]
    ) -> NDArray[np.float64]: ...
    def events_per_equivalent(
        self, events: NDArray[np.float64], rest: NDArray[np.float64]
    ) -> NDArray[np.float64]: ...
    def retention(
        self,
        events: NDArray[np.float64],
        rest: NDArray[np.float64],
        celsius: NDArray[np.float64],
    ) -> NDArray[np.float64]: ...
    def retention_curve(
        self, rest: float, celsius: float, cycles: NDArray[np.float64]
    ) -> NDArray[np.float64]: ...
    def wear_curve(
        self, rest: float, celsius: float, cycles: NDArray[np.float64]
    ) -> NDArray[np.float64]: ...
    def cycles_to_retention(
        self,
        threshold: NDArray[np.float64],
        rest: NDArray[np.float64],
        celsius: NDArray[np.float64],
    ) -> NDArray[np.float64]: ...

def lifetime(
    resolved: Resolved,
    asked: Mapping[str, Any],
    progress: Callable[[str, float, int], bool] | None,
    blocks: Callable[[dict[str, Any]], None] | None,
) -> dict[str, Any]: ...
def note_keys() -> list[tuple[str, str]]: ...
def did_you_mean(word: str, accepted: list[str]) -> str: ...
def seconds(text: str) -> float: ...
def celsius(text: str) -> float: ...
def cell_constants() -> list[tuple[str, str, float, str, str]]: ...
def chips() -> list[BuiltInChip]: ...
def chip_reference() -> str: ...
def chip_parameters() -> list[tuple[str, str]]: ...
def published_codes() -> list[tuple[int, Bch]]: ...
def weakest_code(
    k: int, codewords: int, rber: float, target: float, per_page: bool, correlation: float
) -> Bch | None: ...
def ln_page_failure(ln_codeword: NDArray[np.float64], codewords: int) -> NDArray[np.float64]: ...
def segmented_read_us(
    sense_us: float, transfer_us: float, decode_us: float, segments: int
) -> float: ...
def delta_codecs() -> list[tuple[str, str, int]]: ...
def compare_versions(old: str, new: str, page_size: int, name: str) -> dict[str, Any]: ...
def pack_deltas(
    bytes: NDArray[np.uint32], page_size: int, buffers: int | None
) -> tuple[int, int, float]: ...
def emulated_deltas(
    ratio: float, sigma: float | None, page_size: int, count: int, seed: int
) -> NDArray[np.uint32]: ...
def encoding(
    read_us: float, transfer_us: float, encode_us: float, program_us: float, pages: int
) -> tuple[float, float, float]: ...
def programs_per_write(share: float, ratio: float) -> float: ...
def collection_work(
    load: tuple[float, int, float, float],
    blocks: float,
    deltas: tuple[float, float, float] | None,
) -> tuple[float, float, float, str]: ...
def information(level: int, rber: NDArray[np.float64]) -> NDArray[np.float64]: ...
def attribution_names() -> tuple[list[str], list[str]]: ...
def timeline_names() -> tuple[list[str], list[str], list[str]]: ...
def presets() -> list[Preset]: ...
def conflicts() -> list[tuple[str, str, str, str]]: ...
def schema() -> str: ...
def reference() -> str: ...
def summary_keys() -> list[tuple[str, str, str]]: ...
def summary_families() -> list[tuple[str, str, str]]: ...
def summary_placeholders() -> list[tuple[str, str, list[str]]]: ...
def formats() -> list[Format]: ...
def resolve(
    drive: str,
    drive_is_text: bool,
    workload: str | None,
    overrides: list[tuple[str, str]],
) -> Resolved: ...
def fio_jobs(words: list[str]) -> tuple[str, list[str]]: ...
def check_workload(path: str | None, overrides: list[tuple[str, str]]) -> None: ...
def simulate(
    resolved: Resolved,
    audit: bool,
    progress: Callable[[str, float, int, float], bool] | None,
    save_state: str | PathLike[str] | None = None,
    timeline: str | PathLike[str] | None = None,
) -> Output: ...

class Stream:
    @staticmethod
    def load(path: str | PathLike[str]) -> Stream: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @property
    def requests(self) -> int: ...
    def marks(self, count: int) -> list[str]: ...
    def events(self, resolved: Resolved, during: str | None = None) -> tuple[int, list[int]]: ...
    def crash(
        self,
        resolved: Resolved,
        cuts: tuple[list[int], bool, int],
        image: str | PathLike[str],
        see: Callable[[int, str], bool],
    ) -> None: ...

def drawn_events(count: int, wanted: int, seed: int) -> list[int]: ...

class Asked:
    @property
    def what(self) -> str: ...
    @property
    def to(self) -> str: ...

class Live:
    def __init__(
        self,
        resolved: Resolved,
        options: Mapping[str, Any],
        progress: Callable[[str, float, int, float], bool] | None = None,
    ) -> None: ...
    @property
    def address(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def atomic_write_unit(self) -> int: ...
    def serve(self, look: Callable[[str | Asked | None], bool | str]) -> None: ...
    def status(self) -> str: ...
    def take_stream(self) -> Stream: ...
    def asker(self, asked: Asked) -> int | None: ...
    def finish(
        self,
        save_state: str | PathLike[str] | None = None,
        save_data: str | PathLike[str] | None = None,
        copied: bool = False,
    ) -> Output: ...

def simulate_sample(
    resolved: Resolved,
    asked: Mapping[str, int | bool],
    progress: Callable[[str, float, int, float], bool] | None,
) -> dict[str, Any]: ...
def resolve_trace(path: str | PathLike[str], overrides: list[tuple[str, str]]) -> Trace: ...
def convert(
    trace: Trace,
    output: str | PathLike[str],
    progress: Callable[[float, int], None] | None,
) -> tuple[int, list[str]]: ...
def profiles() -> list[Preset]: ...
def profile_sources() -> list[tuple[str, str]]: ...
def fit(trace: Trace, seed: int) -> tuple[str, str]: ...
def trace_stats(trace: Trace) -> str: ...
def measured(trace: Trace, skip: int, take: int | None) -> dict[str, Any]: ...
def student_t(confidence: float, degrees: float) -> float: ...
def write_amplification(
    policy: str, over_provisioning: float, pages_per_block: int, d: int | None = None
) -> float:
    """Write amplification under uniform random writes, by the closed form of a victim policy.

    Args:
        policy: `greedy`, `d_choices`, `fifo` or `random`.
        over_provisioning: physical pages beyond the logical ones, as a share of the logical ones.
        pages_per_block: pages of a block.
        d: blocks that `d_choices` chooses from, which it needs; the other policies do not use it.

    Raises:
        ConfigError: an unknown policy, or a number that is out of range.
    """
