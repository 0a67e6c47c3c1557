//! What the pages waited for that leave the write buffer, and so the writes that wait for their room.

use smallvec::SmallVec;
use wordline_metrics::{Holder, Part, Segment};
use wordline_units::SimTime;

use super::Attribution;
use crate::features::Features;
use crate::observe::Observer;
use crate::operation::NONE;

impl<F: Features> Observer<F> {
    /// Opens the account of a page that is written back from `now` on.
    pub(crate) fn open_write_back(&mut self, now: SimTime) -> u32 {
        let Some(attribution) = self.attribution.as_mut() else {
            return NONE;
        };
        let number = attribution.accounts.open(now);
        attribution.accounts[number].is_of_write_back = true;
        number
    }

    /// A step of the page in `slot` is done: the latest account is the one that the page waited for.
    pub(crate) fn settle_write_back(&mut self, slot: u32, account: u32) {
        let Some(attribution) = self.attribution.as_mut() else {
            return;
        };
        let index = slot as usize;
        let critical = &mut attribution.write_backs.critical;
        if index >= critical.len() {
            critical.resize(index + 1, NONE);
        }
        let before = std::mem::replace(&mut critical[index], account);
        attribution.drop_account(before);
    }

    /// The page in `slot` is on flash: what is let in now waited for its room.
    pub(crate) fn begin_freed(&mut self, slot: u32) {
        if let Some(attribution) = self.attribution.as_mut()
            && let Some(critical) = attribution.write_backs.critical.get_mut(slot as usize)
        {
            let account = std::mem::replace(critical, NONE);
            let before = std::mem::replace(&mut attribution.write_backs.freed, account);
            attribution.drop_account(before);
        }
    }

    /// What waited for the room of that page has been let in.
    pub(crate) fn end_freed(&mut self) {
        if let Some(attribution) = self.attribution.as_mut() {
            let freed = std::mem::replace(&mut attribution.write_backs.freed, NONE);
            attribution.drop_account(freed);
        }
    }

    /// A piece of a request has its room, or its page is on flash: its wait is divided as the time of the page that has just left.
    pub(crate) fn charge_buffer_wait(&mut self, now: SimTime, request: u32) {
        if let Some(attribution) = self.attribution.as_mut() {
            attribution.charge_buffer_wait(now, request);
        }
    }
}

impl Attribution {
    fn charge_buffer_wait(&mut self, now: SimTime, request: u32) {
        let critical = self.request(request).critical;
        let Some(waited) = self.accounts.get(critical).map(|own| now.since(own.until).ns()) else {
            return;
        };
        let Some(freed) = self.accounts.get(self.write_backs.freed) else {
            return;
        };
        // both end now: the last stretches of the page's time are those of the wait
        let mut left = waited;
        let mut shared: SmallVec<[Segment; 10]> = SmallVec::new();
        for segment in freed.segments.iter().rev() {
            let ns = segment.ns.min(left);
            left -= ns;
            let part = part_of_wait(segment.part);
            shared.push(Segment { part, ns });
        }
        let account = &mut self.accounts[critical];
        account.push(Part::BufferWait, left);
        for Segment { part, ns } in shared.into_iter().rev() {
            account.push(part, ns);
        }
        account.until = account.until.max(now);
    }
}

/// What the time of a page that is written back is to a write that waits for its room.
fn part_of_wait(part: Part) -> Part {
    use Holder::{HostRead, HostWrite, Sibling};
    match part {
        Part::Space => Part::BufferSpace,
        Part::PowerLimit => Part::PowerLimit,
        Part::Die(HostRead | HostWrite | Sibling) | Part::Channel(HostRead | HostWrite | Sibling) => {
            Part::BufferHost
        }
        Part::Die(_) | Part::Channel(_) => Part::BufferCollection,
        Part::Order | Part::SamePage => Part::BufferWait,
        _ => Part::BufferProgram,
    }
}
