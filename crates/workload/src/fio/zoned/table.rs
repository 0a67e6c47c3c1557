//! The zones that the jobs of a file write: what the host knows of each.

use std::collections::VecDeque;
use std::ops::Range;

/// How the space of a drive is divided into zones, in sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ZoneSizes {
    /// From the start of a zone to that of the next.
    pub(crate) size: u64,
    /// What can be written of a zone.
    pub(crate) capacity: u64,
}

/// A zone as the host knows it. Pointers count from its start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Zone {
    /// It cannot be written, and holds nothing.
    pub(crate) is_lost: bool,
    /// Where the next write goes.
    pub(crate) pointer: u64,
    /// What is known to be written: the pointer, when the last write was completed that was the only one under way.
    settled: u64,
    /// The job whose writes or reset are under way.
    holder: usize,
    in_flight: u32,
    /// A reset or finish of it is under way.
    is_changing: bool,
    /// It is closed once that is completed.
    closes: bool,
    /// What it was before that.
    former: Former,
    /// It was finished before it was full, and is not written until it is reset.
    is_finished: bool,
    /// The job that opened it, while it is open: from its first write until it is full and nothing is under way.
    opener: Option<usize>,
    /// Jobs that wait until nothing is under way, in their order.
    waiting: VecDeque<usize>,
}

/// What a zone was before a reset or finish.
#[derive(Clone, Copy, Debug, Default)]
struct Former {
    pointer: u64,
    is_finished: bool,
    is_open: bool,
}

/// All zones of a drive, which its jobs share.
#[derive(Debug)]
pub(crate) struct ZoneTable {
    pub(crate) sizes: ZoneSizes,
    zones: Vec<Zone>,
    /// Open zones, in the order in which they were opened.
    open: Vec<u32>,
    /// Zones that may be open at once.
    most_open: Option<usize>,
    /// They are zones of the drive: resets and finishes are commands.
    is_of_drive: bool,
    /// Sectors written.
    written: u64,
    /// Writes until the next one resets its zone (`zone_reset_frequency`); of all jobs together.
    until_reset: u64,
}

impl ZoneTable {
    /// `count` empty zones, but for those that are lost.
    pub(crate) fn new(
        sizes: ZoneSizes,
        count: u32,
        lost: &[u32],
        most_open: Option<usize>,
        is_of_drive: bool,
    ) -> Self {
        let mut zones = vec![Zone::default(); count as usize];
        for zone in lost {
            if let Some(zone) = zones.get_mut(*zone as usize) {
                zone.is_lost = true;
            }
        }
        Self {
            sizes,
            zones,
            open: Vec::new(),
            most_open,
            is_of_drive,
            written: 0,
            until_reset: 0,
        }
    }

    /// The zone of a sector.
    pub(crate) const fn zone_of(&self, sector: u64) -> u32 {
        (sector / self.sizes.size) as u32
    }

    /// First sector of a zone.
    pub(crate) const fn start(&self, zone: u32) -> u64 {
        zone as u64 * self.sizes.size
    }

    pub(crate) fn zone(&self, zone: u32) -> &Zone {
        &self.zones[zone as usize]
    }

    /// What a job may read of a zone, from its start: what is written, of which another job's writes under way are no part.
    pub(crate) fn readable(&self, zone: u32, job: usize) -> u64 {
        let zone = self.zone(zone);
        match zone {
            _ if zone.is_lost => 0,
            _ if zone.in_flight == 0 || (zone.holder == job && !zone.is_changing) => zone.pointer,
            _ => zone.settled,
        }
    }

    /// Whether a block of so many sectors fits behind the pointer of a zone.
    pub(crate) fn has_room(&self, zone: u32, least: u64) -> bool {
        let zone = self.zone(zone);
        !zone.is_finished && zone.pointer + least <= self.sizes.capacity
    }

    pub(crate) fn is_open(&self, zone: u32) -> bool {
        self.zone(zone).opener.is_some()
    }

    /// Open zones of a range, from the one on that has this share of all open ones before it, around.
    pub(crate) fn open_from(&self, share: f64, range: Range<u32>) -> impl Iterator<Item = u32> {
        let from = (share * self.open.len() as f64) as usize;
        let (behind, first) = self.open.split_at(from.min(self.open.len()));
        let around = first.iter().chain(behind).copied();
        around.filter(move |zone| range.contains(zone))
    }

    /// Whether a job may open another zone, now or once an open one is closed.
    pub(crate) fn can_open(&self, job: usize, most_of_job: usize, closing: Option<u32>) -> bool {
        let own = || {
            let zones = self.open.iter().filter(|zone| Some(**zone) != closing);
            zones.filter(|zone| self.zone(**zone).opener == Some(job)).count()
        };
        let open = self.open.len() - usize::from(closing.is_some());
        self.most_open.is_none_or(|most| open < most) && (most_of_job == 0 || own() < most_of_job)
    }

    /// Whether zones can be written in any number at once.
    pub(crate) fn is_limited(&self, most_of_job: usize) -> bool {
        self.most_open.is_some() || most_of_job > 0
    }

