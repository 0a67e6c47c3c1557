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
        self.passed = self.read(channel, now);
        self.held = Some((holder.index(), now));
    }

    /// The unit is free.
    pub(super) fn free(&mut self, channel: &ChannelClock, now: SimTime) {
        self.passed = self.read(channel, now);
        self.held = None;
        self.channel_then = channel.read(now);
    }

    pub(super) fn read(&self, channel: &ChannelClock, now: SimTime) -> Reading {
        let mut reading = self.passed;
        if let Some((holder, since)) = self.held {
            reading.held[holder] += now.since(since).ns();
        } else {
            let passed = difference(&channel.read(now), &self.channel_then);
            for (sum, more) in reading.channel.iter_mut().zip(passed) {
                *sum += more;
            }
        }
        reading
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
        let then = unit.read(&channel, at(12));
        unit.take(Holder::GcErase, &channel, at(20));
        let now = unit.read(&channel, at(50));
        let passed = now.since(&then);
        assert_eq!(passed.channel[read], 8);
        assert_eq!(passed.held[erase], 30);
        assert_eq!(
            passed.held.iter().sum::<u64>() + passed.channel.iter().sum::<u64>(),
            38
        );
        unit.free(&channel, at(60));
        assert_eq!(unit.read(&channel, at(99)).held[erase], 40);
        assert_eq!(
            unit.read(&channel, at(99)).channel[read],
            10,
            "while it was held the bus did not matter"
        );
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
