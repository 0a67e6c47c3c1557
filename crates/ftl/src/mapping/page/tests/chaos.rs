//! An executor that does everything the contract allows, in random order: many commands under
//! way, programs that end in any order, aligned programs, failures. It keeps the content of
//! every physical page, and a reference drive of logical pages.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wordline_nand::{BlockId, Geometry, PlaneId, Ppn, Use};
use wordline_units::{Duration, SimTime};

use super::{Parts, check, request};
use crate::allocation::{ActiveBlock, AllocationMode, DynamicMode};
use crate::block::BlockRole;
use crate::config::{GcFrontier, GcMode, Pool};
use crate::contract::{Ftl, Inspect};
use crate::mapping::page::PageFtl;
use crate::notice::{JobId, JobNotice, JobState, Urgency};
use crate::plan::{Bind, Bound, Outcome};
use crate::plan::{Plan, Scope, Step, Target, Work};
use crate::policy::victim::VictimRow;
use crate::registration::Registered;
use crate::request::{Answer, PageOp, PageRequest};

/// Version of each of the four sub-pages; 0 where there are no data.
type Content = [u32; 4];

struct Operation {
    plan: usize,
    step: Step,
    /// Steps of the plan still to be done.
    waits_for: u64,
    index: usize,
    /// Page bound, once started.
    started: Option<Option<Ppn>>,
}

struct OpenPlan {
    left: usize,
    job: Option<JobId>,
    /// What the host wrote, and what the plan has read so far.
    new: Content,
    read: Content,
}

struct Chaos {
    ftl: PageFtl,
    geometry: Geometry,
    random: u64,
    now: SimTime,
    medium: Vec<Content>,
    written: Vec<u32>,
    reference: Vec<Content>,
    version: u32,
    /// What the programs of job plans write: by plan and step.
    carried: BTreeMap<(usize, usize), Content>,
    operations: Vec<Operation>,
    plans: Vec<OpenPlan>,
    jobs: Vec<(JobNotice, bool)>,
    /// One in so many programs and erases fails; 0 for none.
    failures: u32,
    completed: u64,
}

impl Chaos {
    fn new(ftl: PageFtl, seed: u64, failures: u32) -> Self {
        let geometry = *ftl.geometry();
        Self {
            random: seed | 1,
            now: SimTime::ZERO,
            medium: vec![[0; 4]; geometry.pages() as usize],
            written: vec![0; geometry.blocks() as usize],
            reference: vec![[0; 4]; ftl.user_pages() as usize],
            version: 0,
            carried: BTreeMap::new(),
            operations: Vec::new(),
            plans: Vec::new(),
            jobs: Vec::new(),
            failures,
            completed: 0,
            ftl,
            geometry,
        }
    }

    fn draw(&mut self, below: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        ((u128::from(self.random) * u128::from(below)) >> 64) as u64
    }

    /// Submits a request if the FTL takes it now.
    fn submit(&mut self, request: &PageRequest) {
        let mut plan = Plan::new();
        let answer = self.ftl.submit(self.now, request, &mut plan);
        self.hear();
        if answer != Answer::Accepted {
            assert!(plan.is_empty());
            if answer == Answer::Unmapped {
                let content = self.reference[request.lpn.0 as usize];
                assert!((0..4).all(|at| request.bitmap >> at & 1 == 0 || content[at] == 0));
            }
            return;
        }
        let mut new = [0; 4];
        self.version += 1;
        for lpn in request.lpn.0..request.lpn.0 + request.pages {
            for (at, new) in new.iter_mut().enumerate() {
                let whole = request.pages > 1;
                if whole || request.bitmap >> at & 1 == 1 {
                    match request.op {
                        PageOp::Write => {
                            self.reference[lpn as usize][at] = self.version;
                            *new = self.version;
                        }
                        PageOp::Trim => self.reference[lpn as usize][at] = 0,
                        PageOp::Read => {}
                    }
                }
            }
        }
        self.take(plan, None, new);
    }

    fn take(&mut self, plan: Plan, job: Option<JobId>, new: Content) {
        let number = self.plans.len();
        self.plans.push(OpenPlan {
            left: 0,
            job,
            new,
            read: [0; 4],
        });
        self.grow(number, plan);
    }

    fn grow(&mut self, plan: usize, steps: Plan) {
        assert!(steps.len() <= 64);
        self.plans[plan].left += steps.len();
        for (index, step) in steps.into_iter().enumerate() {
            assert_eq!(step.after >> index, 0, "a step waits for a later one");
            self.operations.push(Operation {
                plan,
                step,
                waits_for: step.after,
                index,
                started: None,
            });
        }
    }

