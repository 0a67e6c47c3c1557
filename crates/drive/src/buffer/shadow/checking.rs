//! What the buffer tells of its pages where it is audited.

use rustc_hash::FxHashSet;
use wordline_ftl::{Inspect, Lpn};

use super::{NOTHING, bits};
use crate::buffer::WriteBuffer;

impl WriteBuffer {
    /// Checks that no page is held twice, that every page is in one list, and that the content
    /// keeps within the capacity.
    fn check_structure(&self) -> Result<(), String> {
        self.check_sectors()?;
        if self.slots.len() > self.capacity {
            return Err(format!(
                "the buffer holds {} pages of {}",
                self.slots.len(),
                self.capacity
            ));
        }
        let named = self.pages.iter().all(|(lpn, slot)| {
            let slot = self.slots.get(*slot as usize);
            slot.is_some_and(|slot| slot.lpn == *lpn)
        });
        if !named || self.pages.len() != self.slots.len() {
            return Err("a page is held twice, or cannot be found".to_owned());
        }
        let listed = self.policy.listed();
        let distinct: FxHashSet<u32> = listed.iter().copied().collect();
        let wanted = self.slots.iter().filter(|(_, slot)| slot.listed).count();
        let known = |id: &u32| self.slots.get(*id as usize).is_some_and(|slot| slot.listed);
        if distinct.len() != listed.len() || listed.len() != wanted || !listed.iter().all(known) {
            return Err(format!(
                "the policy lists {} pages, {} of them once, and should list {wanted}",
                listed.len(),
                distinct.len()
            ));
        }
        if self.leaving != self.slots.len() - wanted {
            return Err("the pages that leave are not counted right".to_owned());
        }
        let gathered = self.slots.iter().map(|(_, slot)| u64::from(slot.gathered));
        if gathered.sum::<u64>() != self.gathered.value() {
            return Err("what is programmed beside pages of the buffer is not counted right".to_owned());
        }
        let unsaved = self.slots.iter().filter(|(_, slot)| slot.unsaved()).count() as u64;
        if unsaved != self.dirty() {
            return Err(format!(
                "{unsaved} pages are not on flash and {} are counted",
                self.dirty()
            ));
        }
        Ok(())
    }

    /// Recounts the sectors held after as many changes as there are pages, where the buffer is audited.
    #[inline]
    pub(in crate::buffer) fn audit_sectors(&mut self) {
        if self.sectors.is_some()
            && let Some(shadow) = &mut self.shadow
            && shadow.is_due(self.slots.len())
            && let Err(found) = self.check_sectors()
            && let Some(shadow) = &mut self.shadow
        {
            shadow.found.get_or_insert(found);
        }
    }

    /// What the audit has found so far: a read that would not get the last data written.
    pub(crate) fn violation(&self) -> Option<&str> {
        self.shadow.as_ref()?.found.as_deref()
    }

    /// Checks the buffer when a run is over: nothing under way, and every sub-page where the last
    /// write of it must be.
    pub(crate) fn audit(&mut self, ftl: &dyn Inspect) -> Result<(), String> {
        let Some(mut shadow) = self.shadow.take() else {
            return Ok(());
        };
        self.check_structure()?;
        let all = u64::MAX >> (64 - shadow.sectors);
        let pages: Vec<Lpn> = shadow.pages.keys().copied().collect();
        for lpn in pages {
            shadow.read(lpn, all, self.held(lpn));
            let versions = &shadow.pages[&lpn];
            let wanted = bits(all)
                .filter(|bit| versions.flash[*bit] != NOTHING)
                .fold(0, |wanted, bit| wanted | 1 << bit);
            let valid = ftl.valid_sectors(lpn);
            if valid != wanted {
                return Err(format!(
                    "logical page {} should have sub-pages {wanted:#b} on flash and has {valid:#b}",
                    lpn.0
                ));
            }
        }
        shadow.found.map_or(Ok(()), Err)
    }
}
