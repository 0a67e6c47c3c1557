//! An executor that keeps steps in flight, starts and finishes them in random order, and compares
//! every page that travels with the reference.

mod finish;
mod start;

use std::collections::{BTreeMap, HashMap, VecDeque};

use wordline_ftl::{
    Answer, Bind, BlockRole, Bound, Cause, Inspect, JobId, JobNotice, JobState, Lpn, Outcome, PageOp,
    PageRequest, Plan, Scope, Step, Target, Urgency, Work,
};
use wordline_nand::{BlockId, Geometry, Medium, PlaneId, Ppn, RestrictionsConfig};
use wordline_units::SimTime;

use super::audit;
use super::reference::{Content, Reference, bitmap_of, overlay};
use super::work::Random;

/// A host write that is under way.
#[derive(Clone, Debug)]
struct HostWrite {
    lpn: u64,
    data: Content,
}

/// A plan under way.
struct Running {
    steps: Plan,
    started: u64,
    done: u64,
    /// What each read brought.
    brought: Vec<Option<Content>>,
    /// What an earlier attempt had assembled.
    base: Content,
    host: Option<HostWrite>,
    expected: Option<(u64, Content)>,
    job: Option<JobId>,
}

/// A step that runs in a plane.
struct Busy {
    plan: u64,
    at: usize,
    page: Option<Ppn>,
    fails: bool,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Done {
    pub(crate) programs: BTreeMap<Cause, u64>,
    pub(crate) reads: BTreeMap<Cause, u64>,
    pub(crate) copy_backs: u64,
    pub(crate) erases: u64,
    pub(crate) good_erases: u64,
    pub(crate) skipped: u64,
    pub(crate) host_writes: u64,
    pub(crate) waits: u64,
    pub(crate) in_memory: u64,
    pub(crate) aligned: u64,
    pub(crate) declined: u64,
    pub(crate) no_space: u64,
    /// A digest of every event in order.
    pub(crate) digest: u64,
}

pub(crate) struct Options {
    /// Host commands in flight.
    pub(crate) depth: usize,
    /// Programs and erases that fail, one in 200 until all have.
    pub(crate) failures: u64,
    /// Whether several programs are tried as one multi-plane command.
    pub(crate) multi_plane: bool,
    /// Whether the drive acts on TRIM.
    pub(crate) trims: bool,
}

pub(crate) struct Executor<'a> {
    pub(crate) ftl: &'a mut dyn Inspect,
    geometry: Geometry,
    medium: Medium,
    reference: Reference,
    random: Random,
    options: Options,
    now: SimTime,
    plans: BTreeMap<u64, Running>,
    next_plan: u64,
    /// What runs in each plane, in order of start.
    planes: Vec<VecDeque<Busy>>,
    waiting: VecDeque<PageRequest>,
    in_flight: BTreeMap<u64, Vec<HostWrite>>,
    jobs: BTreeMap<JobId, JobNotice>,
    working: BTreeMap<JobId, u32>,
    flash: HashMap<u64, Content>,
    /// Step that no plane had space for, and when.
    no_space: BTreeMap<(u64, usize), u64>,
    events: u64,
    good_erases: u64,
    left_to_fail: u64,
    pub(crate) done: Done,
}

impl<'a> Executor<'a> {
    pub(crate) fn new(
        ftl: &'a mut dyn Inspect,
        restrictions: &RestrictionsConfig,
        seed: u64,
        options: Options,
    ) -> Self {
        let geometry = *ftl.geometry();
        Self {
            medium: Medium::new(&geometry, restrictions),
            reference: Reference::new(geometry.sectors_per_page()),
            random: Random::new(seed, "executor"),
            now: SimTime::ZERO,
            plans: BTreeMap::new(),
            next_plan: 0,
            planes: (0..geometry.planes()).map(|_| VecDeque::new()).collect(),
            waiting: VecDeque::new(),
            in_flight: BTreeMap::new(),
            jobs: BTreeMap::new(),
            working: BTreeMap::new(),
            flash: HashMap::new(),
            no_space: BTreeMap::new(),
            events: 0,
            good_erases: 0,
            left_to_fail: options.failures,
            done: Done::default(),
            options,
            geometry,
            ftl,
        }
    }

