//! Tests of DFTL: worked costs of look-ups and collection, the cache of everything, what is saved, and what is refused.

mod host_memory;
mod rebuilding;
mod units;

use proptest::prelude::*;
use rand::Rng;
use wordline_nand::Medium;
use wordline_units::{Seed, SimTime};

use super::Dftl;
use super::data::DataFtl;
use super::keys::CacheUnit;
use super::row::DFTL;
use crate::ageing::{AgeConfig, AgeMethod, age};
use crate::allocation::Order;
use crate::contract::{Ageable, Ftl, Inspect, Persist};
use crate::counters::TableCounters;
use crate::error::FtlError;
use crate::exec::functional::{Counts, Functional, FunctionalOptions};
use crate::mapping::checks::{Parts, check_pages_and_blocks, saved};
use crate::mapping::page::PageFtl;
use crate::plan::{Cause, Lpn};
use crate::request::{Answer, PageOp, PageRequest};
use crate::state::archive::{Archive, Extent};

/// Entries of a translation page: 2048 B / 64 B.
const ENTRIES: u64 = 32;

/// One plane of so many blocks of 64 pages, with translation pages of 32 entries.
fn parts(blocks: u32, cached: u32) -> Parts {
    let mut parts = Parts::new("dftl", 1, blocks);
    for (key, value) in [("entry_bytes", 64), ("cached_entries", i64::from(cached))] {
        parts.ftl.keys.set(key, value);
    }
    parts
}

fn try_build(parts: &Parts) -> Result<Dftl<PageFtl>, FtlError> {
    parts.try_build(Dftl::new)
}

type Run<'a, D = PageFtl> = Functional<'a, Dftl<D>, Medium>;

fn run<'a, D: DataFtl>(ftl: &'a mut Dftl<D>, parts: &Parts) -> Run<'a, D> {
    Functional::observed(ftl, FunctionalOptions::default(), parts.medium())
}

/// Reads, programs and erases of the map.
fn of_map(counts: &Counts) -> (u64, u64, u64) {
    let at = Cause::Mapping as usize;
    (counts.read[at], counts.programmed[at], counts.erased[at])
}

/// What is read and programmed of the map by what `then` does.
fn costs<D: DataFtl>(run: &mut Run<'_, D>, then: impl FnOnce(&mut Run<'_, D>)) -> (u64, u64) {
    let before = of_map(run.counts());
    then(run);
    let after = of_map(run.counts());
    (after.0 - before.0, after.1 - before.1)
}

/// FTL specification, 2.9: a miss costs a read, and if what leaves the cache was changed, a read and a program more; a page whose
/// translation page does not exist costs no read. Two entries are cached, none protected.
#[test]
fn a_miss_costs_a_read_and_a_changed_victim_an_update() {
    let mut parts = parts(40, 2);
    parts.ftl.keys.set("protected_share", 0.0);
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    let page = |number: u64| Lpn(number * ENTRIES);
    // the first writes find no translation page; the third and the fourth make the first two leave, which had none to be read
    assert_eq!(costs(&mut run, |run| _ = run.write(page(0)).unwrap()), (0, 0));
    assert_eq!(costs(&mut run, |run| _ = run.write(page(1)).unwrap()), (0, 0));
    assert_eq!(costs(&mut run, |run| _ = run.write(page(2)).unwrap()), (0, 1));
    assert_eq!(costs(&mut run, |run| _ = run.write(page(3)).unwrap()), (0, 1));
    // a hit
    assert_eq!(costs(&mut run, |run| _ = run.read(page(3)).unwrap()), (0, 0));
    // 2 leaves and is written for the first time, 0 is read
    assert_eq!(costs(&mut run, |run| _ = run.read(page(0)).unwrap()), (1, 1));
    // 3 leaves
    assert_eq!(costs(&mut run, |run| _ = run.read(page(1)).unwrap()), (1, 1));
    // 0 leaves, which is on flash
    assert_eq!(costs(&mut run, |run| _ = run.read(page(2)).unwrap()), (1, 0));
    // 1 leaves, and 0 is to be changed
    assert_eq!(costs(&mut run, |run| _ = run.write(page(0)).unwrap()), (1, 0));
    // 2 leaves, then 0, whose translation page exists now
    assert_eq!(costs(&mut run, |run| _ = run.read(page(1)).unwrap()), (1, 0));
    assert_eq!(costs(&mut run, |run| _ = run.read(page(2)).unwrap()), (2, 1));
    // a page without data whose neighbours have some, and one of a translation page that does not exist
    assert_eq!(
        costs(&mut run, |run| assert_eq!(
            run.read(Lpn(1)).unwrap(),
            Answer::Unmapped
        )),
        (1, 0)
    );
    let far = Lpn(9 * ENTRIES);
    assert_eq!(
        costs(&mut run, |run| assert_eq!(
            run.read(far).unwrap(),
            Answer::Unmapped
        )),
        (0, 0)
    );
    let counters = run.ftl().counters().table;
    assert_eq!((counters.lookups, counters.hits), (13, 1));
    assert_eq!((counters.evicted, counters.evicted_dirty), (10, 5));
}

