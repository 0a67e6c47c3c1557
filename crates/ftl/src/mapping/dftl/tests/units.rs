//! DFTL with units smaller than a page: translation pages are whole pages of flash, and a program changes the entries of several units.

use proptest::prelude::*;
use rand::Rng;
use wordline_nand::Use;
use wordline_units::{ByteSize, Seed};

use super::super::Dftl;
use super::{ENTRIES, Run, check, costs, goes_on_when_loaded, parts, run, work};
use crate::contract::{Ftl, Inspect, LookupTable};
use crate::error::FtlError;
use crate::mapping::checks::{Parts, check_pages_and_blocks, saved};
use crate::mapping::unit::UnitFtl;
use crate::plan::Lpn;
use crate::request::{PageOp, PageRequest};
use crate::state::archive::Extent;

type Units = Dftl<UnitFtl>;

/// One plane of 40 blocks of 64 pages of four units; translation pages of 32 entries.
fn of_units(cached: u32) -> Parts {
    let mut parts = parts(40, cached);
    parts.ftl.mapping_unit = Some(ByteSize(512));
    parts.ftl.keys.set("protected_share", 0.0);
    parts
}

fn try_build(parts: &Parts) -> Result<Units, FtlError> {
    parts.try_build(Dftl::new)
}

/// Writes four units that share a page.
fn write_page(run: &mut Run<'_, UnitFtl>, units: [u64; 4]) {
    for unit in units {
        run.write(Lpn(unit)).unwrap();
    }
}

/// 40 blocks: the map of N units takes N / 32 pages, with its spare space twice as many; a translation page is four logical pages
/// behind those of the host, one after the other in one page of flash.
#[test]
fn a_translation_page_is_known_as_the_units_of_its_page() {
    let parts = of_units(2);
    let mut ftl = try_build(&parts).unwrap();
    let user = ftl.user_pages();
    assert_eq!(ftl.unit_geometry().pages_per_program, 4);
    assert_eq!(ftl.facts().own_pages, user.div_ceil(ENTRIES) * 4);
    let mut run = run(&mut ftl, &parts);
    // four units of four translation pages, then others: the entries of the first ones leave the cache
    write_page(&mut run, [0, 1, 2, 3].map(|page| page * ENTRIES));
    write_page(&mut run, [4, 5, 6, 7].map(|page| page * ENTRIES));
    let ftl = run.ftl();
    for page in 0..2 {
        let places: Vec<_> = (0..4)
            .map(|part| ftl.lookup(Lpn(user + page * 4 + part)).unwrap().0)
            .collect();
        assert_eq!(places, [0, 1, 2, 3].map(|part| places[0] + part));
        assert_eq!(places[0] % 4, 0);
        for (part, place) in (0..).zip(places) {
            assert_eq!(
                ftl.owner(wordline_nand::Ppn(place)),
                Some(Lpn(user + page * 4 + part))
            );
        }
    }
    check_pages_and_blocks(ftl);
}

/// A unit is looked up when it comes, and its entry is changed when its page has been programmed. Four units of four translation pages, with
/// room for two entries: two have left by then, and their two translation pages are updated; four of one page cost one update.
#[test]
fn a_program_updates_each_translation_page_once() {
    let parts = of_units(2);
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    let far = |page: u64| page * ENTRIES;
    assert_eq!(
        costs(&mut run, |run| write_page(run, [far(0), far(1), far(2), far(3)])),
        (0, 2)
    );
    let counters = run.ftl().counters().table;
    assert_eq!(
        (counters.lookups, counters.hits, counters.late_updates),
        (4, 0, 2)
    );
    // the cache has 2 and 3, both changed; each of two further units has one of them written, and they leave in turn, so that all
    // four entries of page 5 are not at hand when they are changed but the last two
    let before = run.ftl().counters().table;
    write_page(&mut run, [far(5), far(5) + 1, far(5) + 2, far(5) + 3]);
    let counters = run.ftl().counters().table.since(&before);
    assert_eq!((counters.evicted_dirty, counters.late_updates), (2, 1));
}

/// A read of a unit that waits in its register needs no entry; one on flash whose entry is not at hand reads the map, and then no more
/// than the unit.
#[test]
fn reads_look_up_what_is_on_flash() {
    let parts = of_units(2);
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    write_page(&mut run, [0, 1, 2, 3].map(|page| page * ENTRIES));
    let before = run.ftl().counters().table.lookups;
    run.write(Lpn(4 * ENTRIES)).unwrap();
    assert_eq!(
        costs(&mut run, |run| _ = run.read(Lpn(4 * ENTRIES)).unwrap()),
        (0, 0)
    );
    assert_eq!(run.ftl().counters().table.lookups, before + 1);
    assert_eq!(costs(&mut run, |run| _ = run.read(Lpn(0)).unwrap()).0, 1);
}

