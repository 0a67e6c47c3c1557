//! Looking up: what a request of the host needs of the map before it can go to the data.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::Dftl;
use super::cache::MapCache;
use super::data::DataFtl;
use super::keys::{CacheUnit, Prefetch};
use super::loads::Load;
use crate::contract::Ftl;
use crate::inflight::NO_TOKEN;
use crate::plan::{Lpn, Plan, Step, Work};
use crate::request::{Answer, PageOp, PageRequest, TimedRequest};

/// Steps of a plan up to which entries are prefetched: each may make another one leave the cache, in two steps, and those of
/// the request itself follow.
const MOST_STEPS_BEFORE: usize = 48;

impl<D: DataFtl> Dftl<D> {
    /// Serves a read or a write of a logical page.
    pub(super) fn access(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        if lpn >= self.user_pages() {
            return self.data.submit(now, request, plan);
        }
        if self.is_loading(lpn) {
            return Answer::WaitFor(self.table.lpn(self.translation_page(lpn)));
        }
        let mut own = std::mem::take(&mut self.steps);
        own.clear();
        let answer = self.data.submit(now, request, &mut own);
        if answer == Answer::PartlyInMemory {
            // the write under way has looked the old page up
            let steps = own.iter().map(|step| self.region.step_of_drive(*step));
            plan.extend(steps);
        } else if matches!(answer, Answer::Accepted | Answer::Unmapped) {
            let before = self.look_up(now, request, plan);
            let shift = plan.len();
            for step in &own {
                let after = step.after << shift | before;
                plan.push(self.region.step_of_drive(Step { after, ..*step }));
            }
            if own.is_empty() {
                // there is no data: the answer follows from the entry
                for (at, step) in plan.iter_mut().enumerate() {
                    step.acknowledges = before >> at & 1 == 1;
                }
            }
        }
        self.steps = own;
        answer
    }

    /// Whether the entry of a logical page is being read.
    fn is_loading(&self, lpn: u64) -> bool {
        let slot = |cache: &MapCache| {
            let slot = cache.find(self.key(lpn))?;
            cache.load_of(slot)
        };
        !self.loads.is_empty() && self.cache.as_ref().and_then(slot).is_some()
    }

