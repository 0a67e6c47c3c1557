//! Policies without a drive: a cache of whole pages in which everything happens at once.

mod by_sector;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use slab::Slab;
use wordline_keys::Registered;

use super::*;
use Access::{Read, Write};

/// Nobody leaves.
const STAY: [u64; 0] = [];

/// The names of all policies.
fn policies() -> Vec<&'static str> {
    let rows = BufferRow::table().rows();
    let policies = rows.into_iter().filter(|row| row.build.is_some());
    policies.map(|row| row.entry.name).collect()
}

/// A policy of the table with some of its keys.
fn built(policy: &str, keys: &[(&str, f64)], frame: &Frame) -> Box<dyn BufferPolicy> {
    let mut parameters = Parameters::default();
    for (key, value) in keys {
        parameters.set(key, *value);
    }
    let build = BufferRow::table().find(policy).and_then(|row| row.build);
    build.expect("a policy")(&parameters, frame)
}

/// Which page a slot holds, and whether it is dirty.
#[derive(Clone, Copy, Debug)]
struct Held {
    lpn: u64,
    dirty: bool,
}

/// A cache of pages: what a policy is for.
struct Cache {
    policy: Box<dyn BufferPolicy>,
    capacity: usize,
    slots: Slab<Held>,
    pages: BTreeMap<u64, u32>,
    hits: u64,
    dirty_evictions: u64,
}

impl Cache {
    /// A cache with a policy of the table, some of its keys, and groups as large as blocks of so many pages.
    fn new(policy: &str, keys: &[(&str, f64)], capacity: usize, pages_per_block: u64) -> Self {
        let frame = Frame {
            capacity,
            page: 1,
            is_by_sector: false,
            pages_per_block,
            seed: Seed(1),
        };
        Self {
            policy: built(policy, keys, &frame),
            capacity,
            slots: Slab::new(),
            pages: BTreeMap::new(),
            hits: 0,
            dirty_evictions: 0,
        }
    }

    /// Uses a page; tells which pages left for it.
    fn access(&mut self, access: Access, lpn: u64) -> Vec<u64> {
        let dirty = access == Write;
        if let Some(&slot) = self.pages.get(&lpn) {
            self.hits += 1;
            self.slots[slot as usize].dirty |= dirty;
            self.policy.hit(slot, access);
            return Vec::new();
        }
        let mut left = Vec::new();
        if self.pages.len() == self.capacity {
            left = self.evict();
        }
        let slot = self.slots.insert(Held { lpn, dirty }) as u32;
        self.pages.insert(lpn, slot);
        self.policy.insert(slot, lpn, access);
        left
    }

    fn evict(&mut self) -> Vec<u64> {
        let mut victims = Vec::new();
        self.policy.evict(&mut victims).expect("something to evict");
        assert!(!victims.is_empty());
        victims.into_iter().map(|slot| self.drop_slot(slot)).collect()
    }

    fn drop_slot(&mut self, slot: u32) -> u64 {
        let held = self.slots.remove(slot as usize);
        self.pages.remove(&held.lpn);
        self.dirty_evictions += u64::from(held.dirty);
        held.lpn
    }

    fn writes(&mut self, pages: &[u64]) -> Vec<Vec<u64>> {
        pages.iter().map(|page| self.access(Write, *page)).collect()
    }

    fn content(&self) -> Vec<u64> {
        self.pages.keys().copied().collect()
    }

    /// Every page in one list, and no more pages than fit.
    fn check(&self) {
        let listed = self.policy.listed();
        let distinct: BTreeSet<u32> = listed.iter().copied().collect();
        let wanted: BTreeSet<u32> = self.pages.values().copied().collect();
        assert_eq!(listed.len(), distinct.len(), "a page is in two lists");
        assert_eq!(distinct, wanted);
        assert!(self.pages.len() <= self.capacity);
    }
}

fn cache(policy: &str) -> Cache {
    Cache::new(policy, &[], 4, 4)
}

