//! Which look-ups of the table find their entry, and where.

use rustc_hash::FxHashMap;
use wordline_keys::RefusedValue;

use crate::drive::Drive;
use crate::error::require;
use crate::mapping::{Addresses, Draw};
use crate::paths::{Kind, Step};
use crate::simulation::lru::Lru;
use crate::simulation::operations::NONE;
use crate::table::HitRate;

/// Pages that a simulated cache has at most: their list takes 45 bytes for each.
const MOST_PAGES: u64 = 1 << 22;
/// Look-ups before the run, for each page of the cache, at most.
const WARM_UP: u64 = 3;

/// What a look-up finds.
pub(crate) enum Found {
    /// The entry, in the memory where it was looked for.
    Here,
    /// The entry in a tier, which takes an operation of this kind.
    Tier(Kind),
    /// Nothing: the page of the table is on flash.
    Flash,
    /// Nothing yet: the page of the table is being read.
    Coming {
        /// The operation that reads the page.
        page_in: u32,
        /// The last operation that waits for it.
        last: u32,
    },
}

/// A page of the table that is being read.
pub(super) struct Coming {
    page_in: u32,
    last: u32,
}

/// The cache of the table.
pub(crate) enum TableCache {
    /// Look-ups hit at random.
    Rate {
        hit_rate: f64,
        /// Look-ups of each tier, as the share of look-ups that find their entry there or before.
        tiers: Vec<(Kind, f64)>,
        draw: Draw,
    },
    /// Pages of the table that were used last.
    Lru(LastUsed),
}

/// Pages of the table that were used last, by number.
pub(super) struct LastUsed {
    /// Each with whether it was changed.
    cache: Lru<bool>,
    coming: FxHashMap<u64, Coming>,
    logical_pages: u64,
    table_pages: u64,
}

impl LastUsed {
    /// The page of the table that has the entry of a logical page.
    fn table_page(&self, page: u64) -> u64 {
        (u128::from(page) * u128::from(self.table_pages) / u128::from(self.logical_pages)) as u64
    }
}

/// Pages of a simulated cache; none if it holds the whole table.
fn cached_pages(drive: &Drive) -> Option<u64> {
    let cached = drive.table_memory() / drive.table.page.0;
    (cached < drive.table_pages()).then_some(cached)
}

impl TableCache {
    /// Whether the cache can be simulated.
    ///
    /// # Errors
    /// It has too many pages.
    pub(crate) fn check(drive: &Drive) -> Result<(), RefusedValue> {
        let pages = cached_pages(drive).unwrap_or(0);
        require(
            drive.table.hit != HitRate::Lru || pages <= MOST_PAGES,
            "table.hit",
            format!("lru, with a cache of {pages} pages"),
            "accepted in simulations is a cache of at most 4194304 pages, or of the whole table; \"che\" has no limit",
        )
    }

    /// The cache as it is after many requests of the workload.
    pub(crate) fn new(drive: &Drive, seed: u64) -> Self {
        match cached_pages(drive) {
            Some(pages) if drive.table.hit == HitRate::Lru => Self::used(drive, seed, pages),
            _ => {
                let mut below = 0.0;
                let tiers = drive.tier_shares().into_iter().map(|(memory, share)| {
                    below += share;
                    (memory.look_up(), below)
                });
                Self::Rate {
                    tiers: tiers.collect(),
                    hit_rate: drive.hit_rate(),
                    draw: Draw::new(seed, "fscale.hit"),
                }
            }
        }
    }

