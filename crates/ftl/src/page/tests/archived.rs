//! States that contradict themselves are refused when they are loaded.

use wordline_nand::{PlaneId, Use};
use wordline_units::SimTime;

use super::Parts;
use crate::allocation::ActiveBlock;
use crate::archive::{Archive, ArchiveError};
use crate::config::{Pool, StaticWear, Victim};
use crate::contract::{BlockRole, Ftl, JobId, JobNotice, Urgency};
use crate::functional::{Functional, FunctionalOptions};
use crate::page::PageFtl;
use crate::page::pool::Activity;
use crate::plan::{Lpn, Scope};
use crate::wear::Swap;

fn parts(victim: Victim) -> Parts {
    let mut parts = Parts::one_die(2, 40).copyback(Use::Blind);
    parts.commands.copyback_max_hops = 3;
    parts.ftl.gc.victim = victim;
    parts.ftl.gc.pool = Pool::Plane;
    parts.ftl.wear.static_ = StaticWear::Swap;
    parts.allocation.active_block = ActiveBlock::Fifo;
    parts
}

/// At work for long enough that pools are collected; pages 0 and 1 hold data in part.
fn used(parts: &Parts) -> PageFtl {
    let mut ftl = parts.build();
    let user = ftl.user_pages();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for write in 0..4 * user + 9 {
        run.write(Lpn(write * 7919 % user)).unwrap();
    }
    for lpn in 0..2 {
        let request = super::request(crate::PageOp::Trim, lpn, 0b0010);
        run.submit(&request).unwrap();
    }
    run.settle().unwrap();
    ftl
}

/// Saves an FTL, and loads it into another.
fn loaded(parts: &Parts, ftl: &mut PageFtl) -> Result<(), ArchiveError> {
    let mut bytes = Vec::new();
    ftl.archive(&mut Archive::saving(&mut bytes)).unwrap();
    parts.build().archive(&mut Archive::loading(&mut &bytes[..]))
}

/// The first block of a role.
pub(in crate::page) fn first(ftl: &PageFtl, role: BlockRole) -> u32 {
    let found = ftl.blocks.role.iter().position(|other| *other == role);
    found.unwrap() as u32
}

/// What is done to an FTL before it is saved.
pub(in crate::page) type Change = fn(&mut PageFtl);

/// Holds that the state of a used FTL is taken up, and is refused after each change, in words that contain those beside it.
pub(in crate::page) fn refuses(victim: Victim, changes: &[(Change, &str)]) {
    let parts = parts(victim);
    for (change, told) in changes {
        let mut ftl = used(&parts);
        loaded(&parts, &mut ftl).unwrap();
        change(&mut ftl);
        match loaded(&parts, &mut ftl) {
            Err(ArchiveError::Content(what)) => assert!(what.contains(told), "{what}; not {told}"),
            other => panic!("{told}: {other:?}"),
        }
    }
}

