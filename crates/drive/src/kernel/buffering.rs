//! The way of page-sized pieces through the write buffer.

use wordline_ftl::PageOp;
use wordline_metrics::Part;

use super::Drive;
use crate::buffer::{Followup, Message, WriteBuffer};
use crate::clock::Event;
use crate::features::Features;
use crate::host::SubRequest;
use crate::operation::Owner;

impl<F: Features> Drive<F> {
    /// Serves a piece from the write buffer or hands it to the FTL. The piece itself counts as
    /// one thing that the acknowledgement waits for.
    #[inline]
    pub(super) fn serve(&mut self, piece: &SubRequest) {
        if self.buffer.is_some() {
            self.serve_buffered(piece);
        } else {
            self.submit(piece);
        }
    }

    /// Serves a piece of a host request with the buffer in between.
    fn serve_buffered(&mut self, piece: &SubRequest) {
        let takes_room = piece.page.op == PageOp::Write;
        let is_held_back = |buffer: &mut WriteBuffer| !takes_room && buffer.holds_back(piece);
        if !self.buffer.as_mut().is_some_and(is_held_back) {
            self.access_buffer(piece);
        }
    }

    /// Serves a piece that nothing holds back.
    fn access_buffer(&mut self, piece: &SubRequest) {
        let now = self.clock.now();
        let (Some(buffer), Owner::Request(request)) = (self.buffer.as_mut(), piece.owner) else {
            return;
        };
        let backing = self.control.backing();
        buffer.touch(piece, &backing);
        match piece.page.op {
            PageOp::Read => match buffer.read(piece, request) {
                None => {
                    self.observe.settle_account(request, piece.account);
                    self.answer_from_memory(request);
                }
                Some(missing) => self.submit(&missing),
            },
            // refused with a buffer
            PageOp::Zone(_) => self.submit(piece),
            PageOp::Trim => {
                buffer.trim(now, &piece.page);
                self.submit(piece);
                self.make_room();
            }
            PageOp::Write => {
                // from here on the request's time is the buffer's
                self.observe.settle_account(request, piece.account);
                buffer.begin_programs();
                let is_crowded = buffer.write(now, *piece, &backing);
                self.deliver();
                if is_crowded {
                    self.make_room();
                }
                if self
                    .buffer
                    .as_mut()
                    .is_some_and(|all| all.wait_for_begun(request))
                {
                    self.host.waits_for(request, 1);
                }
            }
        }
    }

    /// A piece of a request is acknowledged after an access to the controller's memory.
    pub(super) fn answer_from_memory(&mut self, request: u32) {
        let now = self.clock.now();
        self.host.serve(now, request);
        let done = now + self.control.memory_access();
        self.clock.schedule(done, Event::MemoryDone(request));
    }

    /// A flush command has come.
    pub(super) fn flush(&mut self, request: u32) {
        if let Some(buffer) = self.buffer.as_mut() {
            let backing = self.control.backing();
            let pages = buffer.flush(request, &backing);
            self.host.waits_for(request, pages);
            self.deliver();
            if let Some(buffer) = self.buffer.as_mut() {
                buffer.end_making_room();
            }
            self.make_room();
        }
        self.host.waits_for(request, 1);
        self.answer_from_memory(request);
    }

    /// A step that the buffer planned is done and has grown `grown` more to wait for; a plan that
    /// has just been made counts as the step that it replaces.
    pub(crate) fn buffer_step_done(&mut self, owner: Owner, grown: u32, counted: bool) {
        if grown == 0 && !counted {
            // nothing waits for it, and what it was a step of may be over
            return;
        }
        let now = self.clock.now();
        if let Some(buffer) = self.buffer.as_mut() {
            let backing = self.control.backing();
            let followup = buffer.step_done(now, owner, (grown, counted), &backing);
            if let (Owner::Buffer(slot), Followup::MakeRoom) = (owner, followup) {
                self.observe.begin_freed(slot);
                self.follow_up(followup);
                self.observe.end_freed();
            } else {
                self.follow_up(followup);
            }
        }
    }

    /// What the buffer asked of the FTL is done without flash.
    pub(super) fn buffer_served_from_memory(&mut self, owner: Owner) {
        let now = self.clock.now();
        if let Some(buffer) = self.buffer.as_mut() {
            let backing = self.control.backing();
            let followup = buffer.served_from_memory(now, owner, &backing);
            self.follow_up(followup);
        }
    }

    fn follow_up(&mut self, followup: Followup) {
        self.deliver();
        match followup {
            Followup::None => {}
            Followup::MakeRoom => self.make_room(),
            Followup::MakeRoomAndAcknowledge(request) => {
                self.make_room();
                self.acknowledge_saved(request);
            }
        }
    }

    /// Makes room in the buffer as far as is needed, unless that is going on already.
    fn make_room(&mut self) {
        if !self
            .buffer
            .as_mut()
            .is_some_and(|buffer| buffer.begin_making_room())
        {
            return;
        }
        while let Some(buffer) = self.buffer.as_mut() {
            let backing = self.control.backing();
            let goes_on = buffer.make_room(self.clock.now(), &backing);
            self.deliver();
            if !goes_on {
                break;
            }
        }
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.end_making_room();
        }
    }

    /// Does what the buffer has asked for.
    fn deliver(&mut self) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let messages = buffer.take_messages();
        for message in &messages {
            match message {
                Message::Submit(piece) => self.write_back(*piece),
                Message::Answer(request) => {
                    self.observe.charge_buffer_wait(self.clock.now(), *request);
                    self.answer_from_memory(*request);
                }
                Message::Serve(piece) => {
                    self.observe
                        .charge(piece.account, Part::BufferWait, self.clock.now());
                    self.access_buffer(piece);
                }
                Message::Acknowledge(request) => {
                    self.observe.charge_buffer_wait(self.clock.now(), *request);
                    self.acknowledge_saved(*request);
                }
            }
        }
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.delivered(messages);
        }
    }

    /// Hands a page that leaves the buffer, or what completes its group, to the FTL.
    fn write_back(&mut self, mut piece: SubRequest) {
        if let Owner::Buffer(_) = piece.owner {
            piece.account = self.observe.open_write_back(self.clock.now());
        }
        self.submit(&piece);
    }

    /// The request that an operation belongs to.
    pub(crate) fn request_of(&self, owner: Owner) -> Option<u32> {
        match (owner, self.buffer.as_ref()) {
            (Owner::Request(request), _) => Some(request),
            (Owner::Fill(fill), Some(buffer)) => Some(buffer.request_of_fill(fill)),
            _ => None,
        }
    }
}
