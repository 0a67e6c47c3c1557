//! How often each kind of operation is done.

use crate::drive::{Design, Drive};
use crate::local::StaleCopies;
use crate::paths::{Kind, Paths, Step};

/// Operations of each kind for each operation of the host, in the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    by_kind: [f64; Kind::ALL.len()],
}

impl Rates {
    /// Operations of `kind` for each operation of the host.
    #[must_use]
    pub fn of(&self, kind: Kind) -> f64 {
        self.by_kind[kind as usize]
    }

    pub(crate) fn new(drive: &Drive, paths: &Paths) -> Self {
        let sent = drive.workload.write_fraction;
        let merged = sent * drive.merged_share();
        // logical pages that are programmed
        let writes = sent - merged;
        let waf = drive.waf();
        let nand = &drive.nand;
        let blocks =
            writes * waf / (f64::from(nand.pages_per_block) * f64::from(nand.logical_pages_per_program));
        let mut by_kind = [0.0; Kind::ALL.len()];
        by_kind[Kind::HostRead as usize] = 1.0 - sent;
        by_kind[Kind::MergedWrite as usize] = merged;
        if drive.writes_parts() {
            by_kind[Kind::PartialWrite as usize] = writes;
        } else {
            by_kind[Kind::HostWrite as usize] = writes;
        }
        by_kind[Kind::Move as usize] = writes * (waf - 1.0 + drive.workload.wear_moves);
        by_kind[Kind::Erase as usize] = blocks;
        if drive.design == Design::FScale {
            by_kind[Kind::NodeProgram as usize] = writes / f64::from(drive.local.flush_entries);
            match drive.local.stale {
                StaleCopies::Eager => by_kind[Kind::Invalidate as usize] = writes,
                StaleCopies::Lazy => by_kind[Kind::DirectoryCheck as usize] = writes * waf,
                StaleCopies::Sticky => {}
            }
        }
        let missed = 1.0 - drive.hit_rate();
        let (mut look_ups, mut changing) = (0.0, 0.0);
        for kind in Kind::ALL {
            for step in paths.of(kind) {
                if let Step::Entry { changes } = step {
                    look_ups += by_kind[kind as usize];
                    changing += if *changes { by_kind[kind as usize] } else { 0.0 };
                }
            }
        }
        by_kind[Kind::PageIn as usize] = missed * look_ups;
        by_kind[Kind::PageOut as usize] = missed * changing;
        for (memory, share) in drive.tier_shares() {
            by_kind[memory.look_up() as usize] = share * look_ups;
        }
        Self { by_kind }
    }
}

/// Steps of a path, each with the probability that it is taken.
pub(crate) fn weighted(path: &[Step]) -> impl Iterator<Item = (&Step, f64)> {
    let (mut probability, mut left) = (1.0, 0);
    path.iter().map(move |step| {
        if left == 0 {
            probability = 1.0;
        } else {
            left -= 1;
        }
        let taken = probability;
        if let Step::Chance {
            probability: next,
            steps,
        } = step
        {
            (probability, left) = (*next, *steps);
        }
        (step, taken)
    })
}