#[test]
fn pools_that_contradict_themselves_are_refused() {
    const MOVING: Activity = Activity::Moving {
        victim: 0,
        next: 0,
        onto: None,
    };
    let changes: [(Change, &str); 18] = [
        (|ftl| ftl.pools[0].free += 1, "free blocks"),
        (|ftl| ftl.pools[1].erases += 1, "number of erases"),
        (|ftl| ftl.blocks.erases[3] += 1, "number of erases"),
        (|ftl| ftl.pools[0].activity = MOVING, "left out"),
        (
            |ftl| {
                let victim = first(ftl, BlockRole::Closed);
                ftl.begin_moving(1, victim, None);
            },
            "left out",
        ),
        (
            |ftl| {
                let victim = first(ftl, BlockRole::Closed);
                ftl.begin_moving(0, victim, Some(79));
            },
            "cannot be collected",
        ),
        (
            |ftl| {
                let (victim, next) = (first(ftl, BlockRole::Closed), 65);
                ftl.begin_moving(0, victim, None);
                ftl.pools[0].activity = Activity::Moving {
                    victim,
                    next,
                    onto: None,
                };
            },
            "cannot be collected",
        ),
        (
            |ftl| ftl.pools[0].swap = Some(Swap { from: 1, to: 100_000 }),
            "not in the pool",
        ),
        (
            |ftl| ftl.pools[0].swap = Some(Swap { from: 41, to: 2 }),
            "not in the pool",
        ),
        (|ftl| ftl.pools[0].slack = 65, "given up than"),
        (
            |ftl| ftl.pools[0].unchecked_erases = u32::MAX,
            "between two checks",
        ),
        (|ftl| ftl.pools[0].credit = u64::MAX, "moves earned"),
        (|ftl| ftl.pools[0].starved = true, "how many free blocks it has"),
        (|ftl| ftl.stuck_pools = 1, "stuck pools"),
        (|ftl| ftl.pools[1].stuck = true, "stuck pools"),
        (
            |ftl| ftl.notices.push(notice(u32::MAX, Scope::Drive)),
            "a pool that there is not",
        ),
        (
            |ftl| ftl.notices.push(notice(0, Scope::Plane(PlaneId(1)))),
            "a pool that there is not",
        ),
        (|ftl| ftl.facts.free_blocks_sum = u64::MAX, "larger than anything"),
    ];
    refuses(Victim::Greedy, &changes);
}

fn notice(pool: u32, scope: Scope) -> JobNotice {
    JobNotice {
        job: JobId(pool),
        scope,
        urgency: Urgency::Normal,
        not_before: SimTime::ZERO,
    }
}

#[test]
fn what_is_under_way_is_no_state() {
    let parts = parts(Victim::Greedy);
    let mut ftl = used(&parts);
    ftl.pools[0].moves = 1;
    let saved = ftl.archive(&mut Archive::saving(&mut Vec::new()));
    assert!(matches!(saved, Err(ArchiveError::Busy)), "{saved:?}");
}

/// With it the policy would draw the same block for ever.
#[test]
fn a_stream_that_draws_zeros_is_refused() {
    let mut bytes = Vec::new();
    let mut stream = wordline_units::Seed(1).stream("test");
    Archive::saving(&mut bytes).stream(&mut stream).unwrap();
    assert_eq!(
        Archive::loading(&mut &bytes[..]).stream(&mut stream).ok(),
        Some(())
    );
    let zeros = vec![0; bytes.len()];
    let loaded = Archive::loading(&mut &zeros[..]).stream(&mut stream);
    assert!(matches!(loaded, Err(ArchiveError::Content(_))), "{loaded:?}");
}

/// A length is only believed as far as there is content for it.
#[test]
fn lengths_from_a_file_allocate_nothing_by_themselves() {
    let mut bytes = Vec::new();
    Archive::saving(&mut bytes).part(&mut (1_u64 << 40)).unwrap();
    bytes.extend([0; 100]);
    let from = || std::io::Cursor::new(bytes.clone());
    let mut table = vec![0_u64; 4];
    assert!(Archive::loading(&mut from()).table(&mut table).is_err());
    let mut nested = Vec::<Vec<[u64; 8]>>::new();
    assert!(Archive::loading(&mut from()).part(&mut nested).is_err());
    let mut map = rustc_hash::FxHashMap::<u64, u64>::default();
    assert!(Archive::loading(&mut from()).part(&mut map).is_err());
    let mut queue = std::collections::VecDeque::<u32>::new();
    assert!(Archive::loading(&mut from()).part(&mut queue).is_err());
}

#[test]
fn what_comes_after_the_end_is_refused() {
    assert!(Archive::loading(&mut &[][..]).end().is_ok());
    let more = Archive::loading(&mut &[0][..]).end();
    assert!(matches!(more, Err(ArchiveError::Content(_))), "{more:?}");
}
