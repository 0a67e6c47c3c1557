//! One program or erase in the array: how far it is, what suspending it costs, when it ends.
//!
//! Nothing is simulated phase by phase: from a start or a resumption on, the rest of an operation is
//! known, and a request looks up what it hits.

use wordline_units::{Duration, SimTime};

use super::rules::{Method, Redo, SuspendRules, VendorTimes};
use crate::phase::{Phase, Shape};

/// What an operation in the array does at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Its command or data are on the bus.
    Waiting,
    /// A program comes back from the shadow buffer.
    Reloading,
    /// The voltage of an erase goes up again.
    Ramping,
    /// The verify after which a cancelled program phase is done again.
    Check,
    /// A phase of the operation itself.
    Phase(Phase),
    /// It is done.
    Done,
}

/// A stage with its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which stage.
    pub stage: Stage,
    /// Its start.
    pub from: SimTime,
    /// Its end, `SimTime::NEVER` when the operation is done.
    pub to: SimTime,
}

/// A program or erase, running or suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    shape: Shape,
    /// Array time without suspension, ns.
    total: u64,
    /// Where its work goes on, an offset into `total`.
    at: u64,
    /// Before that, the verify that finds that a cancelled program phase has to be done again.
    check: bool,
    /// The array has begun with it.
    begun: bool,
    /// When it began, and when it was started or resumed last: `NEVER` while it is suspended.
    first: SimTime,
    from: SimTime,
    /// Time from `from` to the work: reloading or ramping.
    lead: Duration,
    /// Time of cancelled program phases that was not needed, ns.
    skipped: u64,
    suspensions: u32,
    redone: u32,
    verified_again: u32,
}

impl Progress {
    /// An operation whose array step of `length` starts at `from`.
    #[must_use]
    pub fn new(shape: Shape, length: Duration, from: SimTime) -> Self {
        Self {
            shape,
            total: length.ns(),
            at: 0,
            check: false,
            begun: false,
            first: from,
            from,
            lead: Duration::ZERO,
            skipped: 0,
            suspensions: 0,
            redone: 0,
            verified_again: 0,
        }
    }

    /// When it ends if nothing suspends it any more; `NEVER` while it is suspended.
    #[must_use]
    pub fn end(&self) -> SimTime {
        self.from + self.lead + self.check_time() + Duration(self.total - self.at)
    }

    /// Array time without suspension.
    #[must_use]
    pub fn nominal(&self) -> Duration {
        Duration(self.total)
    }

    /// Array time without suspension that is still to come at `now`; of a suspended operation, what
    /// was to come when it left.
    #[must_use]
    pub fn left(&self, now: SimTime) -> Duration {
        let worked = now.since(self.from + self.lead + self.check_time());
        Duration(self.total - self.at) - worked
    }

    /// Nominal time that was left out: what remained of program phases that were cancelled after they
    /// had done their work (`Redo::Never`, `Redo::Linear`).
    #[must_use]
    pub fn skipped(&self) -> Duration {
        Duration(self.skipped)
    }

    /// Array time that has brought the operation forward until `now`: neither what was lost nor what
    /// was left out counts.
    #[must_use]
    pub fn worked(&self, now: SimTime) -> Duration {
        self.nominal() - self.left(now) - self.skipped()
    }

    /// Time since it began that did not bring it forward: outside the array, or in it for what a
    /// suspension costs.
    #[must_use]
    pub fn added(&self, now: SimTime) -> Duration {
        now.since(self.first) - self.worked(now)
    }

    /// How far it has fallen behind an operation that nothing suspends: what the overhead limit of
    /// Wu and He (section 4 of the suspension specification) looks at.
    #[must_use]
    pub fn behind(&self, now: SimTime) -> Duration {
        now.since(self.first) - (self.nominal() - self.left(now))
    }

    /// Times that it was suspended.
    #[must_use]
    pub fn suspensions(&self) -> u32 {
        self.suspensions
    }

    /// Program phases that were cancelled and are done again. Each widens the threshold
    /// distribution of its page by one step of the program voltage at most.
    #[must_use]
    pub fn redone(&self) -> u32 {
        self.redone
    }

    /// Verify phases beyond those of an operation that nothing suspends, lost ones included.
    #[must_use]
    pub fn verified_again(&self) -> u32 {
        self.verified_again
    }

    /// What it does at `now`, while it runs.
    #[must_use]
    pub fn span_at(&self, now: SimTime) -> Span {
        let span = |stage, from, to| Span { stage, from, to };
        let work = self.from + self.lead;
        let checked = work + self.check_time();
        if now < self.from {
            return span(Stage::Waiting, SimTime::ZERO, self.from);
        }
        if now < work {
            let stage = if self.is_erase() {
                Stage::Ramping
            } else {
                Stage::Reloading
            };
            return span(stage, self.from, work);
        }
        if now < checked {
            return span(Stage::Check, work, checked);
        }
        let offset = self.at + now.since(checked).ns();
        if offset >= self.total {
            return span(Stage::Done, self.end(), SimTime::NEVER);
        }
        let (phase, from, to) = self.shape.phase(self.total, offset);
        // a pulse that goes on began before
        let time_of = |offset: u64| checked + Duration(offset.saturating_sub(self.at));
        span(Stage::Phase(phase), time_of(from), time_of(to))
    }

