//! The second-level table of a die as a tree of nodes on flash: logical pages and their slots, sorted by logical page.

use crate::tree_shape::TreeShape;

/// What a look-up found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The slot of the page; none if the die does not hold it.
    pub slot: Option<u32>,
    /// Nodes that were read, one of each level.
    pub nodes: u32,
}

/// A node: entries of a leaf, or nodes of an inner one with the first page of each.
#[derive(Clone, Debug)]
enum Node {
    Leaf(Vec<(u64, u32)>),
    Inner(Vec<(u64, Node)>),
}

/// What a local controller keeps for a die: a B+ tree. Full nodes are divided in halves; empty ones are removed, and others are not merged, as on flash a
/// merge costs two programs.
#[derive(Clone, Debug)]
pub struct SecondLevelTable {
    root: Node,
    /// Entries of a node, at least 4.
    most: usize,
    height: u32,
    entries: u64,
}

impl SecondLevelTable {
    /// An empty table with so many entries to a node, at least 4.
    #[must_use]
    pub fn new(entries_per_node: u32) -> Self {
        Self {
            root: Node::Leaf(Vec::new()),
            most: entries_per_node.max(4) as usize,
            height: 1,
            entries: 0,
        }
    }

    /// The table of sorted entries whose nodes are filled to the share `fill`, as when a die is rebuilt. It has the [`TreeShape`] of as many entries.
    #[must_use]
    pub fn loaded(entries: &[(u64, u32)], entries_per_node: u32, fill: f64) -> Self {
        let mut table = Self::new(entries_per_node);
        let shape = TreeShape::new(entries.len() as u64, table.most as u64, 1, fill);
        let mut levels = shape.levels.iter().rev();
        let leaves = levels.next().copied().unwrap_or(1);
        let mut nodes: Vec<(u64, Node)> = divided(entries.to_vec(), leaves)
            .map(|part| (part.first().map_or(0, |(page, _)| *page), Node::Leaf(part)))
            .collect();
        for level in levels {
            nodes = divided(nodes, *level)
                .map(|part| (part.first().map_or(0, |(page, _)| *page), Node::Inner(part)))
                .collect();
            table.height += 1;
        }
        table.entries = entries.len() as u64;
        if let Some((_, root)) = nodes.pop() {
            table.root = root;
        }
        table
    }

    /// Entries.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.entries
    }

    /// Whether the die holds no page.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Levels, which is how many nodes a look-up reads at most.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The slot of a page.
    #[must_use]
    pub fn look_up(&self, page: u64) -> Found {
        let (mut node, mut nodes) = (&self.root, 1);
        loop {
            match node {
                Node::Leaf(entries) => {
                    let slot = entries
                        .binary_search_by_key(&page, |(page, _)| *page)
                        .ok()
                        .map(|place| entries[place].1);
                    return Found { slot, nodes };
                }
                Node::Inner(children) => {
                    node = &children[child_of(children, page)].1;
                    nodes += 1;
                }
            }
        }
    }

    /// Notes the slot of a page: the slot that it had before.
    pub fn insert(&mut self, page: u64, slot: u32) -> Option<u32> {
        let (old, split) = insert(&mut self.root, page, slot, self.most);
        if let Some(right) = split {
            let left = std::mem::replace(&mut self.root, Node::Leaf(Vec::new()));
            self.root = Node::Inner(vec![(0, left), right]);
            self.height += 1;
        }
        self.entries += u64::from(old.is_none());
        old
    }

    /// Removes a page, which has left the die: the slot that it had.
    pub fn remove(&mut self, page: u64) -> Option<u32> {
        let old = remove(&mut self.root, page);
        self.entries -= u64::from(old.is_some());
        loop {
            match &mut self.root {
                Node::Inner(children) if children.is_empty() => {
                    self.root = Node::Leaf(Vec::new());
                    self.height = 1;
                }
                Node::Inner(children) if children.len() == 1 => {
                    if let Some((_, only)) = children.pop() {
                        self.root = only;
                        self.height -= 1;
                    }
                }
                _ => return old,
            }
        }
    }
}