/// FTL specification, section 7: capacity 4 pages, 4 pages in a group, writes 0, 1, 2, 5, 0, 9.
#[test]
fn the_worked_example() {
    for (policy, victims) in [
        ("fifo", vec![0]),
        ("lru", vec![1]),
        ("fab", vec![0, 1, 2]),
        ("bplru", vec![5]),
        // 1 has been there longest of the pages used once
        ("slru", vec![1]),
        // 1 and 2 fall off the list of single pages into a cluster of two
        ("bpac", vec![1, 2]),
    ] {
        let left = cache(policy).writes(&[0, 1, 2, 5, 0, 9]);
        assert_eq!(left[..5], vec![Vec::<u64>::new(); 5], "{policy}");
        assert_eq!(left[5], victims, "{policy}");
    }
}

#[test]
fn bplru_pads_and_the_others_do_not() {
    for (policy, eviction) in [
        ("lru", Eviction::Page),
        ("fab", Eviction::Group),
        ("bplru", Eviction::PaddedGroup { pages: 4 }),
        ("bpac", Eviction::Group),
    ] {
        let mut cache = cache(policy);
        cache.writes(&[0, 1, 2, 3]);
        assert_eq!(cache.policy.evict(&mut Vec::new()), Some(eviction), "{policy}");
    }
}

/// DLV specification, section 8: capacity 3, window of 2 pages.
fn three_pages(policy: &str) -> Cache {
    Cache::new(policy, &[("window", 2.0 / 3.0)], 3, 4)
}

#[test]
fn the_test_string_of_clean_and_dirty_pages() {
    for (policy, victim) in [
        ("lru", 1),
        ("cflru", 2),
        ("lru_wsr", 2),
        ("ccf_lru", 2),
        ("pt_lru", 2),
    ] {
        let mut cache = three_pages(policy);
        assert_eq!(cache.access(Write, 1), STAY);
        assert_eq!(cache.access(Read, 2), STAY);
        assert_eq!(cache.access(Read, 3), STAY);
        assert_eq!(cache.access(Read, 4), [victim], "{policy}");
        assert_eq!(cache.dirty_evictions, u64::from(victim == 1), "{policy}");
    }
}

#[test]
fn the_test_string_continued() {
    let mut lru = three_pages("lru");
    let mut cflru = three_pages("cflru");
    for cache in [&mut lru, &mut cflru] {
        cache.access(Write, 1);
        cache.access(Read, 2);
        cache.access(Read, 3);
        cache.access(Read, 4);
    }
    assert_eq!(lru.content(), [2, 3, 4]);
    assert_eq!(cflru.content(), [1, 3, 4]);
    assert_eq!(lru.access(Read, 1), [2]);
    assert_eq!(cflru.access(Read, 1), STAY);
    assert_eq!(lru.access(Write, 4), STAY);
    assert_eq!(cflru.access(Write, 4), STAY);
    assert_eq!(lru.access(Read, 5), [3]);
    assert_eq!(cflru.access(Read, 5), [3]);
    assert_eq!((lru.hits, cflru.hits), (1, 2));
}

/// By hand: 0 is used again and protected; then 2 and 5, for which 0 must go back. Where lru would
/// let 0 go next, slru lets 9 go, which nobody asked for again.
#[test]
fn slru_protects_what_is_used_again() {
    let mut slru = Cache::new("slru", &[("protected", 0.5)], 4, 4);
    let mut lru = cache("lru");
    let writes = [0, 1, 2, 5, 0, 9, 2, 5, 7];
    assert_eq!(slru.writes(&writes)[8], [9]);
    assert_eq!(lru.writes(&writes)[8], [0]);
    assert_eq!(slru.content(), [0, 2, 5, 7]);
    assert_eq!(slru.access(Write, 8), [0], "demoted pages are on probation again");
}

/// By hand. 1 and 2 leave as a cluster; 13 fits; for 1 the list of single pages 13, 9, 0 (reused),
/// 5 has two too many: 5 falls into a cluster, 0 leaves alone. 1 had left in a cluster, so the
/// clusters get a page more: the list is to hold 1. For 14 the list 1, 13, 9 gives 9 and 13 to
/// their clusters; of the three clusters of one page each that of 5 is the oldest.
#[test]
fn bpac_splits_pages_and_clusters() {
    let mut bpac = cache("bpac");
    let left = bpac.writes(&[0, 1, 2, 5, 0, 9, 13, 1, 14]);
    assert_eq!(left[5], [1, 2]);
    assert_eq!(left[6], STAY);
    assert_eq!(left[7], [0]);
    assert_eq!(left[8], [5]);
    assert_eq!(bpac.content(), [1, 9, 13, 14]);
}

