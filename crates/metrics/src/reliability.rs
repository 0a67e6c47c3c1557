//! What reads met: bit error rates, sensing levels, attempts, and what could not be corrected.

use wordline_ftl::Cause;
use wordline_units::{Duration, SimTime};

use crate::key_names::{BIN_NAMES, LEVEL_NAMES, LEVELS};
use crate::notes::{Note, Severity};
use crate::read_ages::ReadAges;
use crate::start_levels::StartLevels;
use crate::summary::Summary;

/// The lower end of the first bin that has one.
const LEAST: f64 = 1e-8;

/// A finished read of a page that went through the decoder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecodedRead {
    /// Why the page was read.
    pub cause: Cause,
    /// Sensing level of the last attempt, from 1.
    pub level: u8,
    /// Attempts.
    pub attempts: u8,
    /// Whether the data are what was written.
    pub is_corrected: bool,
}

/// Counts of a run.
#[derive(Clone, Debug)]
pub struct ReliabilityRecord {
    /// Bit error rates as reads began.
    rates: [u64; BIN_NAMES.len()],
    begun: u64,
    sum: f64,
    highest: f64,
    levels: [u64; LEVELS],
    attempts: [u64; LEVELS],
    uncorrectable: [u64; Cause::ALL.len()],
    /// Codewords that were expected to fail; nothing where outcomes are certain.
    expected_failures: Option<f64>,
    /// Time that decoders worked, over all of them.
    decoding: Duration,
    decoders: u64,
    /// Start levels that are learned by age, over time; nothing where they are not.
    pub start_levels: StartLevels,
    /// How old data are when they are read; told where start levels are learned by age.
    pub ages: ReadAges,
}

/// The bin of a rate.
fn bin(rate: f64) -> usize {
    if rate < LEAST {
        return 0;
    }
    // the borders are rounded to two digits in the names only
    let quarters = (libm::log10(rate / LEAST) * 4.0 + 1e-9) as usize;
    (1 + quarters).min(BIN_NAMES.len() - 1)
}

impl ReliabilityRecord {
    /// An empty record of a drive with so many decoders. `draws` says that outcomes are drawn, so that a number of
    /// failures can be expected.
    #[must_use]
    pub fn new(decoders: u32, draws: bool) -> Self {
        Self::empty(u64::from(decoders), draws)
    }

    fn empty(decoders: u64, draws: bool) -> Self {
        Self {
            rates: [0; BIN_NAMES.len()],
            begun: 0,
            sum: 0.0,
            highest: 0.0,
            levels: [0; LEVELS],
            attempts: [0; LEVELS],
            uncorrectable: [0; Cause::ALL.len()],
            expected_failures: draws.then_some(0.0),
            decoding: Duration::ZERO,
            decoders,
            start_levels: StartLevels::default(),
            ages: ReadAges::default(),
        }
    }

    /// Forgets what was counted, but not what has been learned.
    pub(crate) fn restart(&mut self, now: SimTime) {
        let mut start_levels = std::mem::take(&mut self.start_levels);
        start_levels.restart(now);
        *self = Self {
            start_levels,
            ..Self::empty(self.decoders, self.expected_failures.is_some())
        };
    }

    /// A read begins at a page with this raw bit error rate.
    #[inline]
    pub fn begins(&mut self, rber: f64) {
        self.begun += 1;
        self.sum += rber;
        self.highest = self.highest.max(rber);
        self.rates[bin(rber)] += 1;
    }

    /// So many codewords more were expected to fail.
    #[inline]
    pub fn expect_failures(&mut self, codewords: f64) {
        if let Some(expected) = &mut self.expected_failures {
            *expected += codewords;
        }
    }

    /// A decoder works for so long.
    #[inline]
    pub fn decodes(&mut self, time: Duration) {
        self.decoding += time;
    }

    /// A read is over.
    #[inline]
    pub fn ends(&mut self, read: &DecodedRead) {
        let place = |number: u8| usize::from(number).clamp(1, LEVELS) - 1;
        if read.is_corrected {
            self.levels[place(read.level)] += 1;
        } else {
            self.uncorrectable[read.cause as usize] += 1;
        }
        self.attempts[place(read.attempts)] += 1;
    }

    /// Pages that could not be read.
    #[must_use]
    pub fn uncorrectable(&self) -> u64 {
        self.uncorrectable.iter().sum()
    }

