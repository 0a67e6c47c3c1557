//! The parts of maps of superblocks that the controller has read or written, of the superblocks that were used last.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::tree::{Node, Parts};
use crate::state::archive::{Archive, ArchiveError};

/// What is known of the map of a superblock.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Cached {
    /// A bit for each node.
    known: Vec<u64>,
    /// Number of its last use.
    used: u64,
}

/// A cache with replacement of the least recently used.
#[derive(Clone, Debug)]
pub(super) struct MapCache {
    most: u32,
    maps: FxHashMap<u32, Cached>,
    /// Superblocks by their last use.
    order: BTreeMap<u64, u32>,
    uses: u64,
}

impl MapCache {
    /// An empty cache for the maps of `most` superblocks.
    pub(super) fn new(most: u32) -> Self {
        Self {
            most,
            maps: FxHashMap::default(),
            order: BTreeMap::new(),
            uses: 0,
        }
    }

    /// The nodes that are known of a superblock, a bit for each.
    pub(super) fn known(&self, superblock: u32) -> Option<&[u64]> {
        self.maps.get(&superblock).map(|map| &map.known[..])
    }

    /// A superblock is used, and nodes of its map are known now.
    pub(super) fn learn(&mut self, superblock: u32, nodes: &[Node], parts: Parts) {
        let newest = self.uses;
        if !self.maps.contains_key(&superblock) {
            let known = self.make_room(parts);
            self.maps.insert(superblock, Cached { known, used: 0 });
        }
        let Some(map) = self.maps.get_mut(&superblock) else {
            return;
        };
        for node in nodes {
            let number = parts.number(*node);
            map.known[number as usize / 64] |= 1 << (number % 64);
        }
        if map.used == newest && newest > 0 {
            return;
        }
        self.uses += 1;
        self.order.remove(&map.used);
        map.used = self.uses;
        self.order.insert(self.uses, superblock);
    }

    /// No bit for any node of a further superblock, from the superblock that was used least recently where the cache is full.
    fn make_room(&mut self, parts: Parts) -> Vec<u64> {
        if self.maps.len() >= self.most as usize
            && let Some((_, oldest)) = self.order.pop_first()
            && let Some(mut map) = self.maps.remove(&oldest)
        {
            map.known.fill(0);
            return map.known;
        }
        vec![0; parts.count().div_ceil(64) as usize]
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.most);
    }

    /// Passes the cache to a state file or takes it from it.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let mut maps: Vec<(u32, Cached)> = self
            .order
            .values()
            .filter_map(|superblock| Some((*superblock, self.maps.get(superblock)?.clone())))
            .collect();
        archive.part(&mut maps)?;
        if !archive.is_loading() {
            return Ok(());
        }
        self.uses = maps.last().map_or(0, |(_, map)| map.used);
        self.order = maps
            .iter()
            .map(|(superblock, map)| (map.used, *superblock))
            .collect();
        self.maps = maps.into_iter().collect();
        Ok(())
    }
}
