//! What an FTL promises about its own books, checked against the pages when the run is over.

use wordline_ftl::{BlockFacts, BlockRole, Inspect, Lpn};
use wordline_nand::{BlockId, Ppn};

use super::finding::Finding;
use super::pages::{BETWEEN_LOOKS, Pages, asks_before, mapped_pages};

/// Blocks are checked in order. Where every valid page belongs to a logical page that is mapped there, and there are as many as are
/// mapped, the map is one-to-one; otherwise it is looked at page by page for what is wrong with it. `watch` is told the share of the blocks that is
/// checked and ends it without a finding by returning false.
pub(super) fn check(pages: &Pages, ftl: &dyn Inspect, watch: &mut dyn FnMut(f64) -> bool) -> Finding {
    let geometry = *pages.units();
    let mut valid = Ok(0);
    for block in 0..geometry.blocks() {
        let share = || f64::from(block) / f64::from(geometry.blocks());
        if asks_before(block, geometry.pages_per_block) && !watch(share()) {
            return Ok(());
        }
        let of_block = check_block(pages, ftl, BlockId(block));
        valid = valid.and_then(|sum: u64| of_block.map(|valid| sum + valid));
        if valid.is_err() {
            break;
        }
    }
    let mapped = mapped_pages(ftl);
    if valid.as_ref() != Ok(&mapped) {
        check_map(pages, ftl, watch)?;
    }
    let sum = valid?;
    if sum != mapped {
        return Err(format!(
            "{mapped} logical pages are mapped, and {sum} pages are valid"
        ));
    }
    let census = ftl.census();
    let total = census.valid + census.invalid + census.free + census.skipped;
    if total != geometry.pages() || census.valid != sum {
        return Err(format!(
            "the census {census:?} does not sum to the {} pages of the drive, {sum} of them valid",
            geometry.pages()
        ));
    }
    Ok(())
}

/// Looks every logical page up.
fn check_map(pages: &Pages, ftl: &dyn Inspect, watch: &mut dyn FnMut(f64) -> bool) -> Finding {
    let geometry = pages.units();
    for lpn in (0..ftl.user_pages()).map(Lpn) {
        if (lpn.0 + 1).is_multiple_of(BETWEEN_LOOKS) && !watch(lpn.0 as f64 / ftl.user_pages() as f64) {
            return Ok(());
        }
        let Some(page) = ftl.lookup(lpn) else { continue };
        if ftl.owner(page) != Some(lpn) {
            return Err(format!(
                "the map is not one-to-one: logical page {} is at {page}, whose owner is {:?}",
                lpn.0,
                ftl.owner(page)
            ));
        }
        check_content(pages, lpn, page).map_err(|found| {
            format!(
                "logical page {} is mapped to {}, which {found}",
                lpn.0,
                geometry.address(page)
            )
        })?;
    }
    Ok(())
}

/// Whether a page holds what the FTL says.
fn check_content(pages: &Pages, owner: Lpn, page: Ppn) -> Finding {
    if pages.owner(page) == Some(owner) {
        Ok(())
    } else {
        Err(format!("holds {}", pages.describe(page)))
    }
}

/// Counts the valid pages of a block afresh. The logical page that owns one is looked up where the run has changed the block or
/// programmed the logical page; all others were found at their places before the run. A block that holds what ageing gave it by rule, and has as many valid
/// pages as then, has the same: it can only have lost some.
fn check_block(pages: &Pages, ftl: &dyn Inspect, block: BlockId) -> Result<u64, String> {
    let geometry = pages.units();
    let facts = ftl.block(block);
    if pages.is_as_aged(block, facts.valid) {
        return check_counts(pages, &facts, block, facts.valid);
    }
    let mut valid = 0;
    for page in (0..geometry.pages_per_block).map(|page| geometry.page(block, page)) {
        let Some(owner) = ftl.owner(page) else { continue };
        let is_changed = pages.is_changed(block) || pages.was_programmed(owner);
        if is_changed && ftl.lookup(owner) != Some(page) {
            return Err(format!(
                "the map is not one-to-one: {} belongs to logical page {}, which is at {:?}",
                geometry.address(page),
                owner.0,
                ftl.lookup(owner)
            ));
        }
        check_content(pages, owner, page).map_err(|found| {
            format!(
                "{} belongs to logical page {} and {found}",
                geometry.address(page),
                owner.0
            )
        })?;
        valid += 1;
    }
    check_counts(pages, &facts, block, valid)
}

/// Checks what the FTL says of a block against the valid pages that were counted.
fn check_counts(pages: &Pages, facts: &BlockFacts, block: BlockId, valid: u32) -> Result<u64, String> {
    let geometry = pages.units();
    if facts.valid != valid {
        return Err(format!(
            "{block} is said to hold {} valid pages and holds {valid}",
            facts.valid
        ));
    }
    let total = facts.valid + facts.invalid + facts.free + facts.skipped;
    if total != geometry.pages_per_block {
        return Err(format!("the pages of {block} do not add up: {facts:?}"));
    }
    let programmed = pages.programmed(block) * geometry.pages_per_program;
    if facts.role != BlockRole::Bad && facts.valid + facts.invalid != programmed {
        return Err(format!(
            "{block} is said to hold {} valid and {} invalid pages, and {programmed} were programmed",
            facts.valid, facts.invalid
        ));
    }
    Ok(u64::from(valid))
}
