//! The functional mode against FTLs that are made up for one question each.

use wordline_nand::{BlockId, Geometry, GeometryConfig, Medium, PlaneId, Ppn, RestrictionsConfig, Violation};

use super::*;
use crate::contract::{Part, PartMut, Subject};
use crate::exec::PlanError;
use crate::notice::{JobId, JobState};
use crate::plan::{Bind, Bound, Outcome};
use crate::plan::{Cause, Frontier, Route, Scope, Step, Target, Work};

/// What happened, in order.
#[derive(Default)]
struct Log(Vec<String>);

impl Observer for Log {
    fn read(&mut self, _now: SimTime, page: Ppn) -> Result<(), Box<Violation>> {
        self.0.push(format!("read {}", page.0));
        Ok(())
    }

    fn program(&mut self, _now: SimTime, bound: Bound) -> Result<(), Box<Violation>> {
        self.0.push(format!("program {}", bound.page.0));
        Ok(())
    }

    fn erase(&mut self, _now: SimTime, block: BlockId) -> Result<(), Box<Violation>> {
        self.0.push(format!("erase {}", block.0));
        Ok(())
    }
}

/// Answers every write with `plan`; has space once block 0 is erased, by a job.
struct Scripted {
    geometry: Geometry,
    plan: Plan,
    job: Plan,
    urgency: Urgency,
    not_before: SimTime,
    state: JobState,
    answer: Answer,
    space: bool,
    noticed: bool,
    /// A job says that it gave steps and gives none.
    answer_empty: bool,
    /// What the first step that ends grows.
    grown: Plan,
}

impl Scripted {
    fn new(plan: Plan, job: Plan) -> Self {
        let config = GeometryConfig {
            channels: 1,
            chips_per_channel: 1,
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 4,
            pages_per_block: 4,
            ..GeometryConfig::default()
        };
        Self {
            geometry: Geometry::new(&config).unwrap(),
            plan,
            job,
            urgency: Urgency::Blocking,
            not_before: SimTime::ZERO,
            state: JobState::Yielded,
            answer: Answer::Accepted,
            space: false,
            noticed: false,
            answer_empty: false,
            grown: Vec::new(),
        }
    }
}

impl Ftl for Scripted {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn user_pages(&self) -> u64 {
        8
    }

    fn part(&self, _subject: Subject) -> Option<Part<'_>> {
        None
    }

    fn part_mut(&mut self, _subject: Subject) -> Option<PartMut<'_>> {
        None
    }

    fn submit(&mut self, _now: SimTime, _request: &PageRequest, plan: &mut Plan) -> Answer {
        plan.extend_from_slice(&self.plan);
        self.answer
    }

    fn bind(&mut self, _now: SimTime, _step: &Step, _plane: PlaneId) -> Bind {
        if self.space {
            Bind::Page(Bound {
                page: Ppn(0),
                skipped: 0,
            })
        } else {
            Bind::NoSpace
        }
    }

    fn bind_aligned(&mut self, _: SimTime, _: &[(Step, PlaneId)], _: &mut Vec<Option<Bound>>) -> bool {
        false
    }

    fn done(&mut self, _: SimTime, step: &Step, _: Option<Ppn>, _: Outcome, plan: &mut Plan) {
        plan.append(&mut self.grown);
        self.space |= matches!(step.work, Work::Erase { .. });
    }

    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        if !self.noticed && !self.job.is_empty() {
            self.noticed = true;
            notices.push(JobNotice {
                job: JobId(0),
                scope: Scope::Drive,
                urgency: self.urgency,
                not_before: self.not_before,
            });
        }
    }

    fn advance(&mut self, _now: SimTime, _job: JobId, plan: &mut Plan) -> JobState {
        if self.space {
            return JobState::Finished;
        }
        if self.state == JobState::Yielded && !self.answer_empty {
            plan.append(&mut self.job);
        }
        self.state
    }
}

