//! What holds of every mapping, for tests.

use wordline_nand::BlockId;

use crate::block::BlockRole;
use crate::contract::Inspect;
use crate::plan::Lpn;

/// Checks J1 and J2 (FTL specification, 12) as far as they can be seen from outside; the free blocks of each plane.
pub(super) fn check_pages_and_blocks(ftl: &dyn Inspect) -> Vec<u32> {
    let geometry = *ftl.geometry();
    let mut mapped = 0;
    for lpn in (0..ftl.user_pages()).map(Lpn) {
        let Some(page) = ftl.lookup(lpn) else {
            assert_eq!(ftl.valid_sectors(lpn), 0);
            continue;
        };
        mapped += 1;
        assert_eq!(ftl.owner(page), Some(lpn));
        assert!(ftl.valid_sectors(lpn) != 0);
    }
    let (mut valid, mut free) = (0, vec![0; geometry.planes() as usize]);
    for block in (0..geometry.blocks()).map(BlockId) {
        let facts = ftl.block(block);
        let owned = (0..geometry.pages_per_block)
            .filter(|page| ftl.owner(geometry.page(block, *page)).is_some())
            .count() as u32;
        assert_eq!(facts.valid, owned, "{block}");
        assert_eq!(
            facts.valid + facts.invalid + facts.free + facts.skipped,
            geometry.pages_per_block
        );
        match facts.role {
            BlockRole::Free => {
                assert_eq!(facts.free, geometry.pages_per_block);
                free[geometry.plane_of(block).index()] += 1;
            }
            BlockRole::Open => assert!(facts.free > 0),
            BlockRole::Closed | BlockRole::Bad => {}
        }
        valid += u64::from(facts.valid);
    }
    assert_eq!(valid, mapped);
    let census = ftl.census();
    assert_eq!((census.valid, census.mapped), (mapped, mapped));
    assert_eq!(
        census.valid + census.invalid + census.free + census.skipped,
        geometry.pages()
    );
    free
}
