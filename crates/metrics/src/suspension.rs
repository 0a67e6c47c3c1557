//! What suspension did to programs and erases, and for reads.

use wordline_nand::{Progress, Suspendable};
use wordline_units::{Duration, SimTime};

use crate::key_names::SUSPENDABLE_NAMES;
use crate::summary::Summary;

/// Counts of the operations of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Operations done.
    operations: u64,
    /// Of these, those that were suspended at least once.
    suspended: u64,
    suspensions: u64,
    most: u32,
    /// Of those suspended: array times without suspension, times added, of these outside the array, and
    /// what of their own work was left out.
    nominal_ns: u128,
    added_ns: u128,
    away_ns: u128,
    skipped_ns: u128,
    redone: u64,
    verified_again: u64,
}

/// Suspensions of a run. A command of several planes is one operation of its die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuspensionLedger {
    counts: [Counts; SUSPENDABLE_NAMES.len()],
    /// Reads of the host started, and those that had an operation suspended.
    host_reads: u64,
    reads_suspending: u64,
    reads_ahead: u64,
    saved_ns: u128,
    /// Program phases of a program.
    iterations: u16,
}

impl SuspensionLedger {
    /// Nothing counted yet, for programs of so many iterations.
    #[must_use]
    pub fn new(iterations: u16) -> Self {
        Self {
            counts: Default::default(),
            host_reads: 0,
            reads_suspending: 0,
            reads_ahead: 0,
            saved_ns: 0,
            iterations,
        }
    }

    /// Forgets what was counted.
    pub(crate) fn restart(&mut self) {
        *self = Self::new(self.iterations);
    }

    /// An operation that could be suspended is done in the array, after `away` outside it.
    pub fn done(&mut self, kind: Suspendable, progress: &Progress, at: SimTime, away: Duration) {
        let counts = &mut self.counts[kind as usize];
        counts.operations += 1;
        if progress.suspensions() == 0 {
            return;
        }
        counts.suspended += 1;
        counts.suspensions += u64::from(progress.suspensions());
        counts.most = counts.most.max(progress.suspensions());
        counts.nominal_ns += u128::from(progress.nominal().ns());
        counts.added_ns += u128::from(progress.added(at).ns());
        counts.away_ns += u128::from(away.ns());
        counts.skipped_ns += u128::from(progress.skipped().ns());
        counts.redone += u64::from(progress.redone());
        counts.verified_again += u64::from(progress.verified_again());
    }

    /// Reads start that commands of the host wait for.
    pub fn host_reads(&mut self, reads: u64) {
        self.host_reads += reads;
    }

    /// An operation has left the array for a read of the host.
    pub fn read_suspended(&mut self) {
        self.reads_suspending += 1;
    }

    /// A read starts while an operation is suspended that would have ended in `saved`.
    pub fn read_ahead(&mut self, saved: Duration) {
        self.reads_ahead += 1;
        self.saved_ns += u128::from(saved.ns());
    }

    /// Sets `suspension.*`.
    pub(crate) fn summarize(&self, summary: &mut Summary) {
        let over = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let us = |ns: u128| ns as f64 / 1e3;
        for (name, counts) in SUSPENDABLE_NAMES.into_iter().zip(&self.counts) {
            let key = |what: &str| format!("suspension.{name}.{what}");
            let suspended = counts.suspended as f64;
            summary.set(&key("suspensions"), counts.suspensions);
            summary.set(&key("share"), over(suspended, counts.operations as f64));
            summary.set(&key("mean"), over(counts.suspensions as f64, suspended));
            summary.set(&key("most"), u64::from(counts.most));
            summary.set(&key("added.mean_us"), over(us(counts.added_ns), suspended));
            let nominal = us(counts.nominal_ns);
            summary.set(&key("added_share"), over(us(counts.added_ns), nominal));
            let overhead = us(counts.added_ns - counts.away_ns);
            summary.set(&key("overhead.mean_us"), over(overhead, suspended));
        }
        let programs = &self.counts[Suspendable::Program as usize];
        let phases = programs.suspended * u64::from(self.iterations);
        let skipped = over(us(programs.skipped_ns), programs.suspended as f64);
        summary.set("suspension.skipped.mean_us", skipped);
        summary.set("suspension.redone_program_phases", programs.redone);
        summary.set(
            "suspension.redone_share",
            over(programs.redone as f64, phases as f64),
        );
        let verifies: u64 = self.counts.iter().map(|counts| counts.verified_again).sum();
        summary.set("suspension.extra_verifies", verifies);
        summary.set("suspension.reads_suspending", self.reads_suspending);
        let share = over(self.reads_suspending as f64, self.host_reads as f64);
        summary.set("suspension.reads_suspending_share", share);
        summary.set("suspension.reads_ahead", self.reads_ahead);
        let saved = over(us(self.saved_ns), self.reads_ahead as f64);
        summary.set("suspension.reads_saved.mean_us", saved);
    }
}