    fn hear(&mut self) {
        let mut notices = Vec::new();
        self.ftl.notices(&mut notices);
        for notice in notices {
            match self.jobs.iter_mut().find(|(other, _)| other.job == notice.job) {
                Some((other, _)) => *other = notice,
                None => self.jobs.push((notice, false)),
            }
        }
    }

    fn ask(&mut self, which: usize) {
        let (notice, running) = self.jobs[which];
        if running || notice.not_before > self.now {
            return;
        }
        let mut plan = Plan::new();
        match self.ftl.advance(self.now, notice.job, &mut plan) {
            JobState::Yielded => {
                assert!(!plan.is_empty());
                self.jobs[which].1 = true;
                self.hear();
                self.take(plan, Some(notice.job), [0; 4]);
            }
            JobState::Waiting | JobState::Finished => {
                assert!(plan.is_empty());
                self.jobs.remove(which);
                self.hear();
            }
        }
    }

    fn planes(&self, step: &Step) -> std::ops::Range<u32> {
        let geometry = &self.geometry;
        let whole = |count: u32, at: u32| at * count..(at + 1) * count;
        let scope = match step.work {
            Work::Program {
                target: Target::Frontier { scope, .. },
                ..
            }
            | Work::CopyBack {
                target: Target::Frontier { scope, .. },
                ..
            } => scope,
            _ => Scope::Drive,
        };
        match scope {
            Scope::Drive => 0..geometry.planes(),
            Scope::Channel(channel) => whole(geometry.planes() / geometry.channels, channel.0),
            Scope::Chip(chip) => whole(geometry.planes() / geometry.chips(), chip.0),
            Scope::Die(die) => whole(geometry.planes_per_die, die.0),
            Scope::Plane(plane) => plane.0..plane.0 + 1,
        }
    }

    /// Starts an operation whose turn it is; whether it could.
    fn start(&mut self, which: usize) -> bool {
        let operation = &self.operations[which];
        if operation.waits_for != 0 || operation.started.is_some() {
            return false;
        }
        let step = operation.step;
        match step.work {
            Work::Read { .. } => self.operations[which].started = Some(None),
            Work::Erase { block } => {
                let busy = self
                    .operations
                    .iter()
                    .enumerate()
                    .any(|(other, operation)| other != which && self.touches(operation, block));
                if busy {
                    return false;
                }
                assert_eq!(self.ftl.block(block).valid, 0, "an erase of valid pages");
                self.operations[which].started = Some(None);
            }
            Work::Program { .. } | Work::CopyBack { .. } => {
                let planes = self.planes(&step);
                let first = self.draw(u64::from(planes.end - planes.start)) as u32;
                let count = planes.end - planes.start;
                if self.draw(3) == 0 && self.start_aligned(which) {
                    return true;
                }
                for at in 0..count {
                    let plane = PlaneId(planes.start + (first + at) % count);
                    match self.ftl.bind(self.now, &step, plane) {
                        Bind::Page(bound) => {
                            self.bound(which, plane, bound);
                            return true;
                        }
                        Bind::Declined => {
                            self.end(which, None, Outcome::Declined);
                            return true;
                        }
                        Bind::NoSpace => {}
                    }
                }
                return false;
            }
            _ => unreachable!("the page FTL plans nothing else"),
        }
        true
    }

    fn start_aligned(&mut self, which: usize) -> bool {
        let mut pairs = Vec::new();
        let mut members = Vec::new();
        let planes = self.planes(&self.operations[which].step);
        let die = planes.start / self.geometry.planes_per_die;
        for plane in die * self.geometry.planes_per_die..(die + 1) * self.geometry.planes_per_die {
            let found = (0..self.operations.len()).find(|at| {
                let operation = &self.operations[*at];
                operation.waits_for == 0
                    && operation.started.is_none()
                    && matches!(operation.step.work, Work::Program { .. })
                    && self.planes(&operation.step).contains(&plane)
                    && !members.contains(at)
            });
            if let Some(at) = found {
                members.push(at);
                pairs.push((self.operations[at].step, PlaneId(plane)));
            }
        }
        let mut bound = Vec::new();
        if !self.ftl.bind_aligned(self.now, &pairs, &mut bound) {
            return false;
        }
        assert!(bound.iter().flatten().count() >= 2);
        let pages: Vec<(u32, u32)> = bound
            .iter()
            .flatten()
            .map(|bound| {
                let block = self.geometry.block_of(bound.page);
                (
                    self.geometry.block_in_plane(block),
                    self.geometry.page_in_block(bound.page),
                )
            })
            .collect();
        assert!(
            pages.iter().all(|page| *page == pages[0]),
            "not aligned: {pages:?}"
        );
        for ((at, (_, plane)), bound) in members.into_iter().zip(pairs).zip(bound) {
            if let Some(bound) = bound {
                self.bound(at, plane, bound);
            }
        }
        true
    }