    /// Serves all commands, in random order of execution, to the end.
    pub(crate) fn run(&mut self, mut commands: impl Iterator<Item = PageRequest>) {
        let mut next = commands.next();
        let mut idle = 0;
        let mut ticks = 0_u64;
        loop {
            ticks += 1;
            assert!(
                ticks < 100_000 + 200 * self.done.host_writes,
                "no end: {}",
                self.describe()
            );
            self.now.0 += self.random.below(3_000);
            let progress = match self.random.below(6) {
                0 | 1 => self.admit(&mut next, &mut commands),
                2 | 3 => self.start(),
                4 => self.finish(),
                _ => self.work(),
            };
            if self.random.one_in(500) {
                audit::check(self.ftl, &self.medium, self.good_erases);
            }
            idle = if progress { 0 } else { idle + 1 };
            if idle < 60 {
                continue;
            }
            // Fair chances were given: now everything in turn.
            idle = 0;
            if self.admit(&mut next, &mut commands) || self.start() || self.finish() || self.work() {
                continue;
            }
            if next.is_none() && self.waiting.is_empty() && self.plans.is_empty() {
                let hour = self.jobs.values().map(|notice| notice.not_before).min();
                match hour.filter(|hour| *hour > self.now) {
                    Some(hour) => self.now = hour,
                    None => break,
                }
                continue;
            }
            let hour = self.jobs.values().map(|notice| notice.not_before).min();
            match hour.filter(|hour| *hour > self.now) {
                Some(hour) => self.now = hour,
                None => panic!("deadlock: {}", self.describe()),
            }
        }
        audit::check(self.ftl, &self.medium, self.good_erases);
        self.verify_all();
        self.done.good_erases = self.good_erases;
    }

