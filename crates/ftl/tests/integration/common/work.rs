//! Random choices and random commands.

use rand::Rng;
use wordline_ftl::{Lpn, PageOp, PageRequest};
use wordline_units::{Seed, Stream};

pub(crate) struct Random(Stream);

impl Random {
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Self(Seed(seed).stream(name))
    }

    pub(crate) fn below(&mut self, below: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(below)) >> 64) as u64
    }

    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Placement handles of the writes of [`Commands`], beside 0 for none.
pub(crate) const HANDLES: u64 = 5;

/// The placement handle with which a logical page is always written.
pub(crate) fn handle_of(lpn: u64) -> u16 {
    (lpn % (HANDLES + 1)) as u16
}

/// Mixed commands: mostly writes, whole and partial, crowded on few pages for a part of them.
pub(crate) struct Commands {
    random: Random,
    user_pages: u64,
    full: u64,
    /// Share of commands on the first few pages, where they meet each other in flight.
    crowd: f64,
    partial: f64,
    trims: u64,
}

impl Commands {
    pub(crate) fn new(seed: u64, user_pages: u64, full: u64) -> Self {
        let mut random = Random::new(seed, "commands");
        Self {
            crowd: random.pick(&[0.0, 0.2, 0.5]),
            partial: random.pick(&[0.0, 0.2, 0.6]),
            trims: random.pick(&[0, 5, 15]),
            random,
            user_pages,
            full,
        }
    }

    fn bitmap(&mut self) -> u64 {
        if self.random.unit() >= self.partial {
            return self.full;
        }
        // A run of sub-pages, as commands have them.
        let sectors = u64::from(self.full.count_ones());
        let from = self.random.below(sectors);
        let count = 1 + self.random.below(sectors - from);
        (u64::MAX >> (64 - count)) << from
    }
}

impl Iterator for Commands {
    type Item = PageRequest;

    fn next(&mut self) -> Option<PageRequest> {
        let lpn = if self.random.unit() < self.crowd {
            self.random.below(self.user_pages.min(6))
        } else {
            self.random.below(self.user_pages)
        };
        let kind = self.random.below(100);
        let (op, pages) = if kind < self.trims {
            let most = (self.user_pages - lpn).min(6);
            (PageOp::Trim, 1 + self.random.below(most))
        } else if kind < self.trims + 25 {
            (PageOp::Read, 1)
        } else {
            (PageOp::Write, 1)
        };
        let bitmap = if pages > 1 { self.full } else { self.bitmap() };
        Some(PageRequest {
            op,
            lpn: Lpn(lpn),
            pages,
            bitmap,
            placement: handle_of(lpn),
            class: 0,
            command_sectors: bitmap.count_ones(),
        })
    }
}