#[cfg(test)]
mod tests {
    use wordline_nand::{Method, Redo, Shape, SuspendRules};

    use super::*;

    /// Example W2 of the suspension specification: MLC, a read 50 us into a program, which goes on at 119.
    /// Beside it a program that nothing suspends.
    fn example_w2(redo: Redo) -> Summary {
        let us = Duration::from_us;
        let rules = SuspendRules {
            program: Method::Cancel(redo),
            erase: Method::Cancel(Redo::Always),
            reset: us(4),
            shadow: us(3),
        };
        let shape = Shape::Program {
            iterations: 15,
            verify: us(24),
        };
        let mut ledger = SuspensionLedger::new(15);
        let mut program = Progress::new(shape, us(660), SimTime(0));
        program.suspend(&rules, SimTime(50_000), 0);
        ledger.host_reads(4);
        ledger.read_suspended();
        ledger.read_ahead(us(606));
        let end = program.resume(&rules, SimTime(119_000), rules.shadow);
        ledger.done(Suspendable::Program, &program, end, us(65));
        let whole = Progress::new(shape, us(660), SimTime(0));
        ledger.done(Suspendable::Program, &whole, whole.end(), us(0));
        let mut summary = Summary::new();
        ledger.summarize(&mut summary);
        summary
    }

    #[track_caller]
    fn has(summary: &Summary, figures: &[(&str, f64)]) {
        for (key, value) in figures {
            assert_eq!(
                summary.number(&format!("suspension.{key}")),
                Some(*value),
                "{key}"
            );
        }
    }

    /// 102 us behind.
    #[test]
    fn a_cancelled_program_by_hand() {
        let summary = example_w2(Redo::Always);
        let figures = [
            ("program.suspensions", 1.0),
            ("program.share", 0.5),
            ("program.mean", 1.0),
            ("program.most", 1.0),
            ("program.added.mean_us", 102.0),
            ("program.added_share", 102.0 / 660.0),
            ("program.overhead.mean_us", 37.0),
            ("skipped.mean_us", 0.0),
            ("redone_program_phases", 1.0),
            ("redone_share", 1.0 / 15.0),
            ("extra_verifies", 1.0),
            ("reads_suspending", 1.0),
            ("reads_suspending_share", 0.25),
            ("reads_ahead", 1.0),
            ("reads_saved.mean_us", 606.0),
        ];
        has(&summary, &figures);
        for key in [
            "erase.share",
            "erase.mean",
            "erase.added.mean_us",
            "erase.overhead.mean_us",
        ] {
            assert_eq!(summary.number(&format!("suspension.{key}")), None, "{key}");
        }
    }

    /// The phase is left 14 us before its end and never done again: 58 us behind, since reset and reload
    /// cost 7 us beside the 65 away. Left out is more than suspension costs, which yet costs something.
    #[test]
    fn a_phase_that_is_not_repeated_by_hand() {
        let figures = [
            ("program.added.mean_us", 72.0),
            ("program.added_share", 72.0 / 660.0),
            ("program.overhead.mean_us", 7.0),
            ("skipped.mean_us", 14.0),
            ("redone_program_phases", 0.0),
            ("redone_share", 0.0),
            ("extra_verifies", 0.0),
        ];
        has(&example_w2(Redo::Never), &figures);
    }
}
