//! The second-level table of a die as a tree: its height, and what of it fits a local controller.

/// A tree over the slots of a die, sorted by logical page (section 8.4 of the specification of FScale).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeShape {
    /// Nodes of each level, from the root to the leaves.
    pub levels: Vec<u64>,
    /// Bytes of a node.
    pub node_bytes: u64,
}

impl TreeShape {
    /// The tree over `slots` (at least 1), with nodes of `node_bytes` filled to the share `fill` with entries of `entry_bytes`. A node takes at
    /// least two entries.
    #[must_use]
    pub fn new(slots: u64, node_bytes: u64, entry_bytes: u64, fill: f64) -> Self {
        let fan_out = ((node_bytes / entry_bytes.max(1)) as f64 * fill).max(2.0);
        let mut levels = vec![above(slots.max(1), fan_out)];
        while levels[levels.len() - 1] > 1 {
            let top = levels[levels.len() - 1];
            levels.push(above(top, fan_out));
        }
        levels.reverse();
        Self { levels, node_bytes }
    }

    /// Levels: nodes read by a look-up when nothing of the tree is in memory.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.levels.len() as u32
    }

    /// Nodes above the leaves.
    #[must_use]
    pub fn inner_nodes(&self) -> u64 {
        self.levels[..self.levels.len() - 1].iter().sum()
    }

    /// Bytes of all nodes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.levels.iter().sum::<u64>() * self.node_bytes
    }

    /// Levels in a memory of `bytes`: whole levels from the root down, as long as they fit.
    #[must_use]
    pub fn resident_levels(&self, bytes: u64) -> u32 {
        let mut free = bytes / self.node_bytes.max(1);
        let mut resident = 0;
        for nodes in &self.levels {
            if *nodes > free {
                break;
            }
            free -= nodes;
            resident += 1;
        }
        resident
    }

    /// Nodes that a look-up reads from flash with a memory of `bytes` for this tree.
    #[must_use]
    pub fn reads(&self, bytes: u64) -> u32 {
        self.height() - self.resident_levels(bytes)
    }
}

/// Nodes that hold `below` entries.
fn above(below: u64, fan_out: f64) -> u64 {
    (below as f64 / fan_out).ceil().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Section 13.6: a die of 32 GiB with pages of 4 KiB.
    #[test]
    fn worked_example_of_full_nodes() {
        let tree = TreeShape::new(1 << 23, 4096, 8, 1.0);
        assert_eq!(tree.inner_nodes(), 33);
        assert_eq!(tree.inner_nodes() * 4096, 132 << 10);
        assert_eq!(tree.height(), 3);
        // sixteen dies share 4 MiB
        assert_eq!(tree.reads((4 << 20) / 16), 1);
        assert_eq!(tree.reads(0), 3);
    }

    #[test]
    fn worked_example_of_the_default_fill() {
        let tree = TreeShape::new(1 << 23, 4096, 8, 0.7);
        assert_eq!(tree.inner_nodes(), 67);
        assert_eq!(tree.inner_nodes() * 4096, 268 << 10);
        assert_eq!(tree.reads((4 << 20) / 16), 2);
        assert_eq!(tree.reads((5 << 20) / 16), 1);
    }

    proptest! {
        /// Height = 1 + ceil(log(leaves) / log(entries of a node)).
        #[test]
        fn height_as_computed(slots in 1_u64..1 << 40, entries in 4_u64..2048, fill in 0.5_f64..=1.0) {
            let tree = TreeShape::new(slots, entries * 8, 8, fill);
            let fan_out = entries as f64 * fill;
            let leaves = (slots as f64 / fan_out).ceil();
            let height = 1.0 + (leaves.ln() / fan_out.ln()).ceil();
            prop_assert!((f64::from(tree.height()) - height).abs() <= 1.0, "{} {height}", tree.height());
        }

        #[test]
        fn reads_never_exceed_the_height_and_fall_with_memory(
            slots in 1_u64..1 << 40, less in 0_u64..1 << 30, more in 0_u64..1 << 30,
        ) {
            let tree = TreeShape::new(slots, 4096, 8, 0.7);
            prop_assert!(tree.reads(less) <= tree.height());
            prop_assert!(tree.reads(less + more) <= tree.reads(less));
            prop_assert_eq!(tree.reads(u64::MAX), 0);
        }
    }
}
