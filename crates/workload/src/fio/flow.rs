//! `flow`: jobs that keep what they send in proportion (`flow_threshold_exceeded` of fio's flow.c). A job that has sent more than its share of what all jobs of
//! its flow have sent, by their weights, sends nothing more until the others have followed.

use std::sync::{Arc, Mutex, MutexGuard};

use wordline_units::SimTime;

use crate::{HostCommand, Source, SourceError};

/// What the jobs of a flow have sent.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// Weights of the jobs that run.
    weights: u64,
    sent: u64,
}

/// A job in a flow.
pub(crate) struct FlowedJob {
    job: Box<dyn Source>,
    flow: Arc<Mutex<Flow>>,
    weight: u64,
    sent: u64,
    is_in: bool,
    is_over: bool,
}

impl FlowedJob {
    /// `weight` is above 0.
    pub(crate) fn new(job: Box<dyn Source>, flow: Arc<Mutex<Flow>>, weight: u64) -> Self {
        Self {
            job,
            flow,
            weight,
            sent: 0,
            is_in: false,
            is_over: false,
        }
    }

    /// The flow, which the job has joined unless it is over; a panic elsewhere leaves it as it is.
    fn flow(&mut self) -> MutexGuard<'_, Flow> {
        let mut flow = self
            .flow
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if !self.is_in && !self.is_over {
            self.is_in = true;
            flow.weights += self.weight;
        }
        flow
    }

    fn leave(&mut self) {
        let (weight, sent, is_in) = (self.weight, self.sent, self.is_in);
        self.is_over = true;
        self.is_in = false;
        if is_in {
            let mut flow = self.flow();
            flow.weights -= weight;
            flow.sent -= sent;
        }
    }
}

impl Source for FlowedJob {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        let next = self.job.next_command();
        if matches!(next, Ok(Some(_))) {
            self.flow().sent += 1;
            self.sent += 1;
        } else {
            self.leave();
        }
        next
    }

    fn heeds_time(&self) -> bool {
        self.job.heeds_time()
    }

    fn time_is(&mut self, now: SimTime) {
        self.job.time_is(now);
    }

    fn follows_completions(&self) -> bool {
        true
    }

    fn is_held(&mut self) -> bool {
        if self.is_over {
            return false;
        }
        let (sent, weight) = (self.sent, self.weight);
        let flow = self.flow();
        let exceeds =
            u128::from(sent) * u128::from(flow.weights) > u128::from(weight) * u128::from(flow.sent);
        drop(flow);
        exceeds || self.job.is_held()
    }

    fn completed(&mut self, command: &HostCommand, failed: bool) {
        self.job.completed(command, failed);
    }

    fn stopped(&mut self, unsent: &[HostCommand]) {
        self.leave();
        self.job.stopped(unsent);
    }

    fn len_hint(&self) -> Option<u64> {
        self.job.len_hint()
    }

    fn notes(&self) -> Vec<String> {
        self.job.notes()
    }
}
