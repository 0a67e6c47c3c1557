//! The functional mode without plans does what it does with them.

use proptest::prelude::*;
use wordline_ftl::archive::Archive;
use wordline_ftl::functional::{Functional, FunctionalOptions, Observer};
use wordline_ftl::{
    Answer, Batches, Bind, Bound, Extent, Ftl, GcMode, Inspect, JobId, JobNotice, JobState, KeptDies, Lpn,
    Outcome, PageFtl, PageOp, PageRequest, Part, PartMut, Persist, Plan, Relocated, RoundRobin, Step,
    Subject, TimedRequest,
};
use wordline_nand::{BlockId, Geometry, PlaneId, Ppn, Use, Violation};
use wordline_units::{Duration, SimTime};

use crate::common::setup::Setup;
use crate::common::work::Random;

/// What both leave to the FTL that they hold.
macro_rules! forward {
    () => {
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
    };
}

/// A page-level FTL, and how many pages it wrote and moved at once.
struct Counted(PageFtl, u64, u64);

impl Ftl for Counted {
    fn part(&self, subject: Subject) -> Option<Part<'_>> {
        match subject {
            Subject::Batches => Some(Part::Batches(self)),
            _ => None,
        }
    }
    fn part_mut(&mut self, subject: Subject) -> Option<PartMut<'_>> {
        match subject {
            Subject::Batches => Some(PartMut::Batches(self)),
            _ => None,
        }
    }
    forward!();
}

impl Batches for Counted {
    fn write_at_once(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        kept: KeptDies<'_>,
        turns: &mut RoundRobin,
        written: &mut Vec<Ppn>,
    ) -> usize {
        let count = self.0.write_at_once(now, requests, kept, turns, written);
        self.1 += written.len() as u64;
        count
    }
    fn read_at_once(&mut self, now: SimTime, lpn: Lpn, bitmap: u64) -> Option<Ppn> {
        self.0.read_at_once(now, lpn, bitmap)
    }
    fn relocate_at_once(
        &mut self,
        now: SimTime,
        job: JobId,
        most: usize,
        turns: &mut RoundRobin,
        relocated: &mut Relocated,
    ) {
        self.0.relocate_at_once(now, job, most, turns, relocated);
        self.2 += relocated.from.len() as u64;
    }
}

/// A page-level FTL that only makes plans.
struct Planned(PageFtl);

impl Ftl for Planned {
    fn part(&self, _subject: Subject) -> Option<Part<'_>> {
        None
    }
    fn part_mut(&mut self, _subject: Subject) -> Option<PartMut<'_>> {
        None
    }
    forward!();
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
    fn copy_back(&mut self, now: SimTime, source: Ppn, bound: Bound) -> Result<(), Box<Violation>> {
        self.0.push(('c', source.0, now));
        self.program(now, bound)
    }
    fn erase(&mut self, now: SimTime, block: BlockId) -> Result<(), Box<Violation>> {
        self.0.push(('e', u64::from(block.0), now));
        Ok(())
    }
}

/// One command of a random load.
#[derive(Clone, Copy, Debug)]
enum Command {
    /// Whole pages, which the batch path may take.
    Whole(TimedRequest),
    /// A part of a page, written or trimmed.
    Part(PageOp, Lpn, u64),
}

/// Mixed commands, crowded on an eighth of the pages for a half of them.
fn commands(seed: u64, pages: u64, full: u64, spacing: u64) -> Vec<Command> {
    let mut random = Random::new(seed, "commands");
    let partial = random.pick(&[0, 0, 20]);
    let command = |turn: u64| {
        let reach = if random.one_in(2) { pages / 8 + 1 } else { pages };
        let lpn = random.below(reach.min(pages));
        let at = SimTime(turn * spacing);
        let kind = random.below(100);
        if kind < partial {
            let bitmap = 1 + random.below(full);
            let op = random.pick(&[PageOp::Write, PageOp::Write, PageOp::Trim]);
            return Command::Part(op, Lpn(lpn), bitmap);
        }
        let (op, pages) = match random.below(40) {
            0 | 1 => (PageOp::Trim, 1 + random.below((pages - lpn).min(6))),
            2 | 3 => (PageOp::Read, 1),
            _ => (PageOp::Write, 1),
        };
        let lpn = Lpn(lpn);
        Command::Whole(TimedRequest {
            at,
            op,
            lpn,
            pages,
            placement: 0,
        })
    };
    (0..4 * pages).map(command).collect()
}