/// With a cache of everything the drive is that of units with the map in memory, on fewer blocks.
#[test]
fn a_cache_of_everything_is_a_map_in_memory() {
    let parts = of_units(u32::MAX);
    let mut ftl = try_build(&parts).unwrap();
    assert!(ftl.cache.is_none());
    let mut run = run(&mut ftl, &parts);
    assert_eq!(costs(&mut run, |run| work(run, 5, 20_000)), (0, 0));
    run.flush().unwrap();
    check_pages_and_blocks(run.ftl());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// J1, J2 and J11 after any work, in any kind of cache.
    #[test]
    fn what_is_not_at_hand_is_on_flash(seed: u64, cached in 2..300_u32, in_pages: bool, batch: bool, on_write: bool) {
        let mut parts = of_units(if in_pages { cached.max(64) } else { cached });
        parts.ftl.over_provisioning = 0.5;
        let keys = &mut parts.ftl.keys;
        keys.set("cache_unit", if in_pages { "page" } else { "entry" });
        keys.set("batch_eviction", batch);
        keys.set("fetch_on_write", in_pages || on_write);
        let mut ftl = try_build(&parts).unwrap();
        let mut run = run(&mut ftl, &parts);
        work(&mut run, seed, 12_000);
        run.flush().unwrap();
        let programs = super::of_map(run.counts()).1;
        prop_assert!(programs > 0);
        check(run.ftl());
    }

    /// Writes without plans leave the drive as those with plans do, whatever waits in registers when an entry leaves the cache.
    #[test]
    fn writes_at_once_are_writes(seed: u64, cached in 2..200_u32, in_pages: bool, in_host: bool) {
        let mut parts = of_units(if in_pages { cached.max(64) } else { cached });
        parts.ftl.over_provisioning = 0.5;
        parts.ftl.keys.set("cache_unit", if in_pages { "page" } else { "entry" });
        parts.ftl.keys.set("cache_location", if in_host { "host_memory" } else { "controller" });
        let ends = [0, 1].map(|class| {
            let mut ftl = try_build(&parts).unwrap();
            let mut run = run(&mut ftl, &parts);
            let mut stream = Seed(seed).stream("work");
            let user = run.ftl().user_pages();
            let mut next = 0;
            for _ in 0..15_000 {
                // runs of neighbours, whose entries are at hand
                next = if stream.next_u64().is_multiple_of(9) { stream.next_u64() % user } else { (next + 1) % user };
                // a request of a class is served by its plan
                let request = PageRequest {
                    op: PageOp::Write,
                    lpn: Lpn(next),
                    pages: 1,
                    bitmap: 1,
                    placement: 0,
                    class,
                    command_sectors: 1,
                };
                run.submit(&request).unwrap();
            }
            let counts = (super::of_map(run.counts()), run.counts().pages_programmed());
            let now = run.now();
            drop(run);
            (counts, saved(&mut ftl, now, Extent::Everything))
        });
        prop_assert_eq!(ends[0].0, ends[1].0);
        prop_assert_eq!(&ends[0].1, &ends[1].1);
    }

    /// A drive that is loaded with everything goes on as the one that was saved, units in registers included; one with the content
    /// holds the same pages.
    #[test]
    fn a_saved_drive_goes_on(seed: u64) {
        let mut parts = of_units(70);
        parts.ftl.over_provisioning = 0.5;
        let drives = [(); 3].map(|()| try_build(&parts).unwrap());
        goes_on_when_loaded(drives, &parts, (seed, 9_000), 3_000)?;
    }
}

/// The map of the data and its cost are of units, what is read of blocks after a loss of power is pages.
#[test]
fn costs_are_those_of_pages() {
    let parts = of_units(64);
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    for lpn in 0..4 * 64 * 2 {
        run.write(Lpn(lpn)).unwrap();
    }
    run.flush().unwrap();
    let cost = run.ftl().table_cost();
    // two full blocks of data tell their order by their first pages
    let of_map = run.ftl().table.ftl.mapped_pages();
    assert!(of_map > 0);
    assert_eq!(cost.flash_bytes, of_map * 2048);
    let programmed = super::of_map(run.counts()).1;
    let changes = run.ftl().cache.as_ref().unwrap().changes_to_find().div_ceil(4);
    assert_eq!(cost.recovery_reads, [2 + programmed + changes]);
}

#[test]
fn what_does_not_go_with_units_is_refused() {
    let refused = |change: &dyn Fn(&mut Parts)| {
        let mut parts = of_units(100);
        change(&mut parts);
        try_build(&parts).err().map(|error| error.to_string()).unwrap()
    };
    let found = refused(&|parts| parts.ftl.mapping_unit = Some(ByteSize(4096)));
    assert!(
        found.starts_with("ftl.mapping_unit = 4 KiB: the page of 2048 B"),
        "{found}"
    );
    assert!(found.ends_with("with ftl.mapping = \"dftl\""), "{found}");
    let found = refused(&|parts| parts.copyback = Use::Wise);
    assert!(found.contains("commands.copyback"), "{found}");
    let found = refused(&|parts| parts.ftl.mapping_unit = Some(ByteSize(384)));
    assert!(found.contains("a multiple of 512 B"), "{found}");
}
