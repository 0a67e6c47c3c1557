//! A drive with content: every page of flash holds bytes, deltas are made and applied by a codec, and pages of deltas have the layout of the
//! specification. What the FTL plans to read must give the content that the host wrote last, from these bytes alone.

use std::collections::HashMap;

use wordline_content::{Codec, LogPage, codec, parse};
use wordline_nand::{Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

use crate::contract::{FlushMark, Flushing, Ftl, Inspect, Part, PartMut, Subject};
use crate::inflight::PendingProgram;
use crate::mapping::delta::DeltaFtl;
use crate::mapping::delta::tasks::Task;
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Bind, Bound, Lpn, Outcome, Plan, Step, Work};
use crate::request::{Answer, PageOp, PageRequest};

/// The FTL with the bytes of its flash.
pub(super) struct WithBytes {
    pub(super) ftl: DeltaFtl,
    codec: Box<dyn Codec>,
    /// Bytes of pages whose programs are done; those of blocks that were erased since are overwritten later.
    flash: HashMap<u64, Vec<u8>>,
    /// What the host wrote last.
    pub(super) written: HashMap<u64, Vec<u8>>,
    /// By token: what a program of the page-level FTL writes; of an encoding, base and new content; of merges, the content.
    of_write: HashMap<u32, Vec<u8>>,
    of_encoding: HashMap<u32, (Vec<u8>, Vec<u8>)>,
    of_merge: HashMap<u32, Vec<u8>>,
    /// Deltas by stamp, as the codec made them.
    deltas: HashMap<u64, Vec<u8>>,
    state: u64,
    pub(super) reads_checked: u64,
    pub(super) deltas_decoded: u64,
}

impl WithBytes {
    pub(super) fn new(ftl: DeltaFtl, seed: u64) -> Self {
        Self {
            ftl,
            codec: (codec("zero_run").unwrap().make)(),
            flash: HashMap::new(),
            written: HashMap::new(),
            of_write: HashMap::new(),
            of_encoding: HashMap::new(),
            of_merge: HashMap::new(),
            deltas: HashMap::new(),
            state: seed | 1,
            reads_checked: 0,
            deltas_decoded: 0,
        }
    }

    pub(super) fn draw(&mut self, below: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((u128::from(self.state) * u128::from(below)) >> 64) as u64
    }

    fn page_bytes(&self) -> usize {
        self.ftl.geometry().page_bytes as usize
    }

    /// New content of a logical page: its base with as many bytes changed as the next delta may have.
    fn next_content(&mut self, lpn: u64) -> Vec<u8> {
        let mut content = match self.ftl.lookup(Lpn(lpn)) {
            Some(base) => self.flash[&base.0].clone(),
            None => vec![0; self.page_bytes()],
        };
        let version = self.ftl.versions[lpn as usize].wrapping_add(1);
        let ratio = self.ftl.law.draw(self.ftl.seed, lpn, u64::from(version));
        let bytes = self.ftl.law.bytes(content.len() as u32, ratio) as usize;
        // the codec needs a few bytes for the runs
        let changed = (bytes * 15 / 16).saturating_sub(24).min(content.len());
        let from = self.draw((content.len() - changed + 1) as u64) as usize;
        for byte in content.iter_mut().skip(from).take(changed) {
            *byte ^= 1 + self.draw(255) as u8;
        }
        content
    }

    /// The delta of a logical page, from the page of deltas that a plan reads, or from the controller.
    fn delta_of(&self, lpn: u64, plan: &[Step]) -> Vec<u8> {
        let delta = self.ftl.log.get(lpn).unwrap();
        if self.ftl.log.is_in_memory(delta.log) {
            return self.deltas[&delta.stamp].clone();
        }
        let own = self.ftl.own_page(delta.log);
        let page = plan.iter().find_map(|step| match step.work {
            Work::Read { page, .. } if step.lpn.0 == own => Some(page.0),
            _ => None,
        });
        let page = &self.flash[&page.expect("a page of deltas that is not read")];
        let entries = parse(page).unwrap();
        let entry = entries
            .iter()
            .rev()
            .find(|entry| u64::from(entry.logical_page) == lpn);
        let entry = entry.expect("no entry of the page");
        let from = usize::from(entry.offset);
        page[from..from + usize::from(entry.length)].to_vec()
    }

    /// The content of a logical page from what a plan reads of it.
    fn content_of(&mut self, lpn: u64, plan: &[Step]) -> Vec<u8> {
        let base = plan.iter().find_map(|step| match step.work {
            Work::Read { page, .. } if step.lpn.0 == lpn => Some(page.0),
            _ => None,
        });
        let base = self.flash[&base.expect("a base that is not read")].clone();
        if self.ftl.log.get(lpn).is_none() {
            return base;
        }
        self.deltas_decoded += 1;
        let delta = self.delta_of(lpn, plan);
        let mut content = Vec::new();
        self.codec.decode(&base, &delta, &mut content).unwrap();
        content
    }

    /// Looks at the programs of a plan that has just been made: what they write follows from what the plan reads.
    fn look_at(&mut self, plan: &[Step]) {
        for step in plan {
            match self.ftl.tasks.get(step.token) {
                Some(Task::Merge { lpn, .. }) if !self.of_merge.contains_key(&step.token) => {
                    let content = self.content_of(lpn, plan);
                    self.of_merge.insert(step.token, content);
                }
                Some(Task::Program {
                    log, pool: Some(_), ..
                }) => {
                    for (lpn, stamp) in self.ftl.log.page(log).unwrap().deltas.clone() {
                        assert_eq!(
                            self.delta_of(lpn, plan),
                            self.deltas[&stamp],
                            "a delta that is packed"
                        );
                    }
                }
                _ => {}
            }
        }
    }