/// With 4 changed entries of one translation page in a cache of 4, the first further miss writes them all, or with
/// `batch_eviction = false` the one that leaves, and three more misses three more.
#[test]
fn changed_entries_of_a_page_are_written_together() {
    for (batch, programs) in [(true, [1, 0, 0, 0]), (false, [1, 1, 1, 1])] {
        let mut parts = parts(40, 4);
        parts.ftl.keys.set("batch_eviction", batch);
        let mut ftl = try_build(&parts).unwrap();
        let mut run = run(&mut ftl, &parts);
        for lpn in 0..4 {
            run.write(Lpn(lpn)).unwrap();
        }
        let found =
            [1, 2, 3, 4].map(|page| costs(&mut run, |run| _ = run.read(Lpn(page * ENTRIES)).unwrap()).1);
        assert_eq!(found, programs);
    }
}

/// Whole translation pages in the cache: what is cached need not be read to be written.
#[test]
fn a_cached_translation_page_is_written_without_a_read() {
    let mut parts = parts(40, 2 * ENTRIES as u32);
    parts.ftl.keys.set("cache_unit", "page");
    parts.ftl.keys.set("protected_share", 0.0);
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    for lpn in 0..2 * ENTRIES {
        assert_eq!(costs(&mut run, |run| _ = run.write(Lpn(lpn)).unwrap()), (0, 0));
    }
    assert_eq!(
        costs(&mut run, |run| _ = run.write(Lpn(2 * ENTRIES)).unwrap()),
        (0, 1)
    );
    assert_eq!(costs(&mut run, |run| _ = run.write(Lpn(0)).unwrap()), (1, 1));
    assert_eq!(costs(&mut run, |run| _ = run.read(Lpn(5)).unwrap()), (0, 0));
}

/// A command of eight pages whose entries are not cached: one read brings them all, up to the end of the translation page.
#[test]
fn a_miss_brings_the_entries_of_its_command() {
    for (prefetch, reads) in [("none", 8), ("request", 2)] {
        let mut parts = parts(40, 40);
        parts.ftl.keys.set("prefetch", prefetch);
        let mut ftl = try_build(&parts).unwrap();
        let mut run = run(&mut ftl, &parts);
        for lpn in 0..8 * ENTRIES {
            run.write(Lpn(lpn)).unwrap();
        }
        let found = costs(&mut run, |run| {
            for lpn in ENTRIES - 4..ENTRIES + 4 {
                let request = PageRequest {
                    op: PageOp::Read,
                    lpn: Lpn(lpn),
                    pages: 1,
                    bitmap: 0b1111,
                    placement: 0,
                    class: 0,
                    command_sectors: 8 * 4,
                };
                run.submit(&request).unwrap();
            }
        });
        assert_eq!(found.0, reads, "{prefetch}");
    }
}

