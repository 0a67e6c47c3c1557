//! The operations of one request, as seen by each other: how long they held units and channels.

use smallvec::SmallVec;
use wordline_units::SimTime;

/// Times of a request of several pages at the resources that it uses.
#[derive(Debug, Default)]
pub(super) struct Family {
    /// Unit, time held before, and since when it is held now.
    units: SmallVec<[(u32, u64, Option<SimTime>); 4]>,
    /// Channel, time charged in advance, and until when.
    channels: SmallVec<[(u32, u64, SimTime); 4]>,
}

impl Family {
    pub(super) fn take_unit(&mut self, unit: usize, now: SimTime) {
        let index = unit as u32;
        match self.units.iter_mut().find(|entry| entry.0 == index) {
            Some(entry) => {
                entry.2.get_or_insert(now);
            }
            None => self.units.push((index, 0, Some(now))),
        }
    }

    pub(super) fn free_unit(&mut self, unit: usize, now: SimTime) {
        if let Some(entry) = self.units.iter_mut().find(|entry| entry.0 == unit as u32)
            && let Some(since) = entry.2.take()
        {
            entry.1 += now.since(since).ns();
        }
    }

    pub(super) fn take_channel(&mut self, channel: usize, now: SimTime, until: SimTime) {
        let (index, ns) = (channel as u32, until.since(now).ns());
        match self.channels.iter_mut().find(|entry| entry.0 == index) {
            Some(entry) => {
                entry.1 += ns;
                entry.2 = until;
            }
            None => self.channels.push((index, ns, until)),
        }
    }

    /// Time that the request held a unit, and a channel, up to now.
    pub(super) fn read(&self, unit: usize, channel: usize, now: SimTime) -> [u64; 2] {
        let held = self.units.iter().find(|entry| entry.0 == unit as u32);
        let held = held.map_or(0, |(_, before, since)| {
            before + since.map_or(0, |since| now.since(since).ns())
        });
        let moved = self.channels.iter().find(|entry| entry.0 == channel as u32);
        let moved = moved.map_or(0, |(_, charged, until)| charged - until.since(now).ns());
        [held, moved]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_knows_what_it_holds() {
        let at = SimTime;
        let mut family = Family::default();
        family.take_unit(3, at(10));
        family.take_channel(1, at(10), at(15));
        assert_eq!(family.read(3, 1, at(12)), [2, 2]);
        family.free_unit(3, at(20));
        family.take_channel(1, at(30), at(34));
        assert_eq!(family.read(3, 1, at(40)), [10, 9]);
        assert_eq!(family.read(4, 2, at(40)), [0, 0]);
    }
}