fn step(work: Work, after: u64) -> Step {
    Step {
        work,
        cause: Cause::Host,
        acknowledges: true,
        after,
        lpn: Lpn(0),
        token: 0,
    }
}

fn read(page: u64, after: u64) -> Step {
    let page = Ppn(page);
    step(
        Work::Read {
            page,
            bitmap: 1,
            route: Route::Controller,
        },
        after,
    )
}

fn program(after: u64) -> Step {
    let target = Target::Frontier {
        frontier: Frontier(0),
        scope: Scope::Drive,
    };
    step(
        Work::Program {
            target,
            sectors: 1,
            route: Route::Controller,
        },
        after,
    )
}

/// A program whose page is fixed.
fn fixed(page: u64, after: u64) -> Step {
    let target = Target::Page(Ppn(page));
    let (sectors, route) = (1, Route::Controller);
    step(
        Work::Program {
            target,
            sectors,
            route,
        },
        after,
    )
}

fn erase() -> Step {
    step(Work::Erase { block: BlockId(0) }, 0)
}

fn log_of(ftl: &mut Scripted) -> Result<Vec<String>, FunctionalError> {
    let mut functional = Functional::observed(ftl, FunctionalOptions::default(), Log::default());
    functional.write(Lpn(0))?;
    Ok(std::mem::take(&mut functional.observer_mut().0))
}

/// A read that is planned on a block goes before the erase of the block, even when the erase makes
/// the space that an earlier step of the same plan waits for.
#[test]
fn planned_reads_go_before_the_erase() {
    let mut ftl = Scripted::new(vec![program(0), read(3, 0), read(5, 0)], vec![erase()]);
    assert_eq!(
        log_of(&mut ftl).unwrap(),
        ["read 3", "erase 0", "program 0", "read 5"]
    );
    // A read that waits for the step without space can never come first.
    let mut ftl = Scripted::new(vec![program(0), read(3, 1)], vec![erase()]);
    assert!(matches!(log_of(&mut ftl), Err(FunctionalError::Stuck(_))));
}

/// What a step grows is executed before the next step of its plan; but an erase that grew goes after the reads of its
/// block that were planned before it, and a program with a fixed page after those planned before it in the block.
#[test]
fn grown_steps_wait_for_what_was_planned_before_them() {
    let mut ftl = Scripted::new(vec![read(9, 0), read(3, 0), read(2, 0b1)], vec![]);
    ftl.grown = vec![erase()];
    assert_eq!(
        log_of(&mut ftl).unwrap(),
        ["read 9", "read 3", "read 2", "erase 0"]
    );
    let mut ftl = Scripted::new(vec![read(9, 0), fixed(4, 0), fixed(5, 0)], vec![]);
    ftl.grown = vec![fixed(6, 0)];
    assert_eq!(
        log_of(&mut ftl).unwrap(),
        ["read 9", "program 4", "program 5", "program 6"]
    );
    // several grown steps keep their order too, and other blocks are not waited for
    ftl.grown = vec![fixed(8, 0), fixed(6, 0), fixed(7, 0)];
    assert_eq!(
        log_of(&mut ftl).unwrap(),
        [
            "read 9",
            "program 8",
            "program 4",
            "program 5",
            "program 6",
            "program 7"
        ]
    );
    // a program that waits for what has not ended cannot be waited for
    let mut ftl = Scripted::new(vec![read(9, 0), read(1, 0), fixed(4, 0b10)], vec![]);
    ftl.grown = vec![fixed(5, 0)];
    assert!(matches!(log_of(&mut ftl), Err(FunctionalError::Stuck(_))));
}

