//! What an FTL promises about its own books, checked against the pages when the run is over.

use wordline_ftl::{BlockRole, Inspect, Lpn};
use wordline_nand::BlockId;

use super::finding::Finding;
use super::pages::Pages;

pub(super) fn check(pages: &Pages, ftl: &dyn Inspect) -> Finding {
    let geometry = *pages.units();
    for lpn in (0..ftl.user_pages()).map(Lpn) {
        let Some(page) = ftl.lookup(lpn) else { continue };
        if ftl.owner(page) != Some(lpn) {
            return Err(format!(
                "the map is not one-to-one: logical page {} is at {page}, whose owner is {:?}",
                lpn.0,
                ftl.owner(page)
            ));
        }
        if pages.owner(page) != Some(lpn) {
            return Err(format!(
                "logical page {} is mapped to {}, which holds {}",
                lpn.0,
                geometry.address(page),
                pages.describe(page)
            ));
        }
    }
    let mut sum = 0;
    for block in (0..geometry.blocks()).map(BlockId) {
        sum += check_block(pages, ftl, block)?;
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

/// Counts the valid pages of a block afresh.
fn check_block(pages: &Pages, ftl: &dyn Inspect, block: BlockId) -> Result<u64, String> {
    let geometry = pages.units();
    let mut valid = 0;
    for page in (0..geometry.pages_per_block).map(|page| geometry.page(block, page)) {
        let Some(owner) = ftl.owner(page) else { continue };
        if ftl.lookup(owner) != Some(page) {
            return Err(format!(
                "the map is not one-to-one: {} belongs to logical page {}, which is at {:?}",
                geometry.address(page),
                owner.0,
                ftl.lookup(owner)
            ));
        }
        valid += 1;
    }
    let facts = ftl.block(block);
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
