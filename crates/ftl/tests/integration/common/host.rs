//! A host whose commands are executed in any order, and what its answers must be.

use std::collections::VecDeque;

use wordline_ftl::any_order::{AnyOrder, AnyOrderOptions};
use wordline_ftl::{
    Answer, Bind, Bound, Cause, Facts, FlushMark, Flushing, Ftl, Inspect, JobId, JobNotice, JobState, Lpn,
    Outcome, PageOp, PageRequest, Part, PartMut, Plan, Step, Subject, Subjects, Work,
};
use wordline_nand::{BlockId, Geometry, PlaneId, Ppn, RestrictionsConfig};
use wordline_units::{Duration, Seed, SimTime};

use super::audit;
use super::contents::{Command, Contents, Done};
use super::reference::{Content, bitmap_of};
use super::work::Random;

/// When a page of the host first found no room in the SLC cache.
pub(crate) fn cache_full_since(ftl: &dyn Inspect) -> Option<SimTime> {
    ftl.cached_writes()?.full_since()
}

/// An FTL of which an alignment that fails must change nothing, and whose writes read what they must.
pub(crate) struct Watched<'a>(
    pub(crate) &'a mut dyn Inspect,
    /// Pages that the plan of the last request reads.
    pub(crate) usize,
    /// Sub-pages of them.
    pub(crate) u64,
);

impl Ftl for Watched<'_> {
    fn geometry(&self) -> &Geometry {
        self.0.geometry()
    }
    fn facts(&self) -> Facts {
        self.0.facts()
    }
    fn user_pages(&self) -> u64 {
        self.0.user_pages()
    }
    fn flush(&mut self, now: SimTime, plan: &mut Plan) -> Flushing {
        self.0.flush(now, plan)
    }
    fn is_flushed(&self, mark: FlushMark) -> bool {
        self.0.is_flushed(mark)
    }
    fn part(&self, subject: Subject) -> Option<Part<'_>> {
        match subject {
            Subject::Recovery => self.0.part(subject),
            _ => None,
        }
    }
    fn part_mut(&mut self, _subject: Subject) -> Option<PartMut<'_>> {
        None
    }
    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let answer = self.0.submit(now, request, plan);
        // reads of spare areas and of the map are no reads of data
        let of_host = || plan.iter().filter(|step| step.cause == Cause::Host);
        // one that is not attempted stands as a computation
        let reads = |step: &&Step| {
            let is_avoided = matches!(step.work, Work::Compute { .. });
            is_avoided || matches!(step.work, Work::Read { .. } | Work::CopyBack { .. })
        };
        self.1 = of_host().filter(reads).count();
        self.2 = of_host().fold(0, |bitmap, step| match step.work {
            Work::Read { bitmap: read, .. } => bitmap | read,
            _ => bitmap,
        });
        let of_data = || plan.iter().filter(|step| step.cause != Cause::Mapping);
        match (request.op, answer) {
            (PageOp::Read, Answer::Accepted | Answer::PartlyInMemory)
                if plan.iter().all(|step| step.cause == Cause::Parity) =>
            {
                // of those others that the controller does not have
                let is_computed = matches!(plan.last().map(|step| step.work), Some(Work::Compute { .. }));
                assert!(is_computed, "{plan:?}");
            }
            (PageOp::Read, Answer::Accepted | Answer::PartlyInMemory) => {
                assert_eq!((of_host().count(), self.1), (1, 1));
            }
            (PageOp::Write, Answer::Accepted) => assert!(of_data().count() > 0),
            (_, Answer::Accepted | Answer::Unmapped) => assert_eq!(of_data().count(), 0),
            _ => assert!(plan.is_empty()),
        }
        answer
    }
    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        let bind = self.0.bind(now, step, plane);
        if let Bind::Page(bound) = bind {
            let geometry = self.0.geometry();
            let found = geometry.plane_of(geometry.block_of(bound.page));
            assert_eq!(found, plane, "bound in another plane");
        }
        bind
    }
    fn place(&mut self, now: SimTime, step: &Step, plan: &mut Plan) -> Bind {
        self.0.place(now, step, plan)
    }
    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        let facts = |ftl: &dyn Inspect| -> Vec<_> {
            (0..ftl.geometry().blocks())
                .map(|block| ftl.block(BlockId(block)))
                .collect()
        };
        let before = facts(self.0);
        let aligned = self.0.bind_aligned(now, pairs, bound);
        if aligned {
            assert_eq!(bound.len(), pairs.len());
        } else {
            assert_eq!(before, facts(self.0), "a failed alignment changed something");
        }
        aligned
    }
    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        self.0.done(now, step, page, outcome, plan);
        if outcome != Outcome::Good && step.cause.is_of_host() && !matches!(step.work, Work::Read { .. }) {
            assert!(!plan.is_empty(), "a host write that {outcome:?} was given up");
        }
    }
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        self.0.notices(notices);
    }
    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        self.0.advance(now, job, plan)
    }
}

