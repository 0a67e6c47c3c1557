//! Which planes read, where each plane of a die does so on its own (`nand.independent_plane_reads`). What is done with it stands in `reading_planes.rs`.

use wordline_config::Config;
use wordline_nand::{DieId, Geometry, PlaneId};
use wordline_units::Duration;

use crate::operation::{NONE, OpId};

/// Which read each plane has, from the start of its command until its data have left the die.
#[derive(Debug)]
pub(crate) struct PlaneReads {
    of_plane: Vec<OpId>,
    /// Planes of each die that have one.
    busy: Vec<u32>,
    planes_per_die: u32,
    /// The part of the array step begun last in which another plane of its die reads too.
    pub(super) beside: Duration,
}

impl PlaneReads {
    /// Where the planes of a die read on their own.
    pub(super) fn new(config: &Config, geometry: &Geometry) -> Option<Self> {
        config.nand.independent_plane_reads.then(|| Self {
            of_plane: vec![NONE; geometry.planes() as usize],
            busy: vec![0; geometry.dies() as usize],
            planes_per_die: geometry.planes_per_die,
            beside: Duration::ZERO,
        })
    }

    /// A read takes its plane.
    pub(super) fn begin(&mut self, die: DieId, plane: PlaneId, read: OpId) {
        self.of_plane[plane.index()] = read;
        self.busy[die.index()] += 1;
    }

    /// The data of a read have left its plane.
    pub(super) fn end(&mut self, die: DieId, plane: PlaneId) {
        self.of_plane[plane.index()] = NONE;
        self.busy[die.index()] -= 1;
    }

    /// Whether a plane can take a read.
    pub(super) fn is_free(&self, plane: PlaneId) -> bool {
        self.of_plane[plane.index()] == NONE
    }

    /// Whether several planes of a die have a read.
    pub(super) fn are_beside(&self, die: DieId) -> bool {
        self.busy[die.index()] > 1
    }

    /// Whether any plane of a die has a read.
    pub(super) fn is_reading(&self, die: DieId) -> bool {
        self.busy[die.index()] > 0
    }

    /// Whether every plane of a die has a read.
    pub(super) fn is_full(&self, die: DieId) -> bool {
        self.busy[die.index()] == self.planes_per_die
    }

    /// The reads that the planes of a die have.
    pub(super) fn of_die(&self, die: DieId) -> impl Iterator<Item = OpId> {
        let first = (die.0 * self.planes_per_die) as usize;
        let planes = &self.of_plane[first..first + self.planes_per_die as usize];
        planes.iter().copied().filter(|read| *read != NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three dies of four planes: a die tells its own reads.
    #[test]
    fn a_die_has_the_reads_of_its_planes() {
        let mut reads = PlaneReads {
            of_plane: vec![NONE; 12],
            busy: vec![0; 3],
            planes_per_die: 4,
            beside: Duration::ZERO,
        };
        for (die, plane) in [(0, 1), (1, 4), (1, 7), (2, 10)] {
            reads.begin(DieId(die), PlaneId(plane), 100 + plane);
        }
        let of = |reads: &PlaneReads, die| reads.of_die(DieId(die)).collect::<Vec<_>>();
        assert_eq!(of(&reads, 0), [101]);
        assert_eq!(of(&reads, 1), [104, 107]);
        assert_eq!(of(&reads, 2), [110]);
        assert!(reads.are_beside(DieId(1)) && !reads.are_beside(DieId(2)));
        reads.end(DieId(1), PlaneId(4));
        assert_eq!(of(&reads, 1), [107]);
        assert!(reads.is_free(PlaneId(4)) && !reads.are_beside(DieId(1)));
    }
}
