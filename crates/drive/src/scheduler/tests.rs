//! What goes first on a channel, for every policy, worked by hand.

use super::pick::ChannelView;
use super::*;
use crate::array::Choice;
use crate::array::classes::{CLASSES, HOST_PROGRAMS, class};
use crate::array::flash::Flash;
use crate::operation::{Kind, Level, NONE, Op, Owner};
use crate::table::Table;
use wordline_config::{ChannelOrder, SchedulerConfig};
use wordline_ftl::{Cause, Lpn, Route, Scope, Step, Target, Work};
use wordline_nand::{BlockId, DieId, Geometry, GeometryConfig, Ppn};
use wordline_scheduler::{Candidate, Frame, Order, Scheduler};
use wordline_units::{Duration, Seed, SimTime};

const READ: Work = Work::Read {
    page: Ppn(0),
    bitmap: 1,
    route: Route::Controller,
};

fn program(die: u32) -> Work {
    program_to(Scope::Die(DieId(die)))
}

fn program_to(scope: Scope) -> Work {
    Work::Program {
        target: Target::Frontier {
            scope,
            frontier: Default::default(),
        },
        sectors: 1,
        route: Route::Controller,
    }
}

/// Whether a program may go to any die of the drive.
fn is_wide(work: &Work) -> bool {
    let scope = match work {
        Work::Program {
            target: Target::Frontier { scope, .. },
            ..
        } => Some(*scope),
        _ => None,
    };
    scope == Some(Scope::Drive)
}

/// An operation for a die that became ready as number `sequence`.
fn op(sequence: u64, die: u32, work: Work, level: Level) -> Op {
    Op {
        step: Step {
            work,
            cause: Cause::Host,
            acknowledges: true,
            after: 0,
            lpn: Lpn(0),
            token: 0,
        },
        owner: Owner::Request(NONE),
        level,
        plan: NONE,
        index: 0,
        sequence,
        ready: SimTime(sequence),
        page: Ppn(0),
        block: BlockId(0),
        die: DieId(die),
        skipped: 0,
        mode: wordline_nand::Mode::NORMAL,
        read_mode: wordline_nand::Mode::NORMAL,
        sensing: Default::default(),
        acknowledges_transfer: false,
        in_package: false,
        command: Kind::of(&work),
        queue: NONE,
        account: NONE,
        next: NONE,
        previous: NONE,
    }
}

/// What became ready last goes first.
#[derive(Debug)]
struct YoungestFirst;

impl Scheduler for YoungestFirst {
    fn pick<'a>(&mut self, view: &wordline_scheduler::ChannelView<'a>) -> Option<&'a Candidate> {
        view.candidates.iter().max_by_key(|candidate| candidate.sequence)
    }
}

const YOUNGEST_FIRST: Order = Order::Scheduler(&|_, _| Box::new(YoungestFirst));

fn order_of(config: &SchedulerConfig, now: u64) -> String {
    order_under(config, config.policy.row().unwrap().order, now)
}

/// A channel of four dies. Ready are, in this order: a program of the host for die 0, a read of a collection that is not
/// pressing for die 1, a read of the host for die 2, and the data of a read in die 3.
fn order_under(config: &SchedulerConfig, order: Order, now: u64) -> String {
    let ready = [
        ('W', program(0), Level::Host),
        ('C', READ, Level::Normal),
        ('R', READ, Level::Host),
        ('D', READ, Level::Host),
    ];
    order_among(config, (order, false), now, &ready)
}

