//! `serialize_overlap`: a command that overlaps one that is under way waits until that is completed, and what follows it waits as well (`in_flight_overlap` of
//! fio's backend.c).

use std::sync::{Arc, Mutex, MutexGuard};

use wordline_units::SimTime;

use crate::{HostCommand, Source, SourceError};

/// First sectors and sectors of what is under way: of one job, or of all that have `io_submit_mode=offload`, as in fio.
#[derive(Debug, Default)]
pub(crate) struct UnderWay(Vec<(u64, u32)>);

impl UnderWay {
    fn overlaps(&self, command: &HostCommand) -> bool {
        let end = |sector: u64, sectors: u32| sector.saturating_add(u64::from(sectors));
        self.0.iter().any(|(sector, sectors)| {
            *sector < end(command.sector, command.sectors) && command.sector < end(*sector, *sectors)
        })
    }

    fn remove(&mut self, command: &HostCommand) {
        let known = (command.sector, command.sectors);
        if let Some(place) = self.0.iter().position(|other| *other == known) {
            self.0.swap_remove(place);
        }
    }
}

/// A job whose commands do not overlap.
pub(crate) struct SerialJob {
    job: Box<dyn Source>,
    under_way: Arc<Mutex<UnderWay>>,
    /// The next command, where it was looked at and is not given yet.
    next: Option<Result<Option<HostCommand>, SourceError>>,
}

impl SerialJob {
    pub(crate) fn new(job: Box<dyn Source>, under_way: Arc<Mutex<UnderWay>>) -> Self {
        Self {
            job,
            under_way,
            next: None,
        }
    }

    /// What is under way; a panic elsewhere leaves it as it is.
    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        self.under_way
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Source for SerialJob {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        let next = match self.next.take() {
            Some(next) => next,
            None => self.job.next_command(),
        }?;
        if let Some(command) = next.filter(|command| command.sectors > 0) {
            self.under_way().0.push((command.sector, command.sectors));
        }
        Ok(next)
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
        if self.next.is_none() {
            if self.job.is_held() {
                return true;
            }
            self.next = Some(self.job.next_command());
        }
        match &self.next {
            Some(Ok(Some(command))) => self.under_way().overlaps(command),
            _ => false,
        }
    }

    fn completed(&mut self, command: &HostCommand, failed: bool) {
        self.under_way().remove(command);
        self.job.completed(command, failed);
    }

    fn stopped(&mut self, unsent: &[HostCommand]) {
        let mut all = unsent.to_vec();
        for command in unsent {
            self.under_way().remove(command);
        }
        if let Some(Ok(Some(command))) = self.next.take() {
            all.push(command);
        }
        self.job.stopped(&all);
    }

    fn len_hint(&self) -> Option<u64> {
        self.job.len_hint()
    }

    fn notes(&self) -> Vec<String> {
        self.job.notes()
    }
}
