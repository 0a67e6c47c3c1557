//! Tests of the cache in memory of the host: what goes over the link, worked by hand, and that nothing else changes.

use proptest::prelude::*;
use wordline_units::SimTime;

use super::{ENTRIES, check, of_map, parts, run, try_build, work};
use crate::contract::{Ftl, Inspect, LookupTable};
use crate::plan::{Lpn, MemoryAccess, Plan, Step, Work};
use crate::request::{PageOp, PageRequest};

/// Bytes read and written in memory of the host by what `then` does.
fn moved(run: &mut super::Run<'_>, then: impl FnOnce(&mut super::Run<'_>)) -> (u64, u64) {
    let counted = |run: &super::Run<'_>| {
        let table = run.ftl().counters().table;
        (table.host_bytes_read, table.host_bytes_written)
    };
    let before = counted(run);
    then(run);
    let after = counted(run);
    (after.0 - before.0, after.1 - before.1)
}

fn in_host(blocks: u32, cached: u32) -> crate::mapping::checks::Parts {
    let mut parts = parts(blocks, cached);
    parts.ftl.keys.set("cache_location", "host_memory");
    parts.ftl.keys.set("protected_share", 0.0);
    parts
}

/// Two entries of 64 B are cached. A hit reads one; a miss writes the one that it brings, and reads the changed one that leaves; a
/// write changes one, and has read it where it waits for entries.
#[test]
fn what_goes_over_the_link_by_hand() {
    let parts = in_host(40, 2);
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    let page = |number: u64| Lpn(number * ENTRIES);
    // brought, though there is nothing yet, and changed
    assert_eq!(moved(&mut run, |run| _ = run.write(page(0)).unwrap()), (0, 128));
    assert_eq!(moved(&mut run, |run| _ = run.write(page(1)).unwrap()), (0, 128));
    // hits
    assert_eq!(moved(&mut run, |run| _ = run.read(page(0)).unwrap()), (64, 0));
    assert_eq!(moved(&mut run, |run| _ = run.write(page(1)).unwrap()), (64, 64));
    // 0 leaves, changed; then 1
    assert_eq!(moved(&mut run, |run| _ = run.write(page(2)).unwrap()), (64, 128));
    assert_eq!(moved(&mut run, |run| _ = run.read(page(0)).unwrap()), (64, 64));
    // 2 leaves, and 0 without a change
    assert_eq!(moved(&mut run, |run| _ = run.read(page(1)).unwrap()), (64, 64));
    assert_eq!(moved(&mut run, |run| _ = run.read(page(2)).unwrap()), (0, 64));
}

/// Four changed entries of one translation page are read together, to be written together.
#[test]
fn entries_that_leave_together_are_read_together() {
    for (batch, read) in [(true, 256), (false, 64)] {
        let mut parts = in_host(40, 4);
        parts.ftl.keys.set("batch_eviction", batch);
        let mut ftl = try_build(&parts).unwrap();
        let mut run = run(&mut ftl, &parts);
        for lpn in 0..4 {
            run.write(Lpn(lpn)).unwrap();
        }
        let found = moved(&mut run, |run| _ = run.read(Lpn(ENTRIES)).unwrap());
        assert_eq!(found, (read, 64));
    }
}

/// Whole translation pages are brought and taken away; entries are read and changed.
#[test]
fn translation_pages_go_as_a_whole() {
    let mut parts = in_host(40, 2 * ENTRIES as u32);
    parts.ftl.keys.set("cache_unit", "page");
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    assert_eq!(
        moved(&mut run, |run| _ = run.write(Lpn(0)).unwrap()),
        (0, 2048 + 64)
    );
    assert_eq!(moved(&mut run, |run| _ = run.write(Lpn(1)).unwrap()), (64, 64));
    run.write(Lpn(ENTRIES)).unwrap();
    let found = moved(&mut run, |run| _ = run.read(Lpn(2 * ENTRIES)).unwrap());
    assert_eq!(found, (2048, 2048));
}

/// A hit waits for its entry; what is written to the host is waited for by nobody.
#[test]
fn the_data_wait_for_the_entry() {
    let parts = in_host(40, 2);
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    run.write(Lpn(0)).unwrap();
    drop(run);
    let mut plan = Plan::new();
    let request = PageRequest {
        op: PageOp::Read,
        lpn: Lpn(0),
        pages: 1,
        bitmap: 1,
        placement: 0,
        class: 0,
        command_sectors: 1,
    };
    ftl.submit(SimTime::ZERO, &request, &mut plan);
    let is_read = |step: &Step| {
        let work = Work::HostMemory {
            access: MemoryAccess::Read,
            bytes: 64,
        };
        step.work == work && !step.acknowledges
    };
    assert!(is_read(&plan[0]), "{plan:?}");
    assert!(
        matches!(plan[1].work, Work::Read { .. }) && plan[1].after == 1,
        "{plan:?}"
    );
    assert_eq!(plan.len(), 2);
}

/// Entries are in the controller, their numbers too; or in the host, and their numbers stay.
#[test]
fn memory_of_the_host_saves_that_of_the_controller() {
    let costs = ["controller", "host_memory"].map(|location| {
        let mut parts = in_host(40, 10);
        parts.ftl.keys.set("cache_location", location);
        try_build(&parts).unwrap().table_cost()
    });
    let [own, host] = &costs;
    assert_eq!((own.host_memory_bytes, host.host_memory_bytes), (0, 640));
    assert_eq!(own.memory_bytes - host.memory_bytes, 640);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Wherever the cache is, the flash sees the same; and every byte that is read from the host was written there before.
    #[test]
    fn the_flash_does_not_see_where_the_cache_is(seed: u64, cached in 2..200_u32, in_pages: bool, batch: bool) {
        let ends = ["controller", "host_memory"].map(|location| {
            let mut parts = parts(24, if in_pages { cached.max(2 * ENTRIES as u32) } else { cached });
            parts.ftl.over_provisioning = 0.5;
            parts.ftl.keys.set("cache_unit", if in_pages { "page" } else { "entry" });
            parts.ftl.keys.set("batch_eviction", batch);
            parts.ftl.keys.set("cache_location", location);
            let mut ftl = try_build(&parts).unwrap();
            let mut run = run(&mut ftl, &parts);
            work(&mut run, seed, 3000);
            let counts = (run.counts().programmed, run.counts().read, of_map(run.counts()));
            drop(run);
            check(&ftl);
            let places: Vec<_> = (0..ftl.user_pages()).map(|lpn| ftl.lookup(Lpn(lpn))).collect();
            (counts, places, ftl.counters())
        });
        let [(own, own_places, mut of_own), (host, host_places, of_host)] = ends;
        prop_assert_eq!(own, host);
        prop_assert_eq!(own_places, host_places);
        let table = of_host.table;
        prop_assert!(table.host_bytes_read > 0 && table.host_bytes_written > 0);
        prop_assert!(table.host_bytes_read >= 64 * table.hits);
        of_own.table.host_bytes_read = table.host_bytes_read;
        of_own.table.host_bytes_written = table.host_bytes_written;
        prop_assert_eq!(of_own, of_host);
    }
}
