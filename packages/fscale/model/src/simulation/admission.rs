//! Writes of the host that wait: for moves to end, or for room in the write buffer.

use std::collections::VecDeque;

use crate::drive::Drive;
use crate::hardware::Acknowledge;
use crate::simulation::host::Parts;
use crate::simulation::settings::RunSettings;

/// Which writes of the host may begin.
pub(super) struct Admission {
    /// Moves that are under way.
    pub(super) moves: u32,
    most_moves: u32,
    /// Writes in the write buffer.
    pub(super) buffered: u64,
    /// Its places; none without a buffer.
    pub(super) places: Option<u64>,
    /// Writes that wait, in order.
    pub(super) held: VecDeque<PageWrite>,
}

/// A page that the host writes, or a part of one.
#[derive(Clone, Copy)]
pub(super) struct PageWrite {
    pub(super) page: u64,
    pub(super) parts: Parts,
    pub(super) request: u32,
    pub(super) is_hot: bool,
    pub(super) sent: u64,
}

impl Admission {
    pub(super) fn new(drive: &Drive, settings: &RunSettings) -> Self {
        Self {
            moves: 0,
            most_moves: settings.max_moves,
            buffered: 0,
            places: (drive.host.ack == Acknowledge::Buffer).then(|| drive.buffered_writes()),
            held: VecDeque::new(),
        }
    }

    /// Whether a write may begin.
    pub(super) fn is_open(&self) -> bool {
        self.moves < self.most_moves && self.places.is_none_or(|places| self.buffered < places)
    }
}