    /// Rules of the medium: in order, in the plane asked for, copy-back parity.
    fn bound(&mut self, which: usize, plane: PlaneId, bound: Bound) {
        let block = self.geometry.block_of(bound.page);
        let index = self.geometry.page_in_block(bound.page);
        assert_eq!(self.geometry.plane_of(block), plane);
        let written = &mut self.written[block.index()];
        assert!(index >= *written, "page {index} of {block} after {written}");
        assert!(bound.skipped <= index - *written);
        *written = index + 1;
        if let Work::CopyBack { source, .. } = self.operations[which].step.work {
            assert_eq!(source.0 % 2, bound.page.0 % 2);
            assert_eq!(self.geometry.plane_of(self.geometry.block_of(source)), plane);
        }
        self.operations[which].started = Some(Some(bound.page));
    }

    fn touches(&self, operation: &Operation, block: BlockId) -> bool {
        let on = |page: Ppn| self.geometry.block_of(page) == block;
        let source = match operation.step.work {
            Work::Read { page, .. } | Work::CopyBack { source: page, .. } => on(page),
            _ => false,
        };
        source || operation.started.flatten().is_some_and(on)
    }

    fn finish(&mut self, which: usize) {
        let Some(page) = self.operations[which].started else {
            return;
        };
        let step = self.operations[which].step;
        let failable = !matches!(step.work, Work::Read { .. });
        let failed = failable && self.failures != 0 && self.draw(u64::from(self.failures)) == 0;
        self.end(which, page, if failed { Outcome::Failed } else { Outcome::Good });
    }

    fn end(&mut self, which: usize, page: Option<Ppn>, outcome: Outcome) {
        let operation = self.operations.swap_remove(which);
        let plan = operation.plan;
        let merge = |old: Content, new: Content| -> Content {
            std::array::from_fn(|at| if new[at] != 0 { new[at] } else { old[at] })
        };
        if outcome == Outcome::Good {
            let OpenPlan { new, read, .. } = self.plans[plan];
            match (operation.step.work, page) {
                (Work::Read { page, .. }, _) => {
                    // Jobs move several pages in one plan: keep what was read by page.
                    if self.plans[plan].job.is_some() {
                        self.carry(&operation, page);
                    } else {
                        self.plans[plan].read = self.medium[page.0 as usize];
                    }
                }
                (Work::Program { .. }, Some(page)) => {
                    if self.plans[plan].job.is_none() {
                        self.medium[page.0 as usize] = merge(read, new);
                    } else {
                        let content = self.carried.remove(&(operation.plan, operation.index));
                        self.medium[page.0 as usize] = content.expect("a program without its read");
                    }
                }
                (Work::CopyBack { source, .. }, Some(page)) => {
                    self.medium[page.0 as usize] = merge(self.medium[source.0 as usize], new);
                }
                (Work::Erase { block }, _) => {
                    self.written[block.index()] = 0;
                    let first = self.geometry.page(block, 0).0 as usize;
                    self.medium[first..first + self.geometry.pages_per_block as usize].fill([0; 4]);
                }
                _ => {}
            }
        }
        for other in &mut self.operations {
            if other.plan == plan {
                other.waits_for &= !(1 << operation.index);
            }
        }
        let mut grown = Plan::new();
        self.ftl
            .done(self.now, &operation.step, page, outcome, &mut grown);
        self.plans[plan].left -= 1;
        self.completed += 1;
        self.hear();
        if !grown.is_empty() {
            // A plan of its own, on behalf of the same command or job.
            let OpenPlan { job, new, read, .. } = self.plans[plan];
            let number = self.plans.len();
            self.plans.push(OpenPlan {
                left: 0,
                job,
                new,
                read,
            });
            self.grow(number, grown);
        }
        if let Some(job) = self.plans[plan].job {
            let busy = self
                .plans
                .iter()
                .any(|plan| plan.job == Some(job) && plan.left > 0);
            if !busy && let Some((_, running)) = self.jobs.iter_mut().find(|(notice, _)| notice.job == job) {
                *running = false;
            }
        }
    }

