//! Drives that ageing filled by rule: the auditor has no table of them, and knows the same.

use std::path::Path;

use wordline_config::Config;
use wordline_ftl::{Mapping, Subjects};
use wordline_metrics::CommandKind::{Erase, Program, Read};
use wordline_nand::{Mode, PageTypes};

use super::super::owners::{FREE, STALE};
use super::super::pages::Pages;
use super::*;
use crate::run::{Ahead, age};

/// 160,000 pages of 4 KiB in a steady state, of which hardly any will be asked for.
fn aged(more: &str) -> (Config, Box<dyn Mapping>) {
    let text = format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 2\nblocks_per_plane = 200\n\
         pages_per_block = 200\npage_size = \"4 KiB\"\ncell_type = \"tlc\"\n[age]\nmethod = \"steady_state\"\n{more}"
    );
    let config: Config = toml::from_str(&text).unwrap();
    let ftl = age(&config, Path::new("."), &Ahead::of(1), &mut |_| true)
        .unwrap()
        .ftl;
    (config, ftl)
}

/// Books of 192 pages in 48 blocks, with four bytes for each page.
#[test]
fn tables_take_memory() {
    assert_eq!(Audit::bytes(&Books::fresh()), 4 * 192 + 40 / 8 + 40 * 48);
}

const PLAIN: &str = "[ftl]\nover_provisioning = 0.2\n";
const UNITS: &str =
    "[ftl]\nover_provisioning = 0.2\nmapping_unit = \"16 KiB\"\n[allocation]\nmode = \"static\"\n";
const CACHE: &str = "[ftl]\nover_provisioning = 0.2\n[ftl.slc_cache]\nmode = \"slc\"\nstatic_blocks = 2\ndynamic_blocks = 4\n\
                     [[modes]]\nname = \"slc\"\nt_prog = \"200 us\"\n";

/// Every page holds what the FTL says, also after something else is written in one of its block.
#[test]
fn the_rule_tells_what_tables_would() {
    for keys in [PLAIN, UNITS, CACHE] {
        let (config, ftl) = aged(keys);
        assert!(ftl.ageable().unwrap().owners_by_rule().is_some(), "{keys}");
        // without a table: 120 bytes a block, and a bit for each logical page
        assert_eq!(Audit::bytes(&*ftl), 120 * 800 + ftl.user_pages() / 8, "{keys}");
        let units = *ftl.unit_geometry();
        let logical = ftl.user_pages();
        let mut pages = Pages::new(*ftl.geometry(), units, logical, &config.restrictions);
        pages.take_over(&*ftl, &mut |_| true).unwrap();
        for block in (0..units.blocks()).map(BlockId) {
            let written = units.pages_per_block - ftl.block(block).free;
            for at in 0..units.pages_per_block {
                let page = units.page(block, at);
                let owner = ftl.owner(page).map_or(STALE, |owner| owner.0);
                let expected = if at < written { owner } else { FREE };
                assert_eq!(pages.held(page), expected, "page {at} of {block}");
            }
        }
        let changed = units.page(BlockId(0), 3);
        pages.brings(changed, &[Lpn(5)]);
        assert_eq!(pages.owner(changed), Some(Lpn(5)));
        let other = units.page(BlockId(0), 7);
        assert_eq!(pages.owner(other), ftl.owner(other));
    }
}

/// An auditor of an aged drive that nothing has happened to.
fn bench(config: &Config, ftl: &dyn Mapping) -> Bench {
    let geometry = *ftl.geometry();
    Bench {
        geometry,
        audit: Audit::new(geometry, &config.restrictions, ftl),
        now: 0,
        cached: false,
    }
}

#[test]
fn what_breaks_a_rule_is_found() {
    let (config, ftl) = aged(PLAIN);
    let full = (0..ftl.geometry().blocks()).map(BlockId);
    let full = full
        .into_iter()
        .find(|block| ftl.block(*block).free == 0)
        .unwrap();
    let pages = (0..200).map(|page| ftl.geometry().page(full, page));
    let held = pages.clone().find(|page| ftl.owner(*page).is_some()).unwrap();
    let lpn = ftl.owner(held).unwrap().0;

    let mut right = bench(&config, &*ftl);
    right.whole(Read, &[right.constituent(held, lpn)]);
    right.clean();
    assert_eq!(
        right.audit.finish(SimTime(right.now), &*ftl, &mut |_| true),
        Ok(())
    );
    // another page, and a page that is programmed
    let mut wrong = bench(&config, &*ftl);
    wrong.whole(Read, &[wrong.constituent(held, lpn + 1)]);
    assert!(
        wrong
            .audit
            .violation()
            .unwrap()
            .contains("is read where logical page")
    );
    let mut wrong = bench(&config, &*ftl);
    wrong.whole(Program, &[wrong.constituent(held, lpn)]);
    assert!(wrong.audit.violation().unwrap().contains("R-d"));
    // an erase of a block that the FTL says is full
    let mut erased = bench(&config, &*ftl);
    erased.whole(Erase, &[erased.constituent(pages.clone().next().unwrap(), 0)]);
    let said = erased
        .audit
        .finish(SimTime(erased.now), &*ftl, &mut |_| true)
        .unwrap_err();
    assert!(said.contains("holds nothing"), "{said}");
    // told to stop, it says nothing of what it has not looked at
    let mut erased = bench(&config, &*ftl);
    erased.whole(
        Erase,
        &[erased.constituent(ftl.geometry().page(BlockId(799), 0), 0)],
    );
    assert_eq!(
        erased.audit.finish(SimTime(erased.now), &*ftl, &mut |_| false),
        Ok(())
    );
}

/// Pages of a block that was aged are in its mode.
#[test]
fn modes_of_blocks() {
    let (config, ftl) = aged(CACHE);
    let page_types = PageTypes::new(&config.geometry, ftl.geometry()).unwrap();
    let mut bench = bench(&config, &*ftl);
    bench.audit = bench.audit.with_modes(&config, &page_types, &*ftl, &mut |_| true);
    let full = (0..ftl.geometry().blocks()).map(BlockId);
    let full = full
        .into_iter()
        .find(|block| ftl.block(*block).free == 0)
        .unwrap();
    let held = (0..200).map(|page| ftl.geometry().page(full, page));
    let held = held.into_iter().find(|page| ftl.owner(*page).is_some()).unwrap();
    let lpn = ftl.owner(held).unwrap().0;
    bench.whole(Read, &[bench.constituent(held, lpn)]);
    bench.clean();
    let slow = Constituent {
        mode: Mode(1),
        ..bench.constituent(held, lpn)
    };
    bench.whole(Read, &[slow]);
    assert!(bench.audit.violation().unwrap().contains("in mode 1"));
}
