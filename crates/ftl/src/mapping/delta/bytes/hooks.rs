//! When bytes come, move and leave: beside what the mapping plans, and at the end of its steps. Without `ftl.delta.versions` none of it does anything.

use wordline_nand::Ppn;

use super::super::DeltaFtl;
use super::super::log;
use super::super::tasks::Task;
use super::{Content, Place, Reading, Sources};
use crate::contract::Ftl;
use crate::inflight::{NO_TOKEN, PendingProgram};
use crate::map::HostMap;
use crate::plan::{Outcome, Step, Work};

impl DeltaFtl {
    /// What the content of a logical page is made from now.
    fn sources(&self, lpn: u64) -> Option<Sources> {
        let bytes = self.bytes.as_ref()?;
        let base = self.data.map.lookup(lpn)?;
        let delta = match self.log.get(lpn) {
            None => Place::Nowhere,
            Some(delta) if self.log.is_in_memory(delta.log) => {
                Place::Memory(bytes.deltas.get(&delta.stamp)?.clone())
            }
            Some(delta) => Place::Flash(self.place_of(delta.log)?),
        };
        Some(Sources { lpn, base, delta })
    }

    /// What the write of these sub-pages makes of a logical page.
    fn next_content(&mut self, lpn: u64, new: u64) -> Option<Content> {
        let sources = self.sources(lpn);
        let full = self.data.geometry().full_bitmap();
        let write = self.versions[lpn as usize];
        let bytes = self.bytes.as_mut()?;
        let written = Content::Version(bytes.versions.number(lpn, write));
        if new == full {
            return Some(written);
        }
        let old = match sources {
            Some(sources) => {
                let old = bytes.decoded(&sources);
                bytes.note(old)?
            }
            None => bytes.first(lpn),
        };
        Some(bytes.overlaid(&old, &written, new))
    }

    /// A write is planned whose program has this token.
    pub(in super::super) fn begin_page(&mut self, lpn: u64, new: u64, token: u32) {
        if let Some(content) = self.next_content(lpn, new)
            && let Some(bytes) = &mut self.bytes
        {
            bytes.of_writes.insert(token, content.clone());
            bytes.written.insert(lpn, content);
        }
    }

    /// A write is to be encoded: the bytes of its delta. None of a drive whose pages have no content.
    pub(in super::super) fn begin_delta(
        &mut self,
        lpn: u64,
        new: u64,
        base: u64,
        write: u32,
    ) -> Option<Vec<u8>> {
        let content = self.next_content(lpn, new)?;
        let bytes = self.bytes.as_mut()?;
        let base = bytes.on_flash(base, lpn);
        let mut delta = Vec::new();
        bytes.with_coder(|bytes, coder| coder.encode(bytes.bytes(&base), bytes.bytes(&content), &mut delta));
        bytes.of_writes.insert(write, content.clone());
        bytes.written.insert(lpn, content);
        Some(delta)
    }

    /// The step that makes a delta has this token.
    pub(in super::super) fn keep_delta(&mut self, token: u32, delta: Option<Vec<u8>>) {
        if let (Some(bytes), Some(delta)) = (&mut self.bytes, delta) {
            bytes.of_encodings.insert(token, delta.into());
        }
    }

    /// The delta of a step was put into a page of deltas, in place of the one before.
    pub(in super::super) fn put_delta(&mut self, token: u32, lpn: u64, write: u32) {
        let delta = self.log.get(lpn);
        if let Some(bytes) = &mut self.bytes
            && let Some(made) = bytes.of_encodings.remove(&token)
            && let Some(delta) = delta
        {
            bytes.deltas.insert(delta.stamp, made);
            bytes.of_writes.remove(&write);
        }
    }

    /// The page that a delta waited in takes no notice of it any more.
    pub(in super::super) fn leave_controller(&mut self, delta: Option<log::Delta>) {
        let Some(delta) = delta.filter(|delta| self.log.is_open(delta.log)) else {
            return;
        };
        if let Some(bytes) = &mut self.bytes {
            bytes.deltas.remove(&delta.stamp);
        }
    }

    /// The token of a read that is planned now, the same if it has one: what it brings is compared at its end.
    pub(in super::super) fn begin_reading(&mut self, lpn: u64, bitmap: u64, token: u32) -> u32 {
        let Some(sources) = self.sources(lpn) else {
            return token;
        };
        let token = match token {
            NO_TOKEN => self.tasks.add(Task::Show),
            token => token,
        };
        if let Some(bytes) = &mut self.bytes {
            let expected = bytes.expected(lpn);
            bytes.readings.insert(
                token,
                Reading {
                    sources,
                    expected,
                    bitmap,
                },
            );
        }
        token
    }

    /// A read has ended: it must have brought what was written before it was planned. Its content.
    pub(in super::super) fn end_reading(&mut self, token: u32, outcome: Outcome) -> Option<Content> {
        let bytes = self.bytes.as_mut()?;
        let reading = bytes
            .readings
            .remove(&token)
            .filter(|_| outcome == Outcome::Good)?;
        let found = bytes.decoded(&reading.sources);
        let found = bytes.note(found)?;
        bytes.reads += 1;
        if !bytes.agree(&found, &reading.expected, reading.bitmap) {
            let lpn = reading.sources.lpn;
            bytes.note::<()>(Err(format!(
                "a read of logical page {lpn} brings other data than were written"
            )));
        }
        Some(found)
    }

