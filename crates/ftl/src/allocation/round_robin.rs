//! Whose turn it is among the planes of a scope, where nothing is timed.

use wordline_nand::{Geometry, PlaneId};

use super::{ChannelTurns, Order, StaticOrder};
use crate::plan::{Lpn, Scope};
use crate::state::archive::{Archive, ArchiveError};

/// Groups of planes, each of which goes through its planes in turn.
#[derive(Clone, Debug)]
struct Cycles {
    per_group: u32,
    /// Per group: the plane whose turn it is.
    next: Vec<PlaneId>,
    /// Per plane: the one after it.
    after: Vec<PlaneId>,
}

impl Cycles {
    /// Groups of so many planes; `planes` gives the order within each.
    fn new(planes: &[PlaneId], per_group: u32) -> Self {
        let mut planes = planes.to_vec();
        // a stable sort keeps the turns within a group
        planes.sort_by_key(|plane| plane.0 / per_group);
        let mut after = planes.clone();
        for group in planes.chunks(per_group as usize) {
            for (plane, next) in group.iter().zip(group.iter().cycle().skip(1)) {
                after[plane.index()] = *next;
            }
        }
        Self {
            per_group,
            next: planes.iter().step_by(per_group as usize).copied().collect(),
            after,
        }
    }

    #[inline]
    fn next(&self, group: u32) -> PlaneId {
        self.next[group as usize]
    }

    #[inline]
    fn pass(&mut self, group: u32) {
        let next = &mut self.next[group as usize];
        *next = self.after[next.index()];
    }
}

/// Planes in the order of a static map, which each scope goes through in turn.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    drive: Cycles,
    channel: Cycles,
    chip: Cycles,
    die: Cycles,
    /// Whose turn it is in the drive, where channels take turns.
    channels: Option<ChannelTurns>,
}

impl RoundRobin {
    /// Every scope starts with the first plane of its own in the order.
    #[must_use]
    pub fn new(geometry: &Geometry, order: Order) -> Self {
        let map = StaticOrder::new(geometry, order);
        let planes: Vec<PlaneId> = (0..geometry.planes())
            .map(|turn| map.plane(Lpn(u64::from(turn))))
            .collect();
        let cycles = |groups: u32| Cycles::new(&planes, geometry.planes() / groups);
        Self {
            drive: cycles(1),
            channel: cycles(geometry.channels),
            chip: cycles(geometry.chips()),
            die: cycles(geometry.dies()),
            channels: None,
        }
    }

    /// In the drive as a whole channels take turns, as in a drive with a clock: dies are written more often of whose channel more are busy.
    pub(crate) fn by_channels(&mut self, turns: ChannelTurns) {
        self.channels = Some(turns);
    }

    /// The turns of channels, where they take any; none do from now on.
    pub(crate) fn take_channels(&mut self) -> Option<ChannelTurns> {
        self.channels.take()
    }

    /// So many pages are being programmed, whatever for.
    #[inline]
    pub(crate) fn programs_issued(&mut self, pages: u64) {
        if let Some(channels) = &mut self.channels {
            channels.programs_issued(pages);
        }
    }