fn part(op: PageOp, lpn: Lpn, bitmap: u64) -> PageRequest {
    PageRequest {
        op,
        lpn,
        pages: 1,
        bitmap,
        placement: 0,
        class: 0,
        command_sectors: bitmap.count_ones(),
    }
}

/// Runs commands with and without batches; pages that were written and moved without a plan.
fn compare(setup: &Setup, time_per_write: u64, together: usize) -> (u64, u64) {
    let (mut plain, mut planned) = (
        Counted(setup.build().unwrap(), 0, 0),
        Planned(setup.build().unwrap()),
    );
    let (pages, full) = (plain.0.user_pages(), setup.geometry().full_bitmap());
    let commands = commands(setup.seed, pages, full, 1_000);
    let options = FunctionalOptions {
        time_per_write: Duration(time_per_write),
        ..FunctionalOptions::default()
    };
    let mut one = Functional::observed(&mut plain, options, Log::default());
    let mut other = Functional::observed(&mut planned, options, Log::default());
    let mut whole = Vec::new();
    for command in &commands {
        match *command {
            Command::Whole(request) => whole.push(request),
            Command::Part(op, lpn, bitmap) => {
                one.execute_requests(&std::mem::take(&mut whole)).unwrap();
                one.submit(&part(op, lpn, bitmap)).unwrap();
            }
        }
        if whole.len() == together {
            one.execute_requests(&std::mem::take(&mut whole)).unwrap();
        }
    }
    one.execute_requests(&whole).unwrap();
    for command in &commands {
        match *command {
            Command::Whole(request) => {
                other.advance_to(request.at);
                match request.op {
                    PageOp::Write => other.write(request.lpn).unwrap(),
                    PageOp::Read | PageOp::Zone(_) => other.read(request.lpn).unwrap(),
                    PageOp::Trim => other.trim(request.lpn, request.pages).unwrap(),
                };
            }
            Command::Part(op, lpn, bitmap) => _ = other.submit(&part(op, lpn, bitmap)).unwrap(),
        }
    }
    assert_eq!(one.counts(), other.counts());
    assert!(one.counts().blocks_erased() > 0);
    assert!(one.observer().0 == other.observer().0);
    assert_eq!(one.ftl().0.counters(), other.ftl().0.counters());
    assert!(saved(&mut plain.0) == saved(&mut planned.0));
    (plain.1, plain.2)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every victim policy and wear policy, shared and separate frontiers, hot and cold pages, pools, allocations and
    /// copy-back, with trims, reads and parts of pages among the writes.
    #[test]
    fn the_same_is_done_with_and_without_plans(
        seed: u64,
        time_per_write in prop::sample::select(vec![0, 100_000]),
        together in prop::sample::select(vec![1, 7, 64]),
    ) {
        compare(&Setup::random(seed), time_per_write, together);
    }
}

/// The batch paths are taken, by most writes and by most moves, or the comparison would say nothing: where pages go through the controller and where they are copied
/// inside their plane, ahead of the host and beside it.
#[test]
fn batches_are_taken() {
    for copyback in [Use::Off, Use::Wise, Use::Blind] {
        for mode in [GcMode::Foreground, GcMode::Preemptible, GcMode::Background] {
            let mut setup = Setup::plain(32, 16, 0.3);
            setup.geometry.planes_per_die = 2;
            setup.commands.copyback = copyback;
            setup.restrictions.copyback_same_parity = false;
            setup.ftl.gc.mode = mode;
            setup.ftl.gc.idle = Duration::from_us(50);
            setup.ftl.gc.low = 6.0;
            setup.ftl.gc.high = 6.0;
            let pages = setup.build().unwrap().user_pages();
            let (written, moved) = compare(&setup, 100_000, 64);
            assert!(
                written > 2 * pages && moved > pages / 2,
                "{copyback:?} {mode:?}: {written} and {moved} of {pages}"
            );
        }
    }
}
