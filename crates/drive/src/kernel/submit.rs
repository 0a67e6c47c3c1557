//! Handing of page-sized pieces to the FTL, and pieces that wait for an earlier write of their page.

use wordline_ftl::{Answer, Cause, Lpn, PageOp, Refusal, Route, Step, Work};
use wordline_metrics::{Part, Status};

use super::Drive;
use crate::clock::Event;
use crate::features::Features;
use crate::host::SubRequest;
use crate::operation::{Level, Owner};

/// How a command ends that the FTL refuses.
pub(super) fn status_of(refusal: Refusal) -> Status {
    match refusal {
        Refusal::OutOfRange | Refusal::NoUnit => Status::Refused,
        Refusal::InvalidField => Status::InvalidField,
        Refusal::ZoneBoundary => Status::ZoneBoundary,
        Refusal::InvalidWrite => Status::ZoneInvalidWrite,
        Refusal::ZoneFull => Status::ZoneFull,
        Refusal::ZoneReadOnly => Status::ZoneReadOnly,
        Refusal::ZoneOffline => Status::ZoneOffline,
        Refusal::TooManyActive => Status::TooManyActiveZones,
        Refusal::TooManyOpen => Status::TooManyOpenZones,
        Refusal::InvalidTransition => Status::InvalidZoneTransition,
        Refusal::WriteFault => Status::WriteFault,
    }
}

impl<F: Features> Drive<F> {
    /// Submits a piece to the FTL, where it need not wait for its turn.
    #[inline]
    pub(crate) fn submit(&mut self, sub: &SubRequest) {
        if !self.requests.is_some() || !self.wait_as_piece(sub) {
            self.submit_now(sub);
        }
    }

    /// Submits a piece to the FTL, or parks it behind an earlier write of its page.
    #[inline]
    pub(super) fn submit_now(&mut self, sub: &SubRequest) {
        if self.control.is_behind_another(sub) || !self.try_submit(sub) {
            self.control.parked_mut().park(*sub);
        }
    }

    /// Submits a piece to the FTL; false if it has to wait for an earlier write of its page.
    fn try_submit(&mut self, sub: &SubRequest) -> bool {
        // zero unless it was parked
        self.observe.charge(sub.account, Part::SamePage, self.clock.now());
        let answer = self.control.submit(self.clock.now(), sub);
        match answer {
            Answer::Accepted if sub.page.op == PageOp::Read => {}
            Answer::Accepted => self.accepted(sub),
            Answer::Refused(refusal) => self.ends_with(sub.owner, status_of(refusal)),
            Answer::Wait
            | Answer::WaitFor(_)
            | Answer::InMemory
            | Answer::PartlyInMemory
            | Answer::Unmapped => {
                if answer != Answer::Unmapped && self.read_shadow(sub) {
                    return true;
                }
                if self.control.must_wait(answer) {
                    if let Answer::WaitFor(other) = answer {
                        let lpn = sub.page.lpn;
                        self.control.parked_mut().waits_for_another(lpn, other);
                    }
                    return false;
                }
            }
        }
        // a read that flash has nothing for may have steps of the map alone, which it does not wait for
        let acknowledges = |step: &Step| step.acknowledges;
        if self.control.planned() == 0 {
            self.served_from_memory(sub);
        } else if matches!(answer, Answer::InMemory | Answer::Unmapped)
            && !self.control.plan().iter().any(acknowledges)
        {
            let own = self.observe.fork_account(sub.account, 1);
            self.start_plan(sub.owner, Level::Host, own);
            self.served_from_memory(sub);
        } else {
            self.hold_gathered(sub.owner);
            let acknowledging = self.start_plan(sub.owner, Level::Host, sub.account);
            self.piece_waits_for(sub.owner, acknowledging);
            self.force_unit(sub);
        }
        if matches!(answer, Answer::Refused(_)) {
            // those that wait for its program wait in vain
            for page in self.control.parked_mut().take_awaiting(sub.page.lpn) {
                self.resubmit_page(page);
            }
        }
        true
    }

    /// The FTL has accepted a piece that changes what a page holds.
    #[inline]
    fn accepted(&mut self, sub: &SubRequest) {
        if self.observe.has_probes() {
            self.observe.page_accepted(self.clock.now(), &sub.page);
        }
        match sub.page.op {
            PageOp::Write if !matches!(sub.owner, Owner::Padding(_)) => self.observe.host_page_written(),
            PageOp::Trim => {
                if let Some(buffer) = self.buffer.as_mut() {
                    buffer.trim_done(&sub.page);
                }
            }
            _ => {}
        }
    }

    /// Reads a page whose newest data a program has, from the die that programs it. False where they
    /// are in the controller, which then answers.
    fn read_shadow(&mut self, sub: &SubRequest) -> bool {
        let held = self.array.shadow_page(sub.page.lpn);
        let Some(page) = held.filter(|_| sub.page.op == PageOp::Read) else {
            return false;
        };
        self.control.drop_plan();
        self.control.plan_step(Step {
            work: Work::Read {
                page,
                bitmap: sub.page.bitmap,
                route: Route::Controller,
            },
            cause: Cause::Host,
            acknowledges: true,
            after: 0,
            lpn: sub.page.lpn,
            // the FTL knows nothing of it
            token: u32::MAX,
        });
        let acknowledging = self.start_plan(sub.owner, Level::Host, sub.account);
        self.piece_waits_for(sub.owner, acknowledging);
        true
    }

    /// A piece of a request, or a step of one, ended so.
    pub(crate) fn ends_with(&mut self, owner: Owner, status: Status) {
        if let Some(request) = self.request_of(owner) {
            self.host.ends_with(request, status);
        }
    }

    /// The piece is done as soon as the controller's memory was accessed.
    fn served_from_memory(&mut self, sub: &SubRequest) {
        match sub.owner {
            Owner::Request(request) => {
                let now = self.clock.now();
                self.host.serve(now, request);
                let done = now + self.control.memory_access();
                self.observe.charge(sub.account, Part::Memory, done);
                self.observe.settle_account(request, sub.account);
                self.clock.schedule(done, Event::MemoryDone(request));
            }
            Owner::Job(_) => {}
            owner => {
                match self.request_of(owner) {
                    Some(request) => self.observe.settle_account(request, sub.account),
                    None => self.observe.drop_account(sub.account),
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
        self.resubmit_page(lpn);
        for page in self.control.parked_mut().take_awaiting(lpn) {
            self.resubmit_page(page);
        }
        for piece in self.control.parked_mut().take_ranges() {
            if !self.try_submit(&piece) {
                self.control.parked_mut().park(piece);
            }
        }
    }

    /// Submits again the pieces of a page, as far as they can go on.
    fn resubmit_page(&mut self, lpn: Lpn) {
        if let Some(mut waiting) = self.control.parked_mut().take_page(lpn) {
            let mut served = 0;
            while served < waiting.len() && self.try_submit(&waiting[served]) {
                served += 1;
            }
            waiting.drain(..served);
            if !waiting.is_empty() {
                self.control.parked_mut().keep_page(lpn, waiting);
            }
        }
    }
}