    /// Fills a cache by look-ups of the workload. As soon as it is full it has the pages that were used last, as after any number of look-ups. What
    /// many do not fill gets the first pages that are not there: in every law the first are the most popular.
    fn used(drive: &Drive, seed: u64, pages: u64) -> Self {
        let mut this = Self::Lru(LastUsed {
            cache: Lru::new(pages as usize),
            coming: FxHashMap::default(),
            logical_pages: drive.logical_pages(),
            table_pages: drive.table_pages(),
        });
        let mut addresses = Addresses::new(drive, seed, "fscale.warm_up");
        let mut draw = Draw::new(seed, "fscale.warm_up_mix");
        let load = &drive.workload;
        let paths = drive.paths();
        let mut steps = paths.of(Kind::Move).iter();
        let moves_look_up = steps.any(|step| matches!(step, Step::Entry { .. }));
        let moves_per_write = if moves_look_up {
            drive.waf() - 1.0 + load.wear_moves
        } else {
            0.0
        };
        let (mut moves, mut left) = (0.0, WARM_UP * pages);
        while left > 0 && !this.is_full() {
            left -= 1;
            if moves >= 1.0 {
                moves -= 1.0;
                this.use_entry(draw.below(drive.logical_pages()), true);
                continue;
            }
            let writes = draw.chance(load.write_fraction);
            this.use_entry(addresses.next(), writes);
            moves += if writes { moves_per_write } else { 0.0 };
        }
        if let Self::Lru(last_used) = &mut this {
            let mut next = 0;
            while !last_used.cache.is_full() && next < last_used.table_pages {
                if !last_used.cache.contains(next) {
                    last_used.cache.insert_oldest(next, false);
                }
                next += 1;
            }
        }
        this
    }

    fn is_full(&self) -> bool {
        match self {
            Self::Rate { .. } => true,
            Self::Lru(last_used) => last_used.cache.is_full(),
        }
    }

    fn use_entry(&mut self, page: u64, changes: bool) {
        if let Found::Flash = self.look_up(page, changes, NONE) {
            self.install(page, changes);
        }
    }

    /// Looks the entry of a logical page up for an operation, and notes that it changes. An operation that finds its page coming is the last one
    /// that waits for it from now on.
    pub(crate) fn look_up(&mut self, page: u64, changes: bool, number: u32) -> Found {
        match self {
            Self::Rate {
                hit_rate,
                tiers,
                draw,
            } => {
                if tiers.is_empty() {
                    return if draw.chance(*hit_rate) {
                        Found::Here
                    } else {
                        Found::Flash
                    };
                }
                let drawn = draw.unit();
                let tier = tiers.iter().find(|(_, below)| drawn < *below);
                tier.map_or(Found::Flash, |(kind, _)| Found::Tier(*kind))
            }
            Self::Lru(last_used) => {
                let key = last_used.table_page(page);
                if let Some(changed) = last_used.cache.touch(key) {
                    *changed |= changes;
                    return Found::Here;
                }
                match last_used.coming.get_mut(&key) {
                    None => Found::Flash,
                    Some(coming) => Found::Coming {
                        page_in: coming.page_in,
                        last: std::mem::replace(&mut coming.last, number),
                    },
                }
            }
        }
    }

    /// The operation `page_in` reads the page of the table that has the entry of a logical page, for which the operation `number` waits.
    pub(crate) fn expect(&mut self, page: u64, page_in: u32, number: u32) {
        if let Self::Lru(last_used) = self {
            let (key, last) = (last_used.table_page(page), number);
            last_used.coming.insert(key, Coming { page_in, last });
        }
    }

    /// The page of the table with the entry of a logical page is in memory, and changes there: whether a changed one had to leave.
    pub(crate) fn install(&mut self, page: u64, changes: bool) -> bool {
        match self {
            Self::Rate { .. } => changes,
            Self::Lru(last_used) => {
                let key = last_used.table_page(page);
                last_used.coming.remove(&key);
                let left = last_used.cache.insert(key, changes);
                left.is_some_and(|(_, changed)| changed)
            }
        }
    }

    pub(crate) fn resident_bytes(&self) -> u64 {
        match self {
            Self::Rate { .. } => size_of::<Self>() as u64,
            Self::Lru(last_used) => {
                let each = size_of::<(u64, Coming)>() + 1;
                last_used.cache.resident_bytes() + (last_used.coming.capacity() * each) as u64
            }
        }
    }
}
