//! The cycle of a pool: host writes use its free pages up until collection starts, and collection regains them.
//!
//! With `free` free blocks and an open block of which `left` pages are free a pool has b free + left *spare* pages.
//! Collection starts when the last block above `start` free ones is opened and stops at `stop` free blocks. A victim
//! takes its valid pages, b - g in the mean, and gives b: K victims of gain g go from the bottom of the cycle to its top.
//! While the host writes nothing to the pool meanwhile the level is a saw between both, on which a pool is at a random
//! place at a random moment: on its way up for the share of the time in which it is being collected.

use rand::Rng;
use wordline_units::{Permutation, Seed, Stream};

use super::load::Pressure;
use crate::space::CollectionLevels;

/// The cycle of a pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cycle {
    pages_per_block: f64,
    /// Pages that a victim gains in the mean, above 0.
    gain: f64,
    /// Spare pages when collection starts.
    bottom: f64,
    /// Victims of one collection, at least 1.
    victims: f64,
    /// Collection does not keep up: the pool stays on its reserve.
    held_down: bool,
}

/// Where in its cycle a pool is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment {
    /// Free pages in free blocks and in the open block.
    pub(super) spare: u64,
    /// Whether it is being collected, and then the share of a victim's valid pages that was moved.
    pub(super) collecting: Option<f64>,
}

/// A place on the way through a cycle, 0 at the beginning and below 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    /// The host uses free pages up.
    Filling(f64),
    /// Collection regains them.
    Collecting(f64),
}

impl Cycle {
    pub(super) fn new(
        levels: &CollectionLevels,
        pages_per_block: u32,
        gain: f64,
        pressure: Pressure,
    ) -> Self {
        let b = f64::from(pages_per_block);
        let held_down = pressure.collecting >= 1.0;
        let bottom = if held_down {
            f64::from(levels.reserve) * b
        } else if levels.at_opening {
            // one page of the block that was opened is taken
            f64::from(levels.start) * b + b - 1.0
        } else {
            f64::from(levels.start) * b
        };
        let victims = ((f64::from(levels.stop) * b - bottom) / gain).ceil().max(1.0);
        Self {
            pages_per_block: b,
            gain,
            bottom,
            victims,
            held_down,
        }
    }

    /// Where page moves are rationed per host write: a pool is collected all the time, and has as many free blocks as when collection begins, since the host takes what
    /// a victim gains while it is emptied.
    pub(super) fn paced(levels: &CollectionLevels, pages_per_block: u32, gain: f64) -> Self {
        let b = f64::from(pages_per_block);
        Self {
            pages_per_block: b,
            gain,
            bottom: f64::from(levels.start + 1) * b - gain,
            victims: 1.0,
            held_down: true,
        }
    }

    /// Pages from the bottom to the top.
    pub(super) fn depth(&self) -> f64 {
        self.victims * self.gain
    }

    /// Spare pages in the mean, while the pool is not being collected.
    pub(super) fn mean(&self) -> f64 {
        self.bottom + self.depth() / 2.0
    }

    pub(super) fn at(&self, phase: Phase) -> Moment {
        let (spare, collecting) = match phase {
            // the host takes what a victim gains while the next one is emptied
            Phase::Collecting(share) if self.held_down => {
                let left = self.gain - share * self.pages_per_block;
                (self.bottom + left, Some(share))
            }
            Phase::Collecting(share) => {
                let done = share * self.victims;
                let moved = done.fract();
                let taken = moved * (self.pages_per_block - self.gain);
                (self.bottom + done.floor() * self.gain - taken, Some(moved))
            }
            Phase::Filling(share) => (self.bottom + (1.0 - share) * self.depth(), None),
        };
        Moment {
            spare: spare.max(0.0) as u64,
            collecting,
        }
    }
}

/// A phase for each of `pools` pools, evenly spread over the cycle and out of step. Of the `siblings` pools that share a
/// die as few as possible are collected at a time, since none is written to while another one is: `collecting` is the share
/// of the time for one of them.
pub(super) fn phases(
    pools: u32,
    siblings: u32,
    collecting: f64,
    seed: Seed,
    stream: &mut Stream,
) -> Vec<Phase> {
    let siblings = siblings.max(1);
    let dies = pools.div_ceil(siblings);
    let spread = |count: u32, label| Permutation::new(u64::from(count.max(1)), seed, label);
    let (of_dies, of_pools) = (spread(dies, "age.phase.die"), spread(pools, "age.phase.pool"));
    let mut phases: Vec<Phase> = (0..pools)
        .map(|pool| Phase::Filling(within(of_pools.of(u64::from(pool)), pools, stream)))
        .collect();
    let mean = collecting.clamp(0.0, 1.0) * f64::from(siblings);
    for die in 0..dies {
        // `mean` of its pools, rounded up or down so that all dies together have it right
        let place = within(of_dies.of(u64::from(die)), dies, stream);
        let busy = ((mean + place).floor() as u32).min(siblings);
        let first = (stream.next_u64() % u64::from(siblings)) as u32;
        for step in 0..busy {
            let pool = die * siblings + (first + step) % siblings;
            if let Some(phase) = phases.get_mut(pool as usize) {
                *phase = Phase::Collecting(unit(stream));
            }
        }
    }
    phases
}

