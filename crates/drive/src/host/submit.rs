//! Handing of page-sized pieces to the FTL, and pieces that wait for an earlier write of their page.

use wordline_ftl::{Answer, Lpn, PageOp};
use wordline_metrics::{Part, Status};

use super::SubRequest;
use crate::drive::{Drive, Event};
use crate::operation::{Level, Owner};

impl Drive {
    /// Serves a piece from the write buffer or hands it to the FTL. The piece itself counts as
    /// one thing that the acknowledgement waits for.
    #[inline]
    pub(crate) fn serve(&mut self, sub: &SubRequest) {
        if self.buffer.is_some() {
            self.serve_buffered(*sub)
        } else {
            self.submit(sub)
        }
    }

    /// Submits a piece to the FTL, or parks it behind an earlier write of its page.
    #[inline]
    pub(crate) fn submit(&mut self, sub: &SubRequest) {
        let behind_another = !self.parked.is_empty() && self.parked.contains_key(&sub.page.lpn);
        if behind_another || !self.try_submit(sub) {
            self.park(*sub);
        }
    }

    fn park(&mut self, sub: SubRequest) {
        if sub.page.pages == 1 {
            self.parked.entry(sub.page.lpn).or_default().push(sub);
        } else {
            self.parked_ranges.push(sub);
        }
    }

    /// Submits a piece to the FTL; false if it has to wait for an earlier write of its page.
    fn try_submit(&mut self, sub: &SubRequest) -> bool {
        // zero unless it was parked
        self.charge(sub.account, Part::SamePage, self.now);
        let now = self.ftl_now();
        self.ftl_called = true;
        let answer = self.ftl.submit(now, &sub.page, &mut self.plan);
        if matches!(answer, Answer::InMemory | Answer::Wait) && self.read_shadow(sub) {
            return true;
        }
        if answer == Answer::InMemory && self.host.reads_after_program {
            return false;
        }
        if answer == Answer::Accepted {
            match sub.page.op {
                PageOp::Write if !matches!(sub.owner, Owner::Padding(_)) => {
                    self.recorder.ledger.host_wrote(1)
                }
                PageOp::Trim => self.trimmed(&sub.page),
                _ => {}
            }
        }
        match answer {
            Answer::Accepted if self.plan.is_empty() => {
                self.served_from_memory(sub);
            }
            Answer::Accepted => {
                let acknowledging = self.start_plan(sub.owner, Level::Host, sub.account);
                self.piece_waits_for(sub.owner, acknowledging);
            }
            other => {
                match other {
                    Answer::Wait => return false,
                    Answer::InMemory => self.host.in_memory_reads += 1,
                    Answer::Unmapped => self.host.unmapped_reads += 1,
                    Answer::Refused(_) => self.ends_with(sub.owner, Status::Refused),
                    Answer::Accepted => {}
                }
                self.served_from_memory(sub);
            }
        }
        true
    }

    /// A piece of a request, or a step of one, ended so.
    pub(crate) fn ends_with(&mut self, owner: Owner, status: Status) {
        if let Some(request) = self.request_of(owner)
            && let Some(request) = self.requests.get_mut(request)
        {
            request.status = request.status.max(status);
        }
    }

    /// The piece is done as soon as the controller's memory was accessed.
    fn served_from_memory(&mut self, sub: &SubRequest) {
        match sub.owner {
            Owner::Request(request) => {
                let done = self.now + self.memory_access;
                self.charge(sub.account, Part::Memory, done);
                self.settle_account(request, sub.account);
                self.schedule(done, Event::MemoryDone(request));
            }
            Owner::Job(_) => {}
            owner => {
                if let Some(request) = self.request_of(owner) {
                    self.settle_account(request, sub.account);
                }
                self.buffer_served_from_memory(owner);
            }
        }
    }

    /// Exchanges the piece itself for the steps that its acknowledgement waits for.
    pub(crate) fn piece_waits_for(&mut self, owner: Owner, acknowledging: u32) {
        match owner {
            // one for one
            Owner::Request(_) if acknowledging == 1 => {}
            Owner::Request(request) => self.exchange(request, acknowledging),
            Owner::Job(_) => {}
            owner => self.buffer_step_done(owner, acknowledging, true),
        }
    }

    /// Submits again what waited for a step of `lpn`.
    pub(crate) fn resubmit(&mut self, lpn: Lpn) {
        if let Some(mut waiting) = self.parked.remove(&lpn) {
            let mut served = 0;
            while served < waiting.len() && self.try_submit(&waiting[served]) {
                served += 1;
            }
            waiting.drain(..served);
            if !waiting.is_empty() {
                self.parked.insert(lpn, waiting);
            }
        }
        if !self.parked_ranges.is_empty() {
            let waiting = std::mem::take(&mut self.parked_ranges);
            for sub in waiting {
                if !self.try_submit(&sub) {
                    self.parked_ranges.push(sub);
                }
            }
        }
    }
}
