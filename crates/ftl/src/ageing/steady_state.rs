//! Method C: the state after endless uniform random overwriting, drawn from closed forms.

use rand::Rng;
use rustc_hash::FxHashMap;
use wordline_nand::{BlockId, PlaneId};
use wordline_units::{Seed, SimTime, Stream};

use super::{AgeConfig, AgeError, Aged};
use crate::analytic::{Cleaning, Occupancy, fifo_age};
use crate::config::{GcConfig, Victim};
use crate::contract::Ftl;
use crate::error::FtlError;
use crate::page::{PageFtl, Share};
use crate::permutation::Permutation;
use crate::plan::{Lpn, Scope};

/// Logical pages that share pools: those that leave one remainder on division by the number of groups.
struct Group {
    /// How many of them hold data.
    pages: u64,
    first_pool: u32,
    pools: u32,
}

/// Write amplifications by utilisation, each worked out once: most pools are of one size.
struct Amplifications {
    cleaning: Cleaning,
    pages_per_block: u32,
    /// By the bits of the utilisation.
    known: FxHashMap<u64, f64>,
}

impl Amplifications {
    fn new(cleaning: Cleaning, pages_per_block: u32) -> Self {
        Self {
            cleaning,
            pages_per_block,
            known: FxHashMap::default(),
        }
    }

