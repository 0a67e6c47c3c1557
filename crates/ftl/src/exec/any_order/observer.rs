//! Who is told what an executor in any order does.

use wordline_nand::{Medium, Ppn, Violation};

use crate::notice::JobId;
use crate::plan::{Bound, Outcome, Step, Work};
use crate::recovery::Written;

/// For whom a plan is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A page request: the number of those accepted before it.
    Request(u64),
    /// A job.
    Job(JobId),
}

/// A step of a plan: the number of plans opened before, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId {
    /// The plan.
    pub plan: u64,
    /// The step of the plan.
    pub at: usize,
}

/// A step that has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    /// Which.
    pub id: StepId,
    /// What it does.
    pub step: Step,
    /// The page of a program or copy-back.
    pub bound: Option<Bound>,
}

impl Started {
    /// Source and destination of a copy-back.
    #[must_use]
    pub fn copied(&self) -> Option<(Ppn, Ppn)> {
        match (self.step.work, self.bound) {
            (Work::CopyBack { source, .. }, Some(bound)) => Some((source, bound.page)),
            _ => None,
        }
    }
}

/// Is told of plans and steps. An error stops the run.
pub trait StepObserver {
    /// A plan is under way; `from` is the step of another plan that grew it.
    fn opened(&mut self, _plan: u64, _origin: Origin, _from: Option<StepId>, _steps: &[Step]) {}

    /// A program is about to start that writes this beside the data of the host.
    fn wrote(&mut self, _step: &Started, _written: Written) {}

    /// Steps start, several of them as one multi-plane program.
    ///
    /// # Errors
    /// A violated rule of the medium.
    fn started(&mut self, _steps: &[Started]) -> Result<(), Box<Violation>> {
        Ok(())
    }

    /// A step has ended, or was declined without having started; the FTL is told next.
    ///
    /// # Errors
    /// A violated rule of the medium.
    fn ended(&mut self, _step: &Started, _outcome: Outcome) -> Result<(), Box<Violation>> {
        Ok(())
    }

    /// The run stops while a step is in flight.
    fn interrupted(&mut self, _step: &Started) {}
}

/// Nobody.
impl StepObserver for () {}

/// Enforces the restrictions of flash. A program counts from its start and an erase from its end; a program that is
/// interrupted leaves a torn page, an interrupted erase a block of them.
impl StepObserver for Medium {
    fn started(&mut self, steps: &[Started]) -> Result<(), Box<Violation>> {
        let copied: Vec<(Ppn, Ppn)> = steps.iter().filter_map(Started::copied).collect();
        if !copied.is_empty() {
            return self.copy_back(&copied);
        }
        let programmed: Vec<Ppn> = steps
            .iter()
            .filter_map(|started| started.bound)
            .map(|bound| bound.page)
            .collect();
        if !programmed.is_empty() {
            self.program(&programmed)?;
        }
        for started in steps {
            if let Work::Read { page, .. } = started.step.work {
                self.read(&[page])?;
            }
        }
        Ok(())
    }

    fn ended(&mut self, step: &Started, outcome: Outcome) -> Result<(), Box<Violation>> {
        match (step.step.work, outcome) {
            (Work::Erase { block }, Outcome::Good) => self.erase(&[block]),
            _ => Ok(()),
        }
    }

    fn interrupted(&mut self, step: &Started) {
        if let Some(bound) = step.bound {
            self.tear(bound.page);
        } else if let Work::Erase { block } = step.step.work {
            self.tear_block(block);
        }
    }
}
