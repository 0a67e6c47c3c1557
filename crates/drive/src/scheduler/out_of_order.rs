//! `out_of_order`: queues per die, the oldest operation that can start goes next.
//!
//! A busy die holds nothing up but itself (array specification, section 2.3).

use super::{BY_AGE, Ranking};

pub(super) const RANKING: Ranking = Ranking {
    ranks: BY_AGE,
    data_out: 0,
    in_order: false,
};