pub(crate) struct Options {
    /// Host commands in flight.
    pub(crate) depth: usize,
    /// Programs and erases that fail, one in 200 until all have.
    pub(crate) failures: u32,
    /// One read of data in so many cannot be corrected; 0 for none.
    pub(crate) unreadable: u32,
    /// Whether several programs are tried as one multi-plane command.
    pub(crate) multi_plane: bool,
    /// Whether the drive acts on TRIM.
    pub(crate) trims: bool,
}

/// A host.
pub(crate) struct Host<'a> {
    pub(crate) executor: AnyOrder<'a, Watched<'a>, Contents>,
    options: Options,
    random: Random,
    waiting: VecDeque<PageRequest>,
    /// Blocks that had been replaced or retired when it was looked last what is collected together.
    replaced: u64,
}

fn overlap(a: &PageRequest, b: &PageRequest) -> bool {
    a.lpn.0 < b.lpn.0 + b.pages && b.lpn.0 < a.lpn.0 + a.pages
}

/// By block: what is collected with it.
pub(crate) fn superblocks(ftl: &dyn Inspect) -> Vec<Option<BlockId>> {
    let blocks = (0..ftl.geometry().blocks()).map(BlockId);
    blocks
        .map(|block| ftl.collected_space().unwrap().collected_block(block))
        .collect()
}

impl<'a> Host<'a> {
    pub(crate) fn new(
        ftl: &'a mut Watched<'a>,
        restrictions: &RestrictionsConfig,
        seed: u64,
        options: Options,
    ) -> Self {
        let mut contents = Contents::new(*ftl.geometry(), restrictions);
        contents.superblocks = superblocks(ftl.0);
        Self::with(ftl, contents, seed, options)
    }

    /// The host of a flash with content.
    pub(crate) fn with(ftl: &'a mut Watched<'a>, contents: Contents, seed: u64, options: Options) -> Self {
        let order = AnyOrderOptions {
            seed: Seed(seed),
            aligned: options.multi_plane,
            fails_one_in: 200,
            most_failures: options.failures,
            unreadable_one_in: options.unreadable,
            time_per_turn: Duration::from_us(1),
        };
        Self {
            executor: AnyOrder::new(ftl, order, contents),
            random: Random::new(seed, "host"),
            waiting: VecDeque::new(),
            replaced: 0,
            options,
        }
    }

    /// Serves all commands to the end.
    pub(crate) fn run(&mut self, mut commands: impl Iterator<Item = PageRequest>) -> Done {
        while self.go_on(&mut commands) {
            if self.random.one_in(500) {
                self.audit();
            }
        }
        self.executor.drain().unwrap();
        self.audit();
        self.verify_all();
        self.executor.observer().done.clone()
    }

    /// Admits a command or lets something else happen; false when nothing is left to do.
    pub(crate) fn go_on(&mut self, commands: &mut impl Iterator<Item = PageRequest>) -> bool {
        let counters = self.executor.ftl().0.counters();
        let replaced = counters.retired_blocks + counters.parity.rebuilt_members;
        if replaced != self.replaced {
            self.replaced = replaced;
            let now = superblocks(self.executor.ftl().0);
            self.executor.observer_mut().superblocks = now;
        }
        if self.random.one_in(3) && self.admit(commands) {
            return true;
        }
        self.executor.turn().unwrap() || self.admit(commands)
    }

    fn audit(&self) {
        let ftl = &*self.executor.ftl().0;
        let contents = self.executor.observer();
        let counted: u64 = (0..ftl.geometry().blocks())
            .map(|block| u64::from(ftl.block(BlockId(block)).erase_count))
            .sum();
        let is_whole = ftl.counters().retired_blocks == 0;
        if self.options.failures == 0 && is_whole {
            let erases = |step: &Step| matches!(step.work, Work::Erase { .. });
            let running = self.executor.running().iter();
            let running = running.filter(|started| erases(&started.step)).count() as u64;
            assert_eq!(counted, contents.done.erases - running, "J8");
        }
        // with failures: a block whose program failed is retired, not erased for use
        let awaited: Vec<Ppn> = self.executor.awaited().collect();
        // programs of mappings of whole blocks count when they have started
        let is_placed = ftl.facts().joins_placed_programs;
        audit::check_while(
            ftl,
            &contents.medium,
            counted,
            if is_placed { &awaited } else { &[] },
        );
    }

    /// Admits the oldest command that may go, waiting ones first.
    fn admit(&mut self, commands: &mut impl Iterator<Item = PageRequest>) -> bool {
        for index in 0..self.waiting.len() {
            let request = self.waiting[index];
            let mut earlier = self.waiting.iter().take(index);
            if !earlier.any(|earlier| overlap(earlier, &request)) && self.submit(&request) {
                self.waiting.remove(index);
                return true;
            }
        }
        if self.executor.requests_under_way() + self.waiting.len() >= self.options.depth {
            return false;
        }
        let Some(request) = commands.next() else {
            return false;
        };
        let held = self.waiting.iter().any(|earlier| overlap(earlier, &request));
        if held || !self.submit(&request) {
            self.waiting.push_back(request);
        }
        true
    }

