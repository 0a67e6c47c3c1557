//! Data that a run reads without having written them, written before time 0 (SSDsim 2.x).

use wordline_units::Duration;

use super::{AgeConfig, AgeError, PlaceReads};
use crate::allocation::Order;
use crate::contract::Mapping;
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::plan::Lpn;
use crate::request::{PageOp, PageRequest};

/// A page of which a run reads sectors that it has not written before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPage {
    /// The logical page, in pages of the mapping.
    pub lpn: u64,
    /// Those sectors: bit i stands for sector i of the page.
    pub sectors: u64,
}

/// Pages between two calls of `watch`.
const LOOK: usize = 1 << 14;

/// Writes `pages` in this order, of each the sectors that are named and no others. Where the planes take turns, they do so in the order of `config`, or in
/// `order`, that of the run. `watch` is told the share done now and then and stops it by returning false.
///
/// # Errors
/// A drive that has no room for them; `AgeError::Interrupted`.
pub fn place(
    ftl: &mut dyn Mapping,
    config: &AgeConfig,
    pages: &[PlacedPage],
    order: Order,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<(), AgeError> {
    let order = match config.place_reads {
        PlaceReads::ChannelFirst => Order::channel_first(),
        PlaceReads::Off | PlaceReads::Allocation => order,
    };
    let options = FunctionalOptions {
        time_per_write: Duration::ZERO,
        order,
        ..FunctionalOptions::default()
    };
    let mut functional = Functional::new(ftl, options);
    for (at, page) in pages.iter().enumerate() {
        if at % LOOK == 0 && !watch(at as f64 / pages.len() as f64) {
            return Err(AgeError::Interrupted);
        }
        functional.submit(&PageRequest {
            op: PageOp::Write,
            lpn: Lpn(page.lpn),
            pages: 1,
            bitmap: page.sectors,
            placement: 0,
            class: 0,
            command_sectors: page.sectors.count_ones(),
        })?;
    }
    functional.flush()?;
    // the next executor of the FTL knows nothing of the notices of its jobs
    functional.finish_jobs()?;
    ftl.reset_counters();
    Ok(())
}