    /// The dependants of a job's read write what it read.
    fn carry(&mut self, read: &Operation, page: Ppn) {
        let content = self.medium[page.0 as usize];
        let (plan, bit) = (read.plan, 1_u64 << read.index);
        for other in &mut self.operations {
            if other.plan == plan && other.step.after & bit != 0 {
                self.carried.insert((plan, other.index), content);
            }
        }
    }

    /// Something happens.
    fn turn(&mut self) {
        self.now += Duration::from_us(10);
        self.hear();
        let urgent = self
            .jobs
            .iter()
            .position(|(notice, _)| notice.urgency == Urgency::Blocking);
        if let Some(which) = urgent.filter(|_| self.draw(2) == 0) {
            self.ask(which);
        } else if !self.jobs.is_empty() && self.draw(3) == 0 {
            let which = self.draw(self.jobs.len() as u64) as usize;
            self.ask(which);
        }
        for _ in 0..2 {
            if self.operations.is_empty() {
                return;
            }
            let which = self.draw(self.operations.len() as u64) as usize;
            if self.operations[which].started.is_some() {
                self.finish(which);
            } else {
                self.start(which);
            }
        }
    }

    /// Runs until nothing is left to do; false where it does not go on.
    fn drain(&mut self) -> bool {
        for _ in 0..40_000 {
            if self.operations.is_empty() && self.jobs.iter().all(|(notice, _)| notice.not_before > self.now)
            {
                return true;
            }
            self.turn();
        }
        false
    }

    fn compare(&self) {
        check(&self.ftl);
        for (lpn, content) in self.reference.iter().enumerate() {
            let lpn = crate::Lpn(lpn as u64);
            let valid = self.ftl.valid_sectors(lpn);
            let page = self.ftl.lookup(lpn);
            for (at, version) in content.iter().enumerate() {
                if *version == 0 {
                    assert_eq!(valid >> at & 1, 0, "{lpn:?} sub-page {at} should be empty");
                } else {
                    assert_eq!(valid >> at & 1, 1, "{lpn:?} sub-page {at} is lost");
                    let found = page.map(|page| self.medium[page.0 as usize][at]);
                    assert_eq!(found, Some(*version), "{lpn:?} sub-page {at} at {page:?}");
                }
            }
        }
        for block in 0..self.geometry.blocks() {
            let facts = self.ftl.block(BlockId(block));
            if facts.role != BlockRole::Bad {
                assert!(self.geometry.pages_per_block - facts.free >= self.written[block as usize]);
            }
        }
    }

    /// `commands` random commands, at most `depth` operations at once.
    fn live(&mut self, commands: u32, depth: usize) {
        let pages = self.reference.len() as u64;
        let hot = (pages / 8).max(1);
        for _ in 0..commands {
            let mut turns = 0;
            while self.operations.len() >= depth {
                self.turn();
                turns += 1;
                assert!(
                    turns < 100_000,
                    "no progress: {} stuck pools",
                    self.ftl.stuck_pools()
                );
            }
            let lpn = if self.draw(2) == 0 {
                self.draw(hot)
            } else {
                self.draw(pages)
            };
            let bitmap = [0b1111, 0b0011, 0b1110, 0b0100][self.draw(4) as usize];
            let op = match self.draw(16) {
                0..12 => PageOp::Write,
                12..15 => PageOp::Read,
                _ => PageOp::Trim,
            };
            let mut request = request(op, lpn, bitmap);
            if op == PageOp::Trim && self.draw(2) == 0 {
                request.pages = (1 + self.draw(4)).min(pages - lpn);
            }
            self.submit(&request);
            self.turn();
        }
    }
}

