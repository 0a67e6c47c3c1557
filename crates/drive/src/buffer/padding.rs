//! Padding: what a group lacks is read from flash, so that the whole group can be written.
//!
//! Padding is copied with the flash's own data, outside the slots. A host write or a TRIM of such
//! a page before it is written calls the copy off, so that it can never replace newer data.

use rustc_hash::FxHashMap;
use slab::Slab;
use wordline_ftl::{Lpn, PageOp, PageRequest};

use crate::drive::Drive;
use crate::host::SubRequest;
use crate::operation::{NONE, Owner};

use super::WriteBuffer;
use super::write_back::Reason;

/// A page that completes a group.
#[derive(Debug)]
struct Pad {
    lpn: Lpn,
    /// The sub-pages that hold data; 0 once it was called off.
    bitmap: u64,
    group: u32,
    placement: u16,
    written: bool,
    steps_left: u32,
}

/// A group that leaves.
#[derive(Debug)]
struct Group {
    reads_left: usize,
    slots: Vec<u32>,
    pads: Vec<u32>,
    reason: Reason,
}

/// The groups that wait for their padding, and the padding under way.
#[derive(Debug)]
pub(super) struct Padding {
    user_pages: u64,
    groups: Slab<Group>,
    pads: Slab<Pad>,
    pages: FxHashMap<Lpn, u32>,
}

impl Padding {
    pub(super) fn new(user_pages: u64) -> Self {
        Self {
            user_pages,
            groups: Slab::new(),
            pads: Slab::new(),
            pages: FxHashMap::default(),
        }
    }

    /// A page was written.
    pub(super) fn overwritten(&mut self, lpn: Lpn) {
        if !self.pages.is_empty()
            && let Some(pad) = self.pages.get(&lpn)
        {
            self.pads[*pad as usize].bitmap = 0;
        }
    }

    /// Pages were trimmed.
    pub(super) fn trimmed(&mut self, page: &PageRequest) {
        let range = page.lpn.0..page.lpn.0.saturating_add(page.pages);
        for (_, pad) in &mut self.pads {
            if range.contains(&pad.lpn.0) {
                pad.bitmap = 0;
            }
        }
    }

    fn remove(&mut self, id: u32) {
        let pad = self.pads.remove(id as usize);
        self.pages.remove(&pad.lpn);
    }
}

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
            number = slot.lpn.0 / pages;
            placement = slot.placement;
            self.leaving += 1;
            self.counts.under_way += 1;
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
            }) as u32;
            self.padding.pages.insert(lpn, pad);
            self.padding.groups[group as usize].pads.push(pad);
        }
        let group_entry = &mut self.padding.groups[group as usize];
        group_entry.reads_left = group_entry.pads.len();
        self.counts.padding_reads += group_entry.pads.len() as u64;
        group
    }

    fn pad_request(&self, id: u32, op: PageOp) -> SubRequest {
        let pad = &self.padding.pads[id as usize];
        SubRequest {
            owner: Owner::Padding(id),
            page: PageRequest {
                op,
                lpn: pad.lpn,
                pages: 1,
                bitmap: pad.bitmap,
                placement: pad.placement,
                command_sectors: pad.bitmap.count_ones(),
            },
            fua: false,
            account: NONE,
        }
    }
}

impl Padding {
    /// Pages that are being written to complete groups.
    pub(super) fn being_written(&self) -> u64 {
        self.pads.iter().filter(|(_, pad)| pad.written).count() as u64
    }
}

impl Drive {
    /// Lets a group of so many logical pages go, once what it lacks was read.
    pub(super) fn evict_padded(&mut self, victims: &[u32], pages: u64, reason: Reason) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        for victim in victims {
            if let Some(background) = &mut buffer.background {
                background.order.remove(*victim);
            }
        }
        let ftl = &self.ftl;
        let group = buffer.stage(victims, pages.max(1), reason, |lpn| ftl.valid_sectors(lpn));
        let pads = buffer.padding.groups[group as usize].pads.clone();
        if pads.is_empty() {
            self.write_group(group);
        }
        for pad in pads {
            if let Some(buffer) = &self.buffer {
                let read = buffer.pad_request(pad, PageOp::Read);
                self.submit(&read);
            }
        }
    }

    /// A step of a padding page is done: with the last one it was read, or written.
    pub(super) fn pad_step_done(&mut self, id: u32, grown: u32, counted: bool) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let pad = &mut buffer.padding.pads[id as usize];
        pad.steps_left = pad.steps_left + grown - u32::from(counted);
        if pad.steps_left > 0 {
            return;
        }
        if pad.written {
            buffer.padding.remove(id);
            return;
        }
        let group = pad.group;
        let entry = &mut buffer.padding.groups[group as usize];
        entry.reads_left -= 1;
        if entry.reads_left == 0 {
            self.write_group(group);
            self.tend();
        }
    }

    /// Writes a group in the order of its addresses.
    fn write_group(&mut self, group: u32) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let group = buffer.padding.groups.remove(group as usize);
        let slots = group
            .slots
            .iter()
            .map(|id| (buffer.slots[*id as usize].lpn, Ok(*id)));
        let pads = group
            .pads
            .iter()
            .map(|id| (buffer.padding.pads[*id as usize].lpn, Err(*id)));
        let mut pages: Vec<(Lpn, Result<u32, u32>)> = slots.chain(pads).collect();
        pages.sort_unstable_by_key(|(lpn, _)| *lpn);
        for (_, page) in pages {
            match page {
                Ok(slot) => self.write_staged(slot, group.reason),
                Err(pad) => self.write_pad(pad),
            }
        }
    }

    fn write_pad(&mut self, id: u32) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let pad = &mut buffer.padding.pads[id as usize];
        if pad.bitmap == 0 {
            buffer.padding.remove(id);
            return;
        }
        pad.written = true;
        pad.steps_left = 1;
        buffer.counts.padding_writes += 1;
        let write = buffer.pad_request(id, PageOp::Write);
        self.submit(&write);
    }
}
