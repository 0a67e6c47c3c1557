//! `reads_first`: read commands, then data of finished reads, then the rest (SSDsim's order; array
//! specification, section 2.3).
//!
//! Steps of blocking jobs follow host reads and precede host writes, which wait for the space
//! that the job makes.

use super::{Order, Ranking, SchedulerRow};

/// `scheduler.policy = "reads_first"`.
pub(crate) const READS_FIRST: SchedulerRow = SchedulerRow::new(
    "reads_first",
    "Reads first, then data of finished reads, then writes (Hu et al. 2011, as in SSDsim).",
    ORDER,
);

#[rustfmt::skip]
pub(super) const ORDER: Order = Order::Ranks(Ranking {
    ranks: [
        // urgent, host, normal, idle
        [2, 0, 5, 8], // reads
        [2, 3, 6, 8], // programs
        [2, 4, 7, 8], // erases
    ],
    data_out: 1,
    in_order: false,
});
