//! Reads that share that of another operation, where pages hold several mapping units. What is done with them stands in `sharing.rs`.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::operation::OpId;

/// Reads that share that of another operation, by that one.
pub(super) type SharedReads = FxHashMap<OpId, SmallVec<[OpId; 4]>>;
