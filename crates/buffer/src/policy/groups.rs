//! Groups of buffered pages with neighbouring addresses, as large as the logical block of a
//! block-mapped FTL.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slab::Slab;
use wordline_keys::{Keys, Parameters, RefusedValue};

use super::list::put;
use super::{BufferRow, Frame, Links, List};

/// Largest group: an evicted group is held as a list.
const MOST_GROUP_PAGES: u32 = 65_536;

/// Keys of policies of groups.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct GroupKeys {
    /// `fab`, `bplru`, `bpac`: logical pages of a group; left out: `geometry.pages_per_block`.
    group_pages: Option<u32>,
}

/// A policy of groups: it gathers writes and keeps no clean pages.
pub(super) const fn of_groups(row: BufferRow) -> BufferRow {
    let mut row = row.with_keys(Keys::of::<GroupKeys>(), check);
    row.entry.reads = &[];
    row
}

fn check(keys: &Parameters<BufferRow>) -> Result<(), RefusedValue> {
    match keys.read::<GroupKeys>().group_pages {
        Some(pages) if !(1..=MOST_GROUP_PAGES).contains(&pages) => Err(RefusedValue::new(
            "buffer.group_pages",
            pages,
            "from 1 to 65536 pages",
        )),
        _ => Ok(()),
    }
}

/// Logical pages of a group.
pub(super) fn group_pages(keys: &Parameters<BufferRow>, frame: &Frame) -> u64 {
    let given = keys.read::<GroupKeys>().group_pages;
    given.map_or(frame.pages_per_block, u64::from)
}

/// A group that has buffered pages.
#[derive(Debug)]
struct Group {
    number: u64,
    pages: List,
}

/// The buffered pages by group.
#[derive(Debug)]
pub(super) struct Groups {
    pages_per_group: u64,
    numbers: FxHashMap<u64, u32>,
    groups: Slab<Group>,
    links: Links,
    /// Group and logical page of each slot.
    places: Vec<(u32, u64)>,
}

impl Groups {
    pub(super) fn new(pages_per_group: u64) -> Self {
        Self {
            pages_per_group: pages_per_group.max(1),
            numbers: FxHashMap::default(),
            groups: Slab::new(),
            links: Links::default(),
            places: Vec::new(),
        }
    }

    /// Adds a page to its group; tells the group and whether it is new.
    pub(super) fn add(&mut self, slot: u32, lpn: u64) -> (u32, bool) {
        let number = lpn / self.pages_per_group;
        let known = self.numbers.get(&number).copied();
        let group = known.unwrap_or_else(|| {
            let pages = List::default();
            let group = self.groups.insert(Group { number, pages }) as u32;
            self.numbers.insert(number, group);
            group
        });
        put(&mut self.places, slot, (group, lpn), (0, 0));
        self.groups[group as usize].pages.push(&mut self.links, slot);
        (group, known.is_none())
    }

    pub(super) fn group_of(&self, slot: u32) -> u32 {
        self.places[slot as usize].0
    }

    /// Place of a page within its group.
    pub(super) fn offset(&self, slot: u32) -> u64 {
        self.places[slot as usize].1 % self.pages_per_group
    }

    /// Buffered pages of a group.
    pub(super) fn len(&self, group: u32) -> usize {
        self.groups[group as usize].pages.len()
    }

    /// Takes a page out; its group goes with its last page. Tells how many are left.
    pub(super) fn remove(&mut self, slot: u32) -> usize {
        let id = self.group_of(slot) as usize;
        let group = &mut self.groups[id];
        group.pages.remove(&mut self.links, slot);
        let left = group.pages.len();
        if left == 0 {
            let group = self.groups.remove(id);
            self.numbers.remove(&group.number);
        }
        left
    }

    /// Takes a whole group out, its pages in the order of their addresses.
    pub(super) fn drain(&mut self, group: u32, pages: &mut Vec<u32>) {
        let group = self.groups.remove(group as usize);
        self.numbers.remove(&group.number);
        let first = pages.len();
        pages.extend(group.pages.iter(&self.links));
        let places = &self.places;
        pages[first..].sort_unstable_by_key(|slot| places[*slot as usize].1);
    }

    pub(super) fn listed(&self) -> Vec<u32> {
        let groups = self.groups.iter();
        groups
            .flat_map(|(_, group)| group.pages.iter(&self.links))
            .collect()
    }
}

/// Groups of which the largest leaves first, of equal ones the one least recently used.
#[derive(Debug)]
pub(super) struct LargestFirst {
    groups: Groups,
    clock: u64,
    /// Time of last use of each group.
    used: Vec<u64>,
    order: BTreeSet<(Reverse<usize>, u64, u32)>,
}

impl LargestFirst {
    pub(super) fn new(pages_per_group: u64) -> Self {
        Self {
            groups: Groups::new(pages_per_group),
            clock: 0,
            used: Vec::new(),
            order: BTreeSet::new(),
        }
    }

    fn key(&self, group: u32) -> (Reverse<usize>, u64, u32) {
        (Reverse(self.groups.len(group)), self.used[group as usize], group)
    }

    pub(super) fn add(&mut self, slot: u32, lpn: u64) {
        let (group, new) = self.groups.add(slot, lpn);
        if !new {
            let (Reverse(len), used, _) = self.key(group);
            self.order.remove(&(Reverse(len - 1), used, group));
        }
        self.use_now(group);
    }

    /// Uses a page, and with it its group.
    pub(super) fn touch(&mut self, slot: u32) {
        let group = self.groups.group_of(slot);
        self.order.remove(&self.key(group));
        self.use_now(group);
    }

    fn use_now(&mut self, group: u32) {
        self.clock += 1;
        put(&mut self.used, group, self.clock, 0);
        self.order.insert(self.key(group));
    }

    pub(super) fn remove(&mut self, slot: u32) {
        let group = self.groups.group_of(slot);
        self.order.remove(&self.key(group));
        if self.groups.remove(slot) > 0 {
            self.order.insert(self.key(group));
        }
    }

    /// Takes the first group out; false when there is none.
    pub(super) fn evict(&mut self, victims: &mut Vec<u32>) -> bool {
        let Some((_, _, group)) = self.order.pop_first() else {
            return false;
        };
        self.groups.drain(group, victims);
        true
    }

    pub(super) fn listed(&self) -> Vec<u32> {
        self.groups.listed()
    }
}