/// By hand: 0 leaves alone as a reused page and comes back, so single pages get more room again.
#[test]
fn bpac_follows_what_comes_back() {
    let mut bpac = cache("bpac");
    // target 2 of 4; reused pages are evicted one by one
    let left = bpac.writes(&[0, 4, 8, 12, 0, 4, 8, 12, 16]);
    assert_eq!(left[8], [0]);
    // 0 returns: target 3. The list 16, 12, 8, 4 gives 4 up for it
    assert_eq!(bpac.access(Write, 0), [4]);
    // the list 0, 16, 12 and 8 is above 3 by one
    assert_eq!(bpac.access(Write, 20), [8]);
    // 12 reused goes; then 0, 16, 20 are within the target and nothing is clustered
    assert_eq!(bpac.access(Write, 24), [12]);
    assert_eq!(
        bpac.access(Write, 28),
        [16],
        "the oldest falls into a cluster of its own"
    );
}

/// A block written from its first page to its last is not expected again.
#[test]
fn bplru_lets_go_of_what_was_written_in_sequence() {
    let mut sequential = Cache::new("bplru", &[], 6, 4);
    assert_eq!(
        *sequential.writes(&[8, 9, 0, 1, 2, 3, 16]).last().unwrap(),
        [0, 1, 2, 3]
    );
    let mut backwards = Cache::new("bplru", &[], 6, 4);
    assert_eq!(*backwards.writes(&[8, 9, 3, 2, 1, 0, 16]).last().unwrap(), [8, 9]);
    // sub-pages of one page are one step of the sequence; a page written again later breaks it
    let mut parts = Cache::new("bplru", &[], 6, 4);
    assert_eq!(
        *parts.writes(&[8, 9, 0, 0, 1, 1, 2, 3, 3, 16]).last().unwrap(),
        [0, 1, 2, 3]
    );
    let mut again = Cache::new("bplru", &[], 6, 4);
    assert_eq!(*again.writes(&[8, 9, 0, 1, 0, 2, 3, 16]).last().unwrap(), [8, 9]);
    // a read brings the block to the head
    let mut read = Cache::new("bplru", &[], 6, 4);
    read.writes(&[8, 9, 0, 1, 2, 3]);
    read.access(Read, 3);
    assert_eq!(read.access(Write, 16), [8, 9]);
}

#[test]
fn fab_breaks_ties_by_last_use() {
    let mut fab = cache("fab");
    assert_eq!(*fab.writes(&[4, 0, 1, 5, 12]).last().unwrap(), [0, 1]);
    let mut fab = cache("fab");
    assert_eq!(*fab.writes(&[4, 0, 1, 5, 0, 12]).last().unwrap(), [4, 5]);
}

/// Dirty pages come round once; a hit takes the mark of the cold off.
#[test]
fn lru_wsr_gives_second_chances() {
    let mut wsr = cache("lru_wsr");
    wsr.writes(&[1, 2, 3, 4]);
    // all get a chance, 1 is cold when it comes round
    assert_eq!(wsr.access(Write, 5), [1]);
    wsr.access(Read, 2);
    // 3 and 4 are cold, 5 is not, 2 is warm again
    assert_eq!(wsr.access(Write, 6), [3]);
    assert_eq!(wsr.access(Write, 7), [4]);
    assert_eq!(wsr.access(Write, 8), [5], "5 and 2 came round for it");
}

/// Without cold clean pages the mixed list is walked: hot pages turn cold, clean ones move over.
#[test]
fn ccf_lru_walks_the_mixed_list() {
    let mut ccf = three_pages("ccf_lru");
    ccf.access(Write, 1);
    ccf.access(Write, 1);
    ccf.access(Read, 2);
    ccf.access(Read, 2);
    ccf.access(Write, 3);
    // 1 turns cold, 2 becomes cold and clean, 3 is dirty and cold
    assert_eq!(ccf.access(Write, 4), [3]);
    assert_eq!(ccf.access(Write, 5), [2]);
    assert_eq!(ccf.access(Write, 6), [1]);
}

