//! Reads and TRIMs that stand behind writes without room, in a controller that takes commands up in order (`buffer.when_full`).

use std::collections::VecDeque;

use crate::host::SubRequest;

/// Pieces that take no room themselves, each behind the writes that waited when it came.
#[derive(Debug, Default)]
pub(super) struct HeldBack {
    /// With each, how many writes had ever waited then.
    pieces: VecDeque<(u64, SubRequest)>,
    /// Writes that have ever waited, and those of them that have got their room.
    came: u64,
    went: u64,
}

impl HeldBack {
    /// A write waits for room.
    pub(super) fn write_waits(&mut self) {
        self.came += 1;
    }

    /// The oldest write that waited has got its room.
    pub(super) fn write_has_room(&mut self) {
        self.went += 1;
    }

    /// Has a piece wait, if a write waits or another piece does; false if it can go on.
    pub(super) fn hold(&mut self, piece: &SubRequest) -> bool {
        let holds = self.went < self.came || !self.pieces.is_empty();
        if holds {
            self.pieces.push_back((self.came, *piece));
        }
        holds
    }

    /// The oldest piece, if all writes before it have got their room.
    pub(super) fn release(&mut self) -> Option<SubRequest> {
        let (behind, _) = self.pieces.front()?;
        if *behind > self.went {
            return None;
        }
        self.pieces.pop_front().map(|(_, piece)| piece)
    }

    /// Pieces that wait.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }
}
