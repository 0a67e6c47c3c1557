//! What pages of each mode took: counts and times of their operations, for drives with several modes.

mod over_time;

use wordline_nand::Mode;
use wordline_units::{Duration, SimTime};

use crate::energy::EnergyLedger;
use crate::latency::Latency;
use crate::probe::CommandKind;
use crate::summary::Summary;
pub use over_time::ModeColumns;
use over_time::OverTime;

/// Times of one kind: of operations on pages of one mode, or idle.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    count: u64,
    /// Their sum; of operations from the issue of their commands to their ends.
    sum: Duration,
}

impl Tally {
    fn add(&mut self, time: Duration) {
        self.count += 1;
        self.sum += time;
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.sum += other.sum;
    }

    fn mean_us(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.ns() as f64 / self.count as f64 / 1e3)
    }
}

/// Idle intervals that count as long (G. Wu 2013, figure 2.5).
const LONG: Duration = Duration::from_ms(5);

/// Sets `<whose>.idle.*` from the lengths of the times without operations of the host: in all units, with `whose` being `units`, or in the drive as a
/// whole (`drive`).
pub fn summarize_idle(summary: &mut Summary, whose: &str, idle: &Latency) {
    summary.set(&format!("{whose}.idle.count"), idle.count());
    summary.set(&format!("{whose}.idle.mean_us"), idle.mean_us());
    for (key, quantile) in [("p50_us", 0.5), ("p95_us", 0.95), ("p99_us", 0.99)] {
        let length = idle.quantile(quantile).map(Duration::as_us);
        summary.set(&format!("{whose}.idle.{key}"), length);
    }
    summary.set(&format!("{whose}.idle.max_us"), idle.max().map(Duration::as_us));
    summary.set(&format!("{whose}.idle.above_5ms"), idle.share_above(LONG));
}

/// Operations by the mode of their page.
#[derive(Clone, Debug)]
pub struct ModeLedger {
    /// Names of all modes, the normal one first.
    names: Vec<String>,
    /// By mode.
    reads: Vec<Tally>,
    programs: Vec<Tally>,
    copy_backs: Vec<u64>,
    /// Of these, for the host; copy-backs are not.
    host_reads: Vec<u64>,
    host_programs: Vec<u64>,
    /// When the first command of each operation in flight was issued, by number of the operation; none for others.
    issued: Vec<Option<SimTime>>,
    over_time: OverTime,
}

impl ModeLedger {
    /// An empty ledger; `names` are those of the modes beside the normal one.
    #[must_use]
    pub fn new(names: Vec<String>) -> Self {
        let names: Vec<String> = std::iter::once(Mode::NORMAL_NAME.to_owned())
            .chain(names)
            .collect();
        Self {
            reads: vec![Tally::default(); names.len()],
            programs: vec![Tally::default(); names.len()],
            copy_backs: vec![0; names.len()],
            host_reads: vec![0; names.len()],
            host_programs: vec![0; names.len()],
            issued: Vec::new(),
            over_time: OverTime::new(names.len()),
            names,
        }
    }

    /// Forgets what was counted before `now`, but for the operations in flight.
    pub fn restart(&mut self, now: SimTime) {
        self.reads.fill(Tally::default());
        self.programs.fill(Tally::default());
        self.copy_backs.fill(0);
        self.host_reads.fill(0);
        self.host_programs.fill(0);
        self.over_time.restart(now);
    }

    /// A command of the operation with this number was issued, the first one or, after an attempt that failed, a further one.
    pub fn issued(&mut self, now: SimTime, operation: u32) {
        let index = operation as usize;
        if index >= self.issued.len() {
            self.issued.resize(index + 1, None);
        }
        self.issued[index].get_or_insert(now);
    }

    /// The operation with this number, on a page of a mode, is done; `of_host` says whether it was for the host.
    pub fn done(&mut self, now: SimTime, operation: u32, kind: CommandKind, mode: Mode, of_host: bool) {
        let issued = self.issued.get_mut(operation as usize).and_then(Option::take);
        let (tally, host) = match kind {
            CommandKind::Read => (&mut self.reads[mode.index()], &mut self.host_reads[mode.index()]),
            CommandKind::Program => (
                &mut self.programs[mode.index()],
                &mut self.host_programs[mode.index()],
            ),
            CommandKind::CopyBack => {
                self.copy_backs[mode.index()] += 1;
                return;
            }
            CommandKind::Erase => return,
        };
        *host += u64::from(of_host);
        tally.add(issued.map_or(Duration::ZERO, |issued| now.since(issued)));
        match kind {
            _ if !of_host => {}
            CommandKind::Read => self.over_time.read(now, mode),
            _ => self.over_time.programmed(now, mode),
        }
    }