/// A random place in the `index`-th of `count` equal parts of [0, 1).
fn within(index: u64, count: u32, stream: &mut Stream) -> f64 {
    (index as f64 + unit(stream)) / f64::from(count)
}

/// Uniform over [0, 1).
fn unit(stream: &mut Stream) -> f64 {
    (stream.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVELS: CollectionLevels = CollectionLevels {
        start: 1,
        at_opening: true,
        stop: 3,
        reserve: 1,
    };

    fn half() -> Pressure {
        Pressure {
            collecting: 0.5,
            keeps_up: true,
        }
    }

    /// Blocks of 100 pages, victims with 60 valid ones. Opening the block that leaves one free leaves 199 spare pages.
    /// Victims give 40 each: 239, 279, 319, and the third makes three free blocks.
    #[test]
    fn a_cycle_by_hand() {
        let cycle = Cycle::new(&LEVELS, 100, 40.0, half());
        assert_eq!((cycle.depth(), cycle.mean()), (120.0, 259.0));
        let at = |phase| {
            let Moment { spare, collecting } = cycle.at(phase);
            (spare, collecting)
        };
        assert_eq!(at(Phase::Filling(0.0)), (319, None));
        assert_eq!(at(Phase::Filling(0.5)), (259, None));
        assert_eq!(at(Phase::Collecting(0.0)), (199, Some(0.0)));
        // one victim and a half: one block gained, 30 pages of the next moved
        assert_eq!(at(Phase::Collecting(0.5)), (199 + 40 - 30, Some(0.5)));
    }

    /// Without a mark above the reserve collection starts when the host finds no page, and stops with one block.
    #[test]
    fn a_starved_pool_by_hand() {
        let levels = CollectionLevels {
            start: 1,
            at_opening: false,
            stop: 2,
            reserve: 1,
        };
        let cycle = Cycle::new(&levels, 100, 40.0, half());
        assert_eq!(cycle.at(Phase::Filling(0.0)).spare, 100 + 3 * 40);
        assert_eq!(cycle.at(Phase::Collecting(0.0)).spare, 100);
    }

    /// One block is free throughout, and of the open ones as much as a victim has been moved.
    #[test]
    fn a_pool_that_is_paced_stays_where_its_collection_began() {
        let cycle = Cycle::paced(&LEVELS, 100, 40.0);
        assert_eq!(cycle.at(Phase::Collecting(0.0)).spare, 200);
        assert_eq!(cycle.at(Phase::Collecting(0.25)).spare, 175);
        assert_eq!(cycle.at(Phase::Collecting(1.0)).spare, 100);
    }

    #[test]
    fn a_pool_that_is_held_down_stays_on_its_reserve() {
        let pressure = Pressure {
            collecting: 1.0,
            keeps_up: false,
        };
        let cycle = Cycle::new(&LEVELS, 100, 40.0, pressure);
        assert_eq!(cycle.at(Phase::Collecting(0.0)).spare, 140);
        assert_eq!(cycle.at(Phase::Collecting(0.5)).spare, 90);
    }

    /// 0.2 of 128 pools are 25.6; no die of four has two of them. Those that fill are spread evenly.
    #[test]
    fn pools_are_out_of_step() {
        let mut collecting = 0;
        for seed in 0..50 {
            let mut stream = Seed(seed).stream("test");
            let phases = phases(128, 4, 0.2, Seed(seed), &mut stream);
            let busy = |phase: &&Phase| matches!(phase, Phase::Collecting(_));
            assert!(phases.chunks(4).all(|die| die.iter().filter(busy).count() <= 1));
            let count = phases.iter().filter(busy).count();
            assert!((25..=26).contains(&count), "{count}");
            collecting += count;
            let filling = phases.iter().filter_map(|phase| match phase {
                Phase::Filling(share) => Some(*share),
                Phase::Collecting(_) => None,
            });
            let mean = filling.clone().sum::<f64>() / filling.count() as f64;
            assert!((mean - 0.5).abs() < 0.06, "{mean}");
        }
        assert!(
            (f64::from(collecting as u32) / 50.0 - 25.6).abs() < 0.3,
            "{collecting}"
        );
    }
}