    /// Whether a job can write to a zone now: no other job has writes there under way or waits for that, and no reset is.
    pub(crate) fn is_free_for(&self, zone: u32, job: usize) -> bool {
        let zone = self.zone(zone);
        let is_first = zone.waiting.front().is_none_or(|first| *first == job);
        !zone.is_changing && (zone.in_flight == 0 || zone.holder == job) && is_first
    }

    /// Whether a write or reset of a zone is under way.
    pub(crate) fn is_busy(&self, zone: u32) -> bool {
        self.zone(zone).in_flight > 0
    }

    /// A job waits for a zone, unless it does so already.
    pub(crate) fn wait(&mut self, zone: u32, job: usize) {
        let waiting = &mut self.zones[zone as usize].waiting;
        if !waiting.contains(&job) {
            waiting.push_back(job);
        }
    }

    /// A job waits for a zone no longer.
    pub(crate) fn wait_no_more(&mut self, zone: u32, job: usize) {
        self.zones[zone as usize].waiting.retain(|other| *other != job);
    }

    /// A job writes so many sectors to a zone, which it opens.
    pub(crate) fn write(&mut self, zone: u32, sectors: u64, job: usize) {
        self.take(zone, job);
        self.zones[zone as usize].pointer += sectors;
        self.written += sectors;
    }

    /// A job resets a zone, which it opens. Whether the reset is a command of the drive.
    pub(crate) fn reset(&mut self, zone: u32, job: usize, opens: bool) -> bool {
        self.note_former(zone);
        if opens {
            self.take(zone, job);
        } else {
            self.hold(zone, job);
        }
        let state = &mut self.zones[zone as usize];
        self.written = self.written.saturating_sub(state.pointer);
        (state.pointer, state.settled, state.is_finished) = (0, 0, false);
        self.change(zone, !opens)
    }

    /// A job finishes an open zone in which nothing is under way: its rest is left out. Whether that is a command of the drive.
    pub(crate) fn finish(&mut self, zone: u32, job: usize) -> bool {
        self.note_former(zone);
        self.hold(zone, job);
        self.zones[zone as usize].is_finished = true;
        self.change(zone, true)
    }

    fn note_former(&mut self, zone: u32) {
        let state = &mut self.zones[zone as usize];
        state.former = Former {
            pointer: state.pointer,
            is_finished: state.is_finished,
            is_open: state.opener.is_some(),
        };
    }

    /// A zone is changed by a command of the drive, if it is one of the drive, else at once.
    fn change(&mut self, zone: u32, closes: bool) -> bool {
        let state = &mut self.zones[zone as usize];
        state.is_changing = true;
        state.closes = closes;
        if !self.is_of_drive {
            self.end(zone);
        }
        self.is_of_drive
    }

    fn take(&mut self, zone: u32, job: usize) {
        self.hold(zone, job);
        let state = &mut self.zones[zone as usize];
        if state.opener.is_none() {
            state.opener = Some(job);
            self.open.push(zone);
        }
    }

    fn hold(&mut self, zone: u32, job: usize) {
        self.wait_no_more(zone, job);
        let state = &mut self.zones[zone as usize];
        state.holder = job;
        state.in_flight += 1;
    }

    fn close(&mut self, zone: u32) {
        self.zones[zone as usize].opener = None;
        self.open.retain(|other| *other != zone);
    }

    /// A write or reset of a zone is completed; where it failed the host gives the zone up.
    pub(crate) fn completed(&mut self, zone: u32, failed: bool) {
        self.end(zone);
        if failed {
            let state = &mut self.zones[zone as usize];
            if !std::mem::replace(&mut state.is_lost, true) {
                self.written = self.written.saturating_sub(state.pointer);
            }
            self.close(zone);
        }
    }

    /// A write of so many sectors is not sent: it is the last one of its zone.
    pub(crate) fn withdraw(&mut self, zone: u32, sectors: u64) {
        let state = &mut self.zones[zone as usize];
        state.pointer = state.pointer.saturating_sub(sectors);
        self.written = self.written.saturating_sub(sectors);
        self.end(zone);
    }

    /// A reset or finish of a zone is not sent: the zone stays what it was.
    pub(crate) fn withdraw_change(&mut self, zone: u32) {
        let state = &mut self.zones[zone as usize];
        let Former {
            pointer,
            is_finished,
            is_open,
        } = state.former;
        self.written += pointer - state.pointer;
        (state.pointer, state.is_finished, state.closes) = (pointer, is_finished, !is_open);
        self.end(zone);
    }

    /// One thing less is under way in a zone.
    fn end(&mut self, zone: u32) {
        let capacity = self.sizes.capacity;
        let state = &mut self.zones[zone as usize];
        state.in_flight -= 1;
        state.is_changing = false;
        if state.in_flight == 0 {
            state.settled = state.pointer;
            if std::mem::take(&mut state.closes) || state.pointer == capacity {
                self.close(zone);
            }
        }
    }

    /// Whether a write that is about to be sent resets its zone before, of which one in `period` does once `threshold` sectors are written.
    pub(crate) fn resets_early(&mut self, threshold: f64, period: u64) -> bool {
        if (self.written as f64) < threshold {
            return false;
        }
        if self.until_reset == 0 {
            self.until_reset = period;
        }
        self.until_reset -= 1;
        self.until_reset == 0
    }
}
