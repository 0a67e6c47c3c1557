//! The invariants that hold at every moment, checked the slow way.

use wordline_ftl::{BlockRole, Inspect, Lpn};
use wordline_nand::{BlockId, Medium, PageState, Ppn};

/// J1, J2, I1, I2 and conservation; and the medium agrees with the FTL about write pointers.
pub(crate) fn check(ftl: &dyn Inspect, medium: &Medium, erases: u64) {
    check_while(ftl, medium, erases, &[]);
}

/// The same while programs that have their pages (`awaited`) have not started.
pub(crate) fn check_while(ftl: &dyn Inspect, medium: &Medium, erases: u64, awaited: &[Ppn]) {
    let geometry = *ftl.unit_geometry();
    let per_page = geometry.pages_per_program;
    let page_of = |unit: Ppn| Ppn(unit.0 / u64::from(per_page));
    let mut valid_of = vec![0_u32; geometry.blocks() as usize];
    let mut mapped = 0;
    for lpn in (0..ftl.user_pages()).map(Lpn) {
        let sectors = ftl.valid_sectors(lpn);
        match ftl.lookup(lpn) {
            Some(page) => {
                mapped += 1;
                assert_eq!(ftl.owner(page), Some(lpn), "J1: {lpn:?} is at {page:?}");
                // pages of a unit are mapped together
                assert!(
                    sectors != 0 || ftl.facts().pages_per_unit > 1,
                    "a mapped page without data"
                );
                assert_eq!(
                    medium.page_state(page_of(page)),
                    PageState::Programmed,
                    "{lpn:?} at {page:?}"
                );
                valid_of[geometry.block_of(page).index()] += 1;
            }
            // units have data in the controller
            None => assert!(per_page > 1 || sectors == 0, "{lpn:?} has data and no page"),
        }
        assert_eq!(sectors & !geometry.full_bitmap(), 0);
    }
    let mut own = 0;
    for lpn in (ftl.user_pages()..ftl.user_pages() + ftl.facts().own_pages).map(Lpn) {
        let Some(page) = ftl.lookup(lpn) else { continue };
        own += 1;
        assert_eq!(ftl.owner(page), Some(lpn), "J1: {lpn:?} is at {page:?}");
        assert!(
            medium.page_state(page_of(page)) == PageState::Programmed || awaited.contains(&page),
            "J11: {lpn:?}"
        );
        valid_of[geometry.block_of(page).index()] += 1;
    }
    let mut erase_sum = 0;
    for block in (0..geometry.blocks()).map(BlockId) {
        let facts = ftl.block(block);
        assert_eq!(facts.valid, valid_of[block.index()], "J2: {block:?} {facts:?}");
        let sum = facts.valid + facts.invalid + facts.free + facts.skipped;
        assert_eq!(sum, geometry.pages_per_block, "I2: {block:?} {facts:?}");
        let owned = (0..geometry.pages_per_block)
            .filter(|page| ftl.owner(geometry.page(block, *page)).is_some())
            .count() as u32;
        assert_eq!(owned, facts.valid, "I1: {block:?}");
        if facts.role == BlockRole::Free {
            assert_eq!(
                facts.free, geometry.pages_per_block,
                "J8: {block:?} is free and written"
            );
        }
        let passed = geometry.pages_per_block - facts.free;
        let pointer = medium.write_pointer(block) * per_page;
        let in_block = |page: &&Ppn| geometry.block_of(**page) == block;
        let pointer = pointer + awaited.iter().filter(in_block).count() as u32;
        // A page given up last shows on the medium only with the next program.
        assert!(
            facts.role == BlockRole::Bad
                || pointer == passed
                || (pointer < passed && passed - pointer <= facts.skipped),
            "{block:?}: the medium is at {pointer}, {facts:?}"
        );
        erase_sum += u64::from(facts.erase_count);
    }
    assert_eq!(erase_sum, erases, "J8: erase counts and erase commands");
    let census = ftl.census();
    assert_eq!(census.mapped, mapped);
    assert_eq!((census.own, census.valid), (own, mapped + own));
    assert_eq!(
        census.valid + census.invalid + census.free + census.skipped,
        geometry.pages()
    );
}
