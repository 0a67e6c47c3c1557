//! How old data are when they are read, where reads start at a level by age (J. Cui et al., DLV, IEEE TCAD 2018, figure 5).

use crate::key_names::READER_NAMES;
use crate::summary::Summary;

/// Ages that are told apart: whole days, the last for all that are older; a controller records them with nine bits.
const DAYS: usize = 512;

/// Reads of pages by the age of their block in whole days: for the host, and for everything else, which is moves of data.
#[derive(Clone, Debug)]
pub struct ReadAges {
    reads: [Box<[u64; DAYS]>; 2],
}

impl Default for ReadAges {
    fn default() -> Self {
        let none = || Box::new([0; DAYS]);
        Self {
            reads: [none(), none()],
        }
    }
}

impl ReadAges {
    /// A page of a block of this age was read.
    #[inline]
    pub fn read(&mut self, of_host: bool, days: u16) {
        self.reads[usize::from(!of_host)][usize::from(days).min(DAYS - 1)] += 1;
    }

    /// Sets `ecc.read_days.*`: mean, median, and the age that 95 % of the reads do not exceed.
    pub(crate) fn summarize(&self, summary: &mut Summary) {
        for (name, reads) in READER_NAMES.iter().zip(&self.reads) {
            let count: u64 = reads.iter().sum();
            let by_day = || reads.iter().zip(0_u64..);
            let sum: u64 = by_day().map(|(reads, days)| reads * days).sum();
            // the first day by whose end so many per cent of the reads are counted
            let reached = |per_cent: u64| {
                let mut seen = 0;
                by_day().find_map(|(reads, days)| {
                    seen += reads;
                    (100 * u128::from(seen) >= u128::from(per_cent * count)).then_some(days)
                })
            };
            let known = count > 0;
            summary.set(
                &format!("ecc.read_days.{name}.mean"),
                known.then(|| sum as f64 / count as f64),
            );
            for (quantile, per_cent) in [("p50", 50), ("p95", 95)] {
                let days = known.then(|| reached(per_cent)).flatten();
                summary.set(
                    &format!("ecc.read_days.{name}.{quantile}"),
                    days.map(|days| days as f64),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::Value;

    /// Nine reads of new data and one of data of 1000 days, which count as 511.
    #[test]
    fn ten_reads_by_hand() {
        let mut ages = ReadAges::default();
        for _ in 0..9 {
            ages.read(true, 0);
        }
        ages.read(true, 1_000);
        let mut summary = Summary::new();
        ages.summarize(&mut summary);
        assert_eq!(summary.undocumented(), Vec::<&str>::new());
        for (name, value) in [("mean", 51.1), ("p50", 0.0), ("p95", 511.0)] {
            let found = summary.number(&format!("ecc.read_days.host.{name}")).unwrap();
            assert!((found - value).abs() < 1e-12, "{name}: {found}");
        }
        assert_eq!(summary.get("ecc.read_days.moves.mean"), Some(&Value::Missing));
    }
}
