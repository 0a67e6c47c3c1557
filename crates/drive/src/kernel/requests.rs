//! Requests that wait for their turn before they are let into the flash, where the scheduler has them wait.
//!
//! Where nothing stands between the host and the flash, whole commands wait before they enter the drive. Behind a buffer, a link or
//! the firmware their pieces wait: the misses of a read, pages that the buffer writes back, a write whose data have come.

use std::ops::Range;

use wordline_ftl::{Lpn, Mapping, PageOp, PageRequest, Subjects};
use wordline_metrics::Part;
use wordline_nand::PlaneId;
use wordline_scheduler::{RequestKind, UnitLoad};
use wordline_units::{Duration, SimTime};

use super::Drive;
use crate::array::FlashArray;
use crate::array::classes::{CLASSES, HOST_PROGRAMS};
use crate::door::WriteDoor;
use crate::features::Features;
use crate::host::SubRequest;
use crate::operation::{NONE, Owner};
use crate::request_queue::{LetIn, NewPiece, RequestQueue};

impl<F: Features> Drive<F> {
    /// A command enters the drive, or waits for its turn.
    #[inline]
    pub(super) fn enter(&mut self, id: u32) {
        let waits =
            self.requests.is_some() && self.wait_for_turn(id) || self.door.is_some() && self.wait_at_door(id);
        if !waits {
            self.admit(id);
        }
    }

    /// Has a write wait at the door. False where the queue of writes has room for it, and for anything else.
    #[inline(never)]
    fn wait_at_door(&mut self, id: u32) -> bool {
        let Some((command, pages)) = self.host.pages_of_command(id) else {
            return false;
        };
        self.host.cutter().op_of(&command) == Some(PageOp::Write)
            && self
                .door
                .as_mut()
                .is_some_and(|door| door.holds(id, pages.end - pages.start))
    }

    /// Lets in the writes at the door that the queue has room for now.
    #[inline]
    pub(super) fn open_door(&mut self) {
        while let Some(id) = self.door.as_mut().and_then(WriteDoor::take_next) {
            self.admit(id);
        }
    }

    /// Has a command wait for its turn. False where it needs none: it has no pages, or will be refused.
    #[inline(never)]
    fn wait_for_turn(&mut self, id: u32) -> bool {
        let takes_pieces = |requests: &RequestQueue| requests.takes_pieces();
        if self.requests.as_ref().is_none_or(takes_pieces) {
            return false;
        }
        let Some((command, pages)) = self.host.pages_of_command(id) else {
            return false;
        };
        let kind = match self.host.cutter().op_of(&command) {
            Some(PageOp::Read) => RequestKind::Read,
            Some(PageOp::Write) => RequestKind::Write,
            Some(PageOp::Trim | PageOp::Zone(_)) => RequestKind::Other,
            None => return false,
        };
        let times: Vec<(u32, Duration)> = pages
            .clone()
            .filter_map(|page| self.time_of_page(kind, page))
            .collect();
        let deadline = self.host.deadline_of(id);
        if let Some(requests) = self.requests.as_mut() {
            requests.push((id, kind, command.arrival, deadline), pages, times.into_iter());
        }
        true
    }

    /// The unit that a page of a request takes time of, and the time; none where it takes none.
    fn time_of_page(&self, kind: RequestKind, page: u64) -> Option<(u32, Duration)> {
        let flash = self.array.flash();
        let (unit, time) = match kind {
            RequestKind::Write => {
                let plane = self.requests.as_ref()?.plane(page);
                (flash.unit_of_plane(plane), self.array.operation_times().program)
            }
            // a page that holds nothing takes no time of the flash
            RequestKind::Read => {
                let page = self.control.ftl().lookup(Lpn(page))?;
                let (_, die) = flash.place_of(page);
                let lived = self.control.lifetime(self.clock.now());
                (flash.unit_of(die), self.array.estimated_read(page, lived))
            }
            RequestKind::Other => return None,
        };
        Some((unit as u32, time))
    }

    /// Has a piece wait for its turn. False where it needs none.
    #[inline(never)]
    pub(super) fn wait_as_piece(&mut self, piece: &SubRequest) -> bool {
        let Some(requests) = self.requests.as_ref() else {
            return false;
        };
        if !requests.takes_pieces() || matches!(piece.owner, Owner::Job(_)) {
            return false;
        }
        if piece.page.op == PageOp::Trim && self.buffer.is_some() {
            // the buffer looks for deallocations among the pieces that the FTL has taken
            self.let_in_before(piece.page.lpn.0..piece.page.lpn.0 + piece.page.pages);
            return false;
        }
        let command = self.request_of(piece.owner).unwrap_or(NONE);
        let Some(requests) = self.requests.as_mut() else {
            return false;
        };
        if !requests.waits_outside(piece, command) {
            self.queue_piece(piece, command);
        }
        true
    }

    fn queue_piece(&mut self, piece: &SubRequest, command: u32) {
        let now = self.clock.now();
        let page = piece.page;
        let kind = match page.op {
            PageOp::Read => RequestKind::Read,
            PageOp::Write => RequestKind::Write,
            PageOp::Trim | PageOp::Zone(_) => RequestKind::Other,
        };
        let mut pages = page.lpn.0..page.lpn.0 + page.pages;
        let mut arrival = now;
        if command != NONE {
            arrival = self.host.admission(command).arrival;
            // all data of a write are awaited
            if kind == RequestKind::Write
                && let Some((_, of_command)) = self.host.pages_of_command(command)
            {
                pages = of_command;
            }
        }
        let new = NewPiece {
            piece: *piece,
            kind,
            arrival,
            deadline: if command == NONE {
                None
            } else {
                self.host.deadline_of(command)
            },
            command,
            missing: (pages.end - pages.start - page.pages) as u32,
            pages,
            time: self.time_of_page(kind, page.lpn.0),
        };
        if let Some(requests) = self.requests.as_mut() {
            requests.push_piece(now, new);
        }
    }

