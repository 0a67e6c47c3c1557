//! Groups that are completed before they are written.

use wordline_ftl::{Lpn, PageOp, PageRequest};

use super::{Group, Pad};
use crate::buffer::serve::Followup;
use crate::buffer::write_back::Reason;
use crate::buffer::{Message, WriteBuffer};
use crate::control::parked::Backing;
use crate::host::SubRequest;
use crate::operation::{NONE, Owner};

impl WriteBuffer {
    /// Stages the pages of a group, of so many logical pages, and lists the padding that it needs.
    fn stage(&mut self, victims: &[u32], pages: u64, reason: Reason, valid: impl Fn(Lpn) -> u64) -> u32 {
        let group = self.padding.groups.insert(Group {
            reads_left: 0,
            slots: victims.to_vec(),
            pads: Vec::new(),
            reason,
        }) as u32;
        let (mut number, mut placement) = (0, 0);
        for victim in victims {
            let slot = &mut self.slots[*victim as usize];
            slot.listed = false;
            slot.staged = true;
            self.counts.emptied += u64::from(!slot.unsaved());
            number = slot.lpn.0 / pages;
            placement = slot.placement;
            self.leaving += 1;
            self.counts.under_way += 1;
            self.recount(*victim);
        }
        let first = number * pages;
        let end = (first + pages).min(self.padding.user_pages);
        for lpn in (first..end).map(Lpn) {
            let bitmap = valid(lpn);
            // a page without data has nothing to copy, one on its way is written anyway
            if bitmap == 0 || self.pages.contains_key(&lpn) || self.padding.pages.contains_key(&lpn) {
                continue;
            }
            let pad = self.padding.pads.insert(Pad {
                lpn,
                bitmap,
                group,
                placement,
                written: false,
                steps_left: 1,
            });
            self.padding.pages.insert(lpn, pad);
            self.padding.groups[group as usize].pads.push(pad);
        }
        let group_entry = &mut self.padding.groups[group as usize];
        group_entry.reads_left = group_entry.pads.len();
        self.counts.padding_reads += group_entry.pads.len() as u64;
        group
    }

    fn pad_request(&self, id: u32, op: PageOp) -> SubRequest {
        let pad = &self.padding.pads[id];
        SubRequest {
            owner: Owner::Padding(id),
            page: PageRequest {
                op,
                lpn: pad.lpn,
                pages: 1,
                bitmap: pad.bitmap,
                placement: pad.placement,
                class: 0,
                command_sectors: pad.bitmap.count_ones(),
            },
            fua: false,
            account: NONE,
        }
    }
}

impl WriteBuffer {
    /// Lets a group of so many logical pages go, once what it lacks was read.
    pub(in crate::buffer) fn evict_padded(
        &mut self,
        victims: &[u32],
        pages: u64,
        reason: Reason,
        backing: &Backing<'_>,
    ) {
        for victim in victims {
            if let Some(background) = &mut self.background {
                background.order.remove(*victim);
            }
        }
        let group = self.stage(victims, pages.max(1), reason, |lpn| backing.valid(lpn));
        let pads = self.padding.groups[group as usize].pads.clone();
        if pads.is_empty() {
            self.write_group(group, backing);
        }
        for pad in pads {
            let read = self.pad_request(pad, PageOp::Read);
            self.messages.push(Message::Submit(read));
        }
    }

    /// A step of a padding page is done: with the last one it was read, or written.
    pub(in crate::buffer) fn pad_step_done(
        &mut self,
        id: u32,
        grown: u32,
        counted: bool,
        backing: &Backing<'_>,
    ) -> Followup {
        let pad = &mut self.padding.pads[id];
        pad.steps_left = pad.steps_left + grown - u32::from(counted);
        if pad.steps_left > 0 {
            return Followup::None;
        }
        if pad.written {
            self.padding.remove(id);
            return Followup::None;
        }
        let group = pad.group;
        let entry = &mut self.padding.groups[group as usize];
        entry.reads_left -= 1;
        if entry.reads_left > 0 {
            return Followup::None;
        }
        self.write_group(group, backing);
        Followup::MakeRoom
    }

    /// Writes a group in the order of its addresses.
    fn write_group(&mut self, group: u32, backing: &Backing<'_>) {
        let group = self.padding.groups.remove(group as usize);
        let slots = group
            .slots
            .iter()
            .map(|id| (self.slots[*id as usize].lpn, Ok(*id)));
        let pads = group.pads.iter().map(|id| (self.padding.pads[*id].lpn, Err(*id)));
        let mut pages: Vec<(Lpn, Result<u32, u32>)> = slots.chain(pads).collect();
        pages.sort_unstable_by_key(|(lpn, _)| *lpn);
        for (_, page) in pages {
            match page {
                Ok(slot) => self.write_staged(slot, group.reason, backing),
                Err(pad) => self.write_pad(pad),
            }
        }
    }

    fn write_pad(&mut self, id: u32) {
        let pad = &mut self.padding.pads[id];
        if pad.bitmap == 0 {
            self.padding.remove(id);
            return;
        }
        pad.written = true;
        pad.steps_left = 1;
        self.counts.padding_writes += 1;
        let write = self.pad_request(id, PageOp::Write);
        self.messages.push(Message::Submit(write));
    }
}