    fn at(&mut self, rho: f64) -> Result<f64, FtlError> {
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

/// How the blocks of a pool are divided.
struct Division {
    free: u32,
    /// Pages written in each open block, one block per plane.
    open: Vec<u32>,
    closed: u32,
    /// Valid pages in the closed blocks together.
    valid: u64,
}

pub(super) fn age(
    ftl: &mut PageFtl,
    config: &AgeConfig,
    seed: Seed,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Aged, AgeError> {
    let filled = config.filled(ftl.user_pages());
    let (cleaning, note) = closed_form(ftl.gc_config(), ftl.pool_blocks(0).len() as u32);
    let mut notes: Vec<String> = note.into_iter().collect();
    let mut stream = seed.stream("age.steady_state");
    let mut now = SimTime::ZERO;
    let mut amplification = 0.0;
    let groups = groups(ftl, filled);
    ftl.deal_out(
        groups
            .iter()
            .map(|group| Share {
                pages: group.pages,
                order: Permutation::new(group.pages.max(1), seed, "age.layout"),
            })
            .collect(),
    );
    let mut amplifications = Amplifications::new(cleaning, ftl.geometry().pages_per_block);
    let mut filled_pools = 0;
    for (share, group) in groups.iter().enumerate() {
        for index in 0..group.pools {
            if !watch(f64::from(filled_pools) / f64::from(ftl.pools())) {
                return Err(AgeError::Interrupted);
            }
            filled_pools += 1;
            let slice =
                |index: u32| (u128::from(group.pages) * u128::from(index) / u128::from(group.pools)) as u64;
            let pages = slice(index)..slice(index + 1);
            let division = divide(
                ftl,
                group.first_pool + index,
                pages.end - pages.start,
                &mut amplifications,
                &mut stream,
            )?;
            let pool = group.first_pool + index;
            let aged = fill_pool(
                ftl,
                config,
                pool,
                &division,
                &mut amplifications,
                &mut stream,
                seed,
                share,
            )?;
            now = now.max(aged.0);
            amplification += aged.1 / f64::from(ftl.pools());
        }
    }
    ftl.finish_fill(now);
    notes.insert(
        0,
        format!(
            "aged to the steady state of uniform random writes: {filled} logical pages hold data, valid pages per block \
             as in the closed form of {cleaning} garbage collection (write amplification {amplification:.3})"
        ),
    );
    Ok(Aged { notes, now })
}

/// The closed form of a victim policy, or of the nearest one that has any.
fn closed_form(gc: &GcConfig, blocks: u32) -> (Cleaning, Option<String>) {
    let (cleaning, exact) = match gc.victim {
        Victim::Greedy => (Cleaning::Greedy, true),
        Victim::Random => (Cleaning::Random, true),
        Victim::Fifo => (Cleaning::Fifo, true),
        Victim::DChoices => (Cleaning::DChoices(gc.d), true),
        Victim::WindowedGreedy if gc.window == 1 => (Cleaning::Fifo, true),
        Victim::WindowedGreedy if gc.window >= blocks => (Cleaning::Greedy, true),
        // Monte-Carlo of section 9.1: from a twentieth of the blocks on it is nearer to greedy.
        Victim::WindowedGreedy if gc.window < blocks / 20 => (Cleaning::Fifo, false),
        // Random++ amplifies as four choices do, within 3 % (section 9.1).
        Victim::RandomPp => (Cleaning::DChoices(4), false),
        // Under uniform writes the emptiest block is the oldest, whatever age is worth.
        Victim::WindowedGreedy
        | Victim::CostBenefit
        | Victim::CostBenefitLfs
        | Victim::Cat
        | Victim::Fegc
        | Victim::WearGreedy => (Cleaning::Greedy, false),
    };
    let note = (!exact).then(|| {
        format!(
            "ftl.gc.victim has no closed form: the drive was aged as by {cleaning} garbage collection, the nearest that has; \
             let the run warm up, or use age.method = \"overwritten\""
        )
    });
    (cleaning, note)
}

/// Which logical pages go to which pools.
fn groups(ftl: &PageFtl, filled: u64) -> Vec<Group> {
    let geometry = *ftl.geometry();
    let planes_per_pool = ftl.pool_planes(0).len() as u32;
    let stride = match ftl.home(Lpn(0)) {
        Scope::Drive => 1,
        Scope::Channel(_) => u64::from(geometry.channels),
        // A static order repeats after as many pages as there are planes.
        _ => u64::from(geometry.planes()),
    };
    (0..stride)
        .map(|residue| {
            let (first_plane, planes) = match ftl.home(Lpn(residue)) {
                Scope::Plane(plane) => (plane.0, 1),
                Scope::Channel(channel) => {
                    let planes = geometry.planes() / geometry.channels;
                    (channel.0 * planes, planes)
                }
                _ => (0, geometry.planes()),
            };
            Group {
                pages: filled.saturating_sub(residue).div_ceil(stride),
                first_pool: first_plane / planes_per_pool,
                pools: planes / planes_per_pool,
            }
        })
        .collect()
}

/// Divides the blocks of a pool that holds `pages` logical pages into free ones, an open one per
/// plane and closed ones. Each pool starts at a time of its own, or all would collect in step.
fn divide(
    ftl: &PageFtl,
    pool: u32,
    pages: u64,
    amplifications: &mut Amplifications,
    stream: &mut Stream,
) -> Result<Division, FtlError> {
    let b = ftl.geometry().pages_per_block;
    let blocks = ftl.pool_blocks(pool).len() as u32;
    let (fewest, most) = ftl.steady_free_blocks();
    let mean = (fewest + most).div_ceil(2);
    let planes = ftl.pool_planes(pool).len() as u32;
    let open = if b > 1 { planes } else { 0 };
    let closed = blocks.saturating_sub(mean + open);
    let room = u64::from(closed) * u64::from(b);
    if room <= pages {
        return Err(FtlError::new(
            "age.method",
            "steady_state",
            format!(
                "more spare space: pool {pool} has {blocks} blocks of {b} pages, of which {mean} are kept free \
                 (ftl.gc watermarks) and {open} open; {blocks} - {mean} - {open} = {closed} blocks x {b} = {room} pages do \
                 not exceed its {pages} logical pages"
            ),
        ));
    }
    let rho = (pages.max(1) as f64 / room as f64).min(0.999_999);
    let gain = f64::from(b) / amplifications.at(rho)?;
    let free_pages = spare_pages(fewest + 1, most, b, gain, stream);
    // No more free blocks than leave room for the data.
    let spare_blocks = ((room - pages - 1) / u64::from(b)) as u32;
    let free = ((free_pages / u64::from(b)) as u32).min(mean + spare_blocks);
    let mut left = pages;
    let open: Vec<u32> = (0..open)
        .map(|_| {
            // Several planes fill their blocks out of step; a single one holds the rest of the saw.
            let written = if planes == 1 {
                (b - (free_pages % u64::from(b)) as u32).clamp(1, b - 1)
            } else {
                1 + below(stream, b - 1)
            };
            let written = written.min(left.min(u64::from(b)) as u32);
            left -= u64::from(written);
            written
        })
        .collect();
    Ok(Division {
        free,
        closed: closed + mean - free,
        open,
        valid: left,
    })
}

/// Free pages of a pool at a random moment, those of its open block included. Over time they are a
/// saw: host writes use them up until the last block above `start - 1` free ones is opened, then
/// collection gains `gain` pages a victim, until `most` blocks are free.
fn spare_pages(start: u32, most: u32, b: u32, gain: f64, stream: &mut Stream) -> u64 {
    let wanted = f64::from(most.saturating_sub(start)) * f64::from(b);
    let depth = (wanted / gain).ceil().max(1.0) * gain;
    let unit = (stream.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    u64::from(start) * u64::from(b) + (unit * depth) as u64
}

/// Fills the blocks of a pool; returns the time that this took and its write amplification.
#[expect(clippy::too_many_arguments, reason = "one step of `age`, split for length")]
fn fill_pool(
    ftl: &mut PageFtl,
    config: &AgeConfig,
    pool: u32,
    division: &Division,
    amplifications: &mut Amplifications,
    stream: &mut Stream,
    seed: Seed,
    share: usize,
) -> Result<(SimTime, f64), AgeError> {
    let b = ftl.geometry().pages_per_block;
    let counts = valid_counts(division, b, amplifications, stream)?;
    let pages = division.valid.max(1) as f64;
    let rho = pages / (f64::from(division.closed) * f64::from(b));
    let amplification = amplifications.at(rho.min(0.999_999))?;
    // Time between two closings in this pool, while all pools are written to alike.
    let interval = f64::from(b) / amplification * config.time_per_write.ns() as f64 * f64::from(ftl.pools());
    let order = deal(ftl, pool, division, seed);
    let mut blocks = order.into_iter();
    for written in &division.open {
        if let Some(block) = blocks.next() {
            ftl.deal_block(block, *written, share, |_| true, config.initial_cycles, 0)?;
        }
    }
    for block in blocks.by_ref().take(division.free as usize) {
        ftl.set_erase_count(block, config.initial_cycles);
    }
    let blocks: Vec<BlockId> = blocks.collect();
    let scatter = Permutation::new(blocks.len().max(1) as u64, seed, "age.blocks");
    for (position, valid) in counts.iter().enumerate() {
        let block = blocks[scatter.of(position as u64) as usize];
        let chosen = choice(b, u32::from(*valid), stream);
        ftl.deal_block(block, b, share, chosen, config.initial_cycles, position as u32)?;
        ftl.set_last_write(block, SimTime((position as f64 * interval) as u64));
    }
    Ok((SimTime((counts.len() as f64 * interval) as u64), amplification))
}

/// Chooses `valid` of a block's `b` pages, each as likely as any other. Asked for one page after the other, it draws
/// from `stream`.
fn choice(b: u32, valid: u32, stream: &mut Stream) -> impl FnMut(u32) -> bool {
    let (mut left, mut valid_left) = (b, valid);
    // A stream of its own until all are drawn: one behind a reference would be stored with every draw.
    let mut own = stream.clone();
    move |_| {
        // Each page with the probability that is left to it: exactly `valid` of them.
        let chosen = below(&mut own, left) < valid_left;
        left -= 1;
        valid_left -= u32::from(chosen);
        if left == 0 {
            *stream = own.clone();
        }
        chosen
    }
}

/// The blocks of a pool in the order in which they are dealt out: planes in turn, blocks of a
/// plane in a random order. Open ones come first, then free ones.
fn deal(ftl: &PageFtl, pool: u32, division: &Division, seed: Seed) -> Vec<BlockId> {
    let geometry = *ftl.geometry();
    let planes = ftl.pool_planes(pool);
    let mut order = Vec::with_capacity((division.closed + division.free) as usize + division.open.len());
    let shuffles: Vec<(PlaneId, Permutation)> = planes
        .map(|plane| {
            let own = Seed(seed.draw("age.plane", u64::from(plane)));
            let blocks = u64::from(geometry.blocks_per_plane);
            (PlaneId(plane), Permutation::new(blocks, own, "age.blocks"))
        })
        .collect();
    for index in 0..u64::from(geometry.blocks_per_plane) {
        for (plane, shuffle) in &shuffles {
            order.push(geometry.block(*plane, shuffle.of(index) as u32));
        }
    }
    order
}

/// Valid pages of the closed blocks, oldest block first, exactly `division.valid` in all.
fn valid_counts(
    division: &Division,
    b: u32,
    amplifications: &mut Amplifications,
    stream: &mut Stream,
) -> Result<Vec<u16>, FtlError> {
    let closed = division.closed;
    if division.valid == 0 {
        return Ok(vec![0; closed as usize]);
    }
    let rho = division.valid as f64 / (f64::from(closed) * f64::from(b));
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
    adjust(&mut counts, b as u16, division.valid);
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
fn below(stream: &mut Stream, below: u32) -> u32 {
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
}
