//! How busy units are, for schedulers that estimate when a request would end.

use wordline_nand::Ppn;
use wordline_scheduler::{StrongPages, UnitLoad};
use wordline_units::{Duration, SimTime};

use super::FlashArray;
use super::classes::{CLASSES, LEVELS, URGENT_CLASSES, class};
use super::operation_times::OperationTimes;
use crate::features::Features;
use crate::operation::{Kind, Level, NONE};

/// Classes of the host and of blocking jobs: what waits in all others gives way to a request.
const NOT_AFTER_HOST: u16 = {
    let level = Level::Host as usize;
    URGENT_CLASSES | 1 << level | 1 << (LEVELS + level) | 1 << (2 * LEVELS + level)
};

/// The queue of a unit that holds reads of the host.
const HOST_READS: usize = class(Kind::Read, Level::Host);

/// What of a unit decides on whether it could begin with a request at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnitState {
    /// Whether it has nothing to do for the host or for a blocking job.
    pub(crate) is_idle: bool,
    /// Whether it makes the space that writes wait for.
    pub(crate) is_collecting: bool,
    /// Whether what it executes would be suspended for a read.
    pub(crate) gives_way: bool,
}

impl<F: Features> FlashArray<F> {
    /// How long operations take.
    pub(crate) fn operation_times(&self) -> &OperationTimes {
        &self.operation_times
    }

    /// How long a read of a whole page is expected to take if its first attempt succeeds, transfer and decoding included; `lived` is
    /// the time that the drive has lived.
    pub(crate) fn estimated_read(&self, page: Ppn, lived: SimTime) -> Duration {
        match self.reliability.as_ref() {
            None => self.operation_times.read,
            Some(reliability) => {
                let in_block = self
                    .flash
                    .geometry
                    .page_of_block(page, self.flash.geometry.block_of(page));
                let page_type = self.chips.page_types.of(in_block);
                let sectors = self.flash.geometry.sectors_per_page();
                reliability.first_attempt(page, page_type, (&self.chips.timing, sectors), lived)
            }
        }
    }

    /// The units that have changed since they were taken last.
    pub(crate) fn take_unit_changes(&mut self) -> Vec<u32> {
        self.flash.take_changes()
    }

    /// Gives back the emptied list of [`Self::take_unit_changes`].
    pub(crate) fn unit_changes_taken(&mut self, list: Vec<u32>) {
        self.flash.changes_taken(list);
    }

    /// Units are asked for when they have changed ([`Self::take_unit_changes`]).
    pub(crate) fn follow_unit_changes(&mut self) {
        self.flash.follow_changes();
    }

    /// Whether a unit could begin with a request at once, and whether it makes space.
    pub(crate) fn unit_state(&self, unit: usize) -> UnitState {
        let work = self.flash.units[unit].work;
        let is_idle = self.flash.is_idle(unit);
        UnitState {
            is_idle: is_idle && work & NOT_AFTER_HOST == 0,
            is_collecting: work & URGENT_CLASSES != 0 || !is_idle && self.executes_urgent(unit),
            gives_way: self.gives_way(unit),
        }
    }

    /// How busy a unit is for the host, whose writes go to normal blocks: what its arrays still do, and then what waits in its queues and goes before a request. Data that
    /// wait for the bus and further attempts of reads come on top, which nobody knows yet.
    pub(crate) fn unit_load(&self, unit: usize, now: SimTime) -> UnitLoad {
        let work = self.flash.units[unit].work & NOT_AFTER_HOST;
        let mut idle_from = self.flash.free_at(unit).max(now);
        let state = self.unit_state(unit);
        let waiting_reads = u64::from(self.flash.queues[unit * CLASSES + HOST_READS].len);
        let mut classes = work;
        while classes != 0 {
            let class = classes.trailing_zeros() as usize;
            classes &= classes - 1;
            let waiting = u64::from(self.flash.queues[unit * CLASSES + class].len);
            idle_from += self.operation_times.of_class(class) * waiting;
        }
        UnitLoad {
            idle_from,
            is_idle: state.is_idle,
            is_collecting: state.is_collecting,
            reads_from: state
                .gives_way
                .then(|| now + self.operation_times.read * waiting_reads),
            strong: StrongPages::default(),
        }
    }

    /// Whether a die of a unit executes a step of a blocking job.
    pub(super) fn executes_urgent(&self, unit: usize) -> bool {
        self.flash.dies_of_unit(unit as u32).any(|id| {
            let die = &self.flash.dies[id.index()];
            let is_urgent = |op: u32| op != NONE && self.ops[op].level == Level::Urgent;
            match self.plane_reads.as_ref() {
                // the first of them may have ended
                Some(reads) if die.kind == Kind::Read => reads.of_die(id).any(is_urgent),
                _ => is_urgent(die.running) || is_urgent(die.staged) || die.out_is_urgent,
            }
        })
    }
}
