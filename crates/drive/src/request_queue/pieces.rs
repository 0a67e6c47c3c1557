//! Pieces that come to the queue one by one, where a buffer, a link or the firmware stands between the host and the flash.

use std::ops::Range;

use wordline_scheduler::{RequestKind, WaitingRequest, Wanted, add_page};
use wordline_units::{Duration, SimTime};

use super::{Entry, LetIn, RequestQueue, one_writes};
use crate::host::SubRequest;
use crate::operation::NONE;

/// Requests in the queue at most, where the buffer can write back more at once than the host can ask for (assumed: twice the longest
/// queue that DLV examines). Further pieces wait outside, in order; without a bound a flush of a large buffer would have every decision
/// look at all of its pages.
const MOST: usize = 1024;

/// A piece that comes to the queue.
#[derive(Clone, Debug)]
pub(crate) struct NewPiece {
    pub(crate) piece: SubRequest,
    pub(crate) kind: RequestKind,
    /// When its request arrived.
    pub(crate) arrival: SimTime,
    /// Time after which the host wants it to go before all others, if it says one.
    pub(crate) deadline: Option<Duration>,
    /// The command of the host that it belongs to; `NONE` for a page that the buffer writes back by itself.
    pub(crate) command: u32,
    /// The logical pages of its request.
    pub(crate) pages: Range<u64>,
    /// Pieces of its request that are still to come after the first.
    pub(crate) missing: u32,
    /// The unit that it takes time of, if it does, and the time.
    pub(crate) time: Option<(u32, Duration)>,
}

impl RequestQueue {
    /// Whether pieces come to the queue, and not whole commands.
    pub(crate) const fn takes_pieces(&self) -> bool {
        self.takes_pieces
    }

    /// Has a piece wait outside, where the queue has no place for it or others wait already; the pieces that a request in the queue waits
    /// for come in.
    pub(crate) fn waits_outside(&mut self, piece: &SubRequest, command: u32) -> bool {
        let is_full = self.requests.len() >= MOST || !self.outside.is_empty();
        let waits = is_full && (command == NONE || !self.incomplete.contains_key(&command));
        if waits {
            self.outside.push_back(*piece);
        }
        waits
    }

    /// Takes out the oldest piece that waits outside, if the queue has a place.
    pub(crate) fn take_outside(&mut self) -> Option<SubRequest> {
        if self.requests.len() < MOST {
            self.outside.pop_front()
        } else {
            None
        }
    }

    /// A piece comes: it becomes a request of its own, unless it belongs to one that waits for it, or to the reads of a command that came
    /// just before.
    pub(crate) fn push_piece(&mut self, now: SimTime, new: NewPiece) {
        self.has_new = true;
        if new.command != NONE
            && let Some(place) = self.request_of(now, &new)
        {
            self.join(place, new);
            return;
        }
        let mut shares = Vec::new();
        if let Some((unit, time)) = new.time {
            add_page(&mut shares, unit, time);
        }
        let behind = self.conflicts(u64::MAX, new.kind, &new.pages);
        let request = WaitingRequest {
            wanted: Wanted {
                kind: new.kind,
                shares,
            },
            arrival: new.arrival,
            deadline: new.deadline,
            behind: behind + u32::from(new.missing > 0),
        };
        let entry = Entry {
            id: new.command,
            pages: new.pages,
            came: now,
            pieces: vec![new.piece],
            missing: new.missing,
        };
        let place = self.enter(request, entry);
        if new.missing > 0 {
            self.incomplete.insert(new.command, place);
        }
    }

    /// The place of the request that a piece belongs to.
    fn request_of(&self, now: SimTime, new: &NewPiece) -> Option<usize> {
        if let Some(place) = self.incomplete.get(&new.command) {
            return Some(*place);
        }
        let last = self.requests.last()?;
        let entry = &self.entries[last];
        let is_same = entry.id == new.command && entry.came == now;
        let both_read = !one_writes(self.requests[last].kind(), new.kind);
        (is_same && both_read).then_some(last)
    }

    fn join(&mut self, place: usize, new: NewPiece) {
        self.eager -= usize::from(self.is_eager(place));
        if let Some((unit, time)) = new.time {
            self.requests.add_page(place, unit, time);
        }
        let entry = &mut self.entries[place];
        entry.pieces.push(new.piece);
        let behind = if entry.missing > 0 {
            entry.missing -= 1;
            let is_complete = entry.missing == 0;
            if is_complete {
                self.incomplete.remove(&new.command);
            }
            self.requests[place].behind - u32::from(is_complete)
        } else {
            // it is the last, so that none has been found to be behind it
            let number = self.requests.number(place);
            let pages = entry.pages.start.min(new.pages.start)..entry.pages.end.max(new.pages.end);
            self.pages.remove(&entry.pages, number);
            self.pages.insert(&pages, number, place);
            entry.pages = pages.clone();
            self.conflicts(number, new.kind, &pages)
        };
        self.requests.set_behind(place, behind);
        self.freed(place);
    }

    /// Takes out the oldest request while one waits which a deallocation of these pages must not overtake.
    pub(crate) fn take_before(&mut self, pages: &Range<u64>, now: SimTime) -> Option<LetIn> {
        let overlaps = |other: &Range<u64>| other.start < pages.end && pages.start < other.end;
        let of_piece = |piece: &SubRequest| {
            let first = piece.page.lpn.0;
            overlaps(&(first..first + piece.page.pages))
        };
        let waits = self.pages.overlapping(pages).next().is_some() || self.outside.iter().any(of_piece);
        let oldest = self.requests.places().next()?;
        if !waits {
            return None;
        }
        self.strong.clear();
        Some(self.take(oldest, now))
    }
}