    /// Lets in all requests that a deallocation of these pages must not overtake, and those before them.
    fn let_in_before(&mut self, pages: Range<u64>) {
        let now = self.clock.now();
        while let Some(requests) = self.requests.as_mut()
            && let Some(request) = requests.take_before(&pages, now)
        {
            self.let_in(request);
        }
    }

    /// Whether requests wait for their turn.
    #[inline]
    pub(super) fn has_waiting(&self) -> bool {
        self.requests
            .as_ref()
            .is_some_and(|requests| !requests.is_empty())
    }

    /// Lets requests in that may go now, where any wait and something has changed.
    #[inline]
    pub(super) fn admit_waiting(&mut self) {
        let now = self.clock.now();
        let Some(requests) = self.requests.as_mut() else {
            return;
        };
        let flash = self.array.flash();
        let changed = !flash.marked.is_empty();
        let nothing_follows = !changed && self.clock.next_time() == SimTime::NEVER;
        let unit_changed = nothing_follows || changed && flash.has_changes();
        if requests.begin_look(now, changed, unit_changed) {
            self.choose_requests(self.clock.now(), nothing_follows);
        }
    }

    /// Lets requests in as the scheduler chooses; the first that may go, where it chooses none and nothing else will ever happen.
    #[inline(never)]
    fn choose_requests(&mut self, now: SimTime, nothing_follows: bool) {
        self.learn_states(now, true);
        let mut is_stuck = nothing_follows;
        while let Some(request) = self.next_request(now, is_stuck) {
            is_stuck = false;
            self.let_in(request);
            let has_new = self.requests.as_ref().is_some_and(RequestQueue::has_new);
            self.learn_states(now, has_new);
        }
    }

    /// Learns of the units that have changed, and finds the requests among which the choice is.
    fn learn_states(&mut self, now: SimTime, begins_look: bool) {
        let mut changed = self.array.take_unit_changes();
        let (array, ftl) = (&self.array, self.control.ftl());
        if let Some(requests) = self.requests.as_mut() {
            for unit in &changed {
                requests.learn_state(*unit, now, array.unit_state(*unit as usize));
            }
            changed.clear();
            requests.find_candidates(now, begins_look, |unit, savings| {
                load(array, ftl, (unit, now), savings)
            });
        }
        self.array.unit_changes_taken(changed);
    }

    /// Takes out the request that goes next, if one does; the first that may go where the drive `is_stuck`.
    fn next_request(&mut self, now: SimTime, is_stuck: bool) -> Option<LetIn> {
        let (array, ftl) = (&self.array, self.control.ftl());
        let requests = self.requests.as_mut()?;
        let next = requests.take_next(now, |unit, savings| load(array, ftl, (unit, now), savings));
        if next.is_none() && is_stuck {
            requests.take_first(now)
        } else {
            next
        }
    }

    /// Lets a request into the flash.
    #[inline(never)]
    fn let_in(&mut self, mut request: LetIn) {
        if request.pieces.is_empty() {
            self.admit(request.id);
            return;
        }
        // all before the first is submitted, which may let others in
        for piece in &mut request.pieces {
            if piece.page.op == PageOp::Write {
                piece.page = self.classified(piece.page);
            }
        }
        for piece in &request.pieces {
            self.observe.charge(piece.account, Part::Order, self.clock.now());
            self.submit_now(piece);
        }
        while let Some(requests) = self.requests.as_mut()
            && let Some(piece) = requests.take_outside()
        {
            let command = self.request_of(piece.owner).unwrap_or(NONE);
            self.queue_piece(&piece, command);
        }
    }

    /// A page of a request that is let in, with the class of blocks that the scheduler has chosen for it.
    #[inline]
    pub(super) fn with_class(&mut self, page: PageRequest) -> PageRequest {
        let takes_commands = |requests: &RequestQueue| !requests.takes_pieces();
        if page.op == PageOp::Write && self.requests.as_ref().is_some_and(takes_commands) {
            self.classified(page)
        } else {
            page
        }
    }

    #[inline(never)]
    fn classified(&mut self, page: PageRequest) -> PageRequest {
        let Some(requests) = self.requests.as_mut() else {
            return page;
        };
        let unit = self.array.flash().unit_of_plane(requests.plane(page.lpn.0));
        PageRequest {
            class: requests.take_class(unit as u32),
            ..page
        }
    }
}

/// How busy a unit is. Where blocks have classes, programs that wait and go to strong blocks take less time, and the pages that are promised
/// to them are no longer offered.
fn load<F: Features>(
    array: &FlashArray<F>,
    ftl: &dyn Mapping,
    (unit, now): (usize, SimTime),
    savings: &[Duration],
) -> UnitLoad {
    let mut load = array.unit_load(unit, now);
    let Some(classed) = ftl.classed_blocks().filter(|_| !savings.is_empty()) else {
        return load;
    };
    let flash = array.flash();
    for (class, free) in (1..).zip(&mut load.strong[..savings.len()]) {
        let of_plane = |plane: u32| classed.free_pages_of_class(PlaneId(plane), class);
        *free = flash.planes_in_unit(unit).map(of_plane).sum();
    }
    let mut op = flash.queues[unit * CLASSES + HOST_PROGRAMS].head;
    while op != NONE {
        let class = classed.class_of(&array.ops()[op].step);
        if class > 0 {
            let place = usize::from(class) - 1;
            load.strong[place] = load.strong[place].saturating_sub(1);
            load.idle_from = SimTime(load.idle_from.ns() - savings[place].ns());
        }
        op = array.next_of(op);
    }
    load
}