    /// Has the entry of the page of a request cached. Plans what has to be read and written for it; the steps that those of the
    /// request have to wait for.
    pub(super) fn look_up(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> u64 {
        let lpn = request.lpn.0;
        let (key, page) = (self.key(lpn), self.translation_page(lpn));
        let needs_entry = request.op != PageOp::Write || self.keys.fetch_on_write;
        let Some(cache) = &mut self.cache else { return 0 };
        self.counters.lookups += 1;
        if let Some(slot) = cache.find(key) {
            self.counters.hits += 1;
            cache.touch(slot);
            return if needs_entry {
                self.read_entry(page, plan)
            } else {
                0
            };
        }
        let room = self.make_room(now, plan);
        let Some(cache) = &mut self.cache else { return room };
        cache.insert(key, page);
        if !needs_entry {
            return room;
        }
        let token = self.loads.begin(Load { first: key, keys: 1 });
        let Some(read) = self.table.plan_read(now, page, token, plan) else {
            self.loads.end(token);
            self.write_brought(1, page, 0, plan);
            return room;
        };
        self.counters.fetched_pages += 1;
        let keys = 1 + self.prefetch_after(now, request, plan);
        self.loads.extend(token, keys);
        if let Some(cache) = &mut self.cache {
            for key in key..key + keys {
                if let Some(slot) = cache.find(key) {
                    cache.set_load(slot, Some(token));
                }
            }
        }
        self.write_brought(keys, page, read, plan);
        room | read
    }

    /// Has entries cached that the read of a translation page brings beside the one that was looked up; how many.
    fn prefetch_after(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> u64 {
        if self.keys.prefetch == Prefetch::None || self.keys.cache_unit == CacheUnit::Page {
            return 0;
        }
        let lpn = request.lpn.0;
        let page = self.translation_page(lpn);
        let entries = u64::from(self.geometry.page_bytes / self.keys.entry_bytes);
        let pages = u64::from(request.command_sectors.div_ceil(self.units.sectors_per_page()));
        let most = pages.min(u64::from(self.keys.cached_entries / 2));
        let end = (lpn + most)
            .min((u64::from(page) + 1) * entries)
            .min(self.user_pages());
        let mut brought = 0;
        for lpn in lpn + 1..end {
            let is_cached = |cache: &MapCache| cache.find(lpn).is_some();
            if plan.len() + 2 > MOST_STEPS_BEFORE || self.cache.as_ref().is_none_or(is_cached) {
                break;
            }
            self.make_room(now, plan);
            if let Some(cache) = &mut self.cache {
                cache.insert(lpn, page);
            }
            brought += 1;
        }
        self.counters.prefetched += brought;
        brought
    }

    /// Has room for a further key in the cache; the steps that write what had to leave for it.
    fn make_room(&mut self, now: SimTime, plan: &mut Plan) -> u64 {
        let Some(cache) = self.cache.as_mut().filter(|cache| cache.is_full()) else {
            return 0;
        };
        let Some(evicted) = cache.evict(self.keys.clean_first) else {
            return 0;
        };
        self.counters.evicted += 1;
        if !evicted.dirty {
            return 0;
        }
        self.counters.evicted_dirty += 1;
        self.write_back(now, evicted.page, plan)
    }

    /// Plans that a translation page that leaves the cache, or an entry of which does, is written with what is newer in the
    /// controller; the mask of the program.
    fn write_back(&mut self, now: SimTime, page: u32, plan: &mut Plan) -> u64 {
        let together = self.clean_together(page);
        let changed = self.read_changed(1 + together, page, plan);
        match self.keys.cache_unit {
            CacheUnit::Entry => self.table.plan_update(now, page, changed, plan),
            // the cache has all its entries
            CacheUnit::Page => self.table.plan_program(now, page, changed, plan),
        }
    }

    /// A translation page is about to be written: with all its changed entries, where these are written together; how many the
    /// cache has.
    fn clean_together(&mut self, page: u32) -> u32 {
        match &mut self.cache {
            Some(cache) if self.keys.batch_eviction => cache.clean_page(page),
            _ => 0,
        }
    }

    /// Whether a step was the read of a translation page that brings entries; they are there then.
    pub(super) fn end_load(&mut self, step: &Step) -> bool {
        if !matches!(step.work, Work::Read { .. }) || step.token == NO_TOKEN {
            return false;
        }
        let Some(Load { first, keys }) = self.loads.end(step.token) else {
            return false;
        };
        if let Some(cache) = &mut self.cache {
            for key in first..first + keys {
                if let Some(slot) = cache.find(key)
                    && cache.load_of(slot) == Some(step.token)
                {
                    cache.set_load(slot, None);
                }
            }
        }
        true
    }

    /// Forgets logical pages, and changes their entries. Of a translation page that loses all its pages nothing is written any
    /// more; one that loses several but not all is written at once; a single page is changed in the cache.
    pub(super) fn trim(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let range = request.lpn.0..(request.lpn.0 + request.pages.max(1)).min(self.user_pages());
        if range.is_empty() {
            return self.data.submit(now, request, plan);
        }
        if request.pages <= 1 {
            let was_mapped = self.data.lookup(request.lpn).is_some();
            let answer = self.access(now, request, plan);
            if answer == Answer::Accepted && was_mapped && self.data.lookup(request.lpn).is_none() {
                let lpn = request.lpn.0;
                self.change_entry(lpn, plan);
                self.plan_late_updates(now, plan);
            }
            return answer;
        }
        let pages = self.translation_page(range.start)..self.translation_page(range.end - 1) + 1;
        if let Some(page) = pages.clone().find(|page| self.table.is_being_written(*page)) {
            return Answer::WaitFor(self.table.lpn(page));
        }
        let changed: Vec<u32> = pages
            .filter(|page| {
                let covered = self.entries_of(*page);
                let covered = covered.start.max(range.start)..covered.end.min(range.end);
                covered
                    .into_iter()
                    .any(|lpn| self.data.lookup(Lpn(lpn)).is_some())
            })
            .collect();
        let answer = self.data.submit(now, request, plan);
        if answer != Answer::Accepted {
            return answer;
        }
        for page in changed {
            let entries = self.entries_of(page);
            if range.start <= entries.start && entries.end <= range.end {
                if let Some(cache) = &mut self.cache {
                    cache.forget_page(page);
                }
                self.table.forget(now, page);
            } else {
                let together = self.clean_together(page);
                let changed = self.read_changed(together, page, plan);
                self.table.plan_update(now, page, changed, plan);
            }
        }
        Answer::Accepted
    }

    /// The logical pages whose entries a translation page has.
    pub(super) fn entries_of(&self, page: u32) -> std::ops::Range<u64> {
        let entries = u64::from(self.geometry.page_bytes / self.keys.entry_bytes);
        let first = u64::from(page) * entries;
        first..(first + entries).min(self.user_pages())
    }

    /// How many of these requests are writes of whole pages whose entries are at hand, one after the other; none where something that will
    /// be programmed with them has an entry that is not.
    pub(super) fn known_ahead(&mut self, requests: &[TimedRequest]) -> usize {
        let mut waiting = std::mem::take(&mut self.brought);
        waiting.clear();
        self.data.waiting(&mut waiting);
        let known = match &self.cache {
            None => requests.len(),
            Some(cache) if waiting.iter().any(|lpn| cache.find(self.key(*lpn)).is_none()) => 0,
            Some(cache) => {
                let is_known = |request: &&TimedRequest| {
                    request.op == PageOp::Write && cache.find(self.key(request.lpn.0)).is_some()
                };
                requests.iter().take_while(is_known).count()
            }
        };
        self.brought = waiting;
        known
    }

    /// Requests whose entries were at hand are done, and pages of the region programmed, each with the last of the requests that it
    /// brings: entries are looked up, and those of what was programmed changed.
    pub(super) fn written_at_once(&mut self, requests: &[TimedRequest], programmed: &[Ppn]) {
        let per_page = u64::from(self.units.pages_per_program);
        for request in requests {
            let key = self.key(request.lpn.0);
            if let Some(cache) = &mut self.cache
                && let Some(slot) = cache.find(key)
            {
                cache.touch(slot);
                self.counters.lookups += 1;
                self.counters.hits += 1;
                self.count_read_at_once();
                if per_page == 1 {
                    self.change_at_once(request.lpn.0);
                }
            }
        }
        if per_page > 1 {
            for place in programmed
                .iter()
                .flat_map(|page| page.0 * per_page..(page.0 + 1) * per_page)
            {
                if let Some(lpn) = self.data.owner(Ppn(place)) {
                    self.change_at_once(lpn.0);
                }
            }
        }
    }

    /// The entry of a logical page, which the cache has, is another one.
    fn change_at_once(&mut self, lpn: u64) {
        let key = self.key(lpn);
        if let Some(cache) = &mut self.cache {
            cache.change(key);
            self.count_write_at_once();
        }
    }
}
