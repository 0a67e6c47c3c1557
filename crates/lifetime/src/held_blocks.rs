//! How long blocks hold data, where time is skipped in a drive that refreshes them: what stays in a block through a skip grows older by it, and is refreshed when it is due.

use serde::{Deserialize, Serialize};
use wordline_ftl::archive::{Archive, ArchiveError};

use crate::refreshing::RefreshTimes;

/// Bins of ages: the first up to `FIRST` nanoseconds, each further one twice as long as those before it together. The last one has all that is older.
const BINS: usize = 35;
/// Exponent of the end of the first bin, about a second.
const FIRST: u32 = 30;

/// At which ages data leave their blocks for other reasons than refresh: a hazard for each bin of ages, which is the number of blocks that were emptied then over the time that blocks were
/// observed at that age. Blocks that were refreshed, or still hold their data, count with the time that they were observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Dwelling {
    /// Nanoseconds.
    observed: Vec<f64>,
    emptied: Vec<f64>,
}

/// What is known of the data that blocks hold.
pub(crate) struct HeldBlocks {
    /// None where nothing is refreshed.
    pub(crate) times: Option<RefreshTimes>,
    blocks_per_group: usize,
    /// By group of planes.
    dwelling: Vec<Dwelling>,
    /// By block: how old its data were, in nanoseconds, when they began to be observed.
    observed_from: Vec<u64>,
    /// By block: erases after a refresh.
    pub(crate) refreshes: Vec<u32>,
}

impl HeldBlocks {
    pub(crate) fn new(times: Option<RefreshTimes>, blocks: usize, groups: usize) -> Self {
        Self {
            times,
            blocks_per_group: blocks / groups.max(1),
            dwelling: vec![Dwelling::default(); groups],
            observed_from: vec![0; blocks],
            refreshes: vec![0; blocks],
        }
    }

    /// A block is erased whose data were of an age, and could be kept for `retention`; both in nanoseconds. An erase at nine tenths of the age at which it would have been refreshed
    /// counts as that, whatever it was for: collection of a weak block is its refresh.
    pub(crate) fn erased(&mut self, block: usize, age: u64, retention: u64) {
        let from = std::mem::take(&mut self.observed_from[block]);
        let dwelling = &mut self.dwelling[block / self.blocks_per_group];
        dwelling.observe(from, age);
        let times = self.times.as_ref();
        // what cannot be kept as long as required never stays for long: erases of such blocks are as many as the host writes to them
        let period =
            times.and_then(|times| times.period(retention).filter(|_| !times.is_hopeless(retention)));
        let is_refresh = period.is_some_and(|period| age >= period - period / 10);
        if is_refresh {
            self.refreshes[block] = self.refreshes[block].saturating_add(1);
        } else {
            dwelling.empty(age);
        }
    }

    /// Counts the time that the data which blocks hold now have been observed; `ages` are those of all blocks, without one where a block is erased.
    pub(crate) fn observe_all(&mut self, ages: impl Iterator<Item = Option<u64>>) {
        for (block, age) in ages.enumerate() {
            let from = &mut self.observed_from[block];
            if let Some(age) = age {
                self.dwelling[block / self.blocks_per_group].observe(*from, age);
                *from = age;
            }
        }
    }

    /// Forgets at which ages blocks were emptied so far; `ages` as before.
    pub(crate) fn forget(&mut self, ages: impl Iterator<Item = Option<u64>>) {
        self.dwelling.fill(Dwelling::default());
        for (from, age) in self.observed_from.iter_mut().zip(ages) {
            *from = age.unwrap_or_default();
        }
    }

    /// After a skip the data of a block count as of this age.
    pub(crate) fn set_age(&mut self, block: usize, age: u64) {
        self.observed_from[block] = age;
    }

    /// The probability that a block whose data are of an age still holds them so much later, unless it is refreshed.
    pub(crate) fn survival(&self, block: usize, age: u64, later: u64) -> f64 {
        self.dwelling[block / self.blocks_per_group].survival(age, age.saturating_add(later))
    }

    /// Saves or loads what changes.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.dwelling)?;
        archive.table(&mut self.observed_from)?;
        archive.table(&mut self.refreshes)
    }
}

impl Dwelling {
    fn bins(&mut self) {
        self.observed.resize(BINS, 0.0);
        self.emptied.resize(BINS, 0.0);
    }

    fn observe(&mut self, from: u64, to: u64) {
        self.bins();
        for (bin, time) in parts(from, to) {
            self.observed[bin] += time;
        }
    }

    fn empty(&mut self, age: u64) {
        self.bins();
        self.emptied[bin_of(age)] += 1.0;
    }

    /// Blocks emptied in a nanosecond at the ages of a bin; where none was observed, that of the next younger ones.
    fn hazard(&self, bin: usize) -> f64 {
        let observed = self.observed.iter().zip(&self.emptied).take(bin + 1).rev();
        observed
            .filter(|(observed, _)| **observed > 0.0)
            .map(|(observed, emptied)| emptied / observed)
            .next()
            .unwrap_or_default()
    }

    fn survival(&self, from: u64, to: u64) -> f64 {
        let sum: f64 = parts(from, to).map(|(bin, time)| self.hazard(bin) * time).sum();
        libm::exp(-sum)
    }
}

fn bin_of(age: u64) -> usize {
    ((u64::BITS - (age >> FIRST).leading_zeros()) as usize).min(BINS - 1)
}

/// The bins between two ages, and how many nanoseconds are in each.
fn parts(from: u64, to: u64) -> impl Iterator<Item = (usize, f64)> {
    let bins = bin_of(from)..=bin_of(to);
    bins.map(move |bin| {
        let end = |bin: usize| 1_u64 << (FIRST + bin as u32);
        let begin = if bin == 0 { 0 } else { end(bin - 1) };
        let end = if bin == BINS - 1 { u64::MAX } else { end(bin) };
        (bin, to.min(end).saturating_sub(from.max(begin)) as f64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400_000_000_000;

    /// Blocks that are emptied at a constant rate, of which some are watched for a time only.
    #[test]
    fn a_constant_hazard_is_found() {
        let mut of = Dwelling::default();
        let mean = 10.0 * DAY as f64;
        for block in 0..4000_u32 {
            let share = (f64::from(block) + 0.5) / 4000.0;
            let age = (-mean * libm::log(share)) as u64;
            let watched = DAY * u64::from(1 + block % 40);
            of.observe(0, age.min(watched));
            if age <= watched {
                of.empty(age);
            }
        }
        for (from, later) in [(0, 5), (3, 10), (15, 20)] {
            let found = of.survival(DAY * from, DAY * (from + later));
            let expected = libm::exp(-(later as f64) / 10.0);
            assert!(
                (found / expected - 1.0).abs() < 0.1,
                "{from} {later}: {found} {expected}"
            );
        }
        // what is older than anything observed is emptied as what was oldest
        assert!(of.survival(DAY * 1000, DAY * 1010) < 0.7);
    }

    #[test]
    fn bins_hold_all_of_a_time() {
        for (from, to) in [(0, 1), (5, 5), (0, u64::MAX), (DAY, 3 * DAY), (1 << 40, 1 << 50)] {
            let sum: f64 = parts(from, to).map(|(_, time)| time).sum();
            assert!(
                (sum / ((to - from) as f64).max(1e-9) - 1.0).abs() < 1e-9 || from == to,
                "{from} {to}"
            );
        }
        assert_eq!(Dwelling::default().survival(0, DAY), 1.0);
    }
}
