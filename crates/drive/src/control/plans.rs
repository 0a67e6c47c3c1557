//! Plans of several steps in execution: which step is ready, and which waits.

use smallvec::SmallVec;
use wordline_ftl::PlanProgress;

use crate::operation::OpId;

/// A plan with more than one step.
#[derive(Debug, Default)]
struct PlanRecord {
    /// Operation of each step, and the steps that it waits for: bit i stands for step i.
    steps: Vec<(OpId, u64)>,
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
    #[inline]
    pub(crate) fn add(&mut self, record: u32, op: OpId, after: u64) {
        self.records[record as usize].steps.push((op, after));
    }

    /// Starts the steps of a plan whose dependencies are done: a bit for each.
    #[inline]
    pub(crate) fn start_ready(&mut self, record: u32) -> u64 {
        let PlanRecord { steps, progress } = &mut self.records[record as usize];
        progress.start_ready(|step| steps[step].1)
    }

    /// The operation of a step.
    #[inline]
    pub(crate) fn operation(&self, record: u32, step: u32) -> OpId {
        self.records[record as usize].steps[step as usize].0
    }

    /// The operations of the steps that wait for a step.
    pub(crate) fn followers(&self, record: u32, index: u8) -> SmallVec<[OpId; 2]> {
        let steps = self.records[record as usize].steps.iter();
        let followers = steps.filter(|(_, after)| after >> index & 1 == 1);
        followers.map(|(op, _)| *op).collect()
    }

    /// Whether one of the operations of a plan that have not ended is like this.
    pub(crate) fn any_left(&self, record: u32, is_such: impl Fn(OpId) -> bool) -> bool {
        let PlanRecord { steps, progress } = &self.records[record as usize];
        let mut steps = steps.iter().enumerate();
        steps.any(|(step, (op, _))| !progress.has_ended(step) && is_such(*op))
    }

    /// A step has ended: starts those whose dependencies are done by that, a bit for each. With the last step the record is free.
    #[inline]
    pub(crate) fn end_step(&mut self, record: u32, index: u8) -> u64 {
        let PlanRecord { steps, progress } = &mut self.records[record as usize];
        progress.end(usize::from(index));
        if progress.is_over() {
            self.free.push(record);
            return 0;
        }
        progress.start_ready(|step| steps[step].1)
    }

    /// Whether none is in execution.
    pub(crate) fn is_empty(&self) -> bool {
        self.free.len() == self.records.len()
    }
}