    /// Submits a command; false if it has to wait.
    fn submit(&mut self, request: &PageRequest) -> bool {
        let number = self.executor.accepted();
        let lpn = request.lpn.0;
        let answer = self.executor.submit(request).unwrap();
        let Watched(ftl, reads, read) = self.executor.ftl();
        let (reads, read) = (*reads, *read);
        let forgotten =
            (lpn..lpn + request.pages).all(|lpn| ftl.valid_sectors(Lpn(lpn)) & request.bitmap == 0);
        let own = ftl.user_pages()..ftl.user_pages() + ftl.facts().own_pages;
        let contents = self.executor.observer_mut();
        let before = contents.reference.content(lpn);
        let shown = |sector: usize| request.bitmap >> sector & 1 == 1 && before[sector] != 0;
        match (request.op, answer) {
            (_, Answer::Wait) => {
                assert!(
                    (lpn..lpn + request.pages).any(|lpn| contents.under_way.contains_key(&lpn)),
                    "{request:?} waits and no write is under way"
                );
                contents.done.waits += 1;
                return false;
            }
            (_, Answer::WaitFor(other)) => {
                // a page of the map, which a plan under way reads or writes
                assert!(own.contains(&other.0), "{request:?} waits for {other:?}");
                contents.done.waits += 1;
                return false;
            }
            (PageOp::Read, Answer::Unmapped) => {
                assert!(
                    !(0..before.len()).any(shown),
                    "J4, J17: {request:?} holds {before:?}"
                );
            }
            (PageOp::Read, Answer::InMemory | Answer::PartlyInMemory) => {
                contents.done.in_memory += u64::from(answer == Answer::InMemory);
                contents.done.merged += u64::from(answer == Answer::PartlyInMemory);
                let newest = contents.under_way.get(&lpn).and_then(|writes| writes.last());
                let newest = newest.expect("data in the controller and no write under way");
                // what is computed from parity has no step that reads it
                let is_computed = answer == Answer::PartlyInMemory && read == 0;
                let is_read = |sector: usize| {
                    read >> sector & 1 == 1 || is_computed && newest[sector] != before[sector]
                };
                for sector in (0..before.len()).filter(|sector| shown(*sector) && !is_read(*sector)) {
                    assert_eq!(
                        newest[sector], before[sector],
                        "J4: {request:?}, sub-page {sector}"
                    );
                }
                if answer == Answer::PartlyInMemory {
                    let of_flash = |sector: usize| shown(sector) && is_read(sector);
                    let expected = (0..before.len()).map(|at| if of_flash(at) { before[at] } else { 0 });
                    contents.accepted(number, Command::Read(lpn, expected.collect()));
                }
            }
            (PageOp::Read, Answer::Accepted) => {
                let expected: Content = (0..before.len())
                    .map(|sector| if shown(sector) { before[sector] } else { 0 })
                    .collect();
                assert_ne!(bitmap_of(&expected), 0);
                contents.accepted(number, Command::Read(lpn, expected));
            }
            (PageOp::Write, Answer::Accepted) => {
                let valid = bitmap_of(&before);
                assert_eq!(
                    reads,
                    usize::from(valid & !request.bitmap != 0),
                    "I11: covered updates read nothing, un-covered ones one page: {request:?} on {valid:b}"
                );
                let data = contents.reference.write(lpn, request.bitmap);
                contents.accepted(number, Command::Write(lpn, data));
            }
            (PageOp::Trim, Answer::Accepted) => {
                if self.options.trims {
                    assert!(forgotten, "J17");
                    for lpn in lpn..lpn + request.pages {
                        contents.trim(lpn, request.bitmap);
                    }
                }
            }
            (_, answer) => panic!("{request:?} answered by {answer:?}"),
        }
        true
    }

    /// At the end: every logical page shows what the reference says.
    fn verify_all(&self) {
        let ftl = &*self.executor.ftl().0;
        let contents = self.executor.observer();
        for lpn in 0..ftl.user_pages() {
            let expected = contents.reference.content(lpn);
            let valid = bitmap_of(&expected);
            assert_eq!(ftl.valid_sectors(Lpn(lpn)), valid, "sub-pages of page {lpn}");
            let Some(page) = ftl.lookup(Lpn(lpn)) else {
                assert_eq!(valid, 0, "J4: page {lpn} is lost");
                continue;
            };
            let content = contents.page(page);
            for (sector, expected) in expected.iter().enumerate().filter(|(_, write)| **write != 0) {
                assert_eq!(content[sector], *expected, "J4: page {lpn}, sub-page {sector}");
            }
        }
        contents.check_nothing_lost(None);
    }
}