/// FTL specification, 2.9: a victim with 10 valid pages, the entries of 4 cached, those of the other 6 in 3 translation pages,
/// costs 10 + 3 reads, 10 + 3 programs and an erase.
#[test]
fn collection_updates_each_translation_page_once() {
    let mut parts = parts(40, 80);
    parts.ftl.over_provisioning = 0.12;
    (parts.ftl.gc.low, parts.ftl.gc.high) = (2.0, 2.0);
    let mut ftl = try_build(&parts).unwrap();
    let user = ftl.user_pages();
    let mut run = run(&mut ftl, &parts);
    // block 0 of the data gets 4 pages of translation page 0, 2 each of 1 to 3, and 54 of the last ones
    let stay: Vec<u64> = (0..4)
        .chain([
            ENTRIES,
            ENTRIES + 1,
            2 * ENTRIES,
            2 * ENTRIES + 1,
            3 * ENTRIES,
            3 * ENTRIES + 1,
        ])
        .collect();
    let go: Vec<u64> = (user - 54..user).collect();
    let rest: Vec<u64> = (0..user - 54).filter(|lpn| !stay.contains(lpn)).collect();
    for lpn in stay.iter().chain(&go).chain(&rest).chain(&go) {
        run.write(Lpn(*lpn)).unwrap();
    }
    // a few pages of each other block, until collection starts
    for lpn in rest.iter().step_by(20) {
        for cached in (0..4).chain([*lpn]) {
            run.read(Lpn(cached)).unwrap();
        }
        run.reset_counts();
        run.ftl_mut().reset_counters();
        run.write(Lpn(*lpn)).unwrap();
        run.finish_jobs().unwrap();
        let counters = run.ftl().counters();
        if counters.gc_victims == 0 {
            assert_eq!(of_map(run.counts()), (0, 0, 0));
            continue;
        }
        assert_eq!((counters.gc_victims, counters.gc_moves), (1, 10));
        assert_eq!(counters.table.collection_updates, 3);
        let gc = Cause::Gc as usize;
        let counts = run.counts();
        assert_eq!(
            (counts.read[gc], counts.programmed[gc], counts.erased[gc]),
            (10, 10, 1)
        );
        assert_eq!(of_map(counts), (3, 3, 0));
        return;
    }
    panic!("nothing was collected");
}

/// TRIM of whole translation pages writes nothing, of a part of one the page, and of a single page its entry in the cache.
#[test]
fn trim_changes_entries() {
    let parts = parts(40, 64);
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    for lpn in 0..10 * ENTRIES {
        run.write(Lpn(lpn)).unwrap();
    }
    // 2 to 5 are whole, half of 1 and half of 6
    let cost = costs(&mut run, |run| {
        _ = run.trim(Lpn(ENTRIES + 16), 5 * ENTRIES).unwrap()
    });
    assert_eq!(cost, (2, 2));
    let is_there = |run: &Run<'_>, page: u64| {
        let ftl = run.ftl();
        ftl.lookup(Lpn(ftl.user_pages() + page)).is_some()
    };
    assert_eq!(
        [1, 2, 5, 6].map(|page| is_there(&run, page)),
        [true, false, false, true]
    );
    assert_eq!(
        costs(&mut run, |run| _ = run.trim(Lpn(2 * ENTRIES), ENTRIES).unwrap()),
        (0, 0)
    );
    run.read(Lpn(ENTRIES)).unwrap();
    assert_eq!(
        costs(&mut run, |run| _ = run.trim(Lpn(ENTRIES), 1).unwrap()),
        (0, 0)
    );
    for lpn in ENTRIES..7 * ENTRIES {
        let holds = (ENTRIES + 1..ENTRIES + 16).contains(&lpn) || lpn >= 6 * ENTRIES + 16;
        assert_eq!(run.ftl().lookup(Lpn(lpn)).is_some(), holds, "{lpn}");
    }
    drop(run);
    check(&ftl);
}

/// A part of a translation page that is not cached loses its entries: the page is read before it is written.
#[test]
fn trim_reads_a_translation_page_that_is_not_cached() {
    let mut parts = parts(40, 2 * ENTRIES as u32);
    parts.ftl.keys.set("cache_unit", "page");
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    for lpn in 0..10 * ENTRIES {
        run.write(Lpn(lpn)).unwrap();
    }
    assert_eq!(costs(&mut run, |run| _ = run.trim(Lpn(0), 8).unwrap()), (1, 1));
}

