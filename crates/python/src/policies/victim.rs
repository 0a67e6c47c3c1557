//! Victim policies in Python.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};
use wordline_ftl::Recording;
use wordline_ftl::victim::{Candidates, VictimPolicy, VictimRow};
use wordline_units::SimTime;

use super::instance::{Instance, whole};
use super::{HELP, Maker, Slot, VICTIMS};

/// What is recorded of each block.
pub(super) type Says = Recording;

/// A block that could be collected, at the moment of the choice.
#[pyclass(frozen, module = "wordline._wordline")]
#[derive(Clone, Copy)]
pub(crate) struct BlockView {
    /// Its number in the drive.
    #[pyo3(get)]
    index: u32,
    /// Pages with data of the host, which collection has to move.
    #[pyo3(get)]
    valid: u32,
    /// Pages that collection gains.
    #[pyo3(get)]
    invalid: u32,
    /// Times that it was erased.
    #[pyo3(get)]
    erase_count: u32,
    /// Nanoseconds since the event that the policy was registered with; since the start of the drive without one.
    #[pyo3(get)]
    age_ns: u64,
    /// Blocks that were closed since it was.
    #[pyo3(get)]
    closed_ago: u32,
}

#[pymethods]
impl BlockView {
    fn __repr__(&self) -> String {
        format!("<block {}: {} valid pages>", self.index, self.valid)
    }
}

/// The blocks that a victim is chosen among, in the order of their numbers.
#[pyclass(frozen, sequence, module = "wordline._wordline")]
pub(crate) struct VictimView {
    /// Simulated time in nanoseconds.
    #[pyo3(get)]
    now_ns: u64,
    /// Pages of a block.
    #[pyo3(get)]
    pages_per_block: u32,
    blocks: Vec<BlockView>,
}

impl VictimView {
    fn of(candidates: &Candidates<'_>) -> Self {
        let pages = candidates.pages_per_block();
        let view = |index| {
            let (erase_count, closed_ago, _) = candidates.tie(index);
            let valid = candidates.valid(index);
            BlockView {
                index,
                valid,
                invalid: pages - valid,
                erase_count,
                age_ns: candidates.age(index),
                closed_ago: closed_ago.0,
            }
        };
        Self {
            now_ns: candidates.now(),
            pages_per_block: pages,
            blocks: candidates.iter().map(view).collect(),
        }
    }

    /// The block that an answer stands for.
    fn chosen(&self, answer: &Bound<'_, PyAny>) -> Result<BlockView, String> {
        let index = match answer.cast::<BlockView>() {
            Ok(block) => Some(block.get().index),
            Err(_) => whole(answer),
        };
        let place = |index| self.blocks.binary_search_by_key(&index, |block| block.index).ok();
        index
            .and_then(place)
            .map(|place| self.blocks[place])
            .ok_or_else(|| self.accepted())
    }

    fn accepted(&self) -> String {
        let first: Vec<String> = self
            .blocks
            .iter()
            .take(4)
            .map(|block| block.index.to_string())
            .collect();
        let more = if self.blocks.len() > first.len() {
            ", ..."
        } else {
            ""
        };
        format!(
            "one of the {} blocks of the view or its number ({}{more})",
            self.blocks.len(),
            first.join(", ")
        )
    }
}

#[pymethods]
impl VictimView {
    fn __len__(&self) -> usize {
        self.blocks.len()
    }

    fn __getitem__(&self, place: isize) -> PyResult<BlockView> {
        let from_end = if place < 0 { self.blocks.len() } else { 0 };
        let place = from_end.checked_add_signed(place);
        place
            .and_then(|place| self.blocks.get(place).copied())
            .ok_or_else(|| PyIndexError::new_err("there are fewer blocks"))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.blocks.iter().copied())?.try_iter()
    }

    fn __repr__(&self) -> String {
        format!("<{} blocks>", self.blocks.len())
    }
}

/// Asks Python for victims.
struct PythonVictim {
    policy: Instance,
    /// Victims in succession that gained nothing.
    in_vain: usize,
}

impl VictimPolicy for PythonVictim {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        let harmless = || candidates.iter().min_by_key(|block| candidates.valid(*block));
        let view = VictimView::of(candidates);
        if view.blocks.is_empty() {
            return None;
        }
        let now = SimTime(candidates.now());
        let chosen = Python::attach(|py| {
            let view = Bound::new(py, view).ok()?;
            let read = |answer: &Bound<'_, PyAny>| view.get().chosen(answer);
            let block = self.policy.ask(py, now, (&view,), read)?;
            self.in_vain = if block.invalid == 0 { self.in_vain + 1 } else { 0 };
            // what is moved takes as much space as the erase gives: collection would go on for ever
            if self.in_vain > view.get().blocks.len() {
                let answer = format!(
                    "blocks without an invalid page {} times in succession",
                    self.in_vain
                );
                self.policy.refuse(
                    now,
                    &answer,
                    "a block with at least one invalid page, where there is one",
                );
                return None;
            }
            Some(block.index)
        });
        chosen.or_else(harmless)
    }
}

fn row(slot: &'static Slot<Says>) -> VictimRow {
    let build = move |_: &_, seed| -> Box<dyn VictimPolicy> {
        Box::new(PythonVictim {
            policy: Instance::new(slot, "choose", seed),
            in_vain: 0,
        })
    };
    let mut row = VictimRow::new(slot.name, HELP, Box::leak(Box::new(build)));
    row.records = Box::leak(Box::new(move |_: &_| slot.maker().says));
    row
}

/// Has a name of `ftl.gc.victim` stand for what `make` makes; `age_of` says from when the age of a block is counted:
/// `last_write` or `last_invalidation`.
#[pyfunction]
pub(crate) fn register_victim(
    name: String,
    make: Py<PyAny>,
    takes_seed: bool,
    replace: bool,
    age_of: Option<&str>,
) -> PyResult<()> {
    let maker = Maker {
        make,
        takes_seed,
        says: Recording {
            last_write: age_of == Some("last_write"),
            last_invalidation: age_of == Some("last_invalidation"),
            ..Recording::default()
        },
    };
    VICTIMS.register::<VictimRow>(name, maker, replace, row)
}
