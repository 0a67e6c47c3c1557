//! `pes`: the order of `reads_first`; reads (and, where that is allowed, writes) need not wait for the
//! program or erase that is in their die, which is suspended (`crate::suspension`).

use super::{Ranking, reads_first};

pub(super) const RANKING: Ranking = reads_first::RANKING;
