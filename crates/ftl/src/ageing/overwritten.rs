//! Method B: the user space is filled, then overwritten at random, in the functional mode.

use rand::Rng;
use wordline_units::Seed;

use super::{AgeConfig, AgeError, Aged, fillable};
use crate::allocation::Order;
use crate::contract::Mapping;
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::plan::Lpn;

/// Writes between two calls of `watch`.
const LOOK: u64 = 1 << 14;

/// Fills the user space in sequence and overwrites it at random, `random_factor` times over.
pub(super) fn age(
    ftl: &mut dyn Mapping,
    config: &AgeConfig,
    random_factor: f64,
    order: Order,
    seed: Seed,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Aged, AgeError> {
    let pages = config.filled(ftl.user_pages());
    fillable(ftl)?.check_filled(pages)?;
    let overwrites = (pages as f64 * random_factor).round() as u64;
    let options = FunctionalOptions {
        time_per_write: config.time_per_write,
        order,
        ..FunctionalOptions::default()
    };
    let mut stream = seed.stream("age.overwritten");
    let mut functional = Functional::new(ftl, options);
    let all = (pages + overwrites) as f64;
    let mut goes_on = |written: u64| {
        if !written.is_multiple_of(LOOK) || watch(written as f64 / all) {
            Ok(())
        } else {
            Err(AgeError::Interrupted)
        }
    };
    for lpn in 0..pages {
        goes_on(lpn)?;
        functional.write(Lpn(lpn))?;
    }
    for overwrite in 0..overwrites {
        goes_on(pages + overwrite)?;
        let lpn = (u128::from(stream.next_u64()) * u128::from(pages)) >> 64;
        functional.write(Lpn(lpn as u64))?;
    }
    // Jobs are finished: the next executor of the FTL knows nothing of their notices.
    functional.finish_jobs()?;
    let now = functional.now();
    ftl.reset_counters();
    Ok(Aged {
        notes: vec![said(pages, overwrites)],
        now,
        amplification: None,
    })
}

/// What was done to the drive.
fn said(pages: u64, overwrites: u64) -> String {
    let then = match overwrites {
        0 => String::new(),
        1 => ", then 1 random write".into(),
        many => format!(", then {many} random writes"),
    };
    format!("Preconditioned by overwriting: {pages} logical pages written sequentially{then}.")
}