/// A drive that ignores TRIM keeps the translation pages too.
#[test]
fn a_trim_without_effect_leaves_the_map() {
    let mut parts = parts(40, 64);
    parts.ftl.trim.enabled = false;
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    for lpn in 0..10 * ENTRIES {
        run.write(Lpn(lpn)).unwrap();
    }
    assert_eq!(
        costs(&mut run, |run| _ = run.trim(Lpn(0), 5 * ENTRIES).unwrap()),
        (0, 0)
    );
    drop(run);
    check(&ftl);
}

/// What holds of every mapping; the free blocks of the data; that no more is cached than may be, and that a page whose entry is
/// not cached and is not being written has a translation page (J11).
fn check<D: DataFtl>(ftl: &Dftl<D>) {
    check_pages_and_blocks(ftl);
    let Some(cache) = &ftl.cache else { return };
    let most = match ftl.keys.cache_unit {
        CacheUnit::Entry => ftl.keys.cached_entries,
        CacheUnit::Page => ftl.keys.cached_entries / ENTRIES as u32,
    };
    assert!(cache.len() <= most);
    for lpn in (0..ftl.user_pages()).map(Lpn) {
        let page = ftl.translation_page(lpn.0);
        if ftl.lookup(lpn).is_some() && cache.find(ftl.key(lpn.0)).is_none() {
            assert!(ftl.lookup(ftl.table.lpn(page)).is_some(), "{lpn:?}");
        }
    }
}

/// Random writes, a third of them on few pages.
fn work<D: DataFtl>(run: &mut Run<'_, D>, seed: u64, commands: u32) {
    let mut stream = Seed(seed).stream("work");
    let user = run.ftl().user_pages();
    for _ in 0..commands {
        let below = if stream.next_u64().is_multiple_of(3) {
            user / 8
        } else {
            user
        };
        let lpn = Lpn(stream.next_u64() % below);
        match stream.next_u64() % 16 {
            0..11 => _ = run.write(lpn).unwrap(),
            11..15 => _ = run.read(lpn).unwrap(),
            _ => {
                _ = run
                    .trim(lpn, (stream.next_u64() % 80).min(user - lpn.0).max(1))
                    .unwrap()
            }
        }
    }
}

