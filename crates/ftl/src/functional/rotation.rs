//! Whose turn it is among the planes of a scope.

use wordline_nand::{Geometry, PlaneId};

use crate::allocation::{Order, StaticOrder};
use crate::archive::{Archive, ArchiveError};
use crate::contract::Turns;
use crate::plan::{Lpn, Scope};

/// Planes in the order of a static map, which each scope goes through in turn.
#[derive(Clone, Debug)]
pub(super) struct Rotation {
    geometry: Geometry,
    /// The planes of the drive, then those grouped by channel, chip and die.
    drive: Vec<PlaneId>,
    channel: Vec<PlaneId>,
    chip: Vec<PlaneId>,
    die: Vec<PlaneId>,
    drive_next: u32,
    channel_next: Vec<u32>,
    chip_next: Vec<u32>,
    die_next: Vec<u32>,
}

impl Rotation {
    pub(super) fn new(geometry: Geometry, order: Order) -> Self {
        let map = StaticOrder::new(&geometry, order);
        let drive: Vec<PlaneId> = (0..geometry.planes())
            .map(|turn| map.plane(Lpn(u64::from(turn))))
            .collect();
        // A stable sort keeps the turns within a group.
        let grouped = |per_group: u32| {
            let mut planes = drive.clone();
            planes.sort_by_key(|plane| plane.0 / per_group);
            planes
        };
        Self {
            channel: grouped(geometry.planes() / geometry.channels),
            chip: grouped(geometry.planes() / geometry.chips()),
            die: grouped(geometry.planes_per_die),
            drive,
            drive_next: 0,
            channel_next: vec![0; geometry.channels as usize],
            chip_next: vec![0; geometry.chips() as usize],
            die_next: vec![0; geometry.dies() as usize],
            geometry,
        }
    }

    /// Hands over whose turn it is.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.drive_next)?;
        archive.table(&mut self.channel_next)?;
        archive.table(&mut self.chip_next)?;
        archive.table(&mut self.die_next)
    }

    /// Planes in a scope.
    #[inline]
    pub(super) fn planes(&self, scope: Scope) -> u32 {
        match scope {
            Scope::Drive => self.geometry.planes(),
            Scope::Channel(_) => self.geometry.planes() / self.geometry.channels,
            Scope::Chip(_) => self.geometry.dies_per_chip * self.geometry.planes_per_die,
            Scope::Die(_) => self.geometry.planes_per_die,
            Scope::Plane(_) => 1,
        }
    }
}

impl Turns for Rotation {
    #[inline]
    fn next(&self, scope: Scope) -> PlaneId {
        let count = self.planes(scope);
        let (planes, group, turn) = match scope {
            Scope::Plane(plane) => return plane,
            Scope::Drive => (&self.drive, 0, self.drive_next),
            Scope::Channel(channel) => (&self.channel, channel.0, self.channel_next[channel.index()]),
            Scope::Chip(chip) => (&self.chip, chip.0, self.chip_next[chip.index()]),
            Scope::Die(die) => (&self.die, die.0, self.die_next[die.index()]),
        };
        planes[(group * count + turn) as usize]
    }

    #[inline]
    fn pass(&mut self, scope: Scope) {
        let count = self.planes(scope);
        let turn = match scope {
            Scope::Plane(_) => return,
            Scope::Drive => &mut self.drive_next,
            Scope::Channel(channel) => &mut self.channel_next[channel.index()],
            Scope::Chip(chip) => &mut self.chip_next[chip.index()],
            Scope::Die(die) => &mut self.die_next[die.index()],
        };
        *turn = if *turn + 1 == count { 0 } else { *turn + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use wordline_nand::{ChannelId, ChipId, DieId, GeometryConfig};

    fn turn(rotation: &mut Rotation, scope: Scope) -> u32 {
        let plane = rotation.next(scope).0;
        rotation.pass(scope);
        plane
    }

    #[test]
    fn every_plane_of_a_scope_takes_its_turn() {
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        let mut rotation = Rotation::new(geometry, "CWDP".parse().unwrap());
        for (scope, first, count) in [
            (Scope::Drive, 0, 64),
            (Scope::Channel(ChannelId(2)), 32, 16),
            (Scope::Chip(ChipId(5)), 20, 4),
            (Scope::Die(DieId(7)), 14, 2),
            (Scope::Plane(PlaneId(9)), 9, 1),
        ] {
            assert_eq!(rotation.planes(scope), count);
            for _ in 0..2 {
                let seen: BTreeSet<u32> = (0..count).map(|_| turn(&mut rotation, scope)).collect();
                assert_eq!(seen, (first..first + count).collect(), "{scope:?}");
            }
        }
        // Channels first: consecutive pages are spread.
        let planes: Vec<u32> = (0..4).map(|_| turn(&mut rotation, Scope::Drive)).collect();
        assert_eq!(planes, [0, 16, 32, 48]);
    }
}