    /// Sets `cell.rber.*` and `ecc.*`; `lost` logical pages have lost their data for good.
    pub fn summarize(&self, summary: &mut Summary, elapsed: Duration, lost: u64) {
        summary.set(
            "cell.rber.mean",
            (self.begun > 0).then(|| self.sum / self.begun as f64),
        );
        summary.set("cell.rber.max", (self.begun > 0).then_some(self.highest));
        for (name, reads) in BIN_NAMES.iter().zip(self.rates) {
            if reads > 0 {
                summary.set(&format!("cell.rber.from.{name}.reads"), reads);
            }
        }
        for (name, reads) in LEVEL_NAMES.iter().zip(self.levels) {
            summary.set(&format!("ecc.level.{name}.reads"), reads);
        }
        let (mut reads, mut attempts) = (0, 0);
        for ((name, count), number) in LEVEL_NAMES.iter().zip(self.attempts).zip(1..) {
            summary.set(&format!("ecc.attempts.{name}.reads"), count);
            reads += count;
            attempts += number * count;
        }
        let mean = (reads > 0).then(|| attempts as f64 / reads as f64);
        summary.set("ecc.attempts.mean", mean);
        summary.set("ecc.uncorrectable_reads", self.uncorrectable());
        for cause in Cause::ALL {
            let count = self.uncorrectable[cause as usize];
            if count > 0 {
                summary.set(&format!("ecc.uncorrectable_reads.{}", cause.name()), count);
            }
        }
        summary.set("ecc.lost_pages", lost);
        if let Some(expected) = self.expected_failures {
            summary.set("ecc.expected_failures", expected);
        }
        let available = elapsed.ns() as f64 * self.decoders as f64;
        let busy = (available > 0.0).then(|| self.decoding.ns() as f64 / available);
        summary.set("ecc.decoder_utilization", busy);
        if !self.start_levels.is_empty() {
            self.ages.summarize(summary);
        }
    }

    /// What must not pass in silence: data that the host did not get back. The data of `recovered` reads were brought back otherwise.
    #[must_use]
    pub fn note(&self, lost: u64, recovered: u64) -> Option<Note> {
        let count = self.uncorrectable();
        (count > 0).then(|| {
            let brought_back = if recovered > 0 {
                format!(". The data of {recovered} were computed from parity; what the others returned")
            } else {
                ": what they returned".to_owned()
            };
            let text = format!(
                "{count} page reads could not be corrected, {} of them for the host{brought_back} is not what \
                 was written. {lost} logical pages lost their data for good, because they were moved or updated \
                 in part after that and not written since.",
                self.uncorrectable[Cause::Host as usize]
            );
            Note::new(Severity::Warning, "uncorrectable", text)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::Value;

    fn read(level: u8, attempts: u8, is_corrected: bool) -> DecodedRead {
        DecodedRead {
            cause: Cause::Host,
            level,
            attempts,
            is_corrected,
        }
    }

    #[test]
    fn names_of_bins_are_their_lower_ends() {
        for (index, name) in BIN_NAMES.iter().enumerate().skip(1) {
            let exact = LEAST * 10_f64.powf((index - 1) as f64 / 4.0);
            let named: f64 = name.parse().unwrap();
            assert!((named / exact - 1.0).abs() < 0.02, "{name} {exact}");
            assert_eq!(bin(exact * 1.000_001), index);
            assert_eq!(bin(exact * 0.999_999), index - 1);
        }
        assert_eq!((bin(0.0), bin(1.0)), (0, BIN_NAMES.len() - 1));
    }

    #[test]
    fn a_small_run_by_hand() {
        let mut record = ReliabilityRecord::new(2, true);
        for rate in [0.001, 0.003, 0.02] {
            record.begins(rate);
        }
        record.ends(&read(1, 1, true));
        record.ends(&read(3, 3, true));
        record.ends(&read(7, 7, false));
        record.expect_failures(0.25);
        record.decodes(Duration(50));
        let mut summary = Summary::new();
        record.summarize(&mut summary, Duration(100), 4);
        assert_eq!(summary.undocumented(), Vec::<&str>::new());
        for (name, value) in [
            ("cell.rber.mean", 0.008),
            ("cell.rber.max", 0.02),
            ("cell.rber.from.1e-3.reads", 1.0),
            ("ecc.level.1.reads", 1.0),
            ("ecc.level.3.reads", 1.0),
            ("ecc.level.7.reads", 0.0),
            ("ecc.attempts.7.reads", 1.0),
            ("ecc.attempts.mean", 11.0 / 3.0),
            ("ecc.uncorrectable_reads", 1.0),
            ("ecc.uncorrectable_reads.host", 1.0),
            ("ecc.lost_pages", 4.0),
            ("ecc.expected_failures", 0.25),
            ("ecc.decoder_utilization", 0.25),
        ] {
            let found = summary.number(name).unwrap();
            assert!((found - value).abs() < 1e-12, "{name}: {found}");
        }
        let note = record.note(4, 0).unwrap();
        assert!(note.text.contains("1 page reads") && note.text.contains("4 logical pages"));
        assert_eq!(ReliabilityRecord::new(1, false).note(0, 0), None);
    }

    #[test]
    fn without_reads_there_is_no_mean() {
        let mut summary = Summary::new();
        ReliabilityRecord::new(2, true).summarize(&mut summary, Duration(100), 0);
        assert_eq!(summary.get("ecc.attempts.mean"), Some(&Value::Missing));
        assert_eq!(summary.get("cell.rber.mean"), Some(&Value::Missing));
        // rates and causes that did not occur are not told
        let told = |prefix: &str| summary.iter().filter(|(key, _)| key.starts_with(prefix)).count();
        assert_eq!(
            (told("cell.rber.from."), told("ecc.uncorrectable_reads.")),
            (0, 0)
        );
    }
}