/// The order in which a channel of four dies starts what is ready: the first for die 0, the second for die 1, and so on, or for any die
/// where it is a program to the whole drive; `D` stands for data.
fn order_among(
    config: &SchedulerConfig,
    (order, places_programs): (Order, bool),
    now: u64,
    ready: &[(char, Work, Level)],
) -> String {
    let geometry = Geometry::new(&GeometryConfig {
        channels: 1,
        chips_per_channel: 4,
        dies_per_chip: 1,
        ..GeometryConfig::default()
    })
    .unwrap();
    let mut flash = Flash::new(geometry, false);
    let mut ops = Table::new();
    for (die, (letter, work, level)) in (0..).zip(ready.iter().copied()) {
        let op = op(u64::from(die) + 1, die, work, level);
        let class = class(op.kind().unwrap(), level);
        let id = ops.insert(op);
        if letter == 'D' {
            flash.channels[0].out.push_back(id);
        } else if is_wide(&work) {
            let queue = flash.drive_queue() + level as usize;
            flash.queues[queue].push(&mut ops, id);
            flash.set_wide(queue, true);
            flash.wide_ops += 1;
            flash.wide_job_ops += u32::from(level != Level::Host);
        } else {
            flash.queues[die as usize * CLASSES + class].push(&mut ops, id);
            flash.work_came(die as usize, class, true, None);
        }
    }
    let frame = Frame {
        geometry: &geometry,
        seed: Seed(1),
    };
    let mut schedule = Schedule::with_order(config, order, &frame, places_programs);
    let mut order = String::new();
    loop {
        let view = ChannelView {
            channel: 0,
            now: SimTime(now),
            flash: &flash,
            ops: &ops,
            reload: None,
        };
        let choice = if schedule.has_view() {
            schedule.ask(view, &|_| None)
        } else {
            schedule.pick(&view)
        };
        let choice = match choice {
            Some(Choice::Read { op }) => {
                let (die, level) = (ops[op].die.index(), ops[op].level);
                Some(Choice::unit(die, class(Kind::Read, level)))
            }
            other => other,
        };
        match choice {
            None => return order,
            Some(Choice::Out) => {
                flash.channels[0].out.pop_front();
                order.push('D');
            }
            Some(Choice::Unit { unit, class }) => {
                let (unit, class) = (unit as usize, class as usize);
                let queue = &mut flash.queues[unit * CLASSES + class];
                let head = queue.head;
                queue.remove(&mut ops, head);
                flash.work_gone(unit, class);
                order.push(ready[unit].0);
            }
            Some(Choice::Wide { queue }) => {
                let queue = queue as usize;
                let head = flash.queues[queue].head;
                flash.queues[queue].remove(&mut ops, head);
                flash.set_wide(queue, !flash.queues[queue].is_empty());
                flash.wide_ops -= 1;
                flash.wide_job_ops -= u32::from(ops[head].level != Level::Host);
                order.push(ready[ops[head].die.index()].0);
            }
            Some(other) => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_goes_first_on_a_channel() {
    use ChannelOrder::{CommandsFirst, DataFirst, Policy};
    let by_age = [
        (Policy, false, "WRDC"),
        (DataFirst, false, "DWRC"),
        (CommandsFirst, false, "WRCD"),
        (Policy, true, "CWRD"),
        (DataFirst, true, "DCWR"),
        (CommandsFirst, true, "CWRD"),
    ];
    let reads_first = [
        (Policy, false, "RDWC"),
        (DataFirst, false, "DRWC"),
        (CommandsFirst, false, "RWCD"),
        (Policy, true, "CRDW"),
        (DataFirst, true, "DCRW"),
        (CommandsFirst, true, "CRWD"),
    ];
    for (policy, cases) in [
        ("fcfs", by_age),
        ("out_of_order", by_age),
        ("reads_first", reads_first),
        ("pes", reads_first),
    ] {
        for (channel_order, collection_first, order) in cases {
            let config = SchedulerConfig {
                policy: policy.into(),
                channel_order,
                collection_first,
                ..SchedulerConfig::default()
            };
            assert_eq!(
                order_of(&config, 10),
                order,
                "{policy:?} {channel_order:?} {collection_first}"
            );
        }
    }
}

/// A scheduler with a view is asked about what the keys for every scheduler leave alike.
#[test]
fn what_goes_first_where_the_youngest_does() {
    use ChannelOrder::{CommandsFirst, DataFirst, Policy};
    for (channel_order, collection_first, order) in [
        (Policy, false, "DRCW"),
        (DataFirst, false, "DRCW"),
        (CommandsFirst, false, "RCWD"),
        (Policy, true, "CDRW"),
        (DataFirst, true, "DCRW"),
        (CommandsFirst, true, "CRWD"),
    ] {
        let mut config = SchedulerConfig {
            channel_order,
            collection_first,
            ..SchedulerConfig::default()
        };
        let found = order_under(&config, YOUNGEST_FIRST, 10);
        assert_eq!(found, order, "{channel_order:?} {collection_first}");
        // nobody has waited for 12 ns
        config.max_wait = Some(Duration(12));
        assert_eq!(order_under(&config, YOUNGEST_FIRST, 10), order);
    }
    // at 10 the program of 1 and the read of 2 are overdue: the older goes first
    let config = SchedulerConfig {
        max_wait: Some(Duration(8)),
        ..SchedulerConfig::default()
    };
    assert_eq!(order_under(&config, YOUNGEST_FIRST, 10), "WCDR");
}

/// What has waited for `max_wait` goes before all others, also before data that otherwise go first.
#[test]
fn what_has_waited_too_long_goes_before_all() {
    let config = SchedulerConfig {
        channel_order: ChannelOrder::DataFirst,
        max_wait: Some(Duration(8)),
        ..SchedulerConfig::default()
    };
    // at 10 the program of 1 and the read of 2 are overdue; both count alike, and the first unit goes first
    assert_eq!(order_of(&config, 10), "WCDR");
    assert_eq!(order_of(&config, 8), "DRWC");
}

/// Host programs wait for a step of a blocking job that can start on their channel, unless programs have their page before they start. They
/// wait for no step of another job.
#[test]
fn programs_wait_for_blocking_jobs_alone() {
    let oldest_first = Order::Scheduler(&|_, _| Box::new(OldestFirst));
    let of_policy = |name: &'static str| SchedulerConfig {
        policy: name.into(),
        ..SchedulerConfig::default()
    };
    let cases = [
        (Level::Urgent, false, "JW"),
        (Level::Urgent, true, "WJ"),
        (Level::Normal, false, "WJ"),
        (Level::Idle, false, "WJ"),
    ];
    for policy in ["fcfs", "out_of_order", "reads_first", "pes"] {
        let config = of_policy(policy);
        let own = config.policy.row().unwrap().order;
        for order in [own, oldest_first] {
            for (level, places_programs, expected) in cases {
                let both = |of_die| [program(of_die), program_to(Scope::Drive)];
                // programs that have their page go to one die
                let writes = both(0).into_iter().take(if places_programs { 1 } else { 2 });
                for (write, step) in writes.flat_map(|write| both(1).map(|step| (write, step))) {
                    let ready = [('W', write, Level::Host), ('J', step, level)];
                    let found = order_among(&config, (order, places_programs), 10, &ready);
                    assert_eq!(found, expected, "{policy} {level:?} {write:?} {step:?}");
                }
            }
        }
    }
}

/// What became ready first goes first.
#[derive(Debug)]
struct OldestFirst;

impl Scheduler for OldestFirst {
    fn pick<'a>(&mut self, view: &wordline_scheduler::ChannelView<'a>) -> Option<&'a Candidate> {
        view.candidates.iter().min_by_key(|candidate| candidate.sequence)
    }
}

