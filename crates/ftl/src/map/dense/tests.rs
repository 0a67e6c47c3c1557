//! Tests of the dense map.

use super::*;
use crate::map::permuted::Share;
use wordline_units::{Permutation, Seed};

/// A relocation moves what is valid, with a page in parts somewhere or none.
#[test]
fn a_relocation_moves_the_valid_sub_pages() {
    let mut map = DenseMap::with_width(10, 20, 0b1111, false);
    map.map(3, 7, 0b1111);
    assert_eq!(map.sectors(3), 0b1111);
    map.map(4, 8, 0b0011);
    assert_eq!((map.sectors(3), map.sectors(4)), (0b1111, 0b0011));
}

#[test]
fn both_widths_keep_both_directions() {
    for wide in [false, true] {
        let mut map = DenseMap::with_width(10, 20, 0b1111, wide);
        assert_eq!((map.lookup(3), map.bitmap(3), map.owner(7)), (None, 0, None));
        assert_eq!(map.map(3, 7, 0b1111), None);
        assert_eq!(map.map(3, 0, 0b0110), Some(7));
        assert_eq!(
            (map.get(3), map.owner(0), map.owner(7)),
            (Some((0, 0b0110)), Some(3), None)
        );
        map.relocate(3, 0, 19);
        assert_eq!(
            (map.get(3), map.owner(19), map.owner(0)),
            (Some((19, 0b0110)), Some(3), None)
        );
        assert_eq!(map.forget(3, 0b0010), None);
        assert_eq!(map.partial_pages(), [(3, 0b0100)]);
        assert_eq!(map.forget(3, 0b0100), Some(19));
        assert_eq!((map.get(3), map.owner(19)), (None, None));
        assert!(map.partial_pages().is_empty());
        map.skip(5);
        assert!(map.is_skipped(5) && map.owner(5).is_none());
        map.erased(4..6);
        assert!(!map.is_skipped(5));
        // a permuted: pages 0 to 4 of the first block hold the logical pages
        let mut map = DenseMap::with_width(10, 20, 0b1111, wide);
        let order = Permutation::new(5, Seed(1), "test");
        let mut permuted = PermutedMap::new(vec![Share { pages: 5, order }], 2, 10);
        assert_eq!(permuted.assign(0, 0, 10, &[0b1_1111]), 5);
        map.assign_by_rule(permuted);
        let page = map.lookup(2).unwrap();
        assert_eq!((map.owner(page), map.mapped_pages(10)), (Some(2), 5));
        assert_eq!(map.forget(2, 0b0011), None);
        assert_eq!(map.owner_to_move(page), Some(2));
        assert_eq!(map.get(2), Some((page, 0b1100)), "what was forgotten stays so");
        assert_eq!(map.map(2, 12, 0b1111), Some(page));
        assert_eq!((map.owner_to_move(page), map.partial_pages().len()), (None, 0));
        assert_eq!(map.forget(2, 0b1111), Some(12));
        assert_eq!((map.resolve(2), map.mapped_pages(10)), (None, 4));
    }
}

/// Counts agree with what each page says, with pages that ageing assigned, moved ones and ones that were given up, in rows that lie anywhere.
#[test]
fn counts_are_those_of_the_pages() {
    for wide in [false, true] {
        let (blocks, per_block) = (3, 700);
        let mut map = DenseMap::with_width(900, u64::from(blocks * per_block), 1, wide);
        let order = Permutation::new(900, Seed(3), "test");
        let mut permuted = PermutedMap::new(vec![Share { pages: 900, order }], blocks, per_block);
        // every second page of two blocks, and the first 200 of the third
        let mut every_second = vec![0x5555_5555_5555_5555; 11];
        every_second[10] >>= 4;
        assert_eq!(permuted.assign(0, 2, per_block, &every_second), 350);
        assert_eq!(permuted.assign(0, 0, per_block, &every_second), 350);
        assert_eq!(
            permuted.assign(0, 1, 200, &[u64::MAX, u64::MAX, u64::MAX, 0xff]),
            200
        );
        map.assign_by_rule(permuted);
        for lpn in (0..900).step_by(7) {
            map.map(lpn, 900 + lpn, 1);
        }
        for page in [901, 1_395, 1_399] {
            map.skip(page);
        }
        for block in 0..blocks {
            let first = u64::from(block * per_block);
            for (start, length, stride) in [(0, 700, 700), (4, 4, 16), (60, 130, 200), (3, 1, 1), (0, 64, 64)]
            {
                let rows = (700 - start - length) / stride + 1;
                let parts = || (0..rows).map(move |row| start + row * stride..start + row * stride + length);
                let all = || parts().flatten().map(|page| first + page);
                let expected = (
                    all().filter(|page| map.owner(*page).is_some()).count() as u32,
                    all().filter(|page| map.is_skipped(*page)).count() as u32,
                );
                assert_eq!(map.count_in_block((block, first), parts()), expected);
                let skipped: u32 = parts()
                    .map(|part| map.skipped_among(first + part.start..first + part.end))
                    .sum();
                assert_eq!(skipped, expected.1);
            }
        }
    }
}
