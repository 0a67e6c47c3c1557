//! Pages that are being read from flash and will stay in the buffer.

use rustc_hash::FxHashMap;
use slab::Slab;
use wordline_ftl::{Lpn, PageRequest};

use crate::drive::Drive;
use crate::host::SubRequest;
use crate::operation::Owner;

use super::policy::Access;
use super::{Waiting, WriteBuffer};

/// A read that missed the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fill {
    pub(super) lpn: Lpn,
    /// The sub-pages read that are still what flash holds.
    pub(super) bitmap: u64,
    request: u32,
    steps_left: u32,
}

/// The reads under way, and those whose data wait for a slot.
#[derive(Debug, Default)]
pub(super) struct Fills {
    fills: Slab<Fill>,
    pages: FxHashMap<Lpn, u32>,
    waiting: usize,
}

impl Fills {
    /// Sub-pages of a page were written: what was read of them is out of date.
    pub(super) fn overwritten(&mut self, lpn: Lpn, bitmap: u64) {
        if !self.pages.is_empty()
            && let Some(fill) = self.pages.get(&lpn)
        {
            self.fills[*fill as usize].bitmap &= !bitmap;
        }
    }

    /// Sub-pages were trimmed.
    pub(super) fn trimmed(&mut self, page: &PageRequest) {
        let range = page.lpn.0..page.lpn.0.saturating_add(page.pages);
        for (_, fill) in &mut self.fills {
            if range.contains(&fill.lpn.0) {
                fill.bitmap &= !page.bitmap;
            }
        }
    }

    pub(super) fn add(&mut self, lpn: Lpn, bitmap: u64, request: u32) -> u32 {
        let fill = Fill {
            lpn,
            bitmap,
            request,
            steps_left: 1,
        };
        let id = self.fills.insert(fill) as u32;
        self.pages.insert(lpn, id);
        id
    }

    fn remove(&mut self, id: u32) -> Fill {
        let fill = self.fills.remove(id as usize);
        self.pages.remove(&fill.lpn);
        fill
    }

    pub(super) fn request(&self, id: u32) -> u32 {
        self.fills[id as usize].request
    }
}

impl WriteBuffer {
    /// Puts a page that was read into a slot; false when every slot is taken.
    pub(super) fn fill(&mut self, id: u32) -> bool {
        let fill = self.fills.fills[id as usize];
        let known = self.pages.get(&fill.lpn).copied();
        if fill.bitmap != 0 && known.is_none() && self.is_full() {
            return false;
        }
        self.fills.remove(id);
        if let Some(shadow) = &mut self.shadow {
            shadow.filled(id, fill.lpn, fill.bitmap);
        }
        if fill.bitmap == 0 {
            return true;
        }
        let slot = known.unwrap_or_else(|| {
            self.counts.fills += 1;
            self.enter(fill.lpn, Access::Read)
        });
        let slot = &mut self.slots[slot as usize];
        slot.clean |= fill.bitmap & !(slot.dirty | slot.writing);
        true
    }
}

impl Drive {
    /// Reads sub-pages that the buffer does not hold, to keep them; a page that is being read
    /// already is read once more, but kept once.
    pub(super) fn read_to_keep(&mut self, sub: SubRequest, request: u32) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let page = sub.page;
        let owner = if buffer.fills.pages.contains_key(&page.lpn) {
            sub.owner
        } else {
            let fill = buffer.fills.add(page.lpn, page.bitmap, request);
            if let Some(shadow) = &mut buffer.shadow {
                shadow.reading(fill, page.lpn);
            }
            Owner::Fill(fill)
        };
        self.submit(&SubRequest { owner, ..sub });
    }

    /// The sub-pages asked for hold no data, or were still in the controller: nothing to keep.
    pub(super) fn fill_without_flash(&mut self, id: u32) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let fill = buffer.fills.remove(id);
        self.buffer_answers(fill.request);
    }

    /// A step of a read to keep is done: with the last one the data are here.
    pub(super) fn fill_step_done(&mut self, id: u32, grown: u32, counted: bool) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let fill = &mut buffer.fills.fills[id as usize];
        fill.steps_left = fill.steps_left + grown - u32::from(counted);
        if fill.steps_left > 0 {
            return;
        }
        let request = fill.request;
        if !buffer.fill(id) {
            if buffer.fills.waiting < buffer.capacity {
                buffer.fills.waiting += 1;
                buffer.waiting.push_back(Waiting::Fill(id));
            } else {
                // more pages than fit would only push each other out
                buffer.fills.remove(id);
            }
        }
        self.tend();
        self.acknowledge(request);
    }
}

impl Fills {
    /// A page that waited has found its place.
    pub(super) fn waited(&mut self) {
        self.waiting -= 1;
    }
}
