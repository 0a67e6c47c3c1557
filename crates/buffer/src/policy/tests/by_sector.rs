//! Policies of a buffer that counts sectors: shares of it are shares of sectors, and whole pages leave as they do where it counts
//! pages.

use std::collections::BTreeMap;

use super::*;

/// Sectors of a page.
const PAGE: usize = 8;

/// A cache in which a page takes the sectors that it holds.
struct Sectors {
    policy: Box<dyn BufferPolicy>,
    capacity: u32,
    lpns: Slab<u64>,
    /// Slot and sectors held of each page.
    pages: BTreeMap<u64, (u32, u64)>,
}

impl Sectors {
    fn new(policy: &str, keys: &[(&str, f64)], capacity: usize, pages_per_block: u64) -> Self {
        let frame = Frame {
            capacity,
            page: PAGE,
            is_by_sector: true,
            pages_per_block,
            seed: Seed(1),
        };
        Self {
            policy: built(policy, keys, &frame),
            capacity: capacity as u32,
            lpns: Slab::new(),
            pages: BTreeMap::new(),
        }
    }

    fn taken(&self) -> u32 {
        self.pages.values().map(|(_, held)| held.count_ones()).sum()
    }

    fn held(&self, lpn: u64) -> u64 {
        self.pages.get(&lpn).map_or(0, |(_, held)| *held)
    }

    fn listed(&self) -> Vec<u64> {
        let mut listed: Vec<u64> = self
            .policy
            .listed()
            .iter()
            .map(|slot| self.lpns[*slot as usize])
            .collect();
        listed.sort_unstable();
        listed
    }

    fn evict(&mut self) -> Vec<u64> {
        let mut victims = Vec::new();
        self.policy.evict(&mut victims).expect("something to evict");
        let leave = |slot: u32| {
            let lpn = self.lpns.remove(slot as usize);
            self.pages.remove(&lpn);
            lpn
        };
        victims.into_iter().map(leave).collect()
    }

    /// Uses sectors of a page; tells which pages left for them.
    fn access(&mut self, access: Access, lpn: u64, sectors: u64) -> Vec<u64> {
        let mut left = Vec::new();
        while self.taken() + (sectors & !self.held(lpn)).count_ones() > self.capacity {
            left.extend(self.evict());
        }
        if let Some((slot, held)) = self.pages.get_mut(&lpn) {
            *held |= sectors;
            self.policy.hit(*slot, access);
            self.policy.resized(*slot, held.count_ones());
        } else {
            let slot = self.lpns.insert(lpn) as u32;
            self.pages.insert(lpn, (slot, sectors));
            self.policy.insert(slot, lpn, access);
            self.policy.resized(slot, sectors.count_ones());
        }
        left
    }

    /// Forgets sectors of a page.
    fn trim(&mut self, lpn: u64, sectors: u64) {
        let Some((slot, held)) = self.pages.get_mut(&lpn) else {
            return;
        };
        *held &= !sectors;
        let (slot, held) = (*slot, *held);
        if held == 0 {
            self.policy.remove(slot);
            self.pages.remove(&lpn);
            self.lpns.remove(slot as usize);
        } else {
            self.policy.resized(slot, held.count_ones());
        }
    }
}

/// 16 sectors, half of them protected: 8, which are four pages of two sectors. Pages 0 to 5 enter, 0 to 4 are used again: for the
/// fifth one 0 goes back on probation, where it is newer than 5. When 1 grows to 6 sectors, 2 and 3, used longest ago of the
/// protected ones, go back for it, and 1 and 4 stay with 6 + 2 sectors. Of the 16 sectors none is free: pages leave in the order
/// 5, 0, 2, 3, 7.
#[test]
fn protected_pages_share_sectors() {
    let mut slru = Sectors::new("slru", &[("protected", 0.5)], 2 * PAGE, 4);
    for lpn in [0, 1, 2, 3, 4, 5] {
        assert_eq!(slru.access(Write, lpn, 0b11), STAY);
    }
    for lpn in 0..5 {
        assert_eq!(slru.access(Write, lpn, 0b11), STAY);
    }
    assert_eq!(slru.access(Write, 1, 0b11_1100), STAY);
    assert_eq!(slru.access(Write, 7, 0b11), [5]);
    assert_eq!(slru.access(Write, 8, 0b1111), [0, 2]);
    assert_eq!(slru.access(Write, 9, 0b1111), [3, 7]);
    assert_eq!(slru.listed(), [1, 4, 8, 9]);
}