    /// A time without operations of the host has ended in a unit.
    pub fn idle_ended(&mut self, now: SimTime, length: Duration) {
        self.over_time.idle_ended(now, length);
    }

    /// The policy of modes has decided, with this idle time expected.
    pub fn idle_expected(&mut self, now: SimTime, idle: Duration) {
        self.over_time.expected(now, idle);
    }

    /// Modes over time, up to the end of the run.
    #[must_use]
    pub fn columns(&mut self, end: SimTime) -> ModeColumns {
        self.over_time.columns(end)
    }

    /// Sets `modes.*`; `held` are the logical pages that are held in each mode.
    pub fn summarize(&self, summary: &mut Summary, held: &[u64], energy: Option<&EnergyLedger>) {
        for (number, name) in self.names.iter().enumerate() {
            let key = |key: &str| format!("modes.{name}.{key}");
            let (reads, programs) = (&self.reads[number], &self.programs[number]);
            summary.set(&key("pages_read"), reads.count);
            summary.set(&key("pages_programmed"), programs.count + self.copy_backs[number]);
            summary.set(&key("pages_held"), held.get(number).copied());
            summary.set(&key("read_us"), reads.mean_us());
            summary.set(&key("program_us"), programs.mean_us());
            let share = |counts: &[u64]| {
                let all: u64 = counts.iter().sum();
                (all > 0).then(|| counts[number] as f64 / all as f64)
            };
            summary.set(&key("host_read_share"), share(&self.host_reads));
            summary.set(&key("host_program_share"), share(&self.host_programs));
            if let Some(energy) = energy {
                let mode = Mode(u8::try_from(number).unwrap_or(u8::MAX));
                summary.set(&key("energy_mj"), energy.of_mode(mode) * 1e3);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two programs of mode 1 that take 10 and 30 µs, a copy-back, and a read of mode 0 in two attempts from 5 to 12 µs.
    #[test]
    fn a_small_run_by_hand() {
        let us = |us: u64| SimTime(us * 1_000);
        let mut ledger = ModeLedger::new(vec!["slow".to_owned()]);
        for (operation, from) in [(7, 0), (3, 5), (2, 6), (3, 9)] {
            ledger.issued(us(from), operation);
        }
        ledger.done(us(10), 7, CommandKind::Program, Mode(1), true);
        ledger.done(us(12), 3, CommandKind::Read, Mode::NORMAL, false);
        ledger.issued(us(20), 7);
        ledger.done(us(50), 7, CommandKind::Program, Mode(1), false);
        ledger.done(us(60), 2, CommandKind::CopyBack, Mode(1), false);
        let mut summary = Summary::new();
        ledger.summarize(&mut summary, &[4, 9], None);
        assert_eq!(summary.undocumented(), Vec::<&str>::new());
        for (key, value) in [
            ("normal.pages_read", 1.0),
            ("normal.read_us", 7.0),
            ("normal.pages_programmed", 0.0),
            ("normal.pages_held", 4.0),
            ("slow.pages_programmed", 3.0),
            ("slow.program_us", 20.0),
            ("slow.pages_held", 9.0),
            ("slow.host_program_share", 1.0),
            ("normal.host_program_share", 0.0),
        ] {
            assert_eq!(summary.number(&format!("modes.{key}")), Some(value), "{key}");
        }
        assert_eq!(summary.number("modes.slow.read_us"), None);
        assert_eq!(summary.number("modes.slow.host_read_share"), None);
        ledger.restart(us(70));
        let mut fresh = Summary::new();
        ledger.summarize(&mut fresh, &[0, 0], None);
        assert_eq!(fresh.number("modes.slow.pages_programmed"), Some(0.0));
    }

    /// Four intervals, one of them longer than 5 ms.
    #[test]
    fn idle_intervals_by_hand() {
        let mut idle = Latency::new();
        for us in [100, 200, 5_000, 9_000] {
            idle.record(Duration::from_us(us));
        }
        for whose in ["units", "drive"] {
            let mut summary = Summary::new();
            summarize_idle(&mut summary, whose, &idle);
            assert_eq!(summary.undocumented(), Vec::<&str>::new());
            for (key, value) in [
                ("count", 4.0),
                ("mean_us", 3_575.0),
                ("max_us", 9_000.0),
                ("above_5ms", 0.25),
            ] {
                assert_eq!(
                    summary.number(&format!("{whose}.idle.{key}")),
                    Some(value),
                    "{key}"
                );
            }
        }
        let mut none = Summary::new();
        summarize_idle(&mut none, "units", &Latency::new());
        assert_eq!(none.number("units.idle.above_5ms"), None);
    }
}