/// Starts something only where no array of the channel works for more than 5 ns from now on.
#[derive(Debug)]
struct WaitsForArrays;

impl Scheduler for WaitsForArrays {
    fn pick<'a>(&mut self, view: &wordline_scheduler::ChannelView<'a>) -> Option<&'a Candidate> {
        let soon = view.now + Duration(5);
        let is_soon_free = view.units.iter().all(|unit| unit.free_at <= soon);
        view.candidates.first().filter(|_| is_soon_free)
    }
}

/// A unit of two dies, whose arrays work until 30 and 50, beside an idle one.
#[test]
fn a_scheduler_sees_when_a_unit_comes_free() {
    let geometry = Geometry::new(&GeometryConfig {
        channels: 1,
        chips_per_channel: 2,
        dies_per_chip: 2,
        ..GeometryConfig::default()
    })
    .unwrap();
    let mut flash = Flash::new(geometry, true);
    let mut ops = Table::new();
    let read = ops.insert(op(1, 2, READ, Level::Host));
    let class = class(Kind::Read, Level::Host);
    flash.queues[CLASSES + class].push(&mut ops, read);
    flash.work_came(1, class, true, None);
    for (die, until) in [(0, 30), (1, 50)] {
        let working = ops.insert(op(0, die, program(die), Level::Host));
        flash.occupy(DieId(die), Kind::Program, working, SimTime(until));
    }
    let frame = Frame {
        geometry: &geometry,
        seed: Seed(1),
    };
    let waits = Order::Scheduler(&|_, _| Box::new(WaitsForArrays));
    let mut schedule = Schedule::with_order(&SchedulerConfig::default(), waits, &frame, false);
    let mut starts_at = |now| {
        let view = ChannelView {
            channel: 0,
            now: SimTime(now),
            flash: &flash,
            ops: &ops,
            reload: None,
        };
        schedule.ask(view, &|_| None).is_some()
    };
    assert_eq!(
        [10, 26, 44, 45, 60].map(&mut starts_at),
        [false, false, false, true, true]
    );
}

