//! Plans of several steps in execution: which step is ready, and which waits.

use smallvec::SmallVec;
use wordline_ftl::PlanProgress;

use crate::operation::OpId;

/// A plan with more than one step.
#[derive(Debug, Default)]
struct PlanRecord {
    /// Operation of each step, and the steps that it waits for: bit i stands for step i.
    steps: SmallVec<[(OpId, u64); 8]>,
    progress: PlanProgress,
}

/// The plans of several steps in execution. A record that is free keeps its place for the next plan.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    records: Vec<PlanRecord>,
    free: Vec<u32>,
}

impl Plans {
    /// A record for a plan, without its steps.
    pub(crate) fn open(&mut self, progress: PlanProgress) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.records.push(PlanRecord::default());
            (self.records.len() - 1) as u32
        });
        let record = &mut self.records[number as usize];
        record.steps.clear();
        record.progress = progress;
        number
    }

    /// Adds the operation of the next step, which waits for the steps `after`.
    pub(crate) fn add(&mut self, record: u32, op: OpId, after: u64) {
        self.records[record as usize].steps.push((op, after));
    }

    /// The steps of a plan that are not started, a bit each.
    pub(crate) fn unstarted(&self, record: u32) -> u64 {
        self.records[record as usize].progress.unstarted()
    }

    /// Starts the next of the steps `candidates` whose dependencies are done: its operation.
    pub(crate) fn start_next(&mut self, record: u32, candidates: &mut u64) -> Option<OpId> {
        let PlanRecord { steps, progress } = &mut self.records[record as usize];
        let step = progress.start_next(candidates, |step| steps[step].1)?;
        Some(steps[step].0)
    }

    /// A step has ended. Tells whether steps of its plan are not started; with the last step the record is free.
    pub(crate) fn end_step(&mut self, record: u32, index: u8) -> bool {
        let progress = &mut self.records[record as usize].progress;
        progress.end(usize::from(index));
        if progress.is_over() {
            self.free.push(record);
            return false;
        }
        progress.unstarted() != 0
    }

    /// Whether none is in execution.
    pub(crate) fn is_empty(&self) -> bool {
        self.free.len() == self.records.len()
    }
}