    /// The bytes that a program brings.
    fn bytes_of(&self, step: &Step) -> Vec<u8> {
        match self.ftl.tasks.get(step.token) {
            Some(Task::Program { log, .. }) => {
                let mut page = LogPage::new(self.page_bytes() as u32).unwrap();
                for (lpn, stamp) in &self.ftl.log.page(log).unwrap().deltas {
                    assert!(
                        page.push(*lpn as u32, &self.deltas[stamp]),
                        "more than fits in a page"
                    );
                }
                page.take()
            }
            Some(Task::Merge { .. }) => self.of_merge[&step.token].clone(),
            Some(task) => panic!("{task:?} is no program"),
            None => match self.ftl.data.pending(step.token) {
                Some(PendingProgram::Move { source, .. }) => self.flash[&source].clone(),
                _ => self.of_write[&step.token].clone(),
            },
        }
    }

    /// At the end every page shows what was written last.
    pub(super) fn check_all(&mut self) {
        for lpn in 0..self.ftl.user_pages() {
            let Some(base) = self.ftl.lookup(Lpn(lpn)) else {
                assert!(!self.written.contains_key(&lpn), "page {lpn} is lost");
                continue;
            };
            let read = |page: u64, lpn: u64| {
                let mut plan = Plan::new();
                crate::mapping::delta::steps::read(&mut plan, page, 1, crate::plan::Cause::Host, lpn);
                plan[0]
            };
            let mut plan = vec![read(base.0, lpn)];
            if let Some(delta) = self.ftl.log.get(lpn)
                && let Some(page) = self.ftl.place_of(delta.log)
            {
                plan.push(read(page, self.ftl.own_page(delta.log)));
            }
            let found = self.content_of(lpn, &plan);
            assert!(found == self.written[&lpn], "page {lpn} shows something else");
        }
    }
}

impl Ftl for WithBytes {
    fn geometry(&self) -> &Geometry {
        self.ftl.geometry()
    }

    fn user_pages(&self) -> u64 {
        self.ftl.user_pages()
    }

    fn part(&self, _subject: Subject) -> Option<Part<'_>> {
        None
    }

    fn part_mut(&mut self, _subject: Subject) -> Option<PartMut<'_>> {
        None
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let lpn = request.lpn.0;
        let content = (request.op == PageOp::Write).then(|| self.next_content(lpn));
        let answer = self.ftl.submit(now, request, plan);
        if answer != Answer::Accepted {
            if answer == Answer::Unmapped {
                assert!(!self.written.contains_key(&lpn));
            }
            return answer;
        }
        match (request.op, content) {
            (PageOp::Write, Some(content)) => {
                let last = *plan.last().unwrap();
                if let Some(Task::Encode { write, .. }) = self.ftl.tasks.get(last.token) {
                    let Work::Read { page, .. } = plan[0].work else {
                        panic!()
                    };
                    let base = self.flash[&page.0].clone();
                    self.of_encoding.insert(last.token, (base, content.clone()));
                    self.of_write.insert(write, content.clone());
                } else {
                    self.of_write.insert(last.token, content.clone());
                }
                self.written.insert(lpn, content);
            }
            (PageOp::Read, _) => {
                let found = self.content_of(lpn, plan);
                assert!(found == self.written[&lpn], "page {lpn} shows something else");
                self.reads_checked += 1;
                let last = plan.last().unwrap().token;
                if let Some(Task::Decode { .. }) = self.ftl.tasks.get(last) {
                    self.of_merge.insert(last, found);
                }
            }
            _ => {
                for lpn in lpn..lpn + request.pages {
                    self.written.remove(&lpn);
                }
            }
        }
        answer
    }

    fn flush(&mut self, now: SimTime, plan: &mut Plan) -> Flushing {
        self.ftl.flush(now, plan)
    }

    fn is_flushed(&self, mark: FlushMark) -> bool {
        self.ftl.is_flushed(mark)
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        self.ftl.bind(now, step, plane)
    }

    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        self.ftl.bind_aligned(now, pairs, bound)
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        let task = self.ftl.tasks.get(step.token);
        if let (Work::Program { .. }, Some(page), Outcome::Good) = (step.work, page, outcome) {
            let bytes = self.bytes_of(step);
            self.flash.insert(page.0, bytes);
        }
        self.ftl.done(now, step, page, outcome, plan);
        match task {
            Some(Task::Encode { lpn, .. }) => {
                let (base, content) = self.of_encoding.remove(&step.token).unwrap();
                if let Some(delta) = self
                    .ftl
                    .log
                    .get(lpn)
                    .filter(|delta| !self.deltas.contains_key(&delta.stamp))
                {
                    let mut made = Vec::new();
                    self.codec.encode(&base, &content, &mut made);
                    assert!(
                        made.len() <= delta.bytes as usize,
                        "{} of {} B",
                        made.len(),
                        delta.bytes
                    );
                    self.deltas.insert(delta.stamp, made);
                }
            }
            Some(Task::Decode { .. }) => {
                let content = self.of_merge.remove(&step.token).unwrap();
                for step in plan.iter() {
                    self.of_merge.insert(step.token, content.clone());
                }
            }
            Some(Task::Merge { .. }) if !plan.iter().any(|grown| grown.token == step.token) => {
                self.of_merge.remove(&step.token);
            }
            _ => {}
        }
    }

    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        self.ftl.notices(notices);
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        let state = self.ftl.advance(now, job, plan);
        self.look_at(plan);
        state
    }
}
