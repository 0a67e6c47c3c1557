//! One unit under arrivals, with the rules of section 4 of the suspension specification: a small
//! reference against which the phase machine is tested alone.

use std::collections::VecDeque;

use wordline_nand::{Progress, Shape, Span, Stack, Stage, SuspendRules, Suspendable};
use wordline_units::{Duration, SimTime};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    Fifo,
    Rps,
    Pes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Read,
    Write,
    Erase,
}

/// Times of a part, and what may be done with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) bus: u64,
    pub(crate) sense: u64,
    pub(crate) program: Shape,
    pub(crate) program_time: u64,
    pub(crate) erase: Shape,
    pub(crate) erase_time: u64,
    pub(crate) rules: SuspendRules,
    pub(crate) policy: Policy,
    pub(crate) write_suspends_erase: bool,
}

/// What became of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) what: What,
    pub(crate) arrival: u64,
    /// Start of sensing, or of the array step.
    pub(crate) started: u64,
    pub(crate) done: u64,
    pub(crate) progress: Option<Progress>,
    /// What it did in the array, stretch by stretch.
    pub(crate) spans: Vec<Span>,
    /// What the requests to leave the array hit.
    pub(crate) hits: Vec<Hit>,
    /// Service time of others while it was suspended.
    pub(crate) preempted: u64,
    /// For a read: whether another read was pending or served, or data went in, when it came.
    pub(crate) behind: bool,
}

/// A request to leave the array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) stage: Stage,
    /// How far the stage was.
    pub(crate) offset: u64,
    /// Whether the stage was let to its end.
    pub(crate) at_end: bool,
}

#[derive(Clone, Copy, Debug)]
struct Active {
    id: usize,
    progress: Progress,
    /// When it leaves the array, once that was asked.
    leaves: Option<SimTime>,
    since: SimTime,
}

pub(crate) struct Unit {
    part: Part,
    now: u64,
    waiting: [VecDeque<usize>; 3],
    /// The read in service and its end.
    read: Option<(usize, u64)>,
    active: Option<Active>,
    stack: Stack<Active>,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) completed: Vec<usize>,
    pub(crate) busy: u64,
}

pub(crate) fn run(part: Part, arrivals: &[(u64, What)]) -> Unit {
    let mut unit = Unit {
        part,
        now: 0,
        waiting: Default::default(),
        read: None,
        active: None,
        stack: Stack::default(),
        outcomes: Vec::new(),
        completed: Vec::new(),
        busy: 0,
    };
    let mut arrivals = arrivals.iter().peekable();
    loop {
        let next = [
            arrivals.peek().map(|(at, _)| *at),
            unit.read.map(|(_, end)| end),
            unit.active
                .map(|active| active.leaves.unwrap_or(active.progress.end()).ns()),
        ]
        .into_iter()
        .flatten()
        .min();
        let Some(next) = next else { break };
        let working = unit.read.is_some() || unit.active.is_some();
        unit.busy += if working { next - unit.now } else { 0 };
        unit.now = next;
        while let Some((at, what)) = arrivals.next_if(|(at, _)| *at == next) {
            unit.arrive(*at, *what);
        }
        unit.complete();
        unit.dispatch();
    }
    assert!(unit.stack.is_empty());
    unit
}

impl Unit {
    fn arrive(&mut self, at: u64, what: What) {
        let in_service = self.read.is_some_and(|(_, end)| end > at);
        let data_in = self
            .active
            .is_some_and(|active| active.progress.span_at(SimTime(at)).stage == Stage::Waiting);
        self.waiting[what as usize].push_back(self.outcomes.len());
        self.outcomes.push(Outcome {
            what,
            arrival: at,
            started: 0,
            done: 0,
            progress: None,
            spans: Vec::new(),
            hits: Vec::new(),
            preempted: 0,
            behind: in_service || data_in || self.waiting[What::Read as usize].len() > 1,
        });
    }

