//! Covered and un-covered updates, reads and TRIM.

use wordline_nand::{Ppn, Use};
use wordline_units::SimTime;

use super::{Parts, check, execute, request, submit, write};
use crate::allocation::AllocationMode;
use crate::contract::{Ftl, Inspect};
use crate::plan::{Bind, Outcome};
use crate::plan::{Lpn, Plan, Work};
use crate::request::{Answer, PageOp, Refusal};

fn works(plan: &Plan) -> Vec<(&'static str, u8)> {
    plan.iter()
        .map(|step| match step.work {
            Work::Read { bitmap, .. } => ("read", bitmap.count_ones() as u8),
            Work::Program { sectors, .. } => ("program", sectors),
            Work::CopyBack { new_sectors, .. } => ("copy-back", new_sectors),
            _ => ("other", 0),
        })
        .collect()
}

/// Hu et al., Figure 9 (sub-pages counted from 0 here).
#[test]
fn figure_9() {
    let mut ftl = Parts::one_die(1, 32).build();
    let first = write(&mut ftl, 5, 0b0110);
    assert_eq!(works(&first), [("program", 2)]);
    execute(&mut ftl, &first);
    let covered = write(&mut ftl, 5, 0b0111);
    assert_eq!(works(&covered), [("program", 3)]);
    execute(&mut ftl, &covered);
    assert_eq!(ftl.valid_sectors(Lpn(5)), 0b0111);

    let plan = write(&mut ftl, 6, 0b1110);
    execute(&mut ftl, &plan);
    let uncovered = write(&mut ftl, 6, 0b0111);
    assert_eq!(works(&uncovered), [("read", 1), ("program", 4)]);
    assert_eq!((uncovered[0].after, uncovered[1].after), (0, 1));
    execute(&mut ftl, &uncovered);
    assert_eq!(ftl.valid_sectors(Lpn(6)), 0b1111);
    let facts = ftl.counters();
    assert_eq!(
        (facts.first_writes, facts.covered_writes, facts.uncovered_writes),
        (2, 1, 1)
    );
    check(&ftl);
}

#[test]
fn an_uncovered_update_is_one_copy_back_where_the_plane_is_fixed() {
    let mut parts = Parts::one_die(1, 32).copyback(Use::Wise);
    parts.allocation.mode = AllocationMode::Static;
    let mut ftl = parts.build();
    let plan = write(&mut ftl, 0, 0b1110);
    execute(&mut ftl, &plan);
    // Page 1 is next; the source, page 0, has the other parity: through the controller.
    let plan = write(&mut ftl, 0, 0b0001);
    assert_eq!(works(&plan), [("copy-back", 1)]);
    assert_eq!(
        ftl.bind(SimTime::ZERO, &plan[0], wordline_nand::PlaneId(0)),
        Bind::Declined
    );
    let mut grown = Plan::new();
    ftl.done(SimTime::ZERO, &plan[0], None, Outcome::Declined, &mut grown);
    assert_eq!(works(&grown), [("read", 3), ("program", 4)]);
    execute(&mut ftl, &grown);
    // Source page 1, next page 2: again the wrong parity; write something between.
    let plan = write(&mut ftl, 9, 0b1111);
    execute(&mut ftl, &plan);
    let plan = write(&mut ftl, 0, 0b0001);
    assert_eq!(works(&plan), [("copy-back", 1)]);
    execute(&mut ftl, &plan);
    assert_eq!(
        (ftl.lookup(Lpn(0)), ftl.valid_sectors(Lpn(0))),
        (Some(Ppn(3)), 0b1111)
    );
    check(&ftl);
}

#[test]
fn writes_under_way() {
    let mut ftl = Parts::one_die(1, 32).build();
    let older = write(&mut ftl, 3, 0b0011);
    // Not covered by the newer one: it must wait; covered: it may overtake.
    assert_eq!(submit(&mut ftl, PageOp::Write, 3, 0b0110).0, Answer::Wait);
    assert_eq!(submit(&mut ftl, PageOp::Trim, 3, 0b1111).0, Answer::Wait);
    let newer = write(&mut ftl, 3, 0b0111);
    assert_eq!(submit(&mut ftl, PageOp::Read, 3, 0b0001).0, Answer::InMemory);
    assert_eq!(submit(&mut ftl, PageOp::Read, 3, 0b1000).0, Answer::Unmapped);
    execute(&mut ftl, &newer);
    let at = ftl.lookup(Lpn(3));
    execute(&mut ftl, &older);
    assert_eq!((ftl.lookup(Lpn(3)), ftl.valid_sectors(Lpn(3))), (at, 0b0111));
    assert_eq!(ftl.counters().overtaken_writes, 1);
    check(&ftl);

    // The rest of an un-covered update is read from where it still is, and only that.
    let uncovered = write(&mut ftl, 3, 0b1000);
    let (answer, plan) = submit(&mut ftl, PageOp::Read, 3, 0b1001);
    assert_eq!(
        (answer, works(&plan)),
        (Answer::PartlyInMemory, vec![("read", 1)])
    );
    let Work::Read { bitmap, .. } = plan[0].work else {
        panic!("{plan:?}")
    };
    assert_eq!(bitmap, 0b0001);
    assert_eq!(submit(&mut ftl, PageOp::Read, 3, 0b1000).0, Answer::InMemory);
    execute(&mut ftl, &uncovered);
    let (answer, plan) = submit(&mut ftl, PageOp::Read, 3, 0b1001);
    assert_eq!((answer, works(&plan)), (Answer::Accepted, vec![("read", 2)]));
}

#[test]
fn trim_takes_sub_pages_and_pages() {
    let mut ftl = Parts::one_die(1, 32).build();
    for lpn in 0..10 {
        let plan = write(&mut ftl, lpn, 0b1111);
        execute(&mut ftl, &plan);
    }
    assert_eq!(
        submit(&mut ftl, PageOp::Trim, 2, 0b0011),
        (Answer::Accepted, Plan::new())
    );
    assert_eq!(ftl.valid_sectors(Lpn(2)), 0b1100);
    assert_eq!(submit(&mut ftl, PageOp::Read, 2, 0b0001).0, Answer::Unmapped);
    submit(&mut ftl, PageOp::Trim, 2, 0b1100);
    assert_eq!(ftl.lookup(Lpn(2)), None);
    let mut run = request(PageOp::Trim, 4, 0);
    run.pages = 4;
    assert_eq!(
        ftl.submit(SimTime::ZERO, &run, &mut Plan::new()),
        Answer::Accepted
    );
    let mapped: Vec<u64> = (0..10).filter(|lpn| ftl.lookup(Lpn(*lpn)).is_some()).collect();
    assert_eq!(mapped, [0, 1, 3, 8, 9]);
    assert_eq!(ftl.counters().trimmed_pages, 6);
    check(&ftl);
    // Past the end of the drive.
    run.lpn = Lpn(ftl.user_pages() - 3);
    assert_eq!(
        ftl.submit(SimTime::ZERO, &run, &mut Plan::new()),
        Answer::Refused(Refusal::OutOfRange)
    );
}

#[test]
fn trim_can_be_switched_off() {
    let mut parts = Parts::one_die(1, 32);
    parts.ftl.trim.enabled = false;
    let mut ftl = parts.build();
    let plan = write(&mut ftl, 0, 0b1111);
    execute(&mut ftl, &plan);
    assert_eq!(submit(&mut ftl, PageOp::Trim, 0, 0b1111).0, Answer::Accepted);
    assert_eq!(ftl.valid_sectors(Lpn(0)), 0b1111);
}
