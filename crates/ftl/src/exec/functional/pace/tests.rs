//! When jobs are asked that take time.

use wordline_nand::{DieId, Geometry, GeometryConfig, PlaneId, Ppn};
use wordline_units::{Duration, SimTime};

use crate::contract::{Ftl, Part, PartMut, Subject};
use crate::exec::functional::{BusyDies, Functional, FunctionalOptions, Pace};
use crate::notice::{JobId, JobNotice, JobState, Urgency};
use crate::plan::{Bind, Bound, Cause, Lpn, Outcome, Plan, Route, Scope, Step, Work};
use crate::request::{Answer, PageRequest};

/// Two dies of 16 pages, on which logical pages have the numbers of their pages; a job that reads three of die 0, one with each plan.
struct ThreePlans {
    geometry: Geometry,
    left: u32,
    asked: Vec<u64>,
}

fn read(page: u64, cause: Cause) -> Step {
    Step {
        work: Work::Read {
            page: Ppn(page),
            bitmap: 1,
            route: Route::Controller,
        },
        cause,
        acknowledges: false,
        after: 0,
        lpn: Lpn(page),
        token: 0,
    }
}

impl Ftl for ThreePlans {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn user_pages(&self) -> u64 {
        32
    }

    fn part(&self, _subject: Subject) -> Option<Part<'_>> {
        None
    }

    fn part_mut(&mut self, _subject: Subject) -> Option<PartMut<'_>> {
        None
    }

    fn submit(&mut self, _now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        plan.push(read(request.lpn.0, Cause::Host));
        Answer::Accepted
    }

    fn bind(&mut self, _now: SimTime, _step: &Step, _plane: PlaneId) -> Bind {
        Bind::NoSpace
    }

    fn bind_aligned(&mut self, _: SimTime, _: &[(Step, PlaneId)], _: &mut Vec<Option<Bound>>) -> bool {
        false
    }

    fn done(&mut self, _: SimTime, _: &Step, _: Option<Ppn>, _: Outcome, _: &mut Plan) {}

    fn notices(&mut self, _: &mut Vec<JobNotice>) {}

    fn advance(&mut self, now: SimTime, _job: JobId, plan: &mut Plan) -> JobState {
        self.asked.push(now.0);
        if self.left == 0 {
            return JobState::Finished;
        }
        self.left -= 1;
        plan.push(read(0, Cause::Gc));
        JobState::Yielded
    }
}

const PACE: Pace = Pace {
    read: Duration(10),
    program: Duration(2),
    erase: Duration(100),
    moves: 1,
};

/// When the job is asked that gives notice at a time, where a read takes 10 ns and these pages are read at these times.
fn asked(noticed: u64, reads: &[(u64, u64)]) -> Vec<u64> {
    asked_after(BusyDies::idle(2), noticed, reads)
}

/// The same after a drive with a clock whose dies were busy so long.
fn asked_after(busy: BusyDies, noticed: u64, reads: &[(u64, u64)]) -> Vec<u64> {
    let config = GeometryConfig {
        channels: 1,
        chips_per_channel: 1,
        dies_per_chip: 2,
        planes_per_die: 1,
        blocks_per_plane: 4,
        pages_per_block: 4,
        ..GeometryConfig::default()
    };
    let mut ftl = ThreePlans {
        geometry: Geometry::new(&config).unwrap(),
        left: 3,
        asked: Vec::new(),
    };
    let options = FunctionalOptions {
        pace: Some(PACE),
        ..FunctionalOptions::default()
    };
    let mut functional = Functional::new(&mut ftl, options);
    let notice = JobNotice {
        job: JobId(0),
        scope: Scope::Die(DieId(0)),
        urgency: Urgency::Blocking,
        not_before: SimTime::ZERO,
    };
    functional.go_on_after(busy, &[notice]);
    for (time, page) in reads {
        functional.advance_to(SimTime(*time));
        if *time == noticed {
            functional.take_over([notice]);
        }
        functional.read(Lpn(*page)).unwrap();
    }
    ftl.asked
}

/// A job that goes on is not held up until the next command comes.
#[test]
fn jobs_are_asked_at_their_time() {
    assert_eq!(asked(0, &[(0, 16), (35, 16)]), [0, 10, 20, 30]);
}

/// A read of the host at 5 goes between two steps of the job, and one that was begun before the job is waited for.
#[test]
fn jobs_take_as_much_longer_as_their_die_reads_for_the_host() {
    assert_eq!(asked(0, &[(0, 16), (5, 0), (35, 16)]), [0, 20, 30]);
    assert_eq!(asked(5, &[(0, 0), (5, 16), (35, 16)]), [5, 20, 30]);
}

/// A job goes on when its die has done what a drive with a clock had it do, and a read of the host goes before that.
#[test]
fn jobs_go_on_after_what_a_drive_with_a_clock_left() {
    let busy = |jobs| BusyDies {
        jobs: vec![SimTime(jobs), SimTime(0)],
        ..BusyDies::idle(2)
    };
    assert_eq!(asked_after(busy(7), 0, &[(0, 16), (35, 16)]), [7, 17, 27]);
    assert_eq!(asked_after(busy(7), 0, &[(0, 16), (5, 0), (35, 16)]), [17, 27]);
}

/// Two pages are moved, each in 10 ns of reading and 2 of programming, before an erase of 100: a command waits for the one of these that is under way.
#[test]
fn a_command_waits_for_the_step_that_is_under_way() {
    let left = |left| PACE.left_of_step(Duration(left), PACE.erase).ns();
    assert_eq!([123, 115, 114, 113, 112, 103].map(left), [9, 1, 0, 1, 0, 1]);
    assert_eq!([100, 60, 1].map(left), [100, 60, 1]);
    assert_eq!(PACE.left_of_step(Duration(23), Duration::ZERO), Duration(9));
}
