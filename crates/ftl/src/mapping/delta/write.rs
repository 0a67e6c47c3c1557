//! Host requests: which writes are encoded, and what is read for a page with a delta.

use wordline_units::SimTime;

use super::accesses::Counts;
use super::merge::Merging;
use super::steps::{Coding, code, program, read};
use super::tasks::Task;
use super::{COLD, DeltaFtl, OLD};
use crate::contract::{Flushing, Ftl};
use crate::inflight::{NO_TOKEN, PendingProgram};
use crate::map::HostMap;
use crate::notice::{JobNotice, JobState, Urgency};
use crate::plan::{Cause, Lpn, Plan, Scope, Step, Target, Work};
use crate::request::{Answer, PageRequest};

/// Most programs that one flush plans.
const MOST_PROGRAMS: usize = 64;

impl DeltaFtl {
    /// A page is written: as a delta, where algorithm DISPATCH says so (specification, section 3), or as a page.
    pub(super) fn write(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        let new = request.bitmap & self.data.geometry().full_bitmap();
        if lpn >= self.user || new == 0 {
            return self.data.submit(now, request, plan);
        }
        if self
            .data
            .inflight
            .pending(lpn)
            .is_some_and(|pending| pending & !new != 0)
        {
            return Answer::Wait;
        }
        let (counts, dropped) = self.accesses.write(lpn);
        self.forget_accesses(now, dropped);
        self.scan_in_time(now);
        let version = &mut self.versions[lpn as usize];
        *version = version.wrapping_add(1);
        match self.base_to_encode(lpn, new, counts) {
            Some(base) => self.encode(now, request, base, plan),
            None => self.write_page(now, request, plan),
        }
    }

    /// The page and its sub-pages that a write is encoded against, if it is. The base must stay what it is until the delta is made: nothing
    /// else of the page is under way.
    fn base_to_encode(&mut self, lpn: u64, new: u64, counts: Counts) -> Option<(u64, u64)> {
        let (page, valid) = self.data.map.get(lpn)?;
        let is_hot = counts.writes >= self.keys.hot_threshold && counts.reads < self.keys.read_hot_threshold;
        let is_free = self.data.inflight.pending(lpn).is_none() && !self.merging.contains(&lpn);
        if !is_hot || !is_free || new & !valid != 0 || !self.is_encodable(lpn) {
            return None;
        }
        self.counters.candidates += 1;
        if !self.has_room_for_deltas() {
            self.counters.without_room += 1;
            return None;
        }
        if !self.gate.admits() {
            self.counters.turned_away += 1;
            return None;
        }
        Some((page, valid))
    }

    /// Whether what is written to a page resembles what it replaces, for all of its writes alike.
    fn is_encodable(&self, lpn: u64) -> bool {
        let bits = self.seed.draw("content.encodable", lpn) >> 11;
        (bits as f64) < self.keys.encodable * (1_u64 << 53) as f64
    }

    /// The base is read, and the delta made; what the write does not bring of the page comes from the base, and the delta before.
    fn encode(
        &mut self,
        now: SimTime,
        request: &PageRequest,
        (page, valid): (u64, u64),
        plan: &mut Plan,
    ) -> Answer {
        let lpn = request.lpn.0;
        let new = request.bitmap & valid;
        let ftl = &mut self.data;
        ftl.locate(request.lpn);
        let target = Target::Frontier {
            frontier: ftl.separation.frontier(now, request),
            scope: ftl.placement.scope(request.lpn),
        };
        ftl.inflight.begin_write(lpn, new, valid);
        let write = ftl.inflight.add(PendingProgram::Write {
            placement: request.placement,
            version: 1,
            after: valid,
            new,
        });
        let is_covered = new == valid;
        if is_covered {
            ftl.space.counters.covered_writes += 1;
        } else {
            ftl.space.counters.uncovered_writes += 1;
        }
        ftl.space.record_host_access(page, now);
        let page_bytes = ftl.geometry().page_bytes;
        let delta = self.begin_delta(lpn, new, page, write);
        let changed = self
            .law
            .draw(self.seed, lpn, u64::from(self.versions[lpn as usize]));
        let ratio = self.keys.drift.ratio(changed, self.log.writes_since_base(lpn));
        let token = self.tasks.add(Task::Encode {
            lpn,
            bytes: match &delta {
                Some(delta) => delta.len() as u32,
                None => self.law.bytes(page_bytes, ratio),
            },
            number: self.number,
            target,
            write,
        });
        self.keep_delta(token, delta);
        let mut after = read(plan, page, valid, Cause::Delta, lpn);
        let mut ns = self.encode_ns;
        if !is_covered && self.log.get(lpn).is_some() {
            after |= self.read_delta(lpn, plan);
            ns = ns.saturating_add(self.decode_ns);
        }
        let coding = Coding {
            ns,
            sectors: 0,
            group: self.group_of(page),
            acknowledges: true,
            cause: Cause::Delta,
        };
        code(plan, coding, after, lpn, token);
        Answer::Accepted
    }

