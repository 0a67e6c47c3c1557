//! What the buffer holds when a run starts from a steady state: it is as full, and as dirty, as such a run leaves it.

use wordline_ftl::{Inspect, Lpn, PageOp, PageRequest};
use wordline_units::{Seed, SimTime};

use super::WriteBuffer;
use crate::operation::NONE;

/// Pages drawn for each slot at most: of few pages most are there already.
const DRAWS: u64 = 8;

/// What a mean piece of a request is, as shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Traffic {
    /// Writes among reads and writes.
    pub(crate) writes: f64,
    /// Writes of a part of a page, among writes.
    pub(crate) partial: f64,
    /// Whether requests follow each other as fast as the drive takes them: write-back in the background does not keep up then.
    pub(crate) is_closed: bool,
}

impl WriteBuffer {
    /// Fills the buffer with pages from `pages` that are drawn at random: written ones, up to the watermark where there is
    /// one that the load leaves time for, and, in a read cache, pages that were read in their proportion. A buffer that is never written to holds nothing dirty.
    pub(crate) fn fill_at_start(
        &mut self,
        ftl: &dyn Inspect,
        pages: std::ops::Range<u64>,
        traffic: &Traffic,
        seed: Seed,
    ) {
        let capacity = self.capacity as u64;
        let most_dirty = match &self.background {
            Some(background) if !traffic.is_closed => background.high(),
            _ => capacity,
        };
        let share = |draw: u64| draw as f64 / u64::MAX as f64;
        let whole = ftl.unit_geometry().full_bitmap();
        for index in 0..capacity.saturating_mul(DRAWS) {
            let is_done = if self.read_cache {
                self.is_full()
            } else {
                self.is_full() || self.dirty() >= most_dirty
            };
            if is_done || pages.is_empty() {
                break;
            }
            let draw = |what: &str| seed.draw(what, index);
            let lpn = Lpn(pages.start + draw("buffer.start.page") % (pages.end - pages.start));
            if self.pages.contains_key(&lpn) {
                continue;
            }
            let valid = ftl.valid_sectors(lpn);
            if let Some(shadow) = &mut self.shadow {
                shadow.touch(lpn, valid);
            }
            if share(draw("buffer.start.write")) < traffic.writes {
                if self.dirty() >= most_dirty {
                    self.hold_clean(lpn, valid);
                    continue;
                }
                let is_partial = share(draw("buffer.start.partial")) < traffic.partial;
                let half = whole >> (whole.count_ones() / 2);
                let page = PageRequest {
                    op: PageOp::Write,
                    lpn,
                    pages: 1,
                    bitmap: if is_partial { half } else { whole },
                    placement: 0,
                    class: 0,
                    command_sectors: whole.count_ones(),
                };
                self.admit_write(SimTime::ZERO, &page);
            } else if self.read_cache {
                self.hold_clean(lpn, valid);
            }
        }
        self.restart_counts(SimTime::ZERO);
    }

    /// Holds a page as if it had been read.
    fn hold_clean(&mut self, lpn: Lpn, sectors: u64) {
        if sectors == 0 {
            return;
        }
        let fill = self.fills.add(lpn, sectors, NONE);
        if let Some(shadow) = &mut self.shadow {
            shadow.reading(fill, lpn);
        }
        self.fill(fill);
    }
}