/// A window of half of 16 sectors: W0 R1 W2 with 2, 4 and 2 sectors fill it, R3 is not in it. For 8 sectors of 4 the clean page 1
/// leaves. Then 0, 2, 3 have 6 sectors, so that 4 is in the window, too, and 3 and 4 leave for 5. All that is left is dirty.
#[test]
fn a_window_covers_sectors() {
    let mut cflru = Sectors::new("cflru", &[("window", 0.5)], 2 * PAGE, 4);
    assert_eq!(cflru.access(Write, 0, 0b11), STAY);
    assert_eq!(cflru.access(Read, 1, 0b1111), STAY);
    assert_eq!(cflru.access(Write, 2, 0b11), STAY);
    assert_eq!(cflru.access(Read, 3, 0b11), STAY);
    assert_eq!(cflru.access(Read, 4, 0b1111_1111), [1]);
    assert_eq!(cflru.access(Write, 5, 0b1_1111), [3, 4]);
    assert_eq!(cflru.access(Write, 6, 0b1111_1111), [0]);
}

/// Half of 32 sectors for the list of single pages, which eight pages of two sectors take. Of sixteen the older eight fall into clusters
/// of one page each, of which the oldest leaves first. When 0 returns, which had left in a cluster, the list is to take a whole page
/// less, 8 sectors: four pages.
#[test]
fn the_list_of_single_pages_is_to_hold_sectors() {
    let mut bpac = Sectors::new("bpac", &[], 4 * PAGE, 4);
    for number in 0..16 {
        assert_eq!(bpac.access(Write, 4 * number, 0b11), STAY);
    }
    assert_eq!(bpac.access(Write, 100, 0b11), [0]);
    assert_eq!(bpac.access(Write, 0, 0b11), [4]);
    // 2 to 11 are in clusters now; 11 returns to the list, and 2 is still the oldest in a cluster
    assert_eq!(bpac.access(Write, 44, 0b11), STAY);
    assert_eq!(bpac.access(Write, 104, 0b11), [8]);
}

/// What can happen.
#[derive(Clone, Copy, Debug)]
enum Move {
    Use(Access, u64, u64),
    Trim(u64, u64),
}

fn moves(sectors: impl Strategy<Value = u64> + Clone) -> impl Strategy<Value = Vec<Move>> {
    let page = 0_u64..40;
    let one = prop_oneof![
        8 => (page.clone(), any::<bool>(), sectors.clone())
            .prop_map(|(page, write, sectors)| Move::Use(if write { Write } else { Read }, page, sectors)),
        1 => (page, sectors).prop_map(|(page, sectors)| Move::Trim(page, sectors)),
    ];
    prop::collection::vec(one, 0..300)
}

proptest! {
    /// Whole pages leave in the order in which they leave where pages are counted.
    #[test]
    fn whole_pages_leave_as_where_pages_are_counted(
        policy in prop::sample::select(policies()),
        capacity in 1_usize..20,
        rest in 0..PAGE,
        group_pages in 1_u64..9,
        share in 0.0..=1.0_f64,
        moves in moves(Just(0xff)),
    ) {
        let keys = ["protected", "window", "probability"].map(|key| (key, share));
        let mut pages = Cache::new(policy, &keys, capacity, group_pages);
        let mut sectors = Sectors::new(policy, &keys, capacity * PAGE + rest, group_pages);
        for each in moves {
            match each {
                Move::Use(access, page, whole) => {
                    prop_assert_eq!(sectors.access(access, page, whole), pages.access(access, page));
                }
                Move::Trim(page, whole) => {
                    sectors.trim(page, whole);
                    if let Some(slot) = pages.pages.remove(&page) {
                        pages.policy.remove(slot);
                        pages.slots.remove(slot as usize);
                    }
                }
            }
        }
    }

    /// Every page is listed once, and there is always one to evict, whatever the pages hold.
    #[test]
    fn pages_of_any_size_are_in_one_list(
        policy in prop::sample::select(policies()),
        capacity in PAGE..160,
        group_pages in 1_u64..9,
        share in 0.0..=1.0_f64,
        moves in moves(1_u64..256),
    ) {
        let keys = ["protected", "window", "probability"].map(|key| (key, share));
        let mut cache = Sectors::new(policy, &keys, capacity, group_pages);
        for each in moves {
            match each {
                Move::Use(access, page, sectors) => {
                    cache.access(access, page, sectors);
                }
                Move::Trim(page, sectors) => cache.trim(page, sectors),
            }
            prop_assert_eq!(cache.listed(), cache.pages.keys().copied().collect::<Vec<_>>());
        }
    }
}
