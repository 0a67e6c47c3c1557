//! What the drive may take of power: a budget that programs and erases are charged to before they start.
//!
//! Two limits, of which a drive may have either. The *cap* is the mean over a second: a bucket of joules that fills at the cap and out of which all goes that the drive takes. Programs and
//! erases are taken out when they start, everything else as it comes, and none starts while the bucket is overdrawn. The *peak* bounds what arrays take at any moment.

use wordline_config::Config;
use wordline_metrics::{SteadyPower, Summary};
use wordline_nand::ProgramOrder;
use wordline_power::Operation;
use wordline_units::{Duration, SimTime};

use crate::energy::charged::OperationEnergy;

/// Time of the mean. What was taken before that counts no longer.
const SECOND: Duration = Duration::from_ms(1_000);
/// The firmware does not look at its budget more often (assumed).
const LEAST_WAIT: Duration = Duration::from_us(1);

/// What arrays take at this moment, as far as that is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AtOnce {
    /// W.
    pub(crate) watts: f64,
    /// When the first of them ends, after now.
    pub(crate) ends: Option<SimTime>,
}

/// What planes take while they work, W.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PlaneWatts {
    pub(crate) read: f64,
    pub(crate) program: f64,
    pub(crate) erase: f64,
}

/// The limits of a drive, and how far they are used.
#[derive(Debug)]
pub(crate) struct PowerLimit {
    /// W; infinite without one.
    cap: f64,
    /// What the drive takes beside its flash while a request is in it, W.
    background: f64,
    /// What the arrays may take at once, W.
    peak: Option<f64>,
    planes: PlaneWatts,
    /// What a command adds at most, W.
    of_command: f64,
    /// Most that the bucket holds, J: an operation of each die but of those that one command works on.
    depth: f64,
    /// What it holds, J; below zero where it is overdrawn.
    level: f64,
    at: SimTime,
    /// Energy of the drive up to then beside programs and erases, J.
    beside: f64,
    /// Until when nothing starts, as far as is known.
    until: SimTime,
    /// Since when something has been held back.
    held_since: Option<SimTime>,
    record: Record,
}

/// What was held back.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    held: Duration,
    most: Duration,
    waits: u64,
    overruns: u64,
}

/// Whether a program or an erase may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It may; something was held back before.
    Starts { was_held: bool },
    /// It may not before then; nothing was held back before where it `begins`.
    Waits { until: SimTime, begins: bool },
}

impl PowerLimit {
    /// The limits of a drive whose operations take so much; none where it has none, or could not reach them.
    pub(crate) fn new(config: &Config, operations: &[OperationEnergy], steady: &SteadyPower) -> Option<Self> {
        let power = &config.power;
        if !power.is_limited() || operations.is_empty() {
            return None;
        }
        let geometry = &config.geometry;
        let of = |wanted: Operation| operations.iter().filter(move |row| row.operation == wanted);
        let watts = |wanted| {
            of(wanted)
                .map(|row| row.joules / row.time.as_secs())
                .filter(|watts| watts.is_finite())
                .fold(0.0, f64::max)
        };
        let planes = PlaneWatts {
            read: watts(Operation::Read),
            program: watts(Operation::Program),
            erase: watts(Operation::Erase),
        };
        let most = planes.read.max(planes.program).max(planes.erase);
        // what a channel moves is in the DRAM twice, once as the host's
        let buses = (steady.channel_io + 2.0 * steady.dram_io) * f64::from(geometry.channels);
        let dies_of_chip = f64::from(geometry.dies_per_chip);
        let dies = f64::from(geometry.channels) * f64::from(geometry.chips_per_channel) * dies_of_chip;
        let of_die = f64::from(geometry.planes_per_die);
        let reachable = power.background() + buses + dies * of_die * most;
        let binds = |limit: f64| limit < reachable;
        let cap = power.cap.map(|cap| cap.0).filter(|cap| binds(*cap));
        let peak = power.peak.map(|peak| peak.0).filter(|peak| binds(*peak));
        if cap.is_none() && peak.is_none() {
            return None;
        }
        let programs = of(Operation::Program).map(|row| row.joules);
        let program: f64 = if config.nand.program == ProgramOrder::Page {
            programs.fold(0.0, f64::max)
        } else {
            programs.sum()
        };
        let erase = of(Operation::Erase).map(|row| row.joules).fold(0.0, f64::max);
        let depth = (dies - dies_of_chip) * of_die * program.max(erase);
        Some(Self {
            cap: cap.unwrap_or(f64::INFINITY),
            background: steady.controller + steady.dram,
            peak: peak.map(|peak| peak - power.background() - buses),
            planes,
            of_command: dies_of_chip * of_die * planes.program.max(planes.erase),
            depth,
            level: depth,
            at: SimTime::ZERO,
            beside: 0.0,
            until: SimTime::ZERO,
            held_since: None,
            record: Record::default(),
        })
    }

