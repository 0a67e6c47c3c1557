//! Versions of logical pages under way: host writes and relocations between their plan and their completion.

use std::collections::hash_map::Entry;
use std::ops::Range;

use rustc_hash::FxHashMap;

/// What a program does once it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PendingProgram {
    /// Makes a host write take effect.
    Write {
        /// Placement handle; 0 is none.
        placement: u16,
        /// Number of the write among those of its logical page that are under way.
        version: u32,
        /// Sub-pages that hold data afterwards.
        after: u64,
        /// Sub-pages that the host wrote.
        new: u64,
    },
    /// Relocates a page.
    Move {
        /// Where it is relocated from.
        source: u64,
        /// Pool whose job asked for it.
        pool: u32,
    },
    /// A vacant place and the next one.
    Vacant(u32),
}

/// The writes of one logical page that are under way.
#[derive(Clone, Copy, Debug)]
struct InFlightWrite {
    /// Version of the newest write.
    newest: u32,
    /// Version of the newest write that has taken effect; 0 before the first.
    committed: u32,
    /// Writes under way.
    outstanding: u32,
    /// Sub-pages that hold data once all have taken effect.
    pending: u64,
    /// Sub-pages that the newest write brought.
    bitmap: u64,
}

/// How a host write stands to those of its logical page that are under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteStart {
    /// It needs sub-pages that an earlier write brings: it must wait for that.
    Wait,
    /// It covers all that earlier writes under way leave; this is its version.
    Covers(u32),
    /// No other write is under way: what it needs of the old page is on the medium. `begin` must follow.
    Alone,
}

/// Where the newest data of a logical page are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Newest {
    /// On the medium, as the map says.
    OnMedium,
    /// Nowhere: the sub-pages hold no data.
    Unmapped,
    /// In the controller, on their way to the medium.
    InMemory,
    /// These sub-pages on the medium, as the map says, and the others in the controller.
    Mixed(u64),
}

const END: u32 = u32::MAX;

/// Marks a step that does not concern the map when it is done.
pub(crate) const NO_TOKEN: u32 = u32::MAX;

/// The writes under way by logical page, and the pending programs by the tokens of their steps.
#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    writes: FxHashMap<u64, InFlightWrite>,
    programs: Vec<PendingProgram>,
    vacant: u32,
}

impl Default for InFlight {
    fn default() -> Self {
        Self {
            writes: FxHashMap::default(),
            programs: Vec::new(),
            vacant: END,
        }
    }
}

impl InFlight {
    /// Whether no host write is under way.
    #[must_use]
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// A host write of the sub-pages `new` (not none) comes.
    #[inline]
    pub(crate) fn start_write(&mut self, lpn: u64, new: u64) -> WriteStart {
        let Some(write) = self.writes.get_mut(&lpn) else {
            return WriteStart::Alone;
        };
        if write.pending & !new != 0 {
            return WriteStart::Wait;
        }
        write.newest += 1;
        write.outstanding += 1;
        write.pending = new;
        write.bitmap = new;
        WriteStart::Covers(write.newest)
    }

    /// The only host write of a logical page gets under way as version 1; `after` are the sub-pages that hold data then.
    #[inline]
    pub(crate) fn begin_write(&mut self, lpn: u64, new: u64, after: u64) {
        self.writes.insert(
            lpn,
            InFlightWrite {
                newest: 1,
                committed: 0,
                outstanding: 1,
                pending: after,
                bitmap: new,
            },
        );
    }

    /// Sub-pages that hold data once all writes of a logical page that are under way have taken effect.
    #[inline]
    #[must_use]
    pub(crate) fn pending(&self, lpn: u64) -> Option<u64> {
        self.writes.get(&lpn).map(|write| write.pending)
    }

    /// A host write gets under way that leaves the sub-pages `after`, `here` of which the controller has; it covers those under
    /// way before. Its version.
    #[inline]
    pub(crate) fn begin_covering(&mut self, lpn: u64, here: u64, after: u64) -> u32 {
        if self.start_write(lpn, after) == WriteStart::Alone {
            self.begin_write(lpn, here, after);
            return 1;
        }
        let Some(write) = self.writes.get_mut(&lpn) else {
            return 1;
        };
        write.bitmap = here;
        write.newest
    }

    /// A host write is on the medium: whether it is newer than all that have taken effect.
    #[inline]
    pub(crate) fn commit(&mut self, lpn: u64, version: u32) -> bool {
        let Entry::Occupied(mut entry) = self.writes.entry(lpn) else {
            return false;
        };
        let write = entry.get_mut();
        let newest = version > write.committed;
        write.committed = write.committed.max(version);
        write.outstanding -= 1;
        if write.outstanding == 0 {
            entry.remove();
        }
        newest
    }

    /// Where the sub-pages `wanted` of a logical page are.
    #[inline]
    #[must_use]
    pub(crate) fn newest(&self, lpn: u64, wanted: u64) -> Newest {
        if self.writes.is_empty() {
            return Newest::OnMedium;
        }
        match self.writes.get(&lpn) {
            // The newest write may have overtaken older ones: its data are on flash then.
            Some(write) if write.committed != write.newest => {
                let wanted = wanted & write.pending;
                if wanted == 0 {
                    Newest::Unmapped
                } else if wanted & !write.bitmap == 0 {
                    Newest::InMemory
                } else {
                    // such a write came alone: the map says what was there before it
                    Newest::Mixed(wanted & !write.bitmap)
                }
            }
            _ => Newest::OnMedium,
        }
    }

    /// Whether a write of a logical page in the range is under way.
    #[must_use]
    pub(crate) fn overlaps(&self, range: &Range<u64>) -> bool {
        if (self.writes.len() as u64) < range.end - range.start {
            self.writes.keys().any(|lpn| range.contains(lpn))
        } else {
            range.clone().any(|lpn| self.writes.contains_key(&lpn))
        }
    }

    /// Notes what a program does once it is done; the token of its step.
    #[inline]
    pub(crate) fn add(&mut self, program: PendingProgram) -> u32 {
        if let Some(PendingProgram::Vacant(next)) = self.programs.get(self.vacant as usize).copied() {
            let token = self.vacant;
            self.vacant = next;
            self.programs[token as usize] = program;
            token
        } else {
            self.programs.push(program);
            (self.programs.len() - 1) as u32
        }
    }

    /// What the program of a token does.
    #[inline]
    #[must_use]
    pub(crate) fn get(&self, token: u32) -> Option<PendingProgram> {
        self.programs
            .get(token as usize)
            .copied()
            .filter(|program| !matches!(program, PendingProgram::Vacant(_)))
    }

    /// The placement identifiers of the host writes under way.
    pub(crate) fn placements(&self) -> impl Iterator<Item = u16> {
        self.programs.iter().filter_map(|program| match program {
            PendingProgram::Write { placement, .. } => Some(*placement),
            PendingProgram::Move { .. } | PendingProgram::Vacant(_) => None,
        })
    }

    /// A token is free for another program.
    #[inline]
    pub(crate) fn remove(&mut self, token: u32) {
        self.programs[token as usize] = PendingProgram::Vacant(self.vacant);
        self.vacant = token;
    }
}
