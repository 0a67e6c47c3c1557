//! `reads_first`: read commands, then data of finished reads, then the rest (SSDsim's order; array
//! specification, section 2.3).
//!
//! Steps of blocking jobs follow host reads and precede host writes, which wait for the space
//! that the job makes.

use super::{CLASSES, Ranking};

#[rustfmt::skip]
const RANKS: [u8; CLASSES] = [
    // urgent, host, normal, idle
    2, 0, 5, 8, // reads
    2, 3, 6, 8, // programs
    2, 4, 7, 8, // erases
];

pub(super) const RANKING: Ranking = Ranking {
    ranks: RANKS,
    data_out: 1,
    in_order: false,
};
