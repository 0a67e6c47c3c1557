//! Tests of the cached part of the map.

use proptest::prelude::*;

use super::*;

/// Ten keys to a translation page.
fn page_of(key: u64) -> u32 {
    (key / 10) as u32
}

fn insert(cache: &mut MapCache, keys: impl IntoIterator<Item = u64>) {
    for key in keys {
        cache.insert(key, page_of(key));
    }
}

fn use_again(cache: &mut MapCache, key: u64) {
    let slot = cache.find(key).unwrap();
    cache.touch(slot);
}

fn evicted(cache: &mut MapCache, clean_first: bool) -> u64 {
    let before: Vec<u64> = cache.index.keys().copied().collect();
    cache.evict(clean_first).unwrap();
    before.into_iter().find(|key| cache.find(*key).is_none()).unwrap()
}

/// Room for four, two of them protected: 1, 2, 3, 4 come, 1, 2 and 3 are used again. 1, the oldest protected one, is
/// on probation again, newer than 4.
#[test]
fn what_was_used_again_stays_longer() {
    let mut cache = MapCache::new(4, 0.5, 10);
    insert(&mut cache, 1..=4);
    for key in 1..=3 {
        use_again(&mut cache, key);
    }
    assert!(cache.is_full());
    let order: Vec<u64> = (0..4).map(|_| evicted(&mut cache, false)).collect();
    assert_eq!(order, [4, 1, 2, 3]);
    assert_eq!(cache.evict(false), None);
}

#[test]
fn clean_ones_may_go_first() {
    let mut cache = MapCache::new(4, 0.5, 10);
    insert(&mut cache, [1, 2, 11, 12]);
    for key in [1, 2, 12] {
        assert!(cache.change(key));
    }
    assert!(!cache.change(5));
    assert_eq!(evicted(&mut cache, true), 11);
    // none is clean: the oldest
    assert_eq!(evicted(&mut cache, true), 1);
    cache.clean_page(1);
    assert_eq!(evicted(&mut cache, true), 12);
    assert_eq!(cache.evict(true), Some(Evicted { page: 0, dirty: true }));
}

#[test]
fn a_page_is_forgotten_as_a_whole() {
    let mut cache = MapCache::new(6, 0.5, 10);
    insert(&mut cache, [3, 14, 5, 16, 7]);
    use_again(&mut cache, 5);
    cache.forget_page(0);
    assert_eq!(cache.len(), 2);
    assert_eq!(
        [3, 5, 7, 14, 16].map(|key| cache.find(key).is_some()),
        [false, false, false, true, true]
    );
    insert(&mut cache, [5]);
    cache.forget_page(1);
    assert_eq!(evicted(&mut cache, false), 5);
}

proptest! {
    /// Against lists kept in vectors.
    #[test]
    fn segments_are_lists(ops in prop::collection::vec((0..4_u8, 0..30_u64), 1..300)) {
        let mut cache = MapCache::new(8, 0.4, 3);
        let (mut probation, mut protected): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        for (op, key) in ops {
            let cached = probation.contains(&key) || protected.contains(&key);
            prop_assert_eq!(cache.find(key).is_some(), cached);
            match op {
                0 | 1 if cached => {
                    use_again(&mut cache, key);
                    probation.retain(|other| *other != key);
                    protected.retain(|other| *other != key);
                    protected.push(key);
                    if protected.len() > 3 {
                        probation.push(protected.remove(0));
                    }
                }
                0 | 1 => {
                    if cache.is_full() {
                        let gone = if probation.is_empty() { protected.remove(0) } else { probation.remove(0) };
                        prop_assert_eq!(evicted(&mut cache, false), gone);
                    }
                    insert(&mut cache, [key]);
                    probation.push(key);
                }
                2 => prop_assert_eq!(cache.change(key), cached),
                _ if key < 5 => {
                    cache.forget_page(page_of(key));
                    probation.retain(|other| page_of(*other) != page_of(key));
                    protected.retain(|other| page_of(*other) != page_of(key));
                }
                _ => _ = cache.clean_page(page_of(key)),
            }
            prop_assert_eq!(cache.len() as usize, probation.len() + protected.len());
        }
    }
}