    /// Plans the read of the page with the delta of a logical page, if that is on flash; its mask.
    pub(super) fn read_delta(&self, lpn: u64, plan: &mut Plan) -> u64 {
        let full = self.data.geometry().full_bitmap();
        let log = self.log.get(lpn).map(|delta| delta.log);
        let Some(log) = log.filter(|log| !self.log.is_in_memory(*log)) else {
            return 0;
        };
        let place = self.place_of(log);
        place.map_or(0, |page| read(plan, page, full, Cause::Delta, self.own_page(log)))
    }

    /// The page is written as a page. What is read of the old one is decoded first, where it has a delta.
    fn write_page(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let answer = self.data.submit(now, request, plan);
        let lpn = request.lpn.0;
        if answer == Answer::Accepted
            && let Some(program) = plan.last()
        {
            let full = self.data.geometry().full_bitmap();
            self.begin_page(lpn, request.bitmap & full, program.token);
        }
        if let [base, last] = plan[..]
            && let Work::Read { page, .. } = base.work
            && self.log.get(lpn).is_some()
        {
            plan.truncate(1);
            let after = 1 | self.read_delta(lpn, plan);
            let decoding = self.decoding(page.0, Cause::Host);
            let decoded = code(plan, decoding, after, lpn, NO_TOKEN);
            plan.push(Step {
                after: decoded,
                ..last
            });
        }
        answer
    }

    /// The codecs that work on a page of flash.
    fn group_of(&self, page: u64) -> u16 {
        self.keys.codec_scope.group_of(self.data.geometry(), page)
    }

    /// A page of flash is decoded, and nothing waits for that but further steps.
    pub(super) fn decoding(&self, page: u64, cause: Cause) -> Coding {
        Coding {
            ns: self.decode_ns,
            sectors: 0,
            group: self.group_of(page),
            acknowledges: false,
            cause,
        }
    }

    /// A page with a delta is read with the page of its delta, unless the controller has that, and decoded. A page that has become read-hot is
    /// merged then.
    pub(super) fn read(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let answer = self.data.submit(now, request, plan);
        let lpn = request.lpn.0;
        if !matches!(answer, Answer::Accepted | Answer::PartlyInMemory) || lpn >= self.user {
            return answer;
        }
        // a plan of a part may be given up, so that nothing is remembered of it
        let is_whole = answer == Answer::Accepted;
        let (counts, dropped) = self.accesses.read(lpn);
        self.forget_accesses(now, dropped);
        let Some(delta) = self.log.get(lpn) else {
            if is_whole
                && let Some(Step {
                    work: Work::Read { bitmap, .. },
                    token,
                    ..
                }) = plan.last_mut()
            {
                *token = self.begin_reading(lpn, *bitmap, *token);
            }
            return answer;
        };
        let Some(Step {
            work: Work::Read { page, bitmap, .. },
            ..
        }) = plan.pop()
        else {
            return answer;
        };
        self.counters.reads += 1;
        let mut after = read(plan, page.0, bitmap, Cause::Delta, lpn);
        let of_delta = self.read_delta(lpn, plan);
        self.counters.reads_in_memory += u64::from(of_delta == 0);
        after |= of_delta;
        let merges = is_whole && self.keys.merge_on_read && counts.reads >= self.keys.read_hot_threshold;
        let token = if merges && self.may_merge(lpn) {
            self.tasks.add(Task::Decode {
                lpn,
                stamp: delta.stamp,
            })
        } else {
            NO_TOKEN
        };
        let token = if is_whole {
            self.begin_reading(lpn, bitmap, token)
        } else {
            token
        };
        let coding = Coding {
            sectors: bitmap.count_ones() as u8,
            acknowledges: true,
            ..self.decoding(page.0, Cause::Delta)
        };
        code(plan, coding, after, lpn, token);
        answer
    }

    /// Pages that lost all their data have no delta either. Writes that were not acknowledged yet come before.
    pub(super) fn trim(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let range = request.lpn.0..request.lpn.0.saturating_add(request.pages.max(1));
        let awaited = self.tasks.iter().find_map(|task| match task {
            Task::Program {
                log,
                awaited_by: Some(lpn),
                ..
            } if range.contains(lpn) => Some(*log),
            _ => None,
        });
        if let Some(log) = awaited.filter(|_| self.data.trims) {
            return Answer::WaitFor(Lpn(self.own_page(log)));
        }
        let answer = self.data.submit(now, request, plan);
        if answer == Answer::Accepted && self.data.trims {
            let first = request.lpn.0;
            for lpn in first..first + request.pages.max(1) {
                if !self.data.map.is_mapped(lpn) {
                    self.forget_bytes(lpn);
                    self.drop_delta(now, lpn);
                }
            }
        }
        answer
    }

