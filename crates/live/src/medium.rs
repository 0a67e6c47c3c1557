//! What is on the flash of a live drive, so that its power may fail: spare areas, and the contents that pages there show.
//!
//! The FTL numbers host writes and TRIMs as it accepts them, and the spare area of a page names the write whose content the page holds
//! ([`SpareArea::write`](wordline_ftl::SpareArea)). Here is kept what a page of the drive showed when each write was accepted, as long as a power cut
//! may bring that back: from the newest write that is on flash on. Nothing is copied until the page changes.
//!
//! What a write is accepted with is the newest that the host has sent of the page, so that a write may show a part of another one that is under way. A host
//! that has not got an answer may find either.
//!
//! A TRIM that is lost with the power may bring back any older write whose page was not erased. Where that one is not kept any more the page reads as zeroes, which
//! is what the host asked for.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use wordline_drive::{CutFlash, KeptFlash, Torn};
use wordline_ftl::{Cause, FoundFlash, Inspect, Lpn, PageOp, PageRequest, Repair, Written};
use wordline_metrics::{CommandKind, Constituent, IssuedCommand, Probe};
use wordline_nand::Ppn;
use wordline_units::SimTime;

use crate::atomic::AtomicWrites;
use crate::content::Content;

/// What a page showed when a write was accepted; none where that is what it shows now.
#[derive(Clone, Debug)]
struct Shown {
    number: u64,
    data: Option<Arc<[u8]>>,
}

/// The newest writes of a page, oldest first, and the number of the TRIM since the newest of them that is on flash; 0 without one.
#[derive(Clone, Debug, Default)]
struct Page {
    shown: Vec<Shown>,
    trimmed_at: u64,
}

#[derive(Clone, Debug)]
struct Kept {
    flash: KeptFlash,
    /// Mapping units of a page of flash.
    per_page: u64,
    /// Writes and TRIMs that were accepted.
    number: u64,
    /// Every page that was written, also where the FTL has not heard of it.
    pages: FxHashMap<u64, Page>,
    /// Programs and erases of collection that are under way.
    collecting: u64,
    /// Which writes are on flash in part, where some are to be whole.
    atomic: Option<AtomicWrites>,
    /// The bitmap of a whole page.
    full: u64,
}

/// The flash, watched while the drive works.
#[derive(Clone, Debug)]
pub(crate) struct Medium(Arc<Mutex<Option<Kept>>>);

/// Pages with another content than before; none reads as zeroes.
pub type Changed = Vec<(u64, Option<Vec<u8>>)>;

impl Medium {
    /// That of a drive that has done nothing yet; `follows_writes` where some writes are to be whole after a power cut.
    pub(crate) fn of(ftl: &dyn Inspect, follows_writes: bool) -> Self {
        Self(Arc::new(Mutex::new(Some(Kept {
            flash: KeptFlash::of(ftl),
            per_page: u64::from(ftl.unit_geometry().pages_per_program),
            number: 0,
            pages: FxHashMap::default(),
            collecting: 0,
            atomic: follows_writes.then(AtomicWrites::default),
            full: ftl.unit_geometry().full_bitmap(),
        }))))
    }

    /// The same at this moment, which goes its own way from now on.
    pub(crate) fn copied(&self) -> Self {
        Self(Arc::new(Mutex::new(self.lock().clone())))
    }