/// The extremes of the probability leave nothing to chance.
#[test]
fn pt_lru_follows_its_probability() {
    for (probability, victim) in [(1.0, 1), (0.0, 2)] {
        let mut pt = Cache::new("pt_lru", &[("probability", probability)], 3, 4);
        pt.access(Write, 1);
        pt.access(Read, 2);
        pt.access(Read, 2);
        pt.access(Write, 3);
        assert_eq!(pt.access(Write, 4), [victim], "{probability}");
    }
    // hot dirty pages go last
    let mut pt = three_pages("pt_lru");
    pt.writes(&[1, 1, 2, 2, 3, 3]);
    assert_eq!(pt.access(Write, 4), [1]);
}

/// What was cleaned is as good as never written.
#[test]
fn cleaned_pages_leave_like_clean_ones() {
    for policy in ["cflru", "ccf_lru", "pt_lru"] {
        let mut cache = three_pages(policy);
        cache.writes(&[1, 2, 3]);
        let slot = cache.pages[&2];
        cache.policy.cleaned(slot);
        assert_eq!(cache.access(Write, 4), [2], "{policy}");
    }
    let mut wsr = three_pages("lru_wsr");
    wsr.writes(&[1, 2, 3]);
    wsr.policy.cleaned(wsr.pages[&2]);
    assert_eq!(wsr.access(Write, 4), [2]);
}

/// Distinct pages used since the last use of each: a page hits when they are fewer than the
/// capacity (Mattson et al. 1970).
fn stack_hits(uses: &[u64], capacity: usize) -> u64 {
    let mut stack: Vec<u64> = Vec::new();
    let mut hits = 0;
    for page in uses {
        if let Some(depth) = stack.iter().position(|known| known == page) {
            hits += u64::from(depth < capacity);
            stack.remove(depth);
        }
        stack.insert(0, *page);
    }
    hits
}

/// What can happen to a cache.
#[derive(Clone, Copy, Debug)]
enum Step {
    Use(Access, u64),
    Evict,
    Clean(u64),
    Remove(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let page = 0_u64..40;
    prop_oneof![
        8 => (page.clone(), any::<bool>()).prop_map(|(page, write)| Step::Use(if write { Write } else { Read }, page)),
        1 => Just(Step::Evict),
        1 => page.clone().prop_map(Step::Clean),
        1 => page.prop_map(Step::Remove),
    ]
}

proptest! {
    #[test]
    fn lru_hits_by_stack_distance(uses in prop::collection::vec(0_u64..30, 0..400), capacity in 1_usize..20) {
        let mut lru = Cache::new("lru", &[], capacity, 4);
        for page in &uses {
            lru.access(Read, *page);
        }
        prop_assert_eq!(lru.hits, stack_hits(&uses, capacity));
    }

    #[test]
    fn every_page_is_in_one_list(
        policy in prop::sample::select(policies()),
        capacity in 1_usize..20,
        group_pages in 1_u64..9,
        share in 0.0..=1.0_f64,
        steps in prop::collection::vec(step(), 0..300),
    ) {
        let keys = ["protected", "window", "probability"].map(|key| (key, share));
        let mut cache = Cache::new(policy, &keys, capacity, group_pages);
        for step in steps {
            match step {
                Step::Use(access, page) => {
                    let left = cache.access(access, page);
                    let ordered = left.is_sorted();
                    prop_assert!(ordered, "{left:?} is not in the order of addresses");
                }
                Step::Evict if !cache.pages.is_empty() => {
                    cache.evict();
                }
                Step::Evict => prop_assert_eq!(cache.policy.evict(&mut Vec::new()), None),
                Step::Clean(page) => {
                    if let Some(&slot) = cache.pages.get(&page) {
                        cache.slots[slot as usize].dirty = false;
                        cache.policy.cleaned(slot);
                    }
                }
                Step::Remove(page) => {
                    if let Some(slot) = cache.pages.remove(&page) {
                        cache.policy.remove(slot);
                        cache.slots.remove(slot as usize);
                    }
                }
            }
            cache.check();
        }
    }

    /// Clean-first policies never write a dirty page where they hold a cold clean one.
    #[test]
    fn clean_pages_go_first(uses in prop::collection::vec((0_u64..20, any::<bool>()), 0..200)) {
        let mut cache = Cache::new("cflru", &[("window", 1.0)], 6, 4);
        for (page, write) in uses {
            let clean = cache.slots.iter().any(|(_, held)| !held.dirty);
            let before = cache.dirty_evictions;
            cache.access(if write { Write } else { Read }, page);
            prop_assert!(!clean || cache.dirty_evictions == before);
        }
    }
}
