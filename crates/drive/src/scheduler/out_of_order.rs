//! `out_of_order`: queues per die, the oldest operation that can start goes next.
//!
//! A busy die holds nothing up but itself (array specification, section 2.3).

use super::{CLASSES, Ranking};

#[rustfmt::skip]
const RANKS: [u8; CLASSES] = [
    // urgent, host, normal, idle
    0, 0, 1, 2, // reads
    0, 0, 1, 2, // programs
    0, 0, 1, 2, // erases
];

pub(super) const RANKING: Ranking = Ranking {
    ranks: RANKS,
    data_out: 0,
    in_order: false,
};
