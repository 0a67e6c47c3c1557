//! Array steps whose end is not known when they begin: they can be suspended.

use wordline_nand::DieId;
use wordline_units::SimTime;

use super::span::Span;
use crate::probe::CommandKind;

/// A die with an operation that can be suspended, and those that are.
#[derive(Clone, Debug, Default)]
struct OpenDie {
    running: Option<Span>,
    suspended: Vec<Span>,
}

/// The array steps that are under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Open {
    programs: bool,
    erases: bool,
    dies: Vec<OpenDie>,
}

impl Open {
    /// For a drive that suspends these.
    pub(super) fn new(dies: u32, programs: bool, erases: bool) -> Self {
        Self {
            programs,
            erases,
            dies: vec![OpenDie::default(); dies as usize],
        }
    }

    /// Keeps a span of a die back, if what the array does then, `step`, can be suspended; otherwise gives
    /// it back.
    pub(super) fn begin(&mut self, die: DieId, step: CommandKind, span: Span) -> Option<Span> {
        let keeps = match step {
            CommandKind::Program => self.programs,
            CommandKind::Erase => self.erases,
            _ => false,
        };
        match self.dies.get_mut(die.index()) {
            Some(entry) if keeps => entry.running.replace(span),
            _ => Some(span),
        }
    }

    /// The operation of a die leaves the array: what it did since it came.
    pub(super) fn leave(&mut self, die: DieId, at: SimTime) -> Option<Span> {
        let entry = self.dies.get_mut(die.index())?;
        let span = entry.running.take()?;
        entry.suspended.push(span);
        Some(Span { to: at, ..span })
    }

    /// The operation that left last is back.
    pub(super) fn come_back(&mut self, die: DieId, from: SimTime, to: SimTime) {
        if let Some(entry) = self.dies.get_mut(die.index()) {
            entry.running = entry.suspended.pop().map(|span| Span { from, to, ..span });
        }
    }

    /// The operation of a die is done in the array.
    pub(super) fn end(&mut self, die: DieId) -> Option<Span> {
        self.dies.get_mut(die.index())?.running.take()
    }

    /// What is under way at a moment.
    pub(super) fn under_way(&self) -> impl Iterator<Item = Span> {
        self.dies.iter().filter_map(|die| die.running)
    }
}

#[cfg(test)]
mod tests {
    use wordline_ftl::Cause;

    use super::*;
    use crate::timeline::span::{Activity, Serves, Track};

    #[test]
    fn an_operation_that_leaves_has_a_span_for_each_stay() {
        let span = |kind, from: u64, to: u64| Span {
            track: Track::Die(DieId(1)),
            activity: Activity::Command(kind),
            cause: Cause::Host,
            serves: Serves::Buffer,
            from: SimTime(from),
            to: SimTime(to),
            address: 7,
            count: 1,
            mode: wordline_nand::Mode::NORMAL,
        };
        let mut open = Open::new(2, true, false);
        let erase = span(CommandKind::Erase, 0, 9);
        let begun = open.begin(DieId(0), CommandKind::Erase, erase);
        assert_eq!(begun, Some(erase), "it cannot be suspended");
        let program = span(CommandKind::Program, 10, 100);
        assert_eq!(open.begin(DieId(1), CommandKind::Program, program), None);
        assert_eq!(open.under_way().count(), 1);
        let first = open.leave(DieId(1), SimTime(30));
        assert_eq!(first, Some(span(CommandKind::Program, 10, 30)));
        assert_eq!((open.end(DieId(1)), open.under_way().count()), (None, 0));
        open.come_back(DieId(1), SimTime(50), SimTime(120));
        assert_eq!(open.end(DieId(1)), Some(span(CommandKind::Program, 50, 120)));
    }
}
