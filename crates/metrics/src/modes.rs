//! What pages of each mode took: counts and times of their operations, for drives with several modes.

use wordline_nand::Mode;
use wordline_units::{Duration, SimTime};

use crate::energy::EnergyLedger;
use crate::probe::CommandKind;
use crate::summary::Summary;

/// Operations of one kind on pages of one mode.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    count: u64,
    /// From the issue of their commands to their ends.
    sum: Duration,
}

impl Tally {
    fn mean_us(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.ns() as f64 / self.count as f64 / 1e3)
    }
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
    /// When the first command of each operation in flight was issued, by number of the operation; none for others.
    issued: Vec<Option<SimTime>>,
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
            issued: Vec::new(),
            names,
        }
    }

    /// Forgets what was counted, but for the operations in flight.
    pub fn restart(&mut self) {
        self.reads.fill(Tally::default());
        self.programs.fill(Tally::default());
        self.copy_backs.fill(0);
    }

    /// A command of the operation with this number was issued, the first one or, after an attempt that failed, a further one.
    pub fn issued(&mut self, now: SimTime, operation: u32) {
        let index = operation as usize;
        if index >= self.issued.len() {
            self.issued.resize(index + 1, None);
        }
        self.issued[index].get_or_insert(now);
    }

    /// The operation with this number, on a page of a mode, is done.
    pub fn done(&mut self, now: SimTime, operation: u32, kind: CommandKind, mode: Mode) {
        let issued = self.issued.get_mut(operation as usize).and_then(Option::take);
        let tally = match kind {
            CommandKind::Read => &mut self.reads[mode.index()],
            CommandKind::Program => &mut self.programs[mode.index()],
            CommandKind::CopyBack => {
                self.copy_backs[mode.index()] += 1;
                return;
            }
            CommandKind::Erase => return,
        };
        tally.count += 1;
        tally.sum += issued.map_or(Duration::ZERO, |issued| now.since(issued));
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
            if let Some(energy) = energy {
                let mode = Mode(u8::try_from(number).unwrap_or(u8::MAX));
                summary.set(&key("energy_mj"), energy.of_mode(mode).total() * 1e3);
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
        ledger.done(us(10), 7, CommandKind::Program, Mode(1));
        ledger.done(us(12), 3, CommandKind::Read, Mode::NORMAL);
        ledger.issued(us(20), 7);
        ledger.done(us(50), 7, CommandKind::Program, Mode(1));
        ledger.done(us(60), 2, CommandKind::CopyBack, Mode(1));
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
        ] {
            assert_eq!(summary.number(&format!("modes.{key}")), Some(value), "{key}");
        }
        assert_eq!(summary.number("modes.slow.read_us"), None);
        ledger.restart();
        let mut fresh = Summary::new();
        ledger.summarize(&mut fresh, &[0, 0], None);
        assert_eq!(fresh.number("modes.slow.pages_programmed"), Some(0.0));
    }
}
