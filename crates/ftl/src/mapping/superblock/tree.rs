//! Where the map of a superblock is: in the spare areas of its own pages, as a tree of three levels.
//!
//! A page has in its spare area the leaf that its entry is in, and the nodes above, as they were when it was programmed. The page
//! of a leaf that was programmed last has that leaf as it is now, and the same holds for middle nodes and for the root. A page
//! that is superseded passes this on to the one that supersedes it, which is in the same leaf; so the newest of a leaf is a
//! current page of it, unless that was taken by TRIM. Then another current page of the node stands in for it: what TRIM would
//! cost in a table that must survive it is not modelled.

use smallvec::SmallVec;

use crate::state::archive::{Archive, ArchiveError};

/// A node of the tree of a superblock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    Root,
    Middle(u32),
    Leaf(u32),
}

/// How many nodes there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    middles: u32,
    leaves: u32,
}

impl Parts {
    /// Of all nodes.
    pub(super) const fn count(self) -> u32 {
        1 + self.middles + self.leaves
    }

    /// The number of a node among all.
    pub(super) const fn number(self, node: Node) -> u32 {
        match node {
            Node::Root => 0,
            Node::Middle(middle) => 1 + middle,
            Node::Leaf(leaf) => 1 + self.middles + leaf,
        }
    }
}

/// What must be read to know the path to a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path {
    /// Physical pages, in the order in which they are found.
    pub(super) pages: SmallVec<[u64; 3]>,
    /// The nodes that are known then: one of each level, and those that come with the pages.
    pub(super) parts: SmallVec<[Node; 6]>,
}

/// The pages with the newest nodes, of all superblocks.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// Pages of a superblock.
    entries: u32,
    /// Entries of a leaf, and leaves of a middle node.
    fan_out: u32,
    parts: Parts,
    /// Per superblock and leaf: the page of it that was programmed last, by its number in the superblock.
    leaf: Vec<u32>,
    /// Per superblock and middle node.
    middle: Vec<u32>,
    /// Per superblock.
    pub(super) root: Vec<u32>,
}

impl Tree {
    pub(super) fn new(entries: u32, fan_out: u32, superblocks: u32) -> Self {
        let leaves = entries.div_ceil(fan_out);
        let middles = leaves.div_ceil(fan_out);
        let superblocks = superblocks as usize;
        Self {
            entries,
            fan_out,
            parts: Parts { middles, leaves },
            leaf: vec![0; superblocks * leaves as usize],
            middle: vec![0; superblocks * middles as usize],
            root: vec![0; superblocks],
        }
    }

    pub(super) const fn parts(&self) -> Parts {
        self.parts
    }

    const fn leaf_of(&self, offset: u32) -> u32 {
        offset / self.fan_out
    }

    const fn middle_of(&self, offset: u32) -> u32 {
        offset / self.fan_out / self.fan_out
    }

    /// A page of a superblock was programmed.
    #[inline]
    pub(super) fn programmed(&mut self, superblock: u32, offset: u32) {
        let leaf = superblock as usize * self.parts.leaves as usize + self.leaf_of(offset) as usize;
        let middle = superblock as usize * self.parts.middles as usize + self.middle_of(offset) as usize;
        self.leaf[leaf] = offset;
        self.middle[middle] = offset;
        self.root[superblock as usize] = offset;
    }

    /// The number of the page that has a node, if any page below the node holds data.
    fn carrier(&self, superblock: u32, node: Node, mapped: impl Fn(u32) -> Option<u64>) -> Option<u32> {
        let at = superblock as usize;
        let (newest, first, pages) = match node {
            Node::Root => (self.root[at], 0, self.entries),
            Node::Middle(middle) => {
                let pages = self.fan_out.saturating_mul(self.fan_out);
                let newest = self.middle[at * self.parts.middles as usize + middle as usize];
                (newest, middle * pages, pages)
            }
            Node::Leaf(leaf) => {
                let newest = self.leaf[at * self.parts.leaves as usize + leaf as usize];
                (newest, leaf * self.fan_out, self.fan_out)
            }
        };
        if mapped(newest).is_some() {
            return Some(newest);
        }
        let last = first.saturating_add(pages).min(self.entries);
        (first..last).find(|offset| mapped(*offset).is_some())
    }

    /// What must be read for the path to a page, where the nodes are known for which `known` holds a one at their number;
    /// `mapped` says where the pages of the superblock are. A page read for a node has one of each level.
    pub(super) fn missing(
        &self,
        superblock: u32,
        offset: u32,
        known: Option<&[u64]>,
        mapped: impl Fn(u32) -> Option<u64>,
    ) -> Path {
        let mut path = Path::default();
        let is_known = |node: Node| {
            let number = self.parts.number(node);
            known.is_some_and(|words| words[number as usize / 64] >> (number % 64) & 1 == 1)
        };
        for node in [
            Node::Root,
            Node::Middle(self.middle_of(offset)),
            Node::Leaf(self.leaf_of(offset)),
        ] {
            if is_known(node) || path.parts.contains(&node) {
                continue;
            }
            path.parts.push(node);
            let Some(carrier) = self.carrier(superblock, node, &mapped) else {
                continue;
            };
            path.pages.extend(mapped(carrier));
            // what the page has of the levels below is as old as the page: known only where nothing newer is there
            for below in [
                Node::Middle(self.middle_of(carrier)),
                Node::Leaf(self.leaf_of(carrier)),
            ] {
                if below > node && self.carrier(superblock, below, &mapped) == Some(carrier) {
                    path.parts.push(below);
                }
            }
        }
        path
    }

    /// Passes the newest pages to a state file or takes them from it.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.leaf)?;
        archive.table(&mut self.middle)?;
        archive.table(&mut self.root)
    }
}
