//! A scheduler that chooses among what it sees, with the tables that are filled for it.

use wordline_keys::Parameters;
use wordline_nand::ChannelId;
use wordline_scheduler::{BuildScheduler, Candidate, Frame, Scheduler, SchedulerRow, UnitView};
use wordline_units::SimTime;

use crate::array::Choice;

/// A scheduler that chooses among what it sees, with the tables that are filled for it.
#[derive(Debug)]
pub(super) struct Viewing {
    scheduler: Box<dyn Scheduler>,
    candidates: Vec<Candidate>,
    /// What each candidate is to the drive.
    choices: Vec<Choice>,
    pub(super) units: Vec<UnitView>,
    /// Least rank of the candidates: only those of this rank are kept.
    rank: u8,
    /// The oldest that has waited too long.
    pub(super) overdue: Option<(u64, Choice)>,
}

impl Viewing {
    pub(super) fn new(build: BuildScheduler, keys: &Parameters<SchedulerRow>, frame: &Frame<'_>) -> Self {
        Self {
            scheduler: build(keys, frame),
            candidates: Vec::new(),
            choices: Vec::new(),
            units: Vec::new(),
            rank: u8::MAX,
            overdue: None,
        }
    }

    pub(super) fn begin(&mut self) {
        self.candidates.clear();
        self.choices.clear();
        self.units.clear();
        self.rank = u8::MAX;
        self.overdue = None;
    }

    pub(super) fn offer(&mut self, rank: u8, candidate: Candidate, choice: Choice) {
        if rank < self.rank {
            self.rank = rank;
            self.candidates.clear();
            self.choices.clear();
        }
        if rank == self.rank {
            self.candidates.push(candidate);
            self.choices.push(choice);
        }
    }

    /// The choice of the scheduler, if it makes one.
    pub(super) fn choose(&mut self, channel: usize, now: SimTime) -> Option<Choice> {
        if let Some((_, choice)) = self.overdue {
            return Some(choice);
        }
        if self.candidates.is_empty() {
            return None;
        }
        let picked = self.scheduler.pick(&wordline_scheduler::ChannelView {
            channel: ChannelId(channel as u32),
            now,
            units: &self.units,
            candidates: &self.candidates,
        })?;
        let place = self
            .candidates
            .iter()
            .position(|candidate| std::ptr::eq(candidate, picked))?;
        Some(self.choices[place])
    }
}
