//! The functional mode without plans does what it does with them.

use proptest::prelude::*;
use wordline_ftl::archive::Archive;
use wordline_ftl::functional::{Functional, FunctionalOptions, Observer};
use wordline_ftl::{
    AllocationConfig, AllocationMode, Answer, Bind, Bound, Extent, Ftl, FtlConfig, GcFrontier, GcMode,
    Inspect, JobId, JobNotice, JobState, Lpn, Outcome, PageFtl, PageOp, PageRequest, Persist, Plan, Pool,
    Step, TimedRequest,
};
use wordline_nand::{
    BlockId, CommandsConfig, Geometry, GeometryConfig, PlaneId, Ppn, RestrictionsConfig, Violation,
};
use wordline_units::{Duration, Seed, SimTime};

/// A page-level FTL that only makes plans.
struct Planned(PageFtl);

impl Ftl for Planned {
    fn geometry(&self) -> &Geometry {
        self.0.geometry()
    }
    fn user_pages(&self) -> u64 {
        self.0.user_pages()
    }
    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        self.0.submit(now, request, plan)
    }
    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        self.0.bind(now, step, plane)
    }
    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        self.0.bind_aligned(now, pairs, bound)
    }
    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        self.0.done(now, step, page, outcome, plan);
    }
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        self.0.notices(notices);
    }
    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        self.0.advance(now, job, plan)
    }
}

fn saved(ftl: &mut PageFtl) -> Vec<u8> {
    let mut bytes = Vec::new();
    ftl.archive(
        SimTime::ZERO,
        Extent::Everything,
        &mut Archive::saving(&mut bytes),
    )
    .unwrap();
    bytes
}

/// Every operation, in order, and when it was.
#[derive(Default)]
struct Log(Vec<(char, u64, SimTime)>);

impl Observer for Log {
    fn read(&mut self, now: SimTime, page: Ppn) -> Result<(), Box<Violation>> {
        self.0.push(('r', page.0, now));
        Ok(())
    }
    fn program(&mut self, now: SimTime, bound: Bound) -> Result<(), Box<Violation>> {
        self.0.push(('p', bound.page.0, now));
        Ok(())
    }
    fn erase(&mut self, now: SimTime, block: BlockId) -> Result<(), Box<Violation>> {
        self.0.push(('e', u64::from(block.0), now));
        Ok(())
    }
}

fn drive(
    pool: Pool,
    mode: GcMode,
    frontier: GcFrontier,
    allocation: AllocationMode,
    wear: &'static str,
) -> PageFtl {
    let geometry = GeometryConfig {
        channels: 2,
        chips_per_channel: 1,
        dies_per_chip: 2,
        planes_per_die: 2,
        blocks_per_plane: 16,
        pages_per_block: 8,
        ..GeometryConfig::default()
    };
    let mut config = FtlConfig {
        over_provisioning: 0.4,
        ..FtlConfig::default()
    };
    config.gc.pool = pool;
    config.gc.mode = mode;
    config.gc.frontier = frontier;
    config.wear.static_ = wear.into();
    config.wear.keys.set("gap", 3);
    let allocation = AllocationConfig {
        mode: allocation,
        ..AllocationConfig::default()
    };
    PageFtl::new(
        Geometry::new(&geometry).unwrap(),
        &config,
        &allocation,
        &CommandsConfig::default(),
        &RestrictionsConfig::default(),
        Seed(1),
    )
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_same_is_done_with_and_without_plans(
        pool in prop::sample::select(vec![Pool::Plane, Pool::Die, Pool::Chip, Pool::Channel, Pool::Drive]),
        mode in prop::sample::select(vec![GcMode::Foreground, GcMode::Preemptible, GcMode::Partial, GcMode::Background]),
        separate in any::<bool>(),
        fixed in any::<bool>(),
        swap in any::<bool>(),
        time_per_write in prop::sample::select(vec![0, 100_000]),
        together in prop::sample::select(vec![1, 7, 64]),
        seed in any::<u64>(),
    ) {
        // a pool reaches no further than a page may go
        let fixed = fixed && pool == Pool::Plane;
        let build = || drive(
            pool,
            mode,
            if separate { GcFrontier::Separate } else { GcFrontier::Shared },
            if fixed { AllocationMode::Static } else { AllocationMode::Dynamic },
            if swap { "swap" } else { "off" },
        );
        let (mut plain, mut planned) = (build(), Planned(build()));
        let options = FunctionalOptions { time_per_write: Duration(time_per_write), ..FunctionalOptions::default() };
        let mut one = Functional::observed(&mut plain, options, Log::default());
        let mut other = Functional::observed(&mut planned, options, Log::default());
        let pages = one.ftl().user_pages();
        let mut requests = Vec::new();
        for turn in 0..6 * pages {
            let draw = Seed(seed).draw("lpn", turn);
            let lpn = Lpn(if draw & 1 == 0 { draw % pages } else { draw % (pages / 8) });
            let op = if draw >> 60 == 0 { PageOp::Trim } else { PageOp::Write };
            requests.push(TimedRequest { at: SimTime(turn * 1_000), op, lpn, pages: 1 });
        }
        for part in requests.chunks(together) {
            one.serve(part).unwrap();
        }
        for request in &requests {
            other.advance_to(request.at);
            match request.op {
                PageOp::Write => other.write(request.lpn).unwrap(),
                _ => other.trim(request.lpn, 1).unwrap(),
            };
        }
        prop_assert_eq!(one.counts(), other.counts());
        prop_assert!(one.counts().blocks_erased() > 0);
        prop_assert!(one.observer().0 == other.observer().0);
        let (facts, other_facts) = (one.ftl().counters(), other.ftl().0.counters());
        prop_assert_eq!(facts, other_facts);
        prop_assert!(saved(&mut plain) == saved(&mut planned.0));
    }
}