    fn describe(&self) -> String {
        let steps: Vec<_> = self
            .plans
            .values()
            .flat_map(|plan| {
                plan.steps
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| plan.done >> at & 1 == 0)
                    .map(|(_, step)| format!("{:?}", step))
            })
            .collect();
        let blocks: Vec<_> = (0..self.geometry.blocks())
            .map(|block| {
                let facts = self.ftl.block(BlockId(block));
                format!(
                    "{block}:{:?} v{} i{} f{} s{}",
                    facts.role, facts.valid, facts.invalid, facts.free, facts.skipped
                )
            })
            .collect();
        format!(
            "waiting {:?}\nsteps {steps:#?}\njobs {:?}\nworking {:?}\nblocks {blocks:#?}",
            self.waiting, self.jobs, self.working
        )
    }

    fn digest(&mut self, value: u64) {
        self.events += 1;
        self.done.digest = (self.done.digest ^ value)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(23);
    }

    fn collect_notices(&mut self) {
        let mut notices = Vec::new();
        self.ftl.notices(&mut notices);
        for notice in notices {
            self.digest(u64::from(notice.job.0) << 8 | notice.urgency as u64);
            self.jobs.insert(notice.job, notice);
        }
    }

    /// Admits the oldest command that may go, waiting ones first.
    fn admit(
        &mut self,
        next: &mut Option<PageRequest>,
        commands: &mut impl Iterator<Item = PageRequest>,
    ) -> bool {
        let overlap =
            |a: &PageRequest, b: &PageRequest| a.lpn.0 < b.lpn.0 + b.pages && b.lpn.0 < a.lpn.0 + a.pages;
        for index in 0..self.waiting.len() {
            let request = self.waiting[index];
            if self
                .waiting
                .iter()
                .take(index)
                .any(|earlier| overlap(earlier, &request))
            {
                continue;
            }
            if self.submit(&request) {
                self.waiting.remove(index);
                return true;
            }
        }
        let in_flight = self.plans.values().filter(|plan| plan.job.is_none()).count();
        if in_flight + self.waiting.len() >= self.options.depth {
            return false;
        }
        let Some(request) = next.take() else { return false };
        *next = commands.next();
        if self.waiting.iter().any(|earlier| overlap(earlier, &request)) || !self.submit(&request) {
            self.waiting.push_back(request);
        }
        true
    }

    /// Submits a command; false if it has to wait.
    fn submit(&mut self, request: &PageRequest) -> bool {
        let mut steps = Plan::new();
        let lpn = request.lpn.0;
        let before = self.reference.content(lpn);
        let valid = bitmap_of(&before);
        let answer = self.ftl.submit(self.now, request, &mut steps);
        self.collect_notices();
        assert!(steps.len() <= 64, "a plan of more than 64 steps");
        match (request.op, answer) {
            (_, Answer::Wait) => {
                assert!(steps.is_empty());
                assert!(
                    (lpn..lpn + request.pages).any(|lpn| self.in_flight.contains_key(&lpn)),
                    "{request:?} waits and no write is under way"
                );
                self.done.waits += 1;
                return false;
            }
            (PageOp::Read, Answer::Unmapped) => {
                assert!(steps.is_empty());
                assert_eq!(valid & request.bitmap, 0, "J4, J17: {request:?} holds {before:?}");
            }
            (PageOp::Read, Answer::InMemory) => {
                self.done.in_memory += 1;
                let newest = self.in_flight.get(&lpn).and_then(|writes| writes.last());
                let newest = newest.expect("data in the controller and no write under way");
                for (sector, expected) in before.iter().enumerate() {
                    if request.bitmap >> sector & 1 == 1 && *expected != 0 {
                        assert_eq!(
                            newest.data[sector], *expected,
                            "J4: {request:?}, sub-page {sector}"
                        );
                    }
                }
            }
            (PageOp::Read, Answer::Accepted) => {
                assert_ne!(valid & request.bitmap, 0);
                assert_eq!(steps.len(), 1);
                let expected = before
                    .iter()
                    .enumerate()
                    .map(|(sector, write)| {
                        if request.bitmap >> sector & 1 == 1 {
                            *write
                        } else {
                            0
                        }
                    })
                    .collect();
                self.begin(steps, None, Some((lpn, expected)), None, None);
            }
            (PageOp::Write, Answer::Accepted) => {
                // I11: covered updates read nothing, un-covered ones exactly one page.
                let reads = steps
                    .iter()
                    .filter(|step| matches!(step.work, Work::Read { .. } | Work::CopyBack { .. }))
                    .count();
                assert_eq!(
                    reads,
                    usize::from(valid & !request.bitmap != 0),
                    "I11: {request:?} on {valid:b}"
                );
                let data = self.reference.write(lpn, request.bitmap);
                let write = HostWrite { lpn, data };
                self.in_flight.entry(lpn).or_default().push(write.clone());
                self.done.host_writes += 1;
                self.begin(steps, Some(write), None, None, None);
            }
            (PageOp::Trim, Answer::Accepted) => {
                for lpn in lpn..lpn + request.pages {
                    if self.options.trims {
                        self.reference.trim(lpn, request.bitmap);
                        assert_eq!(self.ftl.valid_sectors(Lpn(lpn)) & request.bitmap, 0, "J17");
                    }
                }
                assert!(steps.is_empty());
            }
            (_, answer) => panic!("{request:?} answered by {answer:?}"),
        }
        true
    }

    fn begin(
        &mut self,
        steps: Plan,
        host: Option<HostWrite>,
        expected: Option<(u64, Content)>,
        job: Option<JobId>,
        base: Option<Content>,
    ) {
        if steps.is_empty() {
            return;
        }
        for (at, step) in steps.iter().enumerate() {
            assert_eq!(step.after >> at, 0, "a step waits for a later one");
            if let Work::Read { page, .. } | Work::CopyBack { source: page, .. } = step.work {
                assert!(
                    self.flash.contains_key(&page.0),
                    "{step:?} reads a page that holds nothing"
                );
            }
        }
        if let Some(job) = job {
            *self.working.entry(job).or_default() += 1;
        }
        let count = steps.len();
        let plan = Running {
            steps,
            started: 0,
            done: 0,
            brought: vec![None; count],
            base: base.unwrap_or_else(|| self.reference.blank()),
            host,
            expected,
            job,
        };
        self.plans.insert(self.next_plan, plan);
        self.next_plan += 1;
    }

    fn step(&self, (plan, at): (u64, usize)) -> Step {
        self.plans[&plan].steps[at]
    }

    /// Asks a random job that may be asked.
    fn work(&mut self) -> bool {
        let ready: Vec<JobNotice> = self
            .jobs
            .values()
            .filter(|notice| notice.not_before <= self.now && !self.working.contains_key(&notice.job))
            .copied()
            .collect();
        // Idle jobs are left alone now and then.
        let ready: Vec<JobNotice> = ready
            .into_iter()
            .filter(|notice| notice.urgency != Urgency::Idle || self.random.one_in(3))
            .collect();
        if ready.is_empty() {
            return false;
        }
        let job = self.random.pick(&ready).job;
        let mut steps = Plan::new();
        let state = self.ftl.advance(self.now, job, &mut steps);
        assert!(steps.len() <= 64);
        if state != JobState::Yielded {
            self.jobs.remove(&job);
        } else {
            assert!(!steps.is_empty(), "a job yields without steps");
        }
        self.collect_notices();
        self.digest(0x100 + u64::from(job.0));
        self.begin(steps, None, None, Some(job), None);
        true
    }
}