/// A copy-back that waits for space holds its source, alone in its plan or not.
#[test]
fn a_copy_back_that_waits_holds_its_source() {
    let copy_back = |source| {
        let target = Target::Frontier {
            frontier: Frontier(0),
            scope: Scope::Drive,
        };
        let source = Ppn(source);
        let new_sectors = 0;
        let work = Work::CopyBack {
            source,
            target,
            new_sectors,
        };
        step(work, 0)
    };
    let plans = |source| [vec![copy_back(source)], vec![copy_back(source), read(9, 0)]];
    for plan in plans(3) {
        let mut ftl = Scripted::new(plan, vec![erase()]);
        assert!(matches!(log_of(&mut ftl), Err(FunctionalError::Stuck(_))));
    }
    for plan in plans(5) {
        let mut ftl = Scripted::new(plan, vec![erase()]);
        assert_eq!(log_of(&mut ftl).unwrap()[0], "erase 0");
    }
}

#[test]
fn a_job_of_any_urgency_and_hour_makes_space() {
    for urgency in [Urgency::Idle, Urgency::Normal, Urgency::Blocking] {
        let mut ftl = Scripted::new(vec![program(0)], vec![erase()]);
        ftl.urgency = urgency;
        ftl.not_before = SimTime(5_000_000);
        let mut functional = Functional::new(&mut ftl, FunctionalOptions::default());
        functional.write(Lpn(0)).unwrap();
        assert_eq!(functional.now(), SimTime(5_000_000), "time goes on to its hour");
        assert_eq!(functional.counts().blocks_erased(), 1);
        assert_eq!(functional.counts().write_amplification(), Some(1.0));
    }
}

#[test]
fn what_cannot_go_on_is_an_error() {
    let mut nothing = Scripted::new(vec![program(0)], vec![]);
    assert!(matches!(
        log_of(&mut nothing),
        Err(FunctionalError::NoReclaimableSpace)
    ));
    for state in [JobState::Waiting, JobState::Finished] {
        let mut idle = Scripted::new(vec![program(0)], vec![erase()]);
        idle.state = state;
        assert!(matches!(
            log_of(&mut idle),
            Err(FunctionalError::NoReclaimableSpace)
        ));
    }
    let mut empty = Scripted::new(vec![program(0)], vec![erase()]);
    empty.answer_empty = true;
    assert!(matches!(
        log_of(&mut empty),
        Err(FunctionalError::Plan(PlanError::YieldsNothing))
    ));
    let mut backwards = Scripted::new(vec![read(0, 0b10), read(1, 0)], vec![]);
    assert!(matches!(
        log_of(&mut backwards),
        Err(FunctionalError::Plan(PlanError::WaitsForLater(0)))
    ));
    let mut long = Scripted::new(vec![read(0, 0); 65], vec![]);
    assert!(matches!(
        log_of(&mut long),
        Err(FunctionalError::Plan(PlanError::TooLong(65)))
    ));
    let mut alone = Scripted::new(vec![read(0, 1)], vec![]);
    assert!(matches!(
        log_of(&mut alone),
        Err(FunctionalError::Plan(PlanError::WaitsForLater(0)))
    ));
    let mut waits = Scripted::new(vec![], vec![]);
    waits.answer = Answer::Wait;
    assert!(matches!(log_of(&mut waits), Err(FunctionalError::Stuck(_))));
}

#[test]
fn the_medium_enforces_its_rules() {
    let mut ftl = Scripted::new(vec![read(9, 0)], vec![]);
    let medium = Medium::new(&ftl.geometry, &RestrictionsConfig::default());
    let mut functional = Functional::observed(&mut ftl, FunctionalOptions::default(), medium);
    let error = functional.write(Lpn(0)).unwrap_err();
    assert!(matches!(error, FunctionalError::Medium(_)), "{error}");
}

#[test]
fn refused_requests_are_not_counted() {
    let mut ftl = Scripted::new(vec![], vec![]);
    ftl.answer = Answer::Refused(crate::request::Refusal::OutOfRange);
    let mut functional = Functional::new(&mut ftl, FunctionalOptions::default());
    assert!(matches!(functional.write(Lpn(99)), Ok(Answer::Refused(_))));
    assert_eq!(functional.counts(), &Counts::default());
}
