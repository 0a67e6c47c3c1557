//! How busy each die and each channel was in each stretch of a run.

use wordline_ftl::Cause;
use wordline_nand::Geometry;
use wordline_units::SimTime;

use super::span::{Activity, Span, Track};
use crate::probe::CommandKind;

/// Stretches that a run is cut into: between half of these and all of them.
const STRETCHES: usize = 64;
/// Length of a stretch at the start of a run, ns; it doubles when the run outgrows the table.
const FIRST: u64 = 16_384;

/// Busy times of one kind of unit, ns: by stretch, then by unit.
#[derive(Clone, Debug)]
struct Busy {
    units: usize,
    /// All work.
    all: Vec<u64>,
    /// Work that no host command asked for.
    background: Vec<u64>,
}

impl Busy {
    fn new(units: u32) -> Self {
        let units = units as usize;
        Self {
            units,
            all: vec![0; units * STRETCHES],
            background: vec![0; units * STRETCHES],
        }
    }

    fn halve(&mut self) {
        for times in [&mut self.all, &mut self.background] {
            for stretch in 0..STRETCHES {
                for unit in 0..self.units {
                    let merged = if 2 * stretch < STRETCHES {
                        let at = 2 * stretch * self.units + unit;
                        times[at] + times[at + self.units]
                    } else {
                        0
                    };
                    times[stretch * self.units + unit] = merged;
                }
            }
        }
    }
}

/// How busy each die and channel was over time: memory is flat, since stretches merge in pairs when the
/// run outgrows them.
#[derive(Clone, Debug)]
pub(super) struct Utilisation {
    /// Start of the first stretch, ns.
    origin: u64,
    length: u64,
    dies: Busy,
    channels: Busy,
    /// When the last read that was counted of each die ends: its planes may read beside each other.
    reads_until: Vec<u64>,
}

impl Utilisation {
    pub(super) fn new(geometry: &Geometry) -> Self {
        Self {
            origin: 0,
            length: FIRST,
            dies: Busy::new(geometry.dies()),
            channels: Busy::new(geometry.channels),
            reads_until: vec![0; geometry.dies() as usize],
        }
    }

    /// Forgets what was before `now`, but for the rest of the steps that are `under_way`.
    pub(super) fn restart<'a>(&mut self, now: SimTime, under_way: impl Iterator<Item = &'a Span>) {
        self.origin = now.ns();
        self.length = FIRST;
        for busy in [&mut self.dies, &mut self.channels] {
            busy.all.fill(0);
            busy.background.fill(0);
        }
        self.reads_until.fill(0);
        under_way.for_each(|step| self.add(step));
    }

    /// Counts a span of a die or channel.
    #[inline]
    pub(super) fn add(&mut self, span: &Span) {
        if !matches!(span.activity, Activity::Command(_) | Activity::Data(_)) {
            return;
        }
        let since = |time: SimTime| time.since(SimTime(self.origin)).ns();
        let (mut from, to) = (since(span.from), since(span.to));
        if let (Track::Die(die), Activity::Command(CommandKind::Read)) = (span.track, span.activity) {
            let until = &mut self.reads_until[die.index()];
            from = from.max(*until);
            *until = to.max(*until);
        }
        self.reach(to);
        let (busy, unit) = match span.track {
            Track::Die(die) => (&mut self.dies, die.index()),
            Track::Channel(channel) => (&mut self.channels, channel.index()),
            Track::Host(_) | Track::Background(_) => return,
        };
        let background = u64::from(!matches!(span.cause, Cause::Host));
        let mut at = from;
        while at < to {
            let stretch = at / self.length;
            let end = to.min((stretch + 1) * self.length);
            let index = stretch as usize * busy.units + unit;
            busy.all[index] += end - at;
            busy.background[index] += background * (end - at);
            at = end;
        }
    }

    /// Merges stretches until the table goes up to `end`.
    #[inline]
    fn reach(&mut self, end: u64) {
        while end.div_ceil(self.length) > STRETCHES as u64 {
            self.dies.halve();
            self.channels.halve();
            self.length *= 2;
        }
    }

    /// The table, up to the end of the run, which may be long after the last work of the flash.
    pub(super) fn columns(&mut self, end: u64) -> UtilisationColumns {
        let end = end - self.origin;
        self.reach(end);
        let mut columns = UtilisationColumns::default();
        let stretches = end.div_ceil(self.length);
        let die = Track::Die(wordline_nand::DieId(0)).code();
        let channel = Track::Channel(wordline_nand::ChannelId(0)).code();
        for (track, busy) in [(die, &self.dies), (channel, &self.channels)] {
            for stretch in 0..stretches {
                let start = stretch * self.length;
                let length = (end - start).min(self.length);
                for unit in 0..busy.units {
                    let index = stretch as usize * busy.units + unit;
                    columns.track.push(track);
                    columns.unit.push(unit as u32);
                    columns.start_ns.push(self.origin + start);
                    columns.width_ns.push(length);
                    // cached commands of one die may overlap
                    columns
                        .busy
                        .push((busy.all[index] as f64 / length as f64).min(1.0));
                    let background = busy.background[index] as f64 / length as f64;
                    columns.background.push(background.min(1.0));
                }
            }
        }
        columns
    }
}