    /// A page of deltas is full, or to be programmed as it is: its program, which a write may wait for.
    pub(super) fn program_of(&mut self, log: u32, awaited_by: Option<u64>) -> Step {
        self.closed += 1;
        self.counters.log_programs += 1;
        self.counters.log_bytes += u64::from(self.log.used(log));
        let home = self.spare.next_pool();
        let task = Task::Program {
            log,
            pool: None,
            closed: self.closed,
            awaited_by,
            home,
        };
        let token = self.tasks.add(task);
        let scope = home.map_or(Scope::Drive, |pool| {
            self.spare.change(pool, 1);
            self.data.space.pool_scope(pool)
        });
        let full = self.data.geometry().full_bitmap();
        let frontier = self.data.space.frontiers.of_own_pages();
        Step {
            acknowledges: true,
            ..program((frontier, scope), full, Cause::Delta, self.own_page(log), token)
        }
    }

    /// Plans the programs of the pages of deltas that are being filled.
    pub(super) fn program_open(&mut self, plan: &mut Plan) -> Flushing {
        while let Some(log) = self.log.first_open().filter(|_| plan.len() < MOST_PROGRAMS) {
            self.log.close(log);
            let step = self.program_of(log, None);
            plan.push(step);
        }
        Flushing {
            mark: crate::contract::FlushMark(self.closed),
            goes_on: self.log.first_open().is_some(),
        }
    }

    /// The job that programs pages of deltas once their first delta is old enough: its next plan.
    pub(super) fn program_old(&mut self, now: SimTime, plan: &mut Plan) -> JobState {
        self.age_noticed = false;
        while let Some((opened, log)) = self.log.oldest_open().filter(|_| plan.len() < MOST_PROGRAMS)
            && self.keys.temp_max_age.is_some_and(|age| opened + age <= now)
        {
            self.log.close(log);
            let step = self.program_of(log, None);
            plan.push(Step {
                acknowledges: false,
                ..step
            });
        }
        self.watch_age();
        if plan.is_empty() {
            JobState::Finished
        } else {
            JobState::Yielded
        }
    }

    /// Announces the job that programs pages of deltas once they are old enough, where one waits for that.
    pub(super) fn watch_age(&mut self) {
        if let Some(age) = self.keys.temp_max_age.filter(|_| !self.age_noticed)
            && let Some((opened, _)) = self.log.oldest_open()
        {
            self.age_noticed = true;
            self.notices.push(JobNotice {
                job: OLD,
                scope: Scope::Drive,
                urgency: Urgency::Normal,
                not_before: opened + age,
            });
        }
    }

    /// The accesses of a page are no longer counted.
    fn forget_accesses(&mut self, now: SimTime, dropped: Option<u64>) {
        if let Some(lpn) = dropped
            && self.keys.merge_on_evict
            && self.log.get(lpn).is_some()
        {
            self.push_cold(now, lpn);
        }
    }

    /// After so many writes, pages with a delta that are no longer write-hot are to be merged, and all counts are halved.
    fn scan_in_time(&mut self, now: SimTime) {
        self.unscanned += 1;
        if self.unscanned < self.keys.scan_interval_writes {
            return;
        }
        self.unscanned = 0;
        let (log, threshold, budget) = (&self.log, self.keys.hot_threshold, self.keys.scan_budget as usize);
        let mut found = Vec::new();
        self.accesses.age(|lpn, counts| {
            if counts.writes < threshold && found.len() < budget && log.get(lpn).is_some() {
                found.push(lpn);
            }
        });
        for lpn in found {
            self.push_cold(now, lpn);
        }
    }

    fn push_cold(&mut self, now: SimTime, lpn: u64) {
        if self.cold.len() < self.user as usize {
            self.cold.push_back(lpn);
            if !self.cold_noticed {
                self.cold_noticed = true;
                self.notice(now, COLD);
            }
        }
    }
}

impl DeltaFtl {
    /// Whether a page with a delta can be merged now: nothing else of it is under way.
    pub(super) fn may_merge(&self, lpn: u64) -> bool {
        let merging = Merging {
            log: &self.log,
            merging: &self.merging,
            inflight: &self.data.inflight,
        };
        merging.is_possible(lpn)
    }
}