/// The first of equal drives is worked with so many commands drawn by a seed, and saved. The second one is loaded with everything and goes on as the first for so many writes; the third one
/// is loaded with the content and holds the same pages.
fn goes_on_when_loaded<D: DataFtl>(
    [mut first, mut second, mut third]: [Dftl<D>; 3],
    parts: &Parts,
    (seed, commands): (u64, u32),
    writes: u64,
) -> Result<(), TestCaseError> {
    let mut executor = Vec::new();
    let mut one = run(&mut first, parts);
    work(&mut one, seed, commands);
    let now = one.now();
    one.archive(&mut Archive::saving(&mut executor)).unwrap();
    drop(one);
    let load = |ftl: &mut Dftl<D>, extent, bytes: &[u8]| {
        ftl.archive(now, extent, &mut Archive::loading(&mut &*bytes))
            .unwrap();
    };
    let everything = saved(&mut first, now, Extent::Everything);
    load(&mut second, Extent::Everything, &everything);
    prop_assert_eq!(&saved(&mut second, now, Extent::Everything), &everything);
    load(
        &mut third,
        Extent::Content,
        &saved(&mut first, now, Extent::Content),
    );
    // as when ageing has loaded it
    third.complete_age(Order::default(), now, Seed(1)).unwrap();
    for ftl in [&second, &third] {
        // a unit that waits in a register has sub-pages and no page
        if ftl.units.pages_per_program == 1 {
            check(ftl);
        }
        for lpn in (0..ftl.user_pages()).map(Lpn) {
            prop_assert_eq!(ftl.lookup(lpn), first.lookup(lpn));
            prop_assert_eq!(ftl.valid_sectors(lpn), first.valid_sectors(lpn));
        }
    }
    let mut ends = Vec::new();
    for ftl in [&mut first, &mut second] {
        let mut run = Functional::observed(ftl, FunctionalOptions::default(), ());
        run.archive(&mut Archive::loading(&mut &executor[..])).unwrap();
        for lpn in 0..writes {
            run.write(Lpn(lpn * 37 % run.ftl().user_pages())).unwrap();
        }
        run.finish_jobs().unwrap();
        let now = run.now();
        drop(run);
        ends.push(saved(ftl, now, Extent::Everything));
    }
    prop_assert_eq!(&ends[0], &ends[1]);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// J11, and the mean costs of a look-up: without batches every changed entry that leaves is written.
    #[test]
    fn look_ups_cost_what_is_said(seed: u64, cached in 2..200_u32, batch: bool, clean_first: bool) {
        let mut parts = parts(24, cached);
        parts.ftl.over_provisioning = 0.5;
        parts.ftl.keys.set("batch_eviction", batch);
        parts.ftl.keys.set("clean_first", clean_first);
        let mut ftl = try_build(&parts).unwrap();
        let mut run = run(&mut ftl, &parts);
        for lpn in 0..run.ftl().user_pages() {
            run.write(Lpn(lpn)).unwrap();
        }
        // translation pages that only the cache has
        let own = (run.ftl().user_pages()..).map(Lpn).take(run.ftl().facts().own_pages as usize);
        let lacking = own.filter(|lpn| run.ftl().lookup(*lpn).is_none()).count() as u64;
        run.reset_counts();
        run.ftl_mut().reset_counters();
            let mut stream = Seed(seed).stream("pages");
        let user = run.ftl().user_pages();
        for _ in 0..3000 {
            run.write(Lpn(stream.next_u64() % user)).unwrap();
        }
        let table = run.ftl().counters().table;
        let moved = run.ftl().table.ftl.counters().gc_moves;
        let (reads, programs, _) = of_map(run.counts());
        prop_assert_eq!(table.lookups, 3000);
        prop_assert_eq!(table.evicted, table.lookups - table.hits);
        // no read where the page that is written for what leaves is the one that is needed
        prop_assert!(table.fetched_pages <= table.evicted);
        prop_assert!(table.evicted - table.fetched_pages <= table.evicted_dirty);
        prop_assert_eq!(table.late_updates, 0);
        let updates = table.evicted_dirty + table.collection_updates;
        let expected = table.fetched_pages + updates + moved;
        prop_assert!((expected - lacking..=expected).contains(&reads), "{} {} {}", reads, expected, lacking);
        prop_assert_eq!(programs, updates + moved);
        drop(run);
        check(&ftl);
    }

    /// A cache of everything, with a pool of its own for the map, is page-level mapping: the same pages at the same places, the
    /// same counts, and no operation on the map.
    #[test]
    fn a_cache_of_everything_is_page_mapping(seed: u64) {
        let mut own = parts(30, 1 << 20);
        own.ftl.over_provisioning = 0.4;
        let mut ftl = try_build(&own).unwrap();
        let blocks = ftl.region.geometry.blocks_per_plane;
        let mut other = own.clone();
        other.ftl.mapping = "page".into();
        other.geometry.blocks_per_plane = blocks;
        let mut page = other.try_build(PageFtl::from_input).unwrap();
        prop_assert_eq!(page.user_pages(), ftl.user_pages());
        let mut one = Functional::observed(&mut ftl, FunctionalOptions::default(), own.medium());
        let mut two = Functional::observed(&mut page, FunctionalOptions::default(), other.medium());
            let mut stream = Seed(seed).stream("pages");
        for _ in 0..8000 {
            let lpn = Lpn(stream.next_u64() % one.ftl().user_pages());
            match stream.next_u64() % 8 {
                0 => prop_assert_eq!(one.read(lpn).unwrap(), two.read(lpn).unwrap()),
                1 => prop_assert_eq!(one.trim(lpn, 1).unwrap(), two.trim(lpn, 1).unwrap()),
                _ => prop_assert_eq!(one.write(lpn).unwrap(), two.write(lpn).unwrap()),
            }
        }
        prop_assert_eq!(one.counts(), two.counts());
        prop_assert_eq!(one.ftl().counters(), two.ftl().counters());
        prop_assert_eq!(of_map(one.counts()), (0, 0, 0));
        for lpn in (0..ftl.user_pages()).map(Lpn) {
            // the blocks of the data are the first ones of the only plane
            prop_assert_eq!(ftl.lookup(lpn), page.lookup(lpn));
        }
        prop_assert_eq!(saved(&mut ftl.data, SimTime::ZERO, Extent::Content), saved(&mut page, SimTime::ZERO, Extent::Content));
    }

    /// A drive that is loaded with everything goes on as the one that was saved; one with the content holds the same pages.
    #[test]
    fn a_saved_drive_goes_on(seed: u64, in_pages: bool) {
        let mut parts = parts(24, 70);
        parts.ftl.over_provisioning = 0.5;
        parts.ftl.keys.set("cache_unit", if in_pages { "page" } else { "entry" });
        let drives = [(); 3].map(|()| try_build(&parts).unwrap());
        goes_on_when_loaded(drives, &parts, (seed, 3000), 1500)?;
    }
}

