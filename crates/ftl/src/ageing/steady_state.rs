//! Method C: the state after endless uniform random overwriting, drawn from closed forms.

mod counts;

use counts::{Amplifications, Division, below, valid_counts};
use wordline_nand::{BlockId, PlaneId};
use wordline_units::{ByteSize, Permutation, Seed, SimTime, Stream};

use super::cycle::{Cycle, Moment, Phase, phases};
use super::{AgeConfig, AgeError, Aged, Load, Pressure, Reclaim};
use crate::analytic::Cleaning;
use crate::block_classes::BlockClasses;
use crate::config::{GcConfig, GcMode};
use crate::contract::AssignByRule;
use crate::error::FtlError;
use crate::map::Share;
use crate::plan::HOST;
use crate::plan::{Frontier, Lpn, Scope};
use crate::space::Filling;

/// Logical pages that share pools: those that leave one remainder on division by the number of groups.
struct Group {
    /// How many of them hold data.
    pages: u64,
    first_pool: u32,
    pools: u32,
}

pub(super) fn age(
    ftl: &mut dyn AssignByRule,
    unit: Option<ByteSize>,
    config: &AgeConfig,
    seed: Seed,
    load: Load<'_>,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Aged, AgeError> {
    let filled = config.filled(ftl.space().capacity.user_pages);
    let (cleaning, note) = closed_form(&ftl.space().gc, ftl.space().blocks.of_pool(0).len() as u32)?;
    let mut notes: Vec<String> = note.into_iter().collect();
    let mut stream = seed.stream("age.steady_state");
    let mut now = SimTime::ZERO;
    let mut amplification = 0.0;
    let groups = groups(ftl, filled);
    ftl.begin_assignment(
        groups
            .iter()
            .map(|group| Share {
                pages: group.pages,
                order: Permutation::new(group.pages.max(1), seed, "age.layout"),
            })
            .collect(),
    );
    let mut pools = Pools {
        amplifications: Amplifications::new(cleaning, ftl.space().geometry.pages_per_block),
        load,
        siblings: ftl.space().geometry.planes_per_die / ftl.space().pool_planes(0).len() as u32,
        pressure: None,
        phases: Vec::new(),
        seed,
    };
    let mut filled_pools = 0;
    let mut collecting = Vec::new();
    for (share, group) in groups.iter().enumerate() {
        for index in 0..group.pools {
            if !watch(f64::from(filled_pools) / f64::from(ftl.space().pools.len() as u32)) {
                return Err(AgeError::Interrupted);
            }
            filled_pools += 1;
            let slice =
                |index: u32| (u128::from(group.pages) * u128::from(index) / u128::from(group.pools)) as u64;
            let pages = slice(index)..slice(index + 1);
            let pool = group.first_pool + index;
            let (division, pressure) = pools.divide(ftl, pool, pages.end - pages.start, &mut stream)?;
            let aged = pools.fill(ftl, config, pool, &division, &mut stream, share)?;
            if division.collecting.is_some() {
                collecting.push((pool, aged.victim, ftl.space().is_urgent(pressure.keeps_up)));
            }
            now = now.max(aged.now);
            amplification += aged.amplification / f64::from(ftl.space().pools.len() as u32);
        }
    }
    ftl.finish_fill(now);
    for (pool, victim, urgent) in collecting {
        ftl.space_mut().start_collecting(pool, victim, urgent, now);
    }
    notes.insert(
        0,
        format!(
            "Preconditioned to the steady state of uniform random writes of {}: {filled} logical pages written, expected write \
             amplification {amplification:.2} (closed form of {cleaning} garbage collection).",
            unit.unwrap_or(ByteSize(u64::from(ftl.space().geometry.page_bytes)))
        ),
    );
    Ok(Aged {
        notes,
        now,
        amplification: Some(amplification),
    })
}

/// The closed form of a victim policy, or of the nearest one that has any.
fn closed_form(gc: &GcConfig, blocks: u32) -> Result<(Cleaning, Option<String>), FtlError> {
    let (cleaning, exact) = (gc.victim.row()?.closed_form)(&gc.keys, blocks);
    let note = (!exact).then(|| {
        format!(
            "ftl.gc.victim has no closed form: the drive was aged as by {cleaning} garbage collection, the nearest that has; \
             let the run warm up, or use age.method = \"overwritten\""
        )
    });
    Ok((cleaning, note))
}