    /// A merge has this content.
    pub(in super::super) fn keep_merged(&mut self, token: u32, content: Option<Content>) {
        if let (Some(bytes), Some(content)) = (&mut self.bytes, content) {
            bytes.of_merges.insert(token, content);
        }
    }

    /// A plan of a job was made: what its programs bring follows from what it reads.
    pub(in super::super) fn fetch_for(&mut self, plan: &[Step]) {
        if self.bytes.is_none() {
            return;
        }
        for step in plan
            .iter()
            .filter(|step| matches!(step.work, Work::Program { .. }))
        {
            match self.tasks.get(step.token) {
                Some(Task::Merge { lpn, .. }) => {
                    let sources = self.sources(lpn);
                    if let (Some(bytes), Some(sources)) = (&mut self.bytes, sources) {
                        let content = bytes.decoded(&sources);
                        let content = bytes.note(content);
                        self.keep_merged(step.token, content);
                    }
                }
                Some(Task::Program {
                    log, pool: Some(_), ..
                }) => self.fetch_packed(log),
                _ => {}
            }
        }
    }

    /// The deltas that are packed into a new page come from their pages on flash.
    fn fetch_packed(&mut self, log: u32) {
        let deltas = self
            .log
            .page(log)
            .map_or_else(Vec::new, |page| page.deltas.clone());
        for (lpn, stamp) in deltas {
            let delta = self.log.find(lpn, stamp);
            let place = delta.and_then(|delta| self.place_of(delta.log));
            if let (Some(bytes), Some(place)) = (&mut self.bytes, place) {
                let delta = bytes.delta_in(place, lpn);
                if let Some(delta) = bytes.note(delta) {
                    bytes.deltas.insert(stamp, delta);
                }
            }
        }
    }

    /// A program of the page-level FTL has ended well.
    pub(in super::super) fn program_bytes(&mut self, step: &Step, page: Ppn) {
        let Some(bytes) = &mut self.bytes else { return };
        let content = match self.data.pending(step.token) {
            Some(PendingProgram::Write { .. }) => bytes.of_writes.remove(&step.token),
            Some(PendingProgram::Move { source, .. }) => bytes.flash.get(&source).cloned(),
            Some(PendingProgram::Vacant(_)) | None => return,
        };
        match content {
            Some(content) => bytes.flash.insert(page.0, content),
            None => bytes.flash.remove(&page.0),
        };
    }

    /// A page of deltas is on flash: the controller has its deltas no more.
    pub(in super::super) fn program_deltas(&mut self, log: u32, page: u64) {
        let (Some(bytes), Some(of_log)) = (&mut self.bytes, self.log.page(log)) else {
            return;
        };
        let content = bytes.page_of(of_log);
        if let Some(content) = bytes.note(content) {
            bytes.flash.insert(page, content);
        }
        self.forget_page(log);
    }

    /// The controller needs the deltas of a page no more.
    pub(in super::super) fn forget_page(&mut self, log: u32) {
        if let (Some(bytes), Some(of_log)) = (&mut self.bytes, self.log.page(log)) {
            for (_, stamp) in &of_log.deltas {
                bytes.deltas.remove(stamp);
            }
        }
    }

    /// A merge is on flash, or is not to be done: its content has this page.
    pub(in super::super) fn end_merged(&mut self, token: u32, page: Option<u64>) {
        if let Some(bytes) = &mut self.bytes
            && let Some(content) = bytes.of_merges.remove(&token)
            && let Some(page) = page
        {
            bytes.flash.insert(page, content);
        }
    }

    /// Logical pages that hold no data any more show nothing.
    pub(in super::super) fn forget_bytes(&mut self, lpn: u64) {
        if let Some(bytes) = &mut self.bytes {
            bytes.written.remove(&lpn);
        }
    }

    /// Whether every read brought what was written, and every logical page of which nothing is under way shows what was written last.
    ///
    /// # Errors
    /// The first that does not.
    pub(in super::super) fn check_bytes(&self) -> Result<(), String> {
        let Some(bytes) = &self.bytes else { return Ok(()) };
        if let Some(wrong) = &bytes.wrong {
            return Err(wrong.clone());
        }
        let mut coder = wordline_content::Coder::new(bytes.row);
        for lpn in 0..self.user {
            let valid = self.data.map.get(lpn).map_or(0, |(_, valid)| valid);
            if self.data.inflight.pending(lpn).is_some() || valid == 0 {
                continue;
            }
            let Some(sources) = self.sources(lpn) else {
                return Err(format!("nobody has the delta of logical page {lpn}"));
            };
            let found = bytes.content_of(&sources, &mut coder)?;
            if !bytes.agree(&found, &bytes.expected(lpn), valid) {
                return Err(format!("logical page {lpn} holds other data than were written"));
            }
        }
        Ok(())
    }
}