/// Aged by the closed form and by writing: every page has its entry on flash, and the blocks of the map are in use.
#[test]
fn an_aged_drive_has_its_map_on_flash() {
    for method in [AgeMethod::SteadyState, AgeMethod::Overwritten] {
        let mut parts = parts(60, 100);
        parts.ftl.over_provisioning = 0.5;
        let mut ftl = try_build(&parts).unwrap();
        let config = AgeConfig {
            method,
            ..AgeConfig::default()
        };
        age(&mut ftl, &config, Order::default(), Seed(3)).unwrap();
        check(&ftl);
        assert_eq!(ftl.counters().table, TableCounters::default());
        let census = ftl.census();
        assert_eq!(
            (census.mapped, census.own),
            (ftl.user_pages(), ftl.facts().own_pages)
        );
        let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
        for lpn in 0..4000 {
            run.write(Lpn(lpn * 7919 % run.ftl().user_pages())).unwrap();
        }
        drop(run);
        check(&ftl);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |blocks: u32, key: &str, value: toml::Value| {
        let mut parts = parts(blocks, 100);
        parts.ftl.keys.set(key, value);
        let error = try_build(&parts).err().map(|error| error.to_string());
        error.unwrap_or_else(|| panic!("{key} was accepted"))
    };
    for (key, value, said) in [
        (
            "cached_entries",
            toml::Value::from(1),
            "ftl.cached_entries = 1: at least 2",
        ),
        (
            "entry_bytes",
            0.into(),
            "ftl.entry_bytes = 0: a divisor of the page size, 2048 B",
        ),
        (
            "entry_bytes",
            12.into(),
            "ftl.entry_bytes = 12: a divisor of the page size, 2048 B",
        ),
        (
            "protected_share",
            1.5.into(),
            "ftl.protected_share = 1.5: from 0 to 1",
        ),
        (
            "table_spare",
            0.0.into(),
            "ftl.table_spare = 0: a fraction above 0, such as 0.5",
        ),
    ] {
        assert_eq!(refused(40, key, value), said);
    }
    let mut few = parts(40, 63);
    few.ftl.keys.set("cache_unit", "page");
    let error = try_build(&few).err().unwrap().to_string();
    assert_eq!(
        error,
        "ftl.cached_entries = 63: at least 64, two translation pages, with ftl.cache_unit = \"page\""
    );
    few.ftl.keys.set("cached_entries", 64);
    few.ftl.keys.set("fetch_on_write", false);
    let error = try_build(&few).err().unwrap().to_string();
    assert!(
        error.starts_with("ftl.fetch_on_write = false: true with"),
        "{error}"
    );
    let error = try_build(&parts(8, 100)).err().unwrap().to_string();
    assert!(
        error.starts_with("geometry.blocks_per_plane = 8: more, or smaller"),
        "{error}"
    );
    assert_eq!(
        DFTL.entry.name,
        try_build(&parts(40, 2)).unwrap().identity().mapping
    );
}
