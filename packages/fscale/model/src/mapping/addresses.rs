//! The law of addresses.

use rand_distr::{Distribution, Zipf};

use crate::drive::Drive;
use crate::mapping::Draw;

enum Law {
    Uniform,
    /// So many pages, which take this share of accesses.
    Hot(u64, f64),
    /// By rejection-inversion (Hörmann and Derflinger, 1996), which needs no table. Page 0 is the most popular one.
    Zipf(Zipf<f64>),
}

/// Draws logical pages.
pub(crate) struct Addresses {
    pages: u64,
    law: Law,
    draw: Draw,
}

impl Addresses {
    /// The addresses of the workload, from a stream of this name.
    pub(crate) fn new(drive: &Drive, seed: u64, name: &str) -> Self {
        let (load, pages) = (&drive.workload, drive.logical_pages());
        let hot = ((pages as f64 * load.hot_pages) as u64).min(pages);
        let law = match Zipf::new(pages as f64, load.zipf) {
            _ if hot > 0 && hot < pages => Law::Hot(hot, load.hot_accesses),
            Ok(zipf) if load.zipf > 0.0 && hot == 0 => Law::Zipf(zipf),
            _ => Law::Uniform,
        };
        Self {
            pages,
            law,
            draw: Draw::new(seed, name),
        }
    }

    /// The next page.
    pub(crate) fn next(&mut self) -> u64 {
        match &self.law {
            Law::Uniform => self.draw.below(self.pages),
            Law::Hot(hot, accesses) => {
                let (hot, accesses) = (*hot, *accesses);
                if self.draw.chance(accesses) {
                    self.draw.below(hot)
                } else {
                    hot + self.draw.below(self.pages - hot)
                }
            }
            Law::Zipf(zipf) => {
                let rank = zipf.sample(self.draw.stream());
                (rank as u64 - 1).min(self.pages - 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use wordline_units::ByteSize;

    use super::*;

    fn shares(drive: &Drive, below: u64) -> f64 {
        let mut addresses = Addresses::new(drive, 1, "test");
        let found = (0..100_000).filter(|_| addresses.next() < below).count();
        found as f64 / 100_000.0
    }

    /// The share of accesses to the first pages is that of the law's sums.
    #[test]
    fn laws_have_their_shares() {
        let mut drive = Drive {
            capacity: ByteSize(1 << 40),
            ..Drive::default()
        };
        let pages = drive.logical_pages();
        assert!((shares(&drive, pages / 4) - 0.25).abs() < 0.01);
        drive.workload.zipf = 0.9;
        // integrals of x^-0.9
        let expected = ((pages as f64 / 1000.0).powf(0.1) - 1.0) / ((pages as f64).powf(0.1) - 1.0);
        assert!((shares(&drive, pages / 1000) - expected).abs() < 0.03);
        drive.workload.hot_pages = 0.1;
        drive.workload.hot_accesses = 0.8;
        assert!((shares(&drive, pages / 10) - 0.8).abs() < 0.01);
    }
}