/// Which logical pages go to which pools.
fn groups(ftl: &dyn AssignByRule, filled: u64) -> Vec<Group> {
    let geometry = ftl.space().geometry;
    let planes_per_pool = ftl.space().pool_planes(0).len() as u32;
    let stride = match ftl.planes_of(Lpn(0)) {
        Scope::Drive => 1,
        Scope::Channel(_) => u64::from(geometry.channels),
        // A static order repeats after as many pages as there are planes.
        _ => u64::from(geometry.planes()),
    };
    (0..stride)
        .map(|residue| {
            let (first_plane, planes) = match ftl.planes_of(Lpn(residue)) {
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

/// What the pools of a drive have in common.
struct Pools<'a> {
    amplifications: Amplifications,
    load: Load<'a>,
    /// Pools that share a die.
    siblings: u32,
    /// What presses on each of them; not known until the first is divided.
    pressure: Option<Pressure>,
    /// Where in its cycle each pool is; empty until the first is divided.
    phases: Vec<Phase>,
    seed: Seed,
}

/// A pool that was filled.
struct Filled {
    /// Time that this took.
    now: SimTime,
    amplification: f64,
    /// The block whose pages are being moved.
    victim: Option<BlockId>,
}

impl Pools<'_> {
    /// Divides the blocks of a pool that holds `pages` logical pages into free ones, open ones and closed ones, as they
    /// are at a random moment of its cycle.
    fn divide(
        &mut self,
        ftl: &dyn AssignByRule,
        pool: u32,
        pages: u64,
        stream: &mut Stream,
    ) -> Result<(Division, Pressure), FtlError> {
        let b = ftl.space().geometry.pages_per_block;
        let per_program = ftl.space().geometry.pages_per_program;
        let kept = ftl.space().capacity.cache.kept;
        let blocks = ftl.space().blocks.of_pool(pool).len() as u32 - kept;
        let frontiers: Vec<Frontier> = if b > 1 {
            let planes = ftl.space().pool_planes(pool).len();
            ftl.space()
                .write_frontiers()
                .flat_map(|frontier| std::iter::repeat_n(frontier, planes))
                .collect()
        } else {
            Vec::new()
        };
        let mut levels = ftl.space().collection_levels(false);
        let mean = (levels.start + levels.stop).div_ceil(2);
        let open = frontiers.len() as u32;
        let closed = blocks.saturating_sub(mean + open);
        let room = u64::from(closed) * u64::from(b);
        if room <= pages {
            return Err(FtlError::new(
                "age.method",
                "steady_state",
                format!(
                    "more spare space: pool {pool} has {blocks} blocks of {b} pages, of which {mean} are kept free \
                     (ftl.gc watermarks) and {open} open; {blocks} - {mean} - {open} = {closed} blocks x {b} = {room} \
                     pages do not exceed its {pages} logical pages"
                ),
            ));
        }
        // Spare pages lie idle, those of open blocks among them: the cycle says how many, once its gain is known.
        let utilization = |idle: f64| {
            let usable = f64::from(blocks) * f64::from(b) - idle;
            (pages.max(1) as f64 / usable).clamp(f64::MIN_POSITIVE, 0.999_999)
        };
        let others = f64::from(open.saturating_sub(1)) * f64::from(b) / 2.0;
        let rough = self
            .amplifications
            .at(utilization(f64::from(mean + open) * f64::from(b)))?;
        let cycle = Cycle::new(&levels, b, f64::from(b) / rough, Pressure::NONE);
        let amplification = self.amplifications.at(utilization(cycle.mean() + others))?;
        let gain = f64::from(b) / amplification;
        // All pools are alike but for a page, and so is what presses on them.
        let pressure = *self.pressure.get_or_insert_with(|| {
            let free = Cycle::new(&levels, b, gain, Pressure::NONE);
            (self.load)(Reclaim {
                moves: amplification - 1.0,
                erases: 1.0 / gain,
                regained: free.depth(),
            })
        });
        let is_paced = ftl.space().gc.mode == GcMode::Partial;
        let pressure = if is_paced { Pressure::PACED } else { pressure };
        if ftl.space().is_urgent(pressure.keeps_up) {
            levels = ftl.space().collection_levels(true);
        }
        if self.phases.is_empty() {
            self.phases = phases(
                ftl.space().pools.len() as u32,
                self.siblings,
                pressure.collecting,
                self.seed,
                stream,
            );
        }
        let cycle = if is_paced {
            Cycle::paced(&levels, b, gain)
        } else {
            Cycle::new(&levels, b, gain, pressure)
        };
        let Moment {
            mut spare,
            collecting,
        } = cycle.at(self.phases[pool as usize]);
        if is_paced {
            // Collection pauses whenever enough blocks are free, until one is opened. In the long run they are enough only when
            // all open blocks are full: what these have left is not beside the spare pages of the cycle.
            spare = spare.saturating_sub(others as u64);
        }
        // No more free blocks than leave room for the data.
        let spare_blocks = ((room - pages - 1) / u64::from(b)) as u32;
        let free = ((spare / u64::from(b)) as u32).min(mean + spare_blocks);
        let mut left = pages;
        let open: Vec<(Frontier, u32)> = frontiers
            .iter()
            .enumerate()
            .map(|(index, frontier)| {
                // The first one holds the rest of the spare pages, the others are out of step with it.
                let written = if index == 0 {
                    b - (spare % u64::from(b)) as u32
                } else {
                    1 + below(stream, b - 1)
                };
                let written = written.min(left.min(u64::from(b)) as u32);
                // only whole programs
                let written = written / per_program * per_program;
                left -= u64::from(written);
                (*frontier, written)
            })
            .collect();
        let collecting = collecting.map(|share| (share * (f64::from(b) - gain)) as u32);
        // Collection begins with room for its victim and ends what it began (`PageFtl::may_open`): where its open blocks
        // have less room than what is left of a victim, the reserve is whole.
        let is_short = collecting.is_some_and(|moved| room_to_collect(&open, b) < b.saturating_sub(moved));
        let free = if is_short { free.max(1) } else { free };
        let division = Division {
            free,
            regained: free.saturating_sub(levels.start),
            per_burst: levels.stop.saturating_sub(levels.start),
            closed: blocks - free - open.len() as u32,
            open,
            valid: left,
            collecting,
        };
        Ok((division, pressure))
    }

    /// Fills the blocks of a pool.
    fn fill(
        &mut self,
        ftl: &mut dyn AssignByRule,
        config: &AgeConfig,
        pool: u32,
        division: &Division,
        stream: &mut Stream,
        share: usize,
    ) -> Result<Filled, AgeError> {
        let b = ftl.space().geometry.pages_per_block;
        let (counts, victim) = valid_counts(division, b, &mut self.amplifications, stream)?;
        let pages = division.valid.max(1) as f64;
        let rho = pages / (f64::from(division.closed) * f64::from(b));
        let amplification = self.amplifications.at(rho.min(0.999_999))?;
        // Time between two closings in this pool, while all pools are written to alike.
        let interval = f64::from(b) / amplification
            * config.time_per_write.ns() as f64
            * f64::from(ftl.space().pools.len() as u32);
        let order = order_of_blocks(ftl, pool, division, self.seed);
        let mut blocks = order.into_iter();
        let mut chosen = vec![0; b.div_ceil(u64::BITS) as usize];
        let filling = |block, written, frontier, closed_order| Filling {
            block,
            written,
            frontier,
            erase_count: config.initial_cycles,
            closed_order,
        };
        for (frontier, written) in &division.open {
            if let Some(block) = blocks.next() {
                let filling = filling(block, *written, *frontier, 0);
                ftl.assign_block(&filling, share, first_ones(&mut chosen, *written))?;
            }
        }
        let kept = ftl.space().capacity.cache.kept;
        for block in blocks.by_ref().take((division.free + kept) as usize) {
            ftl.set_erase_count(block, config.initial_cycles);
        }
        let blocks: Vec<BlockId> = blocks.collect();
        let scatter = Permutation::new(blocks.len().max(1) as u64, self.seed, "age.blocks");
        let place = |position: usize| blocks[scatter.of(position as u64) as usize];
        for (position, valid) in counts.iter().enumerate() {
            let block = place(position);
            choose(&mut chosen, b, u32::from(*valid), stream);
            ftl.assign_block(&filling(block, b, HOST, position as u32), share, &chosen)?;
            ftl.set_last_write(block, SimTime((position as f64 * interval) as u64));
        }
        Ok(Filled {
            now: SimTime((counts.len() as f64 * interval) as u64),
            amplification,
            victim: victim.map(place),
        })
    }
}

/// Free pages in the open blocks that collection writes to: its own where it has some, else those that it shares.
fn room_to_collect(open: &[(Frontier, u32)], b: u32) -> u32 {
    let has_own = open.iter().any(|(frontier, _)| *frontier != HOST);
    open.iter()
        .filter(|(frontier, _)| !has_own || *frontier != HOST)
        .map(|(_, written)| b - written)
        .sum()
}

/// Ones in the first `count` bits.
fn first_ones(words: &mut [u64], count: u32) -> &[u64] {
    for (first, word) in (0..).step_by(u64::BITS as usize).zip(words.iter_mut()) {
        let ones = count.saturating_sub(first).min(u64::BITS);
        *word = if ones == 0 {
            0
        } else {
            u64::MAX >> (u64::BITS - ones)
        };
    }
    words
}

/// Chooses `valid` of a block's `b` pages, each as likely as any other: ones in `chosen`.
fn choose(chosen: &mut [u64], b: u32, valid: u32, stream: &mut Stream) {
    // A stream of its own until all are drawn: one behind a reference would be stored with every draw.
    let mut own = stream.clone();
    let (mut left, mut valid_left) = (b, valid);
    for word in chosen {
        let mut bits = 0_u64;
        for bit in 0..left.min(u64::BITS) {
            // Each page with the probability that is left to it: exactly `valid` of them.
            let is_chosen = below(&mut own, left) < valid_left;
            left -= 1;
            valid_left -= u32::from(is_chosen);
            bits |= u64::from(is_chosen) << bit;
        }
        *word = bits;
    }
    *stream = own;
}

/// The blocks of a pool in the order in which they are assigned: planes in turn, blocks of a
/// plane in a random order. Open ones come first, then free ones.
fn order_of_blocks(ftl: &dyn AssignByRule, pool: u32, division: &Division, seed: Seed) -> Vec<BlockId> {
    let geometry = ftl.space().geometry;
    let planes = ftl.space().pool_planes(pool);
    let count = planes.len();
    let open = division.open.len() / count;
    let of_planes: Vec<Vec<BlockId>> = planes
        .map(|plane| {
            let own = Seed(seed.draw("age.plane", u64::from(plane)));
            let blocks = u64::from(geometry.blocks_per_plane);
            let shuffle = Permutation::new(blocks, own, "age.blocks");
            let blocks = (0..blocks).map(|index| geometry.block(PlaneId(plane), shuffle.of(index) as u32));
            match &ftl.space().tenants.classes {
                None => blocks.collect(),
                Some(tenant) => by_class(blocks.collect(), (open, count, division), &tenant.classes),
            }
        })
        .collect();
    let rounds = 0..geometry.blocks_per_plane as usize;
    rounds
        .flat_map(|index| of_planes.iter().map(move |blocks| blocks[index]))
        .collect()
}

/// The blocks of a plane in the order in which they are assigned where blocks have classes: `open` normal ones, those that are free, and
/// the others. Writes that are promised no class open normal blocks as soon as there are any and then the slowest strong ones. So of the
/// blocks that the last burst of collection has regained the normal ones go first, and all others that are free are of the fastest class.
fn by_class(
    blocks: Vec<BlockId>,
    (open, planes, division): (usize, usize, &Division),
    classes: &BlockClasses,
) -> Vec<BlockId> {
    let class = |block: &BlockId| classes.of_block(block.0);
    let all = blocks.len();
    let (mut order, mut strong): (Vec<_>, Vec<_>) = blocks.into_iter().partition(|block| class(block) == 0);
    strong.sort_by_key(class);
    let of_burst = division.per_burst as usize * strong.len() / all.max(1);
    let normal = (division.regained as usize).saturating_sub(of_burst) / planes;
    let behind = order.split_off((open + normal).min(order.len()));
    order.extend(strong);
    order.extend(behind);
    order
}
