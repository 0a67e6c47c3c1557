//! Tests of what the table of each mapping costs, worked by hand for one plane of 40 blocks of 64 pages.

use wordline_nand::Medium;

use super::super::checks::Parts;
use crate::config::{FlashRules, MappingInput};
use crate::contract::{Mapping, Subjects};
use crate::error::FtlError;
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::plan::Lpn;
use crate::registry;
use crate::table_cost::TableCost;

/// The cost after writes of these logical pages, one after the other.
fn after(parts: &Parts, writes: impl IntoIterator<Item = u64>) -> TableCost {
    let build = |input: &MappingInput<'_>, rules: &FlashRules<'_>| registry::build(input, rules);
    let mut ftl: Box<dyn Mapping> = parts.try_build::<_>(build).unwrap();
    let mut run: Functional<'_, dyn Mapping, Medium> =
        Functional::observed(&mut *ftl, FunctionalOptions::default(), parts.medium());
    for lpn in writes {
        run.write(Lpn(lpn)).unwrap();
    }
    drop(run);
    ftl.lookup_table().unwrap().table_cost()
}

fn parts(mapping: &'static str, keys: &[(&str, i64)]) -> Parts {
    let mut parts = Parts::new(mapping, 1, 40);
    for (key, value) in keys {
        parts.ftl.keys.set(key, *value);
    }
    parts
}

/// Three full blocks in sequence, and ten pages of a fourth.
const SEQUENCE: std::ops::Range<u64> = 0..3 * 64 + 10;

fn cost(memory_bytes: u64, flash_bytes: u64, reads: u64) -> TableCost {
    TableCost {
        memory_bytes,
        host_memory_bytes: 0,
        flash_bytes,
        recovery_reads: vec![reads],
    }
}

/// 2560 pages export 2000: 4 bytes each. Every programmed page is looked at.
#[test]
fn of_a_map_of_pages() {
    let page = parts("page", &[]);
    assert_eq!(after(&page, []), cost(8_000, 0, 0));
    assert_eq!(after(&page, SEQUENCE), cost(8_000, 0, 202));
    assert_eq!(after(&page, SEQUENCE.chain([0; 5])), cost(8_000, 0, 207));
}

/// 31 logical blocks, each with a data block and a replacement block. Full blocks tell their owner by their first page.
#[test]
fn of_a_map_of_blocks() {
    let block = parts("block", &[]);
    assert_eq!(after(&block, SEQUENCE), cost(31 * 2 * 4, 0, 3 + 10));
    // two pages out of sequence in a replacement block: a gap of one between them
    let updated = after(&block, SEQUENCE.chain([0, 2]));
    assert_eq!(updated, cost(31 * 2 * 4, 0, 3 + 10 + 2));
}

/// The map of 31 logical blocks, and of the pages of four log blocks. All pages of these are looked at.
#[test]
fn of_log_blocks() {
    for mapping in ["bast", "sast", "fast", "last"] {
        let mut keys = vec![("log_blocks", 4)];
        if mapping == "last" {
            keys.push(("sequential_log_blocks", 1));
        }
        let parts = parts(mapping, &keys);
        let memory = 31 * 4 + 4 * 64 * 4;
        assert_eq!(after(&parts, SEQUENCE), cost(memory, 0, 3 + 10), "{mapping}");
        let updated = after(&parts, SEQUENCE.chain([5, 6, 5]));
        assert_eq!(updated, cost(memory, 0, 3 + 10 + 3), "{mapping}");
    }
}

/// Four superblocks of eight logical blocks with up to sixteen blocks each, all of their maps cached; a spare area holds three
/// nodes of eight entries. The last page of a full block is its newest, that of an open block is found among 65 ends.
#[test]
fn of_superblocks() {
    let memory = 4 * 16 * 4 + 4 * 8 * 64 * 4;
    let of_spare_areas = 202 * 3 * 8 * 4;
    let superblock = parts("superblock", &[]);
    assert_eq!(after(&superblock, SEQUENCE), cost(memory, of_spare_areas, 3 + 7));
    let two_cached = parts("superblock", &[("cached_maps", 2)]);
    let memory = 4 * 16 * 4 + 2 * 8 * 64 * 4;
    assert_eq!(after(&two_cached, SEQUENCE), cost(memory, of_spare_areas, 3 + 7));
}

/// Four entries of 64 bytes are cached, 32 are in a translation page of 2 KiB, and the first blocks hold data. Pages 0, 32, 64 and
/// 96 fill the cache; page 128 drives the entry of page 32 out. The entry of page 0 was changed first, six programs ago.
#[test]
fn of_a_map_on_flash() {
    let mut dftl = parts("dftl", &[("entry_bytes", 64), ("cached_entries", 4)]);
    dftl.ftl.keys.set("protected_share", 0.0);
    let build = |input: &MappingInput<'_>, rules: &FlashRules<'_>| -> Result<_, FtlError> {
        let ftl = registry::build(input, rules)?;
        Ok((ftl.user_pages(), ftl.facts().own_pages))
    };
    let (user_pages, translation_pages) = dftl.try_build(build).unwrap();
    assert_eq!(translation_pages, user_pages.div_ceil(32));
    let memory = translation_pages * 4 + 4 * (64 + 4);
    let found = after(&dftl, [0, 32, 64, 96, 0, 128]);
    // the first page of the block of data, six pages, and the one that was programmed in the block of the map
    assert_eq!(found, cost(memory, 2_048, 1 + 6 + 1));
    // flash has the entries of 32 and, after two more, of 64 and 96; then of 0 too: 128 is the oldest that it lacks
    let found = after(&dftl, [0, 32, 64, 96, 0, 128, 160, 192, 224]);
    assert_eq!(found, cost(memory, 4 * 2_048, 1 + 4 + 4));
    // whole translation pages: each takes 2 KiB and its number
    dftl.ftl.keys.set("cache_unit", "page");
    dftl.ftl.keys.set("cached_entries", 64);
    let found = after(&dftl, [0, 1]);
    assert_eq!(found, cost(translation_pages * 4 + 2 * (2_048 + 4), 0, 1 + 2));
    // the controller has the whole map
    dftl.ftl.keys.set("cache_unit", "entry");
    dftl.ftl.keys.set("cached_entries", 4_000);
    let found = after(&dftl, [0, 1, 1]);
    assert_eq!(found, cost(translation_pages * 4 + user_pages * 64, 0, 3));
}
