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
    /// Writes of a part of a page, among writes, and the mean number of their sectors.
    pub(crate) partial: f64,
    pub(crate) partial_sectors: f64,
    /// Reads of a part of a page, among reads, and the mean number of their sectors.
    pub(crate) partial_reads: f64,
    pub(crate) partial_read_sectors: f64,
    /// Whether requests follow each other as fast as the drive takes them: write-back in the background does not keep up then.
    pub(crate) is_closed: bool,
}

impl Traffic {
    /// Mean sectors of a page that the buffer of `read_cache` holds, if one of `whole` sectors is held as a whole.
    fn mean_sectors(&self, whole: f64, read_cache: bool) -> f64 {
        let mean = |partial: f64, sectors: f64| whole - partial * (whole - sectors);
        let written = mean(self.partial, self.partial_sectors);
        if read_cache {
            let read = mean(self.partial_reads, self.partial_read_sectors);
            self.writes * written + (1.0 - self.writes) * read
        } else {
            written
        }
    }
}

impl WriteBuffer {
    /// Fills the buffer with pages from `pages` that are drawn at random: written ones, up to the watermark where there is
    /// one that the load leaves time for, and, in a read cache, pages that were read in their proportion. A buffer that is never written to holds nothing dirty.
    /// Where sectors count, a page that is held in part has as many as a mean request has of one.
    pub(crate) fn fill_at_start(
        &mut self,
        ftl: &dyn Inspect,
        pages: std::ops::Range<u64>,
        traffic: &Traffic,
        seed: Seed,
    ) {
        let most_dirty = match &self.background {
            Some(background) if !traffic.is_closed => background.high(),
            _ => self.capacity as u64,
        };
        let share = |draw: u64| draw as f64 / u64::MAX as f64;
        let whole = ftl.unit_geometry().full_bitmap();
        let by_sector = self.sectors.is_some();
        let part = |sectors: f64| {
            let sectors = if by_sector {
                (sectors.round() as u32).clamp(1, whole.count_ones())
            } else {
                whole.count_ones().div_ceil(2)
            };
            whole >> (whole.count_ones() - sectors)
        };
        let held = match &self.sectors {
            None => self.capacity as f64,
            Some(_) => {
                let mean = traffic.mean_sectors(f64::from(whole.count_ones()), self.read_cache);
                self.capacity as f64 / mean.max(1.0)
            }
        };
        for index in 0..(held as u64).saturating_mul(DRAWS) {
            let is_dirty = !self.read_cache && !self.may_dirty(1, most_dirty);
            if is_dirty || !self.has_room(None, 1) || pages.is_empty() {
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
            let is_write = share(draw("buffer.start.write")) < traffic.writes;
            let is_partial = |of_all: f64| share(draw("buffer.start.partial")) < of_all;
            let written = match is_partial(traffic.partial) {
                true => part(traffic.partial_sectors),
                false => whole,
            };
            let read = match by_sector && is_partial(traffic.partial_reads) {
                true => valid & part(traffic.partial_read_sectors),
                false => valid,
            };
            if is_write && self.may_dirty(written, most_dirty) {
                let page = PageRequest {
                    op: PageOp::Write,
                    lpn,
                    pages: 1,
                    bitmap: written,
                    placement: 0,
                    class: 0,
                    command_sectors: whole.count_ones(),
                };
                if self.admit_write(SimTime::ZERO, &page).is_none() {
                    break;
                }
            } else if self.read_cache && !self.hold_clean(lpn, read) {
                break;
            }
        }
        self.restart_counts(SimTime::ZERO);
    }

    /// Whether sub-pages of another page may be dirty, where so many pages, or sectors, may.
    fn may_dirty(&self, bitmap: u64, most: u64) -> bool {
        match &self.sectors {
            None => self.dirty() < most,
            Some(sectors) => sectors.unsaved().0 + u64::from(bitmap.count_ones()) <= most,
        }
    }

    /// Holds a page as if it had been read; false where there is no room for it.
    fn hold_clean(&mut self, lpn: Lpn, sectors: u64) -> bool {
        if sectors == 0 {
            return true;
        }
        if !self.has_room(None, sectors) {
            return false;
        }
        let fill = self.fills.add(lpn, sectors, NONE);
        if let Some(shadow) = &mut self.shadow {
            shadow.reading(fill, lpn);
        }
        self.fill(fill)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of the writes have 2 of 8 sectors (5 in the mean), a quarter of the reads 4 (7 in the mean): with three writes for each read 5.5.
    #[test]
    fn a_page_of_the_buffer_holds_what_requests_bring() {
        let traffic = Traffic {
            writes: 0.75,
            partial: 0.5,
            partial_sectors: 2.0,
            partial_reads: 0.25,
            partial_read_sectors: 4.0,
            is_closed: false,
        };
        assert_eq!(traffic.mean_sectors(8.0, false), 5.0);
        assert_eq!(traffic.mean_sectors(8.0, true), 5.5);
    }
}