/// `all` in `parts` parts of nearly the same length.
fn divided<T>(mut all: Vec<T>, parts: u64) -> impl Iterator<Item = Vec<T>> {
    let (length, parts) = (all.len(), parts as usize);
    (0..parts).map(move |part| {
        let (from, to) = (length * part / parts, length * (part + 1) / parts);
        all.drain(..to - from).collect()
    })
}

/// The child that holds a page if any does.
fn child_of(children: &[(u64, Node)], page: u64) -> usize {
    children
        .partition_point(|(first, _)| *first <= page)
        .saturating_sub(1)
}

/// Divides a node that has too many entries: its upper half, with its first page.
fn split<T>(
    entries: &mut Vec<(u64, T)>,
    most: usize,
    node: fn(Vec<(u64, T)>) -> Node,
) -> Option<(u64, Node)> {
    if entries.len() <= most {
        return None;
    }
    let right = entries.split_off(entries.len() / 2);
    Some((right[0].0, node(right)))
}

fn insert(node: &mut Node, page: u64, slot: u32, most: usize) -> (Option<u32>, Option<(u64, Node)>) {
    match node {
        Node::Leaf(entries) => match entries.binary_search_by_key(&page, |(page, _)| *page) {
            Ok(place) => (Some(std::mem::replace(&mut entries[place].1, slot)), None),
            Err(place) => {
                entries.insert(place, (page, slot));
                (None, split(entries, most, Node::Leaf))
            }
        },
        Node::Inner(children) => {
            let place = child_of(children, page);
            let (old, right) = insert(&mut children[place].1, page, slot, most);
            if let Some(right) = right {
                children.insert(place + 1, right);
            }
            (old, split(children, most, Node::Inner))
        }
    }
}

fn remove(node: &mut Node, page: u64) -> Option<u32> {
    match node {
        Node::Leaf(entries) => {
            let place = entries.binary_search_by_key(&page, |(page, _)| *page).ok()?;
            Some(entries.remove(place).1)
        }
        Node::Inner(children) => {
            let place = child_of(children, page);
            let old = remove(&mut children[place].1, page);
            let is_empty = match &children[place].1 {
                Node::Leaf(entries) => entries.is_empty(),
                Node::Inner(children) => children.is_empty(),
            };
            if is_empty {
                children.remove(place);
            }
            old
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Look-ups are those of a reference map after any inserts and removals, and read at most one node of each level.
        #[test]
        fn look_ups_equal_a_reference_map(
            most in 4_u32..20,
            changes in prop::collection::vec((0_u64..300, any::<u32>(), any::<bool>()), 0..800),
        ) {
            let mut table = SecondLevelTable::new(most);
            let mut reference = BTreeMap::new();
            for (page, slot, inserts) in changes {
                if inserts {
                    prop_assert_eq!(table.insert(page, slot), reference.insert(page, slot));
                } else {
                    prop_assert_eq!(table.remove(page), reference.remove(&page));
                }
            }
            prop_assert_eq!(table.len(), reference.len() as u64);
            prop_assert_eq!(table.is_empty(), reference.is_empty());
            for page in 0..300 {
                let found = table.look_up(page);
                prop_assert_eq!(found.slot, reference.get(&page).copied());
                prop_assert!(found.nodes <= table.height());
            }
        }

        /// A loaded table has the height of the closed form, and each look-up reads as many nodes.
        #[test]
        fn a_loaded_table_has_the_height_as_computed(pages in 1_u64..20_000, most in 8_u32..200, fill in 0.5_f64..=1.0) {
            let entries: Vec<(u64, u32)> = (0..pages).map(|page| (page * 3, page as u32)).collect();
            let table = SecondLevelTable::loaded(&entries, most, fill);
            let shape = TreeShape::new(pages, u64::from(most), 1, fill);
            prop_assert_eq!(table.height(), shape.height());
            for (page, slot) in entries.iter().step_by(97) {
                prop_assert_eq!(table.look_up(*page), Found { slot: Some(*slot), nodes: shape.height() });
                prop_assert_eq!(table.look_up(page + 1).slot, None);
            }
        }
    }
}
