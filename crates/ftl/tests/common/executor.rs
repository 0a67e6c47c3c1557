//! An executor that keeps steps in flight, starts and finishes them in random order, and compares
//! every page that travels with the reference.

use std::collections::{BTreeMap, HashMap, VecDeque};

use wordline_ftl::{
    Answer, Bind, BlockRole, Bound, Cause, Ftl, JobId, JobNotice, JobState, Lpn, Outcome, PageOp,
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
    pub(crate) ftl: &'a mut dyn Ftl,
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
        ftl: &'a mut dyn Ftl,
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

    /// Starts a random step that may start; false if none does.
    fn start(&mut self) -> bool {
        let mut ready: Vec<(u64, usize)> = self
            .plans
            .iter()
            .flat_map(|(id, plan)| {
                (0..plan.steps.len())
                    .filter(|at| plan.started >> at & 1 == 0 && plan.steps[*at].after & !plan.done == 0)
                    .map(|at| (*id, at))
            })
            .collect();
        while !ready.is_empty() {
            let chosen = ready.swap_remove(self.random.below(ready.len() as u64) as usize);
            if self.options.multi_plane && self.random.one_in(2) && self.start_aligned(chosen, &ready) {
                return true;
            }
            if self.start_one(chosen) {
                return true;
            }
        }
        false
    }

    fn step(&self, (plan, at): (u64, usize)) -> Step {
        self.plans[&plan].steps[at]
    }

    fn is_free(&self, plane: PlaneId) -> bool {
        self.planes[plane.index()].is_empty()
    }

    fn start_one(&mut self, id: (u64, usize)) -> bool {
        let step = self.step(id);
        match step.work {
            Work::Read { page, .. } => {
                let plane = self.geometry.plane_of(self.geometry.block_of(page));
                if !self.is_free(plane) {
                    return false;
                }
                self.medium.read(&[page]).unwrap();
                *self.done.reads.entry(step.cause).or_default() += 1;
                self.occupy(id, plane, None);
                true
            }
            Work::Erase { block } => {
                let plane = self.geometry.plane_of(block);
                if !self.is_free(plane) || self.is_outstanding(block, id) {
                    return false;
                }
                let facts = self.ftl.block(block);
                assert_eq!(facts.valid, 0, "J5: {block:?} is erased: {facts:?}");
                assert_eq!(facts.role, BlockRole::Closed, "{block:?} is erased: {facts:?}");
                self.done.erases += 1;
                self.occupy(id, plane, None);
                true
            }
            Work::Program { target, .. } => self.start_program(id, target, None),
            Work::CopyBack { source, target, .. } => self.start_program(id, target, Some(source)),
            Work::Compute { .. } | Work::Local { .. } => panic!("a page-level FTL asks for {step:?}"),
        }
    }

    /// Whether any other step under way concerns a page of the block.
    fn is_outstanding(&self, block: BlockId, eraser: (u64, usize)) -> bool {
        let of_block = |page: Ppn| self.geometry.block_of(page) == block;
        let planned = self.plans.iter().any(|(id, plan)| {
            plan.steps.iter().enumerate().any(|(at, step)| {
                (*id, at) != eraser
                    && plan.done >> at & 1 == 0
                    && match step.work {
                        Work::Read { page, .. } | Work::CopyBack { source: page, .. } => of_block(page),
                        _ => false,
                    }
            })
        });
        planned
            || self
                .planes
                .iter()
                .flatten()
                .any(|busy| busy.page.is_some_and(of_block))
    }

    fn planes_of(&self, scope: Scope) -> std::ops::Range<u32> {
        let g = &self.geometry;
        let (group, size) = match scope {
            Scope::Drive => (0, g.planes()),
            Scope::Channel(channel) => (channel.0, g.planes() / g.channels),
            Scope::Chip(chip) => (chip.0, g.dies_per_chip * g.planes_per_die),
            Scope::Die(die) => (die.0, g.planes_per_die),
            Scope::Plane(plane) => (plane.0, 1),
        };
        group * size..(group + 1) * size
    }

    fn start_program(&mut self, id: (u64, usize), target: Target, source: Option<Ppn>) -> bool {
        if self.no_space.get(&id) == Some(&self.events) {
            return false;
        }
        let step = self.step(id);
        let Target::Frontier { scope, .. } = target else {
            panic!("a page-level FTL names a page: {step:?}");
        };
        let mut planes: Vec<u32> = self.planes_of(scope).collect();
        if let Some(source) = source {
            let home = self.geometry.plane_of(self.geometry.block_of(source)).0;
            assert!(planes.contains(&home), "{step:?} cannot stay in plane {home}");
            planes = vec![home];
        }
        let all = planes.len();
        let mut full = 0;
        while !planes.is_empty() {
            let plane = PlaneId(planes.swap_remove(self.random.below(planes.len() as u64) as usize));
            if !self.is_free(plane) {
                continue;
            }
            match self.ftl.bind(self.now, &step, plane) {
                Bind::NoSpace => {
                    full += 1;
                    self.done.no_space += 1;
                    self.collect_notices();
                }
                Bind::Declined => {
                    self.collect_notices();
                    self.done.declined += 1;
                    self.plans.get_mut(&id.0).unwrap().started |= 1 << id.1;
                    self.complete(id, None, Outcome::Declined);
                    return true;
                }
                Bind::Page(bound) => {
                    self.collect_notices();
                    self.program(id, plane, bound, source);
                    match source {
                        None => self.medium.program(&[bound.page]).unwrap(),
                        Some(source) => self.medium.copy_back(&[(source, bound.page)]).unwrap(),
                    }
                    return true;
                }
            }
        }
        if full == all {
            self.no_space.insert(id, self.events);
        }
        false
    }

    /// Tries one multi-plane program with `first` as its oldest step.
    fn start_aligned(&mut self, first: (u64, usize), others: &[(u64, usize)]) -> bool {
        let Work::Program {
            target: Target::Frontier { scope, .. },
            ..
        } = self.step(first).work
        else {
            return false;
        };
        let planes = self.planes_of(scope);
        let plane = PlaneId(planes.start + self.random.below(u64::from(planes.end - planes.start)) as u32);
        let die = self.geometry.die_of(plane);
        let mut chosen = vec![(first, plane)];
        for sibling in self.planes_of(Scope::Die(die)).map(PlaneId) {
            let partner = others.iter().find(|id| {
                let fits = match self.step(**id).work {
                    Work::Program {
                        target: Target::Frontier { scope, .. },
                        ..
                    } => self.planes_of(scope).contains(&sibling.0),
                    _ => false,
                };
                fits && chosen
                    .iter()
                    .all(|(other, plane)| other != *id && *plane != sibling)
            });
            chosen.extend(partner.map(|id| (*id, sibling)));
        }
        if chosen.len() < 2 || chosen.iter().any(|(_, plane)| !self.is_free(*plane)) {
            return false;
        }
        let pairs: Vec<_> = chosen
            .iter()
            .map(|(id, plane)| (self.step(*id), *plane))
            .collect();
        let facts = |ftl: &dyn Ftl, geometry: &Geometry| -> Vec<_> {
            (0..geometry.blocks())
                .map(|block| ftl.block(BlockId(block)))
                .collect()
        };
        let before = facts(self.ftl, &self.geometry);
        let mut bound = Vec::new();
        let aligned = self.ftl.bind_aligned(self.now, &pairs, &mut bound);
        self.collect_notices();
        if !aligned {
            assert_eq!(
                before,
                facts(self.ftl, &self.geometry),
                "a failed alignment changed something"
            );
            return false;
        }
        assert_eq!(bound.len(), pairs.len());
        let pages: Vec<Ppn> = bound.iter().flatten().map(|bound| bound.page).collect();
        assert!(pages.len() >= 2);
        for ((id, plane), bound) in chosen.into_iter().zip(bound) {
            if let Some(bound) = bound {
                self.program(id, plane, bound, None);
            }
        }
        self.medium.program(&pages).unwrap();
        self.done.aligned += 1;
        true
    }

    /// A bound program starts: what the page will hold is settled.
    fn program(&mut self, id: (u64, usize), plane: PlaneId, bound: Bound, source: Option<Ppn>) {
        let step = self.step(id);
        let block = self.geometry.block_of(bound.page);
        assert_eq!(self.geometry.plane_of(block), plane, "bound in another plane");
        let content = self.assemble(id, source);
        self.flash.insert(bound.page.0, content);
        *self.done.programs.entry(step.cause).or_default() += 1;
        self.done.copy_backs += u64::from(source.is_some());
        self.done.skipped += u64::from(bound.skipped);
        if source.is_some() {
            assert!(bound.skipped <= 1, "I8: a copy-back gives up one page at most");
            *self.done.reads.entry(step.cause).or_default() += 1;
        }
        self.digest(bound.page.0);
        self.occupy(id, plane, Some(bound.page));
    }

    /// What a program writes: what was read before it, under what the host brings.
    fn assemble(&self, (plan, at): (u64, usize), source: Option<Ppn>) -> Content {
        let plan = &self.plans[&plan];
        let mut content = plan.base.clone();
        for (index, brought) in plan.brought.iter().enumerate() {
            if plan.steps[at].after >> index & 1 == 1
                && let Some(brought) = brought
            {
                content = overlay(&content, brought);
            }
        }
        if let Some(source) = source {
            content = overlay(&content, &self.flash[&source.0]);
        }
        if let Some(host) = &plan.host {
            content = overlay(&content, &host.data);
        }
        content
    }

    fn occupy(&mut self, id: (u64, usize), plane: PlaneId, page: Option<Ppn>) {
        self.plans.get_mut(&id.0).unwrap().started |= 1 << id.1;
        let fails = self.left_to_fail > 0
            && !matches!(self.step(id).work, Work::Read { .. })
            && self.random.one_in(200);
        self.left_to_fail -= u64::from(fails);
        self.planes[plane.index()].push_back(Busy {
            plan: id.0,
            at: id.1,
            page,
            fails,
        });
    }

    /// Finishes what runs in a random busy plane.
    fn finish(&mut self) -> bool {
        let busy: Vec<usize> = (0..self.planes.len())
            .filter(|plane| !self.planes[*plane].is_empty())
            .collect();
        if busy.is_empty() {
            return false;
        }
        let plane = self.random.pick(&busy);
        let Some(busy) = self.planes[plane].pop_front() else {
            return false;
        };
        let id = (busy.plan, busy.at);
        let outcome = if busy.fails {
            Outcome::Failed
        } else {
            Outcome::Good
        };
        match self.step(id).work {
            Work::Read { page, .. } => {
                let content = self.flash[&page.0].clone();
                let plan = self.plans.get_mut(&id.0).unwrap();
                if let Some((lpn, expected)) = &plan.expected {
                    for (sector, expected) in expected.iter().enumerate() {
                        if *expected != 0 {
                            assert_eq!(content[sector], *expected, "J4: page {lpn}, sub-page {sector}");
                        }
                    }
                }
                plan.brought[id.1] = Some(content);
                self.complete(id, None, Outcome::Good);
            }
            Work::Erase { block } => {
                if outcome == Outcome::Good {
                    self.medium.erase(&[block]).unwrap();
                    for page in 0..self.geometry.pages_per_block {
                        self.flash.remove(&self.geometry.page(block, page).0);
                    }
                }
                self.digest(u64::from(block.0) << 32);
                self.complete(id, None, outcome);
                // Known by its count: a block whose program failed is retired, not erased for use.
                self.good_erases = (0..self.geometry.blocks())
                    .map(|block| u64::from(self.ftl.block(BlockId(block)).erase_count))
                    .sum();
                if self.options.failures == 0 {
                    assert_eq!(self.good_erases, self.done.erases - self.running_erases(), "J8");
                }
            }
            _ => self.complete(id, busy.page, outcome),
        }
        true
    }

    fn running_erases(&self) -> u64 {
        self.planes
            .iter()
            .flatten()
            .filter(|busy| matches!(self.step((busy.plan, busy.at)).work, Work::Erase { .. }))
            .count() as u64
    }

    /// Tells the FTL how a step ended, and takes what grows from it.
    fn complete(&mut self, id: (u64, usize), page: Option<Ppn>, outcome: Outcome) {
        let step = self.step(id);
        let assembled = page.map(|page| self.flash[&page.0].clone());
        if outcome == Outcome::Failed
            && let Some(page) = page
        {
            let blank = self.reference.blank();
            self.flash.insert(page.0, blank);
        }
        let mut grown = Plan::new();
        self.ftl.done(self.now, &step, page, outcome, &mut grown);
        self.collect_notices();
        self.digest(step.lpn.0 ^ (outcome as u64) << 40);
        let plan = self.plans.get_mut(&id.0).unwrap();
        plan.done |= 1 << id.1;
        let (host, job) = (plan.host.clone(), plan.job);
        let over = plan.done.count_ones() as usize == plan.steps.len();
        let programs = matches!(step.work, Work::Program { .. } | Work::CopyBack { .. });
        if let Some(host) = host.as_ref().filter(|_| programs && outcome == Outcome::Good) {
            let writes = self.in_flight.get_mut(&host.lpn).unwrap();
            writes.retain(|write| write.data != host.data);
            if writes.is_empty() {
                self.in_flight.remove(&host.lpn);
            }
        }
        if host.is_some() && programs && outcome != Outcome::Good {
            assert!(!grown.is_empty(), "a host write that {outcome:?} was given up");
        }
        let base = assembled.filter(|_| outcome == Outcome::Failed);
        self.begin(grown, host, None, job, base);
        if over {
            self.plans.remove(&id.0);
            if let Some(job) = job {
                let plans = self.working.get_mut(&job).unwrap();
                *plans -= 1;
                if *plans == 0 {
                    self.working.remove(&job);
                }
            }
        }
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

    /// At the end: every logical page shows what the reference says.
    fn verify_all(&self) {
        for lpn in 0..self.ftl.user_pages() {
            let expected = self.reference.content(lpn);
            let valid = bitmap_of(&expected);
            assert_eq!(self.ftl.valid_sectors(Lpn(lpn)), valid, "sub-pages of page {lpn}");
            let Some(page) = self.ftl.lookup(Lpn(lpn)) else {
                assert_eq!(valid, 0, "J4: page {lpn} is lost");
                continue;
            };
            let content = &self.flash[&page.0];
            for (sector, expected) in expected.iter().enumerate() {
                if *expected != 0 {
                    assert_eq!(content[sector], *expected, "J4: page {lpn}, sub-page {sector}");
                }
            }
        }
    }
}
