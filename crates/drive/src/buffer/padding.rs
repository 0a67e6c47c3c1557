//! Padding: what a group lacks is read from flash, so that the whole group can be written.
//!
//! Padding is copied with the flash's own data, outside the slots. A host write or a TRIM of such
//! a page before it is written calls the copy off, so that it can never replace newer data.

mod completing;

use rustc_hash::FxHashMap;
use slab::Slab;
use wordline_ftl::{Lpn, PageRequest};

use super::write_back::Reason;
use crate::numbered::Numbered;

/// A page that completes a group.
#[derive(Clone, Copy, Debug)]
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
    pads: Numbered<Pad>,
    pages: FxHashMap<Lpn, u32>,
}

impl Padding {
    pub(super) fn new(user_pages: u64) -> Self {
        Self {
            user_pages,
            groups: Slab::new(),
            pads: Numbered::new(),
            pages: FxHashMap::default(),
        }
    }

    /// A page was written.
    pub(super) fn overwritten(&mut self, lpn: Lpn) {
        if !self.pages.is_empty()
            && let Some(pad) = self.pages.get(&lpn)
        {
            self.pads[*pad].bitmap = 0;
        }
    }

    /// Pages were trimmed.
    pub(super) fn trimmed(&mut self, page: &PageRequest) {
        let range = page.lpn.0..page.lpn.0.saturating_add(page.pages);
        for pad in self.pads.iter_mut() {
            if range.contains(&pad.lpn.0) {
                pad.bitmap = 0;
            }
        }
    }

    fn remove(&mut self, id: u32) {
        let pad = self.pads.remove(id);
        self.pages.remove(&pad.lpn);
    }
}

impl Padding {
    /// Pages that are being written to complete groups.
    pub(super) fn being_written(&self) -> u64 {
        self.pads.iter().filter(|pad| pad.written).count() as u64
    }
}