    /// Hands over whose turn it is.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        for cycles in [&mut self.drive, &mut self.channel, &mut self.chip, &mut self.die] {
            archive.table(&mut cycles.next)?;
        }
        Ok(())
    }

    /// Planes in a scope.
    #[must_use]
    #[inline]
    pub fn planes(&self, scope: Scope) -> u32 {
        match scope {
            Scope::Drive => self.drive.per_group,
            Scope::Channel(_) => self.channel.per_group,
            Scope::Chip(_) => self.chip.per_group,
            Scope::Die(_) => self.die.per_group,
            Scope::Plane(_) => 1,
        }
    }

    /// The plane whose turn it is.
    #[must_use]
    #[inline]
    pub fn next(&self, scope: Scope) -> PlaneId {
        match scope {
            Scope::Plane(plane) => plane,
            Scope::Drive => self.drive.next(0),
            Scope::Channel(channel) => self.channel.next(channel.0),
            Scope::Chip(chip) => self.chip.next(chip.0),
            Scope::Die(die) => self.die.next(die.0),
        }
    }

    /// The plane whose turn it is once those that are not idle have had theirs; none where none is.
    #[inline]
    pub(crate) fn next_idle(&mut self, scope: Scope, idle: impl Fn(PlaneId) -> bool) -> Option<PlaneId> {
        if let (Scope::Drive, Some(channels)) = (scope, &mut self.channels) {
            return channels.next_idle(idle);
        }
        for _ in 0..self.planes(scope) {
            let plane = self.next(scope);
            if idle(plane) {
                return Some(plane);
            }
            self.pass(scope);
        }
        None
    }

    /// It has had its turn.
    #[inline]
    pub fn pass(&mut self, scope: Scope) {
        match scope {
            Scope::Plane(_) => {}
            Scope::Drive => self.drive.pass(0),
            Scope::Channel(channel) => self.channel.pass(channel.0),
            Scope::Chip(chip) => self.chip.pass(chip.0),
            Scope::Die(die) => self.die.pass(die.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocation::DynamicOrder;
    use std::collections::BTreeSet;
    use wordline_nand::{ChannelId, ChipId, DieId, GeometryConfig};

    fn turn(turns: &mut RoundRobin, scope: Scope) -> u32 {
        let plane = turns.next(scope).0;
        turns.pass(scope);
        plane
    }

    #[test]
    fn busy_planes_miss_their_turn() {
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        let mut turns = RoundRobin::new(&geometry, "CWDP".parse().unwrap());
        let scope = Scope::Die(DieId(7));
        let idle = |turns: &mut RoundRobin, busy: &[u32]| {
            turns
                .next_idle(scope, |plane| !busy.contains(&plane.0))
                .map(|plane| plane.0)
        };
        assert_eq!(idle(&mut turns, &[]), Some(14));
        assert_eq!(idle(&mut turns, &[14]), Some(15));
        // it is its turn until it has had it
        assert_eq!(idle(&mut turns, &[]), Some(15));
        assert_eq!(idle(&mut turns, &[14, 15]), None);
        assert_eq!(turn(&mut turns, scope), 15);
    }

    /// Where dies of a channel are busy the others of that channel are written more often, and not those of all channels. Who goes on with the turns goes on where they are.
    #[test]
    fn channels_take_turns_whatever_is_busy_in_them() {
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        let channel_of = |plane: PlaneId| geometry.channel_of(geometry.die_of(plane)).0;
        let mut turns = RoundRobin::new(&geometry, "CWDP".parse().unwrap());
        let order = DynamicOrder::new(geometry, "CWDP".parse().unwrap(), true, true);
        turns.by_channels(ChannelTurns::new(order));
        // of channel 0 one die is left, of channel 3 none
        let idle = |plane: PlaneId| !(2..16).contains(&plane.0) && channel_of(plane) != 3;
        let mut written = vec![0_u32; geometry.planes() as usize];
        let channels: Vec<u32> = (0..64)
            .map(|turn| {
                if turn % 7 == 0 {
                    let channels = turns.take_channels().unwrap();
                    turns.by_channels(channels);
                }
                let plane = turns.next_idle(Scope::Drive, idle).unwrap();
                turns.programs_issued(1);
                written[plane.index()] += 1;
                channel_of(plane)
            })
            .collect();
        assert_eq!(geometry.channels, 4);
        assert_eq!(channels[..8], [0, 1, 2, 0, 0, 1, 2, 0]);
        assert_eq!(written[..2], [16; 2], "its own turn and that of channel 3");
        assert!(written[2..16].iter().all(|count| *count == 0));
        assert!(written[16..48].iter().all(|count| *count == 1), "{written:?}");
        assert_eq!(turns.next_idle(Scope::Drive, |_| false), None);
    }

    #[test]
    fn every_plane_of_a_scope_takes_its_turn() {
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        let mut turns = RoundRobin::new(&geometry, "CWDP".parse().unwrap());
        for (scope, first, count) in [
            (Scope::Drive, 0, 64),
            (Scope::Channel(ChannelId(2)), 32, 16),
            (Scope::Chip(ChipId(5)), 20, 4),
            (Scope::Die(DieId(7)), 14, 2),
            (Scope::Plane(PlaneId(9)), 9, 1),
        ] {
            assert_eq!(turns.planes(scope), count);
            for _ in 0..2 {
                let seen: BTreeSet<u32> = (0..count).map(|_| turn(&mut turns, scope)).collect();
                assert_eq!(seen, (first..first + count).collect(), "{scope:?}");
            }
        }
        // Channels first: consecutive pages are spread.
        let planes: Vec<u32> = (0..4).map(|_| turn(&mut turns, Scope::Drive)).collect();
        assert_eq!(planes, [0, 16, 32, 48]);
    }
}
