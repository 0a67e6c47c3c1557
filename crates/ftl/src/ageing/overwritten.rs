//! Method B: the user space is filled, then overwritten at random, in the functional mode.

use rand::Rng;
use wordline_units::Seed;

use super::{AgeConfig, AgeError, Aged};
use crate::allocation::Order;
use crate::contract::Ftl;
use crate::functional::{Functional, FunctionalOptions};
use crate::page::PageFtl;
use crate::plan::Lpn;

pub(super) fn age(ftl: &mut PageFtl, config: &AgeConfig, order: Order, seed: Seed) -> Result<Aged, AgeError> {
    let pages = config.filled(ftl.user_pages());
    ftl.check_filled(pages)?;
    let overwrites = (pages as f64 * config.random_factor).round() as u64;
    let options = FunctionalOptions {
        time_per_write: config.time_per_write,
        order,
        ..FunctionalOptions::default()
    };
    let mut stream = seed.stream("age.overwritten");
    let mut functional = Functional::new(ftl, options);
    for lpn in 0..pages {
        functional.write(Lpn(lpn))?;
    }
    for _ in 0..overwrites {
        let lpn = (u128::from(stream.next_u64()) * u128::from(pages)) >> 64;
        functional.write(Lpn(lpn as u64))?;
    }
    // Jobs are finished: who executes the FTL next knows nothing of their notices.
    functional.settle()?;
    let now = functional.now();
    ftl.reset_facts();
    Ok(Aged {
        notes: vec![format!(
            "aged by overwriting: {pages} logical pages written in sequence, then {overwrites} at random"
        )],
        now,
    })
}
