//! How many valid pages each closed block of a pool holds, from the closed forms.

use rand::Rng;
use rustc_hash::FxHashMap;
use wordline_units::Stream;

use crate::analytic::{Cleaning, Occupancy, fifo_age};
use crate::error::FtlError;
use crate::plan::Frontier;

/// How the blocks of a pool are divided.
pub(super) struct Division {
    pub(super) free: u32,
    /// Of the free ones, those above the number at which collection begins.
    pub(super) regained: u32,
    /// How many collection regains until it ends.
    pub(super) per_burst: u32,
    /// Open blocks: the frontier of each, and the pages written.
    pub(super) open: Vec<(Frontier, u32)>,
    pub(super) closed: u32,
    /// Valid pages in the closed blocks together.
    pub(super) valid: u64,
    /// Whether the pool is being collected, and then how many pages of a victim were moved.
    pub(super) collecting: Option<u32>,
}

/// Write amplifications by utilisation, each worked out once: most pools are of one size.
pub(super) struct Amplifications {
    pub(super) cleaning: Cleaning,
    pages_per_block: u32,
    /// By the bits of the utilisation.
    known: FxHashMap<u64, f64>,
}

impl Amplifications {
    pub(super) fn new(cleaning: Cleaning, pages_per_block: u32) -> Self {
        Self {
            cleaning,
            pages_per_block,
            known: FxHashMap::default(),
        }
    }

    pub(super) fn at(&mut self, rho: f64) -> Result<f64, FtlError> {
        if let Some(known) = self.known.get(&rho.to_bits()) {
            return Ok(*known);
        }
        let amplification = self.cleaning.write_amplification(self.pages_per_block, rho)?;
        self.known.insert(rho.to_bits(), amplification);
        Ok(amplification)
    }

    /// How valid pages are spread; what `at` tells of the same utilisation is known then.
    fn occupancy(&mut self, rho: f64) -> Result<Occupancy, FtlError> {
        let (amplification, occupancy) = self.cleaning.steady_state(self.pages_per_block, rho)?;
        self.known.insert(rho.to_bits(), amplification);
        Ok(occupancy)
    }
}

/// Valid pages of the closed blocks, oldest block first, exactly `division.valid` in all, and which of them is the victim
/// of which pages were moved.
pub(super) fn valid_counts(
    division: &Division,
    b: u32,
    amplifications: &mut Amplifications,
    stream: &mut Stream,
) -> Result<(Vec<u16>, Option<usize>), FtlError> {
    let moved = division.collecting.unwrap_or(0);
    let mut counts = counts_before_moving(
        division.closed,
        division.valid + u64::from(moved),
        b,
        amplifications,
        stream,
    )?;
    if moved == 0 {
        return Ok((counts, None));
    }
    let victim = victim_position(amplifications.cleaning, division.closed, stream);
    if let Some(count) = counts.get_mut(victim) {
        *count = count.saturating_sub(moved as u16);
    }
    adjust(&mut counts, b as u16, division.valid);
    Ok((counts, Some(victim)))
}

/// Which of the closed blocks, the emptiest or (FIFO) the oldest first, a policy takes.
fn victim_position(cleaning: Cleaning, closed: u32, stream: &mut Stream) -> usize {
    let draw = |stream: &mut Stream| below(stream, closed.max(1));
    let position = match cleaning {
        Cleaning::Greedy | Cleaning::Fifo => 0,
        Cleaning::Random => draw(stream),
        Cleaning::DChoices(draws) => (1..draws).fold(draw(stream), |least, _| least.min(draw(stream))),
    };
    position as usize
}

/// Valid pages of `closed` blocks, oldest block first, exactly `valid` in all.
fn counts_before_moving(
    closed: u32,
    valid: u64,
    b: u32,
    amplifications: &mut Amplifications,
    stream: &mut Stream,
) -> Result<Vec<u16>, FtlError> {
    if valid == 0 {
        return Ok(vec![0; closed as usize]);
    }
    let rho = valid as f64 / (f64::from(closed) * f64::from(b));
    let mut counts: Vec<u16> = if amplifications.cleaning == Cleaning::Fifo {
        // Each block as its place in the queue has it.
        let mut ages = fifo_age(b, rho)?;
        (0..closed)
            .map(|position| {
                let u = 1.0 - (f64::from(position) + 0.5) / f64::from(closed);
                let draw = (stream.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                ages.at(u).quantile(draw) as u16
            })
            .collect()
    } else {
        // The emptier, the older; evenly over the distribution, which is the least noisy draw.
        let occupancy = amplifications.occupancy(rho)?;
        let shares = (0..closed).map(|position| (f64::from(position) + 0.5) / f64::from(closed));
        occupancy.quantiles(shares).map(|valid| valid as u16).collect()
    };
    adjust(&mut counts, b as u16, valid);
    Ok(counts)
}

/// Adds or takes single pages, evenly over the blocks, until they sum to `total`, which is at
/// most what the blocks hold.
fn adjust(counts: &mut [u16], b: u16, total: u64) {
    loop {
        let sum: u64 = counts.iter().map(|count| u64::from(*count)).sum();
        let missing = sum.abs_diff(total);
        if missing == 0 {
            return;
        }
        let more = sum < total;
        let movable = |count: u16| if more { count < b } else { count > 0 };
        let able = counts.iter().filter(|count| movable(**count)).count() as u64;
        let steps = missing.min(able);
        for (seen, count) in (0_u64..).zip(counts.iter_mut().filter(|count| movable(**count))) {
            // The k-th of `able` takes part if a multiple of able/steps falls on it.
            if (seen + 1) * steps / able > seen * steps / able {
                *count = if more { *count + 1 } else { *count - 1 };
            }
        }
    }
}

/// Uniform over `0..below`, which is at least 1; the bias is below 2^-32.
#[inline]
pub(super) fn below(stream: &mut Stream, below: u32) -> u32 {
    (((stream.next_u64() >> 32) * u64::from(below)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjusting_hits_the_total_within_bounds() {
        for total in [0, 1, 57, 100, 159, 160] {
            let mut counts = [0, 3, 16, 7, 8, 9, 16, 0, 2, 5];
            adjust(&mut counts, 16, total);
            assert_eq!(counts.iter().map(|count| u64::from(*count)).sum::<u64>(), total);
            assert!(counts.iter().all(|count| *count <= 16));
        }
    }

    /// FIFO cleaning: the block at place u of the queue, 0 the newest, holds Binomial(b, exp(-u (1 - x) alpha)) valid
    /// pages (FTL specification, section 9). Worked for alpha = 1.25: x = exp(-1.25 (1 - x)) = 0.6286, and the middles
    /// of four places, oldest first, 7/8, 5/8, 3/8 and 1/8, give 0.6661, 0.7482, 0.8403 and 0.9437. With blocks of 16,384
    /// pages the standard deviation is below 0.004.
    #[test]
    fn blocks_of_a_queue_hold_what_their_place_says() {
        let b = 16_384;
        let mut amplifications = Amplifications::new(Cleaning::Fifo, b);
        let valid = u64::from(4 * b) * 4 / 5;
        let mut stream = wordline_units::Seed(5).stream("a test of a queue");
        let counts = counts_before_moving(4, valid, b, &mut amplifications, &mut stream).unwrap();
        let shares = counts.iter().map(|count| f64::from(*count) / f64::from(b));
        for (share, expected) in shares.zip([0.6661, 0.7482, 0.8403, 0.9437]) {
            assert!((share - expected).abs() < 0.01, "{counts:?}");
        }
    }
}