fn any_parts() -> impl Strategy<Value = Parts> {
    let shape = (1..3_u32, 1..3_u32, 1..3_u32, 1..3_u32, 6..12_u32, 1..5_u32);
    let policies = (
        prop::sample::select(VictimRow::table().names()),
        prop::sample::select(
            &[
                GcMode::Foreground,
                GcMode::Background,
                GcMode::Preemptible,
                GcMode::Partial,
            ][..],
        ),
        prop::sample::select(&[GcFrontier::Shared, GcFrontier::Separate][..]),
        prop::sample::select(&[Pool::Plane, Pool::Die, Pool::Chip, Pool::Channel, Pool::Drive][..]),
        prop::sample::select(&["off", "swap", "rate_limited", "dual_pool", "hot_cold_swap"][..]),
    );
    let placement = (
        prop::sample::select(&[AllocationMode::Static, AllocationMode::Dynamic][..]),
        prop::sample::select(&[DynamicMode::Full, DynamicMode::ChannelBound][..]),
        prop::sample::select(
            &[
                ActiveBlock::NextIndex,
                ActiveBlock::Fifo,
                ActiveBlock::LowestEraseCount,
            ][..],
        ),
        prop::sample::select(&[Use::Off, Use::Blind, Use::Wise][..]),
        prop::sample::select(&[Use::Off, Use::Blind, Use::Wise][..]),
        0..3_u32,
    );
    (shape, policies, placement).prop_map(|(shape, policies, placement)| {
        let mut parts = Parts::one_die(shape.3, shape.4 + 2);
        parts.geometry.channels = shape.0;
        parts.geometry.chips_per_channel = shape.1;
        parts.geometry.dies_per_chip = shape.2;
        parts.geometry.pages_per_block = 2 * shape.5;
        parts.ftl.over_provisioning = 1.0;
        let (victim, mode, frontier, pool, wear) = policies;
        parts.ftl.gc.victim = victim.into();
        (parts.ftl.gc.mode, parts.ftl.gc.frontier, parts.ftl.gc.pool) = (mode, frontier, pool);
        parts.ftl.wear.static_ = wear.into();
        parts.ftl.gc.keys.set("d", 3);
        parts.ftl.gc.keys.set("window", 3);
        parts.ftl.gc.idle = Duration::from_us(50);
        parts.ftl.wear.keys.set("gap", 3);
        parts.ftl.wear.check_erases = 2;
        parts.ftl.wear.keys.set("erase_limit", 200);
        parts.allocation.mode = placement.0;
        parts.allocation.dynamic = placement.1;
        parts.allocation.active_block = placement.2;
        parts.commands.copyback = placement.3;
        parts.commands.multi_plane_write = placement.4;
        parts.commands.copyback_max_hops = placement.5;
        match (placement.0, placement.1) {
            (AllocationMode::Static, _) => parts.ftl.gc.pool = Pool::Plane,
            (_, DynamicMode::ChannelBound) if parts.ftl.gc.pool == Pool::Drive => {
                parts.ftl.gc.pool = Pool::Channel
            }
            _ => {}
        }
        parts
    })
}

/// The destination of a wear move failed while the rest of its plan was still to come, and its plane had no other block
/// to give.
#[test]
fn a_wear_move_goes_elsewhere_when_its_block_failed() {
    let mut parts = Parts::one_die(2, 24);
    parts.geometry.channels = 2;
    parts.geometry.pages_per_block = 2;
    parts.ftl.over_provisioning = 1.0;
    parts.ftl.gc.pool = Pool::Die;
    (parts.ftl.gc.hard, parts.ftl.gc.low, parts.ftl.gc.high) = (5.0, 6.0, 6.0);
    parts.ftl.gc.reserve_blocks = 4;
    parts.ftl.gc.mode = GcMode::Partial;
    parts.ftl.gc.keys.set("d", 3);
    parts.ftl.gc.keys.set("window", 3);
    parts.ftl.gc.idle = Duration::from_us(50);
    parts.ftl.wear.static_ = "hot_cold_swap".into();
    parts.ftl.wear.keys.set("gap", 3);
    parts.ftl.wear.check_erases = 2;
    parts.ftl.wear.keys.set("erase_limit", 200);
    parts.allocation.dynamic = DynamicMode::ChannelBound;
    parts.allocation.order = "CDPW".parse().unwrap();
    let mut chaos = Chaos::new(parts.build(), 2_637_530_372_597_943_890, 500);
    chaos.live(400, 8);
    assert!(chaos.drain());
    chaos.compare();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, ..ProptestConfig::default() })]

    #[test]
    fn content_and_invariants_survive(parts in any_parts(), seed in any::<u64>(), depth in 1..24_usize) {
        let mut chaos = Chaos::new(parts.build(), seed, 0);
        for _ in 0..4 {
            chaos.live(400, depth);
            prop_assert!(chaos.drain(), "no end: {} stuck pools", chaos.ftl.stuck_pools());
            chaos.compare();
        }
        prop_assert!(chaos.ftl.is_quiescent());
    }

    #[test]
    fn failures_lose_nothing(mut parts in any_parts(), seed in any::<u64>()) {
        // A failed block is a block less: give them something to lose.
        parts.geometry.blocks_per_plane += 16;
        parts.ftl.gc.reserve_blocks = 4;
        (parts.ftl.gc.hard, parts.ftl.gc.low, parts.ftl.gc.high) = (5.0, 6.0, 6.0);
        let mut chaos = Chaos::new(parts.build(), seed, 500);
        chaos.live(400, 8);
        prop_assert!(chaos.drain(), "no end: {} stuck pools", chaos.ftl.stuck_pools());
        chaos.compare();
    }
}
