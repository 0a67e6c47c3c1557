//! Schedulers in Python.

use std::collections::BTreeSet;

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use wordline_scheduler::{Action, Candidate, Level, Order, Scheduler, SchedulerRow};
use wordline_units::SimTime;

use super::instance::{Instance, whole};
use super::{HELP, Maker, SCHEDULERS, Slot};

/// Something that could start now.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct CandidateView {
    candidate: Candidate,
    /// The question that it belongs to, and its place there.
    asked: u64,
    place: u32,
}

#[pymethods]
impl CandidateView {
    /// What it would do.
    #[getter]
    fn action<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::intern(py, action_name(self.candidate.action))
    }

    /// How pressing it is.
    #[getter]
    fn level<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::intern(
            py,
            match self.candidate.level {
                Level::Urgent => "urgent",
                Level::Host => "host",
                Level::Normal => "normal",
                Level::Idle => "idle",
            },
        )
    }

    /// Why it was planned.
    #[getter]
    fn cause<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::intern(py, self.candidate.cause.name())
    }

    /// The die that it works in.
    #[getter]
    fn die(&self) -> Option<u32> {
        self.candidate.die.map(|die| die.0)
    }

    /// The physical page.
    #[getter]
    fn page(&self) -> Option<u64> {
        self.candidate.page.map(|page| page.0)
    }

    /// The logical page.
    #[getter]
    fn logical_page(&self) -> u64 {
        self.candidate.lpn.0
    }

    /// Its number in the order in which operations became ready.
    #[getter]
    fn sequence(&self) -> u64 {
        self.candidate.sequence
    }

    /// When it became ready.
    #[getter]
    fn ready_ns(&self) -> u64 {
        self.candidate.ready.ns()
    }

    /// When the host sent the request that it serves.
    #[getter]
    fn arrival_ns(&self) -> Option<u64> {
        self.candidate.arrival.map(SimTime::ns)
    }

    /// When `scheduler.max_wait` has it go before everything else.
    #[getter]
    fn deadline_ns(&self) -> Option<u64> {
        self.candidate.deadline.map(SimTime::ns)
    }

    fn __repr__(&self) -> String {
        let action = action_name(self.candidate.action);
        format!("<candidate {}: {action}>", self.candidate.sequence)
    }
}

const fn action_name(action: Action) -> &'static str {
    match action {
        Action::Read => "read",
        Action::Program => "program",
        Action::Erase => "erase",
        Action::DataOut => "data_out",
    }
}

/// What becomes busy as one: a die, or a chip.
#[pyclass(frozen, module = "wordline._wordline")]
#[derive(Clone, Copy)]
pub(crate) struct UnitView {
    /// Its first die.
    #[pyo3(get)]
    first_die: u32,
    /// Whether it can take any command.
    #[pyo3(get)]
    is_idle: bool,
    /// When the last array step that has been started in it ends, in nanoseconds; not after the present moment where no array
    /// works. Data that then wait for the bus and what is suspended keep it busy for longer.
    #[pyo3(get)]
    free_at_ns: u64,
    waiting: [[u32; 4]; 3],
}

type Levels = (u32, u32, u32, u32);

#[pymethods]
impl UnitView {
    /// Reads, programs and erases in its own queues, each by level.
    #[getter]
    fn waiting(&self) -> (Levels, Levels, Levels) {
        let [reads, programs, erases] = self
            .waiting
            .map(|[urgent, host, normal, idle]| (urgent, host, normal, idle));
        (reads, programs, erases)
    }

    fn __repr__(&self) -> String {
        let state = if self.is_idle { "idle" } else { "busy" };
        format!("<unit of die {}: {state}>", self.first_die)
    }
}

/// A channel whose bus is free.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct ChannelView {
    /// Which one.
    #[pyo3(get)]
    channel: u32,
    /// Simulated time in nanoseconds.
    #[pyo3(get)]
    now_ns: u64,
    /// What could start.
    #[pyo3(get)]
    candidates: Py<PyTuple>,
    units: Vec<UnitView>,
}

#[pymethods]
impl ChannelView {
    /// Its units, in the order of their dies.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.units.iter().copied())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let candidates = self.candidates.bind(py).len();
        format!("<channel {}: {candidates} candidates>", self.channel)
    }
}

impl ChannelView {
    fn of(py: Python<'_>, view: &wordline_scheduler::ChannelView<'_>, asked: u64) -> PyResult<Self> {
        let candidates = view.candidates.iter().zip(0..);
        let candidates: Vec<CandidateView> = candidates
            .map(|(candidate, place)| CandidateView {
                candidate: *candidate,
                asked,
                place,
            })
            .collect();
        let units = view.units.iter().map(|unit| UnitView {
            first_die: unit.first_die.0,
            is_idle: unit.is_idle,
            free_at_ns: unit.free_at.ns(),
            waiting: unit.waiting,
        });
        Ok(Self {
            channel: view.channel.0,
            now_ns: view.now.ns(),
            candidates: PyTuple::new(py, candidates)?.unbind(),
            units: units.collect(),
        })
    }
}

/// Asks Python what goes next.
#[derive(Debug)]
struct PythonScheduler {
    policy: Instance,
    /// Questions so far.
    asked: u64,
    /// Channels that wait.
    waiting: BTreeSet<u32>,
}

impl Scheduler for PythonScheduler {
    fn pick<'a>(&mut self, view: &wordline_scheduler::ChannelView<'a>) -> Option<&'a Candidate> {
        self.asked += 1;
        let count = view.candidates.len();
        let read = |answer: &Bound<'_, PyAny>| {
            if answer.is_none() {
                return Ok(None);
            }
            let place = match answer.cast::<CandidateView>() {
                Ok(candidate) => Some(candidate.get())
                    .filter(|candidate| candidate.asked == self.asked)
                    .map(|candidate| candidate.place),
                Err(_) => whole(answer),
            };
            let place = place.map(|place| place as usize).filter(|place| *place < count);
            place.map(Some).ok_or_else(|| {
                format!(
                    "one of the {count} candidates of the view, its place among them (0 to {}), or None",
                    count - 1
                )
            })
        };
        let place = Python::attach(|py| {
            let channel = ChannelView::of(py, view, self.asked).ok()?;
            self.policy.ask(py, view.now, (channel,), read)
        });
        // something harmless where it failed: what is first
        let place = place.unwrap_or(Some(0));
        let channel = view.channel.0;
        if place.is_none() {
            self.waiting.insert(channel);
            self.policy.waits(channel, Some(view.now));
        } else if self.waiting.remove(&channel) {
            self.policy.waits(channel, None);
        }
        view.candidates.get(place?)
    }
}

fn row(slot: &'static Slot<()>) -> SchedulerRow {
    let build = move |_: &_, frame: &wordline_scheduler::Frame<'_>| -> Box<dyn Scheduler> {
        Box::new(PythonScheduler {
            policy: Instance::new(slot, "pick", frame.seed),
            asked: 0,
            waiting: BTreeSet::new(),
        })
    };
    SchedulerRow::new(slot.name, HELP, Order::Scheduler(Box::leak(Box::new(build))))
}

/// Has a name of `scheduler.policy` stand for what `make` makes.
#[pyfunction]
pub(crate) fn register_scheduler(
    name: String,
    make: Py<PyAny>,
    takes_seed: bool,
    replace: bool,
) -> PyResult<()> {
    let maker = Maker {
        make,
        takes_seed,
        says: (),
    };
    SCHEDULERS.register::<SchedulerRow>(name, maker, replace, row)
}