    /// Asks the operation to leave the array. Tells when it has, or `None` where it ends before
    /// (nothing changes then). `chance`, uniform over `u64`, decides what `Redo::Linear` leaves open.
    pub fn suspend(&mut self, rules: &SuspendRules, now: SimTime, chance: u64) -> Option<SimTime> {
        let method = if self.is_erase() {
            rules.erase
        } else {
            rules.program
        };
        let effective = if let Method::Vendor(times) = method {
            self.leave_at_once(&times, now)?
        } else if now < self.from {
            self.from
        } else {
            self.leave_phase(method, rules.reset, now, chance)?
        };
        self.suspensions += 1;
        self.from = SimTime::NEVER;
        Some(effective)
    }

    /// Leaves the array as data sheets have it, at the next safe point that is far enough from the resumption.
    fn leave_at_once(&mut self, times: &VendorTimes, now: SimTime) -> Option<SimTime> {
        if now < self.from {
            // its data are on the bus: nothing is to be left, unless it is a word line's page that only brings them
            return (self.total > times.latency.ns()).then_some(self.from);
        }
        let mut due = now;
        if self.suspensions > 0 {
            due = due.max(self.from + times.interval);
        }
        let mut at = self.total - self.left(due).ns();
        if let Some(step) = times.safe_points {
            let point = at.next_multiple_of(step.ns());
            due += Duration(point - at);
            at = point;
        }
        let free = due + times.latency;
        if free >= self.end() {
            return None;
        }
        self.at = at;
        self.begun = true;
        Some(free)
    }

    fn leave_phase(&mut self, method: Method, reset: Duration, now: SimTime, chance: u64) -> Option<SimTime> {
        let span = self.span_at(now);
        let left = span.to.since(now);
        let at_end = left <= reset || method == Method::PhaseEnd;
        match span.stage {
            Stage::Done => return None,
            // what it would have gone on with is untouched
            Stage::Reloading | Stage::Waiting => return Some(now),
            Stage::Ramping => return Some(now + reset),
            Stage::Check if at_end => {
                self.check = false;
                return Some(span.to);
            }
            Stage::Check => {
                self.verified_again += 1;
                return Some(now + reset);
            }
            Stage::Phase(_) => {}
        }
        let offset = self.total - self.left(now).ns();
        let (phase, from, to) = self.shape.phase(self.total, offset);
        if at_end && to == self.total {
            return None;
        }
        self.begun = true;
        self.check = false;
        if at_end {
            self.at = to;
            return Some(span.to);
        }
        self.at = match phase {
            Phase::Pulse { .. } if self.is_erase() => offset,
            // the verify of this iteration is the one that follows
            Phase::Pulse { .. } if reached(method, offset - from, to - from - reset.ns(), chance) => {
                self.skipped += to - offset;
                to
            }
            Phase::Pulse { .. } => {
                self.check = true;
                self.redone += 1;
                self.verified_again += 1;
                from
            }
            _ => {
                self.verified_again += 1;
                from
            }
        };
        Some(now + reset)
    }

    /// Puts the operation back into the array at `now`, `reload` being the time that its data need
    /// from the shadow buffer. Tells when it ends if nothing suspends it again.
    pub fn resume(&mut self, rules: &SuspendRules, now: SimTime, reload: Duration) -> SimTime {
        let method = if self.is_erase() {
            rules.erase
        } else {
            rules.program
        };
        self.from = now;
        self.lead = match (method, self.is_erase()) {
            (Method::Vendor(_), _) => Duration::ZERO,
            (_, false) => reload,
            (_, true) if self.begun && self.in_pulse(rules.reset) => rules.reset,
            (_, true) => Duration::ZERO,
        };
        self.end()
    }

    /// For an erase: whether pulse is left.
    fn in_pulse(&self, reset: Duration) -> bool {
        self.at < self.total
            && match self.shape.phase(self.total, self.at) {
                (Phase::Pulse { .. }, _, to) => self.at + reset.ns() < to,
                _ => false,
            }
    }

    fn is_erase(&self) -> bool {
        matches!(self.shape, Shape::Erase { .. })
    }

    fn check_time(&self) -> Duration {
        match self.shape {
            Shape::Program { verify, .. } if self.check => verify,
            _ => Duration::ZERO,
        }
    }
}

/// Whether a program phase cancelled after `elapsed` of its `active` ns had done its work.
fn reached(method: Method, elapsed: u64, active: u64, chance: u64) -> bool {
    match method {
        Method::Cancel(Redo::Never) => true,
        Method::Cancel(Redo::Linear) => {
            // chance / 2^64 < elapsed / active
            u128::from(chance) * u128::from(active) < u128::from(elapsed) << u64::BITS
        }
        _ => false,
    }
}