    /// The same, which the drive that it has watched changes no more.
    pub(crate) fn taken(&self) -> Self {
        Self(Arc::new(Mutex::new(self.lock().take())))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with what is kept, unless it was taken.
    fn with<T: Default>(&self, work: impl FnOnce(&mut Kept) -> T) -> T {
        self.lock().as_mut().map(work).unwrap_or_default()
    }

    /// Pages are about to change, by a write if `writes`: keeps what they show where a power cut may bring it back.
    ///
    /// # Errors
    /// The content cannot be read.
    pub(crate) fn before_change(
        &self,
        pages: std::ops::Range<u64>,
        writes: bool,
        content: &Content,
    ) -> io::Result<()> {
        let mut lock = self.lock();
        let Some(kept) = lock.as_mut() else { return Ok(()) };
        if writes {
            for page in pages {
                keep(&mut kept.pages.entry(page).or_default().shown, page, content)?;
            }
            return Ok(());
        }
        kept.each_of(pages, |page, kept| keep(&mut kept.shown, page, content))
    }

    /// A host asks for a write of these sectors that is to be whole; see [`AtomicWrites::begin`].
    pub(crate) fn begin_write(&self, write: u64, sectors: std::ops::Range<u64>) {
        self.with(|kept| {
            let per_page = u64::from(kept.full.count_ones());
            if let Some(atomic) = &mut kept.atomic {
                atomic.begin(write, sectors, per_page);
            }
        });
    }

    /// The drive has answered; see [`AtomicWrites::answered`].
    pub(crate) fn answered(&self, write: u64) {
        self.with(|kept| {
            if let Some(atomic) = &mut kept.atomic {
                atomic.answered(write);
            }
        });
    }

    /// Whether a power cut now would leave a write half done that is to be whole.
    pub(crate) fn has_halved_writes(&self) -> bool {
        self.with(|kept| kept.atomic.as_ref().is_some_and(AtomicWrites::are_halved))
    }

    /// Whether collection is at work on the flash.
    pub(crate) fn is_collecting(&self) -> bool {
        self.with(|kept| kept.collecting > 0)
    }

    /// The power fails; see [`KeptFlash::power_fails`].
    pub(crate) fn power_fails(&self, ftl: &dyn Inspect, now: SimTime, ends: bool) -> Torn {
        self.with(|kept| {
            kept.flash.mark_bad(ftl);
            kept.collecting = 0;
            kept.atomic = kept.atomic.is_some().then(AtomicWrites::default);
            kept.flash.power_fails(now, ends)
        })
    }

    /// Recovery does this; see [`KeptFlash::repair`].
    pub(crate) fn repair(&self, repair: &Repair, is_torn: bool) {
        self.with(|kept| kept.flash.repair(repair, is_torn));
    }

    /// Does something with what is found on the flash.
    pub(crate) fn found<T>(&self, look: impl FnOnce(&CutFlash<'_>) -> T) -> Option<T> {
        // nothing is under way
        let lock = self.lock();
        lock.as_ref().map(|kept| look(&kept.flash.cut_at(SimTime::ZERO)))
    }

    /// What pages show that had been written, as the FTL that was built anew has them: those that show something else than `content` says. The FTL goes on
    /// with `number`.
    ///
    /// # Errors
    /// A page whose content nobody kept, which would be a defect.
    pub(crate) fn recovered(
        &self,
        ftl: &dyn Inspect,
        content: &Content,
        number: u64,
    ) -> Result<Changed, String> {
        let mut lock = self.lock();
        let kept = lock.as_mut().ok_or("the flash was taken")?;
        kept.number = number;
        let mut pages: Vec<u64> = kept.pages.keys().copied().collect();
        pages.sort_unstable();
        let mut changed = Vec::new();
        for page in pages {
            let Some(Page {
                mut shown,
                trimmed_at,
            }) = kept.pages.remove(&page)
            else {
                continue;
            };
            let lpn = Lpn(page);
            let valid = ftl.valid_sectors(lpn);
            let Some(place) = ftl.lookup(lpn).filter(|_| valid != 0) else {
                changed.push((page, None));
                continue;
            };
            let flash = kept.flash.cut_at(SimTime::ZERO);
            let unit = (place.0 % kept.per_page) as u32;
            let spare = flash.unit(Ppn(place.0 / kept.per_page), unit);
            let spare =
                spare.ok_or_else(|| format!("logical page {page} is at {place}, which holds nothing"))?;
            if spare.lpn != lpn {
                return Err(format!(
                    "logical page {page} is at {place}, which holds {}",
                    spare.lpn.0
                ));
            }
            let number = spare.write;
            let Some(at) = shown.iter().position(|shown| shown.number == number) else {
                if trimmed_at == 0 {
                    let known: Vec<u64> = shown.iter().map(|shown| shown.number).collect();
                    return Err(format!(
                        "logical page {page} shows write {number}, of which nothing is kept: {known:?}"
                    ));
                }
                changed.push((page, None));
                kept.pages
                    .insert(page, Page::of(Shown { number, data: None }, trimmed_at));
                continue;
            };
            let found = shown.swap_remove(at);
            let is_whole = valid == ftl.unit_geometry().full_bitmap();
            if found.data.is_none() && is_whole {
                kept.pages.insert(page, Page::of(found, trimmed_at));
                continue;
            }
            let whole = match found.data {
                Some(data) => data,
                None => content.page(page).map_err(|error| error.to_string())?.into(),
            };
            let mut data = whole.to_vec();
            for (sector, bytes) in data.chunks_mut(512).enumerate() {
                if valid & (1 << sector) == 0 {
                    bytes.fill(0);
                }
            }
            // with fewer sub-pages than its write had, it may have all of them after the next power cut
            let data_kept = (!is_whole).then_some(whole);
            let shown = Shown {
                number,
                data: data_kept,
            };
            kept.pages.insert(page, Page::of(shown, trimmed_at));
            changed.push((page, Some(data)));
        }
        Ok(changed)
    }
}

/// Keeps what a page shows with the writes since it changed last.
fn keep(shown: &mut [Shown], page: u64, content: &Content) -> io::Result<()> {
    let since = shown.partition_point(|shown| shown.data.is_some());
    if since < shown.len() {
        let data: Arc<[u8]> = content.page(page)?.into();
        for shown in &mut shown[since..] {
            shown.data = Some(Arc::clone(&data));
        }
    }
    Ok(())
}

impl Page {
    fn of(shown: Shown, trimmed_at: u64) -> Self {
        Self {
            shown: vec![shown],
            trimmed_at,
        }
    }
}

impl Kept {
    /// Does something with each of these pages that was written; a TRIM may name more pages than there are.
    fn each_of<E>(
        &mut self,
        pages: std::ops::Range<u64>,
        mut work: impl FnMut(u64, &mut Page) -> Result<(), E>,
    ) -> Result<(), E> {
        if pages.end - pages.start > self.pages.len() as u64 {
            #[allow(clippy::iter_over_hash_type, reason = "each page by itself")]
            for (page, kept) in &mut self.pages {
                if pages.contains(page) {
                    work(*page, kept)?;
                }
            }
            return Ok(());
        }
        for page in pages {
            if let Some(kept) = self.pages.get_mut(&page) {
                work(page, kept)?;
            }
        }
        Ok(())
    }

    /// A program has ended: older writes of its pages do not come back.
    fn programmed(&mut self, page: Ppn) {
        let units: Vec<(u64, u64)> = self
            .flash
            .spare_areas(page)
            .map(|spare| (spare.lpn.0, spare.write))
            .collect();
        for (lpn, write) in units {
            if let Some(atomic) = &mut self.atomic {
                atomic.programmed(lpn, write);
            }
            if let Some(page) = self.pages.get_mut(&lpn)
                && let Some(at) = page.shown.iter().position(|shown| shown.number == write)
            {
                page.shown.drain(..at);
                // a write that was accepted before the TRIM may be programmed after it
                if page.trimmed_at < write {
                    page.trimmed_at = 0;
                }
            }
        }
    }
}

impl Probe for Medium {
    fn page_accepted(&mut self, _: SimTime, request: &PageRequest) {
        self.with(|kept| {
            kept.number += 1;
            let number = kept.number;
            if request.op == PageOp::Write {
                let page = kept.pages.entry(request.lpn.0).or_default();
                page.shown.push(Shown { number, data: None });
                if let Some(atomic) = &mut kept.atomic {
                    atomic.accepted(request.lpn.0, request.bitmap, number);
                }
            } else {
                let pages = request.lpn.0..request.lpn.0 + request.pages;
                let is_whole = request.pages > 1 || request.bitmap == kept.full;
                if let Some(atomic) = kept.atomic.as_mut().filter(|_| is_whole) {
                    atomic.trimmed(&pages);
                }
                let trim = |_, page: &mut Page| -> Result<(), Infallible> {
                    page.trimmed_at = number;
                    Ok(())
                };
                let Ok(()) = kept.each_of(pages, trim);
            }
        });
    }

    fn page_written(&mut self, page: Ppn, written: &Written) {
        self.with(|kept| kept.flash.announce(page, written));
    }

    fn issued(&mut self, command: &IssuedCommand<'_>) {
        self.with(|kept| {
            kept.flash.issued(command);
            if command.kind != CommandKind::Read {
                let moves = |each: &&Constituent| each.cause == Cause::Gc;
                kept.collecting += command.constituents.iter().filter(moves).count() as u64;
            }
        });
    }

    fn operation_failed(&mut self, _: SimTime, kind: CommandKind, constituent: &Constituent) {
        self.with(|kept| kept.flash.failed(kind, constituent));
    }

    fn operation_done(&mut self, _: SimTime, kind: CommandKind, constituent: &Constituent) {
        if kind == CommandKind::Read {
            return;
        }
        self.with(|kept| {
            if constituent.cause == Cause::Gc {
                kept.collecting = kept.collecting.saturating_sub(1);
            }
            kept.flash.done(kind, constituent);
            if kind != CommandKind::Erase {
                kept.programmed(constituent.page);
            }
        });
    }
}