    fn complete(&mut self) {
        if let Some((id, end)) = self.read
            && end == self.now
        {
            self.read = None;
            self.finish(id);
        }
        let Some(active) = self.active else { return };
        let now = SimTime(self.now);
        if let Some(leaves) = active.leaves {
            if leaves == now {
                self.active = None;
                let kind = kind(self.outcomes[active.id].what);
                let suspended = Active {
                    leaves: None,
                    since: now,
                    ..active
                };
                self.stack.push(kind, suspended).unwrap();
                assert!(self.stack.depth() <= 2);
            }
        } else if active.progress.end() == now {
            self.active = None;
            self.record(&active, now);
            self.outcomes[active.id].progress = Some(active.progress);
            self.finish(active.id);
        }
    }

    fn finish(&mut self, id: usize) {
        self.outcomes[id].done = self.now;
        self.completed.push(id);
    }

    fn dispatch(&mut self) {
        match self.part.policy {
            Policy::Pes => self.request(),
            Policy::Fifo | Policy::Rps => {}
        }
        if self.read.is_some() || self.active.is_some() {
            return;
        }
        let heads = self.waiting.each_ref().map(|queue| queue.front().copied());
        if self.part.policy == Policy::Fifo {
            let Some(first) = heads.into_iter().flatten().min() else {
                return;
            };
            self.start(self.outcomes[first].what);
            return;
        }
        let [reads, writes, erases] = heads;
        let program_on_top = matches!(self.stack.top(), Some((Suspendable::Program, _)));
        let may_write = self.stack.is_empty() || self.part.write_suspends_erase;
        if reads.is_some() {
            self.start(What::Read);
        } else if program_on_top {
            self.resume();
        } else if writes.is_some() && may_write {
            self.start(What::Write);
        } else if !self.stack.is_empty() {
            self.resume();
        } else if erases.is_some() {
            self.start(What::Erase);
        }
    }

    /// Asks what runs to leave, where something more pressing waits.
    fn request(&mut self) {
        let now = SimTime(self.now);
        let Some(mut active) = self.active else { return };
        let is_erase = self.outcomes[active.id].what == What::Erase;
        let pressing = !self.waiting[What::Read as usize].is_empty()
            || (is_erase && self.part.write_suspends_erase && !self.waiting[What::Write as usize].is_empty());
        if !pressing || active.leaves.is_some() {
            return;
        }
        let before = active.progress;
        if let Some(leaves) = active.progress.suspend(&self.part.rules, now, 0) {
            let running = Active {
                progress: before,
                ..active
            };
            let hit = before.span_at(now);
            let at_end = leaves == hit.to;
            // what follows a request inside a stage is the reset, no work
            self.record(&running, if at_end { leaves } else { now });
            self.outcomes[active.id].hits.push(Hit {
                stage: hit.stage,
                offset: now.since(hit.from).ns(),
                at_end,
            });
            active.leaves = Some(leaves);
            self.active = Some(active);
            if leaves == now {
                self.complete();
            }
        }
    }

    /// Notes what an operation did in the array from its last start to `until`.
    fn record(&mut self, active: &Active, until: SimTime) {
        let mut at = active.since;
        while at < until {
            let span = active.progress.span_at(at);
            let to = span.to.min(until);
            self.outcomes[active.id].spans.push(Span { from: at, to, ..span });
            at = to;
        }
    }

    fn resume(&mut self) {
        let Some((_, mut active)) = self.stack.pop() else {
            return;
        };
        let now = SimTime(self.now);
        self.outcomes[active.id].preempted += now.since(active.since).ns();
        active
            .progress
            .resume(&self.part.rules, now, self.part.rules.shadow);
        active.since = now;
        self.active = Some(active);
    }

    fn start(&mut self, what: What) {
        let Some(id) = self.waiting[what as usize].pop_front() else {
            return;
        };
        let part = &self.part;
        if what == What::Read {
            self.outcomes[id].started = self.now;
            self.read = Some((id, self.now + part.sense + part.bus));
            return;
        }
        let (shape, length, wait) = match what {
            What::Erase => (part.erase, part.erase_time, 0),
            _ => (part.program, part.program_time, part.bus),
        };
        let from = SimTime(self.now + wait);
        self.outcomes[id].started = from.ns();
        self.active = Some(Active {
            id,
            progress: Progress::new(shape, Duration(length), from),
            leaves: None,
            since: from,
        });
    }
}

fn kind(what: What) -> Suspendable {
    match what {
        What::Erase => Suspendable::Erase,
        _ => Suspendable::Program,
    }
}
