//! Superblocks with parity after power cuts: superpages of which a page is missing have none, and all others have theirs (FTL specification, 6.2 and 12, J14).

use wordline_ftl::any_order::{AnyOrder, AnyOrderOptions};
use wordline_ftl::{
    Answer, Cause, Lpn, Mapping, Outcome, PageOp, PageRequest, Plan, Route, Step, Subjects, Work,
};
use wordline_nand::Ppn;
use wordline_units::{Duration, Seed, SimTime};

use crate::common::contents::{Command, Contents, Found};
use crate::common::cuts::{KINDS, run};
use crate::common::host::superblocks;
use crate::common::setup::Setup;
use crate::common::work::Random;

#[test]
fn parity_is_found_again_where_it_is_complete() {
    for kind in KINDS.into_iter().skip(1) {
        let (mut complete, mut others) = (0, 0);
        for seed in 0..3 {
            let setup = Setup::with_parity_to_recover(seed).with_recovery(kind);
            let commands = 2 * setup.geometry().pages();
            let mut random = Random::new(seed, "cuts");
            let cuts: Vec<u64> = (0..10).map(|_| random.below(commands / 4)).collect();
            let (done, _) = run(&setup, commands as usize, &cuts);
            complete += done.parities.get(&true).copied().unwrap_or(0);
            others += done.parities.get(&false).copied().unwrap_or(0);
        }
        assert!(complete > 100 && others > 100, "{kind:?}: {complete}, {others}");
    }
}

/// Superblocks of four blocks of eight pages.
fn four_channels(partial_superpages: &'static str) -> Setup {
    let mut setup = Setup::plain(24, 8, 3.0);
    setup.geometry.channels = 4;
    setup.ftl.mapping = "striped".into();
    setup.ftl.placement.keys.set("reclaim_group", "drive");
    let keys = &mut setup.ftl.keys;
    keys.set("span", "C");
    keys.set("parity", "rotating");
    keys.set("partial_superpages", partial_superpages);
    let gc = &mut setup.ftl.gc;
    (gc.reserve_blocks, gc.hard, gc.low, gc.high) = (2, 2.0, 2.0, 2.0);
    setup
}

/// Writes so many pages and flushes; what is on flash when the power fails then.
fn write_and_flush(setup: &Setup, pages: u64) -> Contents {
    let mut ftl = setup.build_any().unwrap();
    let mut contents = Contents::new(*ftl.geometry(), &setup.restrictions);
    contents.superblocks = superblocks(&*ftl);
    let options = AnyOrderOptions {
        seed: Seed(setup.seed),
        aligned: false,
        fails_one_in: 0,
        most_failures: 0,
        unreadable_one_in: 0,
        time_per_turn: Duration::from_us(1),
    };
    let bitmap = ftl.geometry().full_bitmap();
    let mut executor = AnyOrder::new(&mut *ftl, options, contents);
    for lpn in 0..pages {
        let request = PageRequest {
            op: PageOp::Write,
            lpn: Lpn(lpn),
            pages: 1,
            bitmap,
            placement: 0,
            class: 0,
            command_sectors: bitmap.count_ones(),
        };
        let number = executor.accepted();
        assert_eq!(executor.submit(&request).unwrap(), Answer::Accepted);
        let contents = executor.observer_mut();
        let data = contents.reference.write(lpn, bitmap);
        contents.accepted(number, Command::Write(lpn, data));
        // their pages get their places in this order
        executor.drain().unwrap();
    }
    executor.flush().unwrap();
    executor.drain().unwrap();
    executor.cut()
}

/// The read of a logical page that cannot be corrected: whether its data are computed, and the pages that are read for that.
fn fail_read(ftl: &mut dyn Mapping, lpn: u64) -> (bool, usize) {
    let page: Ppn = ftl.lookup(Lpn(lpn)).unwrap();
    let read = Step {
        work: Work::Read {
            page,
            bitmap: ftl.geometry().full_bitmap(),
            route: Route::Controller,
        },
        cause: Cause::Host,
        acknowledges: true,
        after: 0,
        lpn: Lpn(lpn),
        token: u32::MAX,
    };
    let recovers = ftl.read_repair().is_some_and(|repair| repair.recovers(&read));
    let before = ftl.counters().parity.unrecovered;
    let mut plan = Plan::new();
    ftl.done(SimTime::ZERO, &read, None, Outcome::Uncorrectable, &mut plan);
    let is_told = ftl.counters().parity.unrecovered > before;
    assert_eq!(is_told, !recovers, "page {lpn}");
    let reads = plan
        .iter()
        .filter(|step| step.work.brings_data() && step.cause == Cause::Parity);
    (recovers, reads.count())
}

/// Seven pages fill two superpages of three, and begin a third, which a flush completes or not: `ftl.partial_superpages`. What the controller has of its parity is not used after a power cut.
#[test]
fn what_a_flush_completes_has_parity_after_a_power_cut() {
    for kind in KINDS.into_iter().skip(1) {
        for (partial, whole) in [("pad", 7), ("keep", 6)] {
            let mut setup = four_channels(partial);
            setup.ftl.recovery.kind = kind;
            let contents = write_and_flush(&setup, 7);
            let found = Found {
                contents: &contents,
                by_ftl: true,
            };
            let mut ftl = setup.build_any().unwrap();
            ftl.recoverable_mut()
                .unwrap()
                .recover(SimTime::ZERO, &found)
                .unwrap();
            let computed: Vec<(bool, usize)> = (0..7).map(|lpn| fail_read(&mut *ftl, lpn)).collect();
            let expected = (0..7).map(|lpn| if lpn < whole { (true, 3) } else { (false, 0) });
            assert_eq!(computed, expected.collect::<Vec<_>>(), "{kind:?}, {partial}");
        }
    }
}

/// Where the program of a parity page was cut off, its superpage has no parity: also after further power cuts, when its blocks have been closed and all else is in checkpoint or journal.
#[test]
fn what_is_without_parity_stays_so_over_further_cuts() {
    for kind in KINDS.into_iter().skip(1) {
        let mut setup = four_channels("keep");
        setup.ftl.recovery.kind = kind;
        let mut contents = write_and_flush(&setup, 7);
        for cut in 0..4 {
            let mut ftl = setup.build_any().unwrap();
            let found = Found {
                contents: &contents,
                by_ftl: true,
            };
            let recovery = ftl
                .recoverable_mut()
                .unwrap()
                .recover(SimTime::ZERO, &found)
                .unwrap();
            let recovers: Vec<bool> = (0..7).map(|lpn| fail_read(&mut *ftl, lpn).0).collect();
            let has_second = cut == 0;
            let expected = [true, true, true, has_second, has_second, has_second, false];
            assert_eq!(recovers, expected, "{kind:?}, cut {cut}");
            if cut == 0 {
                let own = ftl.user_pages()..ftl.user_pages() + ftl.facts().own_pages;
                let parities: Vec<Ppn> = own.filter_map(|lpn| ftl.lookup(Lpn(lpn))).collect();
                assert_eq!(parities.len(), 2);
                contents.medium.tear(parities[1]);
            } else {
                recovery.repairs.iter().for_each(|repair| contents.repair(repair));
            }
        }
    }
}