/// One row for each die and channel in each stretch of the run, one vector per column.
#[derive(Clone, Debug, Default)]
pub struct UtilisationColumns {
    /// Die or channel: an index into `Track::NAMES`.
    pub track: Vec<u8>,
    /// Which one.
    pub unit: Vec<u32>,
    /// Start of the stretch, ns since the start of the run.
    pub start_ns: Vec<u64>,
    /// Its length, ns.
    pub width_ns: Vec<u64>,
    /// Share of the time with an array step (die) or a transfer (channel).
    pub busy: Vec<f64>,
    /// The part of it that no host command asked for.
    pub background: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::span::Serves;
    use proptest::prelude::*;
    use wordline_nand::{DieId, GeometryConfig};
    use wordline_units::SimTime;

    proptest! {
        /// However far the run goes, and however long it is quiet at the end, no time is lost, and none is
        /// counted twice.
        #[test]
        fn busy_times_are_conserved(
            work in proptest::collection::vec((0_u64..1 << 20, 1_u64..1 << 28, 0_u32..4, any::<bool>()), 1..50),
            quiet in 0_u64..1 << 30,
        ) {
            let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
            let mut utilisation = Utilisation::new(&geometry);
            let (mut all, mut background, mut end) = ([0; 4], [0; 4], 0);
            let mut free = [0; 4];
            for (pause, length, die, for_host) in work {
                let unit = die as usize;
                let from = free[unit] + pause;
                free[unit] = from + length;
                utilisation.add(&Span {
                    track: Track::Die(DieId(die)),
                    activity: Activity::Command(CommandKind::Read),
                    cause: if for_host { Cause::Host } else { Cause::Gc },
                    serves: Serves::Buffer,
                    from: SimTime(from),
                    to: SimTime(from + length),
                    address: 0,
                    count: 1,
                    mode: wordline_nand::Mode::NORMAL,
                });
                all[unit] += length;
                background[unit] += if for_host { 0 } else { length };
                end = end.max(from + length);
            }
            end += quiet;
            let columns = utilisation.columns(end);
            for unit in 0..4 {
                let rows: Vec<usize> = (0..columns.unit.len())
                    .filter(|row| (columns.track[*row], columns.unit[*row]) == (0, unit as u32))
                    .collect();
                prop_assert_eq!(rows.iter().map(|row| columns.width_ns[*row]).sum::<u64>(), end);
                let sum = |shares: &[f64]| -> f64 {
                    rows.iter().map(|row| shares[*row] * columns.width_ns[*row] as f64).sum()
                };
                prop_assert!((sum(&columns.busy) - all[unit] as f64).abs() < 1.0);
                prop_assert!((sum(&columns.background) - background[unit] as f64).abs() < 1.0);
            }
            prop_assert!(columns.busy.iter().all(|share| (0.0..=1.0).contains(share)));
        }
    }

    /// What just fits leaves the stretches as long as they are; a nanosecond more doubles them.
    #[test]
    fn stretches_grow_where_they_must() {
        let geometry = Geometry::new(&wordline_nand::GeometryConfig::default()).unwrap();
        let mut table = Utilisation::new(&geometry);
        let length = table.length;
        table.reach(STRETCHES as u64 * length);
        assert_eq!(table.length, length);
        table.reach(STRETCHES as u64 * length + 1);
        assert_eq!(table.length, 2 * length);
    }
}