    /// What planes take, where that is asked for before a command starts.
    pub(crate) fn planes(&self) -> Option<PlaneWatts> {
        self.peak.map(|_| self.planes)
    }

    /// Whether it is known that nothing may start now; the clock will say when something may.
    #[inline]
    pub(crate) fn holds(&self, now: SimTime) -> bool {
        now < self.until
    }

    /// Time goes on; the drive has taken so many joules beside programs and erases since counting began.
    fn advance(&mut self, now: SimTime, beside: f64) {
        if self.cap.is_finite() {
            let filled = self.cap * now.since(self.at).as_secs() - (beside - self.beside);
            self.level = (self.level + filled).min(self.depth);
        }
        self.at = now;
        self.beside = beside;
    }

    /// Whether a program or an erase may start now.
    pub(crate) fn ask(&mut self, now: SimTime, beside: f64, at_once: AtOnce) -> Answer {
        self.advance(now, beside);
        let limit = self.held_since.map(|since| since + SECOND);
        let is_due = limit.is_some_and(|limit| now >= limit);
        if is_due && self.level < 0.0 {
            self.level = 0.0;
            self.record.overruns += 1;
        }
        let mut until = SimTime::ZERO;
        if self.level < 0.0 {
            let rate = (self.cap - self.background).max(self.cap * 1e-3);
            let wait = Duration((-self.level / rate * 1e9).ceil().min(SECOND.ns() as f64) as u64);
            until = now + wait.max(LEAST_WAIT);
        }
        if let (Some(peak), Some(ends)) = (self.peak, at_once.ends)
            && !is_due
            && at_once.watts + self.of_command > peak
        {
            until = until.max(ends);
        }
        if until == SimTime::ZERO {
            let was_held = self.release(now);
            return Answer::Starts { was_held };
        }
        let begins = self.held_since.is_none();
        if begins {
            self.record.waits += 1;
        }
        let since = *self.held_since.get_or_insert(now);
        self.until = until.min(since + SECOND).max(now + LEAST_WAIT);
        Answer::Waits {
            until: self.until,
            begins,
        }
    }

    /// Nothing is held back any more; whether anything was.
    fn release(&mut self, now: SimTime) -> bool {
        let Some(since) = self.held_since.take() else {
            return false;
        };
        let held = now.since(since);
        self.record.held += held;
        self.record.most = self.record.most.max(held);
        true
    }

    /// A command starts that takes so many joules for its programs and erases.
    pub(crate) fn charge(&mut self, joules: f64) {
        if self.cap.is_finite() {
            self.level -= joules;
        }
    }

    /// Counts afresh; the drive has taken so many joules beside programs and erases since counting began.
    pub(crate) fn restart_counts(&mut self, now: SimTime, before: f64, beside: f64) {
        self.advance(now, before);
        self.beside = beside;
        self.record = Record::default();
        self.held_since = self.held_since.map(|_| now);
    }