/// The second register of a die takes a program of the host that follows another one, but not while a step of a blocking job waits for the die.
#[test]
fn a_program_follows_in_the_cache_unless_a_blocking_job_waits() {
    let geometry = Geometry::new(&GeometryConfig {
        channels: 1,
        chips_per_channel: 2,
        dies_per_chip: 1,
        ..GeometryConfig::default()
    })
    .unwrap();
    let mut flash = Flash::new(geometry, false);
    let mut ops = Table::new();
    let working = ops.insert(op(0, 0, program(0), Level::Host));
    flash.occupy(DieId(0), Kind::Program, working, SimTime(50));
    flash.set_cacheable(0, Some(Kind::Program));
    let frame = Frame {
        geometry: &geometry,
        seed: Seed(1),
    };
    let config = SchedulerConfig {
        policy: "out_of_order".into(),
        ..SchedulerConfig::default()
    };
    let oldest_first = Order::Scheduler(&|_, _| Box::new(OldestFirst));
    let own = config.policy.row().unwrap().order;
    let mut schedules = [own, oldest_first].map(|order| Schedule::with_order(&config, order, &frame, false));
    let ready = [
        (program(0), Level::Host, Some(Choice::unit(0, HOST_PROGRAMS))),
        (READ, Level::Urgent, None),
    ];
    for ((work, level, expected), sequence) in ready.into_iter().zip(1..) {
        let op = op(sequence, 0, work, level);
        let class = class(op.kind().unwrap(), level);
        let id = ops.insert(op);
        flash.queues[class].push(&mut ops, id);
        flash.work_came(0, class, true, None);
        let view = ChannelView {
            channel: 0,
            now: SimTime(10),
            flash: &flash,
            ops: &ops,
            reload: None,
        };
        for schedule in &mut schedules {
            let found = if schedule.has_view() {
                schedule.ask(view, &|_| None)
            } else {
                schedule.pick(&view)
            };
            assert_eq!(found, expected, "{work:?}");
        }
    }
}

/// What comes from another queue, as it has become more pressing, goes to its place.
#[test]
fn a_queue_is_in_the_order_of_becoming_ready() {
    let (mut ops, mut queue) = (Table::new(), crate::operation::Queue::default());
    for sequence in [5, 9, 7, 1] {
        let id = ops.insert(op(sequence, 0, READ, Level::Host));
        queue.push(&mut ops, id);
    }
    let in_order = std::iter::successors(Some(queue.head), |id| Some(ops[*id].next));
    let sequences = in_order.take(4).map(|id| ops[id].sequence);
    assert_eq!(sequences.collect::<Vec<_>>(), [1, 5, 7, 9]);
}
