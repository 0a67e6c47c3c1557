//! Who held units and channels for how long, in all: the differences of two readings say what an
//! operation waited for in between.

use wordline_metrics::Holder;
use wordline_units::SimTime;

/// Holders that a resource can know itself; a sibling is one of them to others.
pub(super) const KNOWN: usize = Holder::ALL.len() - 1;

/// Times by holder, ns. Most holders have none in most runs: only those that ever had any are looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    ns: [u64; KNOWN],
    /// Bit i: holder i may have some. Those without have none.
    holders: u16,
}

impl Times {
    /// A holder has so much more.
    #[inline]
    pub(super) fn add(&mut self, holder: usize, ns: u64) {
        self.ns[holder] = self.ns[holder].wrapping_add(ns);
        self.holders |= 1 << holder;
    }

    /// A holder has so much less. Between two calls a time may be less than nothing.
    #[inline]
    fn subtract(&mut self, holder: usize, ns: u64) {
        self.add(holder, ns.wrapping_neg());
    }

    /// Adds what passed between two readings of one clock.
    #[inline]
    fn add_passed(&mut self, now: &Self, then: &Self) {
        let holders = now.holders | then.holders;
        for holder in bits(holders) {
            let passed = now.ns[holder].wrapping_sub(then.ns[holder]);
            self.ns[holder] = self.ns[holder].wrapping_add(passed);
        }
        self.holders |= holders;
    }

    /// Of an earlier reading of one clock makes what passed since then. The earlier one may know of holders that this one does not: their
    /// time is less than nothing until more is added.
    #[inline]
    fn become_passed(&mut self, now: &Self) {
        self.holders |= now.holders;
        for holder in bits(self.holders) {
            self.ns[holder] = now.ns[holder].wrapping_sub(self.ns[holder]);
        }
    }

    /// What passed since an earlier reading of one clock.
    #[inline]
    pub(super) fn since(&self, then: &Self) -> Self {
        let mut passed = *then;
        passed.become_passed(self);
        passed
    }

    /// The time of a holder.
    #[inline]
    pub(super) fn of(&self, holder: Holder) -> u64 {
        self.ns[holder.index()]
    }

    /// Takes away what a holder has, at most so much; how much that was.
    pub(super) fn take(&mut self, holder: Holder, most: u64) -> u64 {
        let taken = self.of(holder).min(most);
        self.ns[holder.index()] -= taken;
        taken
    }

    /// The times of the holders that have any, in their order.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (Holder, u64)> {
        bits(self.holders)
            .map(|holder| (Holder::ALL[holder], self.ns[holder]))
            .filter(|(_, ns)| *ns > 0)
    }
}

/// The numbers of the bits that are set.
#[inline]
fn bits(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(next)
    })
}

/// What was read off the clocks of a unit or of the whole drive.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    /// Time that it was held.
    pub(super) held: Times,
    /// Time that its channel was held while it was free itself.
    pub(super) channel: Times,
}

impl Reading {
    /// What happened since an earlier reading.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        Self {
            held: self.held.since(&earlier.held),
            channel: self.channel.since(&earlier.channel),
        }
    }
}

/// A channel: how long who held its bus.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChannelClock {
    /// Charged in advance, up to `until`.
    charged: Times,
    holder: usize,
    until: SimTime,
}

impl ChannelClock {
    /// The bus is taken from `now` to `until`.
    #[inline]
    pub(super) fn take(&mut self, holder: Holder, now: SimTime, until: SimTime) {
        self.holder = holder.index();
        self.charged.add(self.holder, until.since(now).ns());
        self.until = until;
    }

    #[inline]
    pub(super) fn read(&self, now: SimTime) -> Times {
        let mut times = self.charged;
        times.subtract(self.holder, self.until.since(now).ns());
        times
    }

    /// What happened since an earlier reading, which is overwritten.
    #[inline]
    pub(super) fn difference_into(&self, now: SimTime, then: &mut Times) {
        then.become_passed(&self.charged);
        then.subtract(self.holder, self.until.since(now).ns());
    }

    /// Adds what happened since an earlier reading.
    #[inline]
    fn add_since(&self, then: &Times, now: SimTime, to: &mut Times) {
        to.add_passed(&self.charged, then);
        to.subtract(self.holder, self.until.since(now).ns());
    }
}

/// A unit: how long who held it, and what its channel did meanwhile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UnitClock {
    passed: Reading,
    /// The holder and since when; free without one.
    held: Option<(usize, SimTime)>,
    /// The channel when the unit came free.
    channel_then: Times,
}

impl UnitClock {
    /// A command takes the unit, or goes on in it after another one.
    pub(super) fn take(&mut self, holder: Holder, channel: &ChannelClock, now: SimTime) {
        self.pass(channel, now);
        self.held = Some((holder.index(), now));
    }

    /// The unit is free.
    pub(super) fn free(&mut self, channel: &ChannelClock, now: SimTime) {
        self.pass(channel, now);
        self.held = None;
        self.channel_then = channel.read(now);
    }