    /// Sets `power.limit.*`; the run is over at `now` and took `elapsed`.
    pub(crate) fn summarize(&self, summary: &mut Summary, now: SimTime, elapsed: Duration) {
        let last = self.held_since.map_or(Duration::ZERO, |since| now.since(since));
        let held = self.record.held + last;
        summary.set("power.limit.time_s", held.as_secs());
        let share = (elapsed > Duration::ZERO).then(|| held.as_secs() / elapsed.as_secs());
        summary.set("power.limit.share", share);
        summary.set("power.limit.waits", self.record.waits);
        let most = self.record.most.max(last);
        summary.set(
            "power.limit.max_us",
            (held > Duration::ZERO).then(|| most.as_us()),
        );
        summary.set("power.limit.overrun", self.record.overruns);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Of four dies, operations of which take 1 mJ: 1 W in the background, a cap of 2 W.
    fn limit(peak: Option<f64>) -> PowerLimit {
        PowerLimit {
            cap: 2.0,
            background: 1.0,
            peak,
            planes: PlaneWatts::default(),
            of_command: 0.5,
            depth: 3e-3,
            level: 3e-3,
            at: SimTime::ZERO,
            beside: 0.0,
            until: SimTime::ZERO,
            held_since: None,
            record: Record::default(),
        }
    }

    const MS: u64 = 1_000_000;

    /// Four commands start at once, as 3 mJ are there and nothing is overdrawn before the last; the fifth when the missing 1 mJ has come, which takes 1 ms at 2 W less 1 W.
    #[test]
    fn commands_start_while_the_bucket_is_not_overdrawn() {
        let mut found = limit(None);
        for _ in 0..4 {
            let answer = found.ask(SimTime(0), 0.0, AtOnce::default());
            assert_eq!(answer, Answer::Starts { was_held: false });
            found.charge(1e-3);
        }
        let answer = found.ask(SimTime(0), 0.0, AtOnce::default());
        let until = SimTime(MS);
        assert_eq!(answer, Answer::Waits { until, begins: true });
        assert!(found.holds(SimTime(MS - 1)) && !found.holds(until));
        let answer = found.ask(SimTime(MS), 1e-3, AtOnce::default());
        assert_eq!(answer, Answer::Starts { was_held: true });
        let mut summary = Summary::new();
        found.summarize(&mut summary, SimTime(4 * MS), Duration::from_ms(4));
        let figures = ["time_s", "share", "waits", "max_us", "overrun"];
        let found = figures.map(|key| summary.number(&format!("power.limit.{key}")));
        assert_eq!(found, [0.001, 0.25, 1.0, 1_000.0, 0.0].map(Some));
    }

    /// The peak leaves 1.2 W to arrays: a command of 0.5 W waits beside 0.8 W until the first of these ends, and starts beside 0.7 W or where nothing is at work.
    #[test]
    fn the_peak_bounds_what_works_at_once() {
        let mut found = limit(Some(1.2));
        let beside = |watts| AtOnce {
            watts,
            ends: Some(SimTime(700)),
        };
        let until = SimTime(1_000);
        assert_eq!(
            found.ask(SimTime(0), 0.0, beside(0.8)),
            Answer::Waits { until, begins: true }
        );
        assert_eq!(
            found.ask(until, 0.0, beside(0.7)),
            Answer::Starts { was_held: true }
        );
        let alone = AtOnce::default();
        assert_eq!(found.ask(until, 0.0, alone), Answer::Starts { was_held: false });
    }

    /// Where everything else takes 3 W of 2 W, one command starts in a second all the same.
    #[test]
    fn a_command_starts_after_a_second_whatever_reads_take() {
        let mut found = limit(None);
        let (mut now, mut starts) = (0, 0);
        while now < 10_000 * MS {
            let beside = 3.0 * Duration(now).as_secs();
            match found.ask(SimTime(now), beside, AtOnce::default()) {
                Answer::Starts { .. } => {
                    starts += 1;
                    found.charge(1e-3);
                    now += 1;
                }
                Answer::Waits { until, .. } => {
                    assert!(until.ns() > now && until.ns() <= now + SECOND.ns());
                    now = until.ns();
                }
            }
        }
        assert!((10..=14).contains(&starts), "{starts}");
        assert!(found.record.overruns >= 9);
    }

    proptest! {
        /// Whatever starts when, and whatever else takes power below the cap: in no stretch of time does the drive take more than the cap, what the bucket holds, and one command.
        #[test]
        fn no_stretch_takes_more_than_the_cap_and_an_operation_of_each_die(
            steps in prop::collection::vec((0_u64..2_000_000, 0.0..2.0_f64, 1e-5..1e-3_f64), 1..200),
        ) {
            let mut found = limit(None);
            let (mut now, mut beside) = (0_u64, 0.0);
            // moments and what had been taken before and after each
            let mut taken = vec![(0.0, 0.0, 0.0)];
            let mut total = 0.0;
            for (gap, watts, joules) in steps {
                now += gap;
                let more = watts * Duration(gap).as_secs();
                beside += more;
                total += more;
                let before = total;
                if let Answer::Starts { .. } = found.ask(SimTime(now), beside, AtOnce::default()) {
                    found.charge(joules);
                    total += joules;
                }
                taken.push((Duration(now).as_secs(), before, total));
            }
            for (index, (from, before, _)) in taken.iter().enumerate() {
                for (to, _, after) in &taken[index..] {
                    let allowed = 2.0 * (to - from) + 3e-3 + 1e-3;
                    prop_assert!(after - before <= allowed + 1e-9, "{} J in {} s", after - before, to - from);
                }
            }
        }
    }
}
