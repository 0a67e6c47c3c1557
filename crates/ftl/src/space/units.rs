//! The frontiers of placement handles.

use std::ops::Range;

use crate::config::{GcFrontier, HandleUnits};
use crate::plan::Frontier;

/// The frontiers of the units of placement handles: those of host writes, then, where moved pages are kept apart in open blocks of
/// their own, as many of these.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitFrontiers {
    first: u8,
    count: u8,
    has_moves: bool,
}

impl UnitFrontiers {
    /// Those that begin with number `first`.
    pub(super) fn new(first: u8, handles: HandleUnits, gc: GcFrontier) -> Self {
        Self {
            first,
            count: handles.count,
            has_moves: handles.isolated && gc == GcFrontier::Separate,
        }
    }

    /// The frontier of the host writes of a unit.
    pub(super) const fn of_host(self, unit: u8) -> Frontier {
        Frontier(self.first + unit)
    }

    /// The frontier of the moved pages of a unit.
    pub(super) const fn of_moves(self, unit: u8) -> Frontier {
        Frontier(self.first + self.count + unit)
    }

    /// Those of host writes.
    pub(super) const fn of_writes(self) -> Range<u8> {
        self.first..self.first + self.count
    }

    /// Whether a frontier is one of them.
    #[inline]
    pub(super) fn is_of_writes(self, frontier: Frontier) -> bool {
        self.of_writes().contains(&frontier.0)
    }

    /// The frontier behind the last one.
    pub(super) const fn end(self) -> u8 {
        self.first + self.count + if self.has_moves { self.count } else { 0 }
    }

    /// The frontiers of a unit.
    pub(super) fn of_unit(self, unit: u8) -> impl Iterator<Item = Frontier> {
        let moves = self.has_moves.then(|| self.of_moves(unit));
        std::iter::once(self.of_host(unit)).chain(moves)
    }

    /// The unit that a frontier belongs to.
    pub(super) fn unit(self, frontier: Frontier) -> Option<u8> {
        let is_own = (self.first..self.end()).contains(&frontier.0);
        is_own.then(|| (frontier.0 - self.first) % self.count)
    }
}