    /// Counts what is not counted yet.
    fn pass(&mut self, channel: &ChannelClock, now: SimTime) {
        match self.held {
            Some((holder, since)) => self.passed.held.add(holder, now.since(since).ns()),
            None => channel.add_since(&self.channel_then, now, &mut self.passed.channel),
        }
    }

    /// Adds what is not counted yet to what was.
    #[inline]
    fn add_present(&self, channel: &ChannelClock, now: SimTime, to: &mut Reading) {
        match self.held {
            Some((holder, since)) => to.held.add(holder, now.since(since).ns()),
            None => channel.add_since(&self.channel_then, now, &mut to.channel),
        }
    }

    /// Reads the clock into `reading`.
    pub(super) fn read_into(&self, channel: &ChannelClock, now: SimTime, reading: &mut Reading) {
        *reading = self.passed;
        self.add_present(channel, now, reading);
    }

    /// What happened since an earlier reading, which is overwritten.
    pub(super) fn difference_into(&self, channel: &ChannelClock, now: SimTime, then: &mut Reading) {
        // what the earlier reading counted and `passed` does not yet is added below
        then.held.become_passed(&self.passed.held);
        then.channel.become_passed(&self.passed.channel);
        self.add_present(channel, now, then);
    }

    /// Who holds it, if anyone.
    pub(super) fn holder(&self) -> Option<Holder> {
        self.held.map(|(holder, _)| Holder::ALL[holder])
    }

    pub(super) fn held_since(&self) -> Option<(usize, SimTime)> {
        self.held
    }
}

/// The whole drive, for operations that may go to any die: holders of all units and channels, summed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DriveClock {
    held: Times,
    /// What each holder holds now.
    present: [Present; KNOWN],
    /// Channel times, charged in advance: they serve as weights only.
    pub(super) channel: Times,
}

/// Units held now by one holder.
#[derive(Clone, Copy, Debug, Default)]
struct Present {
    count: u64,
    /// The moments since when, summed: modulo 2^64, as is what they are taken from.
    since: u64,
}

impl DriveClock {
    pub(super) fn taken(&mut self, holder: usize, now: SimTime) {
        let present = &mut self.present[holder];
        present.count += 1;
        present.since = present.since.wrapping_add(now.ns());
        self.held.add(holder, 0);
    }

    pub(super) fn freed(&mut self, (holder, since): (usize, SimTime), now: SimTime) {
        let present = &mut self.present[holder];
        present.count -= 1;
        present.since = present.since.wrapping_sub(since.ns());
        self.held.add(holder, now.since(since).ns());
    }

    pub(super) fn read(&self, now: SimTime) -> Reading {
        let mut reading = Reading {
            held: self.held,
            channel: self.channel,
        };
        for holder in bits(self.held.holders) {
            let Present { count, since } = self.present[holder];
            let passed = count.wrapping_mul(now.ns()).wrapping_sub(since);
            reading.held.add(holder, passed);
        }
        reading
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_tell_who_held_what() {
        let (mut channel, mut unit) = (ChannelClock::default(), UnitClock::default());
        let at = SimTime;
        // another unit has the bus until 30; this one is free and waits until 20
        channel.take(Holder::HostRead, at(10), at(30));
        assert_eq!(channel.read(at(14)).of(Holder::HostRead), 4);
        let mut passed = Reading::default();
        unit.read_into(&channel, at(12), &mut passed);
        unit.take(Holder::GcErase, &channel, at(20));
        unit.difference_into(&channel, at(50), &mut passed);
        assert_eq!(passed.channel.of(Holder::HostRead), 8);
        assert_eq!(passed.held.of(Holder::GcErase), 30);
        assert_eq!(
            passed
                .held
                .iter()
                .chain(passed.channel.iter())
                .map(|(_, ns)| ns)
                .sum::<u64>(),
            38
        );
        unit.free(&channel, at(60));
        let mut all = Reading::default();
        unit.read_into(&channel, at(99), &mut all);
        assert_eq!(all.held.of(Holder::GcErase), 40);
        assert_eq!(
            all.channel.of(Holder::HostRead),
            10,
            "while it was held the bus did not matter"
        );
    }

    /// The unit is held for the first time, and still is when the later reading is taken.
    #[test]
    fn the_first_holder_is_known_to_the_earlier_reading_alone() {
        let (channel, mut unit) = (ChannelClock::default(), UnitClock::default());
        unit.take(Holder::GcErase, &channel, SimTime(10));
        let mut passed = Reading::default();
        unit.read_into(&channel, SimTime(14), &mut passed);
        unit.difference_into(&channel, SimTime(20), &mut passed);
        let held: Vec<_> = passed.held.iter().collect();
        assert_eq!(held, [(Holder::GcErase, 6)]);
    }

    #[test]
    fn the_drive_sums_its_units() {
        let mut drive = DriveClock::default();
        drive.taken(1, SimTime(10));
        drive.taken(1, SimTime(20));
        drive.freed((1, SimTime(10)), SimTime(40));
        assert_eq!(drive.read(SimTime(50)).held.of(Holder::HostWrite), 30 + 30);
    }
}
