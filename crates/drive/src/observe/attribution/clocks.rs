//! Who held units and channels for how long, in all: the differences of two readings say what an
//! operation waited for in between.

use wordline_metrics::Holder;
use wordline_units::SimTime;

/// Holders that a resource can know itself; a sibling is one of them to others.
pub(super) const KNOWN: usize = Holder::ALL.len() - 1;

/// Times by holder, ns.
pub(super) type Times = [u64; KNOWN];

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
            held: difference(&self.held, &earlier.held),
            channel: difference(&self.channel, &earlier.channel),
        }
    }
}

pub(super) fn difference(now: &Times, then: &Times) -> Times {
    std::array::from_fn(|index| now[index] - then[index])
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
    pub(super) fn take(&mut self, holder: Holder, now: SimTime, until: SimTime) {
        self.holder = holder.index();
        self.charged[self.holder] += until.since(now).ns();
        self.until = until;
    }

    pub(super) fn read(&self, now: SimTime) -> Times {
        let mut times = self.charged;
        times[self.holder] -= self.until.since(now).ns();
        times
    }

    /// Adds what happened since an earlier reading.
    fn add_since(&self, then: &Times, now: SimTime, to: &mut Times) {
        for index in 0..KNOWN {
            to[index] = to[index].wrapping_add(self.charged[index].wrapping_sub(then[index]));
        }
        to[self.holder] = to[self.holder].wrapping_sub(self.until.since(now).ns());
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
        if let Some((holder, since)) = self.held {
            self.passed.held[holder] += now.since(since).ns();
        } else {
            channel.add_since(&self.channel_then, now, &mut self.passed.channel);
        }
    }

    /// Reads the clock into `reading`.
    pub(super) fn read_into(&self, channel: &ChannelClock, now: SimTime, reading: &mut Reading) {
        *reading = self.passed;
        if let Some((holder, since)) = self.held {
            reading.held[holder] += now.since(since).ns();
        } else {
            channel.add_since(&self.channel_then, now, &mut reading.channel);
        }
    }

    /// What happened since an earlier reading, which is overwritten.
    pub(super) fn difference_into(&self, channel: &ChannelClock, now: SimTime, then: &mut Reading) {
        for index in 0..KNOWN {
            // what the earlier reading counted and `passed` does not yet is added below
            then.held[index] = self.passed.held[index].wrapping_sub(then.held[index]);
            then.channel[index] = self.passed.channel[index].wrapping_sub(then.channel[index]);
        }
        if let Some((holder, since)) = self.held {
            then.held[holder] = then.held[holder].wrapping_add(now.since(since).ns());
        } else {
            channel.add_since(&self.channel_then, now, &mut then.channel);
        }
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
    /// Units held now by each holder, and the moments since when, summed.
    count: Times,
    since: [u128; KNOWN],
    /// Channel times, charged in advance: they serve as weights only.
    pub(super) channel: Times,
}

impl DriveClock {
    pub(super) fn taken(&mut self, holder: usize, now: SimTime) {
        self.count[holder] += 1;
        self.since[holder] += u128::from(now.ns());
    }

    pub(super) fn freed(&mut self, (holder, since): (usize, SimTime), now: SimTime) {
        self.count[holder] -= 1;
        self.since[holder] -= u128::from(since.ns());
        self.held[holder] += now.since(since).ns();
    }

    pub(super) fn read(&self, now: SimTime) -> Reading {
        let mut reading = Reading {
            held: self.held,
            channel: self.channel,
        };
        for index in 0..KNOWN {
            let present = u128::from(self.count[index]) * u128::from(now.ns()) - self.since[index];
            reading.held[index] += present as u64;
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
        let read = Holder::HostRead.index();
        let erase = Holder::GcErase.index();
        // another unit has the bus until 30; this one is free and waits until 20
        channel.take(Holder::HostRead, at(10), at(30));
        assert_eq!(channel.read(at(14))[read], 4);
        let mut passed = Reading::default();
        unit.read_into(&channel, at(12), &mut passed);
        unit.take(Holder::GcErase, &channel, at(20));
        unit.difference_into(&channel, at(50), &mut passed);
        assert_eq!(passed.channel[read], 8);
        assert_eq!(passed.held[erase], 30);
        assert_eq!(
            passed.held.iter().sum::<u64>() + passed.channel.iter().sum::<u64>(),
            38
        );
        unit.free(&channel, at(60));
        let mut all = Reading::default();
        unit.read_into(&channel, at(99), &mut all);
        assert_eq!(all.held[erase], 40);
        assert_eq!(all.channel[read], 10, "while it was held the bus did not matter");
    }

    #[test]
    fn the_drive_sums_its_units() {
        let mut drive = DriveClock::default();
        drive.taken(1, SimTime(10));
        drive.taken(1, SimTime(20));
        drive.freed((1, SimTime(10)), SimTime(40));
        assert_eq!(drive.read(SimTime(50)).held[1], 30 + 30);
    }
}
