//! Which group of planes takes the next superpage.

use crate::plan::Frontier;

/// The group of each frontier whose turn it is, and the programs that each group has under way.
///
/// A superpage goes to the group with the fewest programs under way, the next one in turn among equals. Groups are collected at different times: if superpages
/// went round in turns alone, those of a group that is being collected would keep the host from sending what the other groups could program.
#[derive(Debug)]
pub(super) struct Turns {
    /// By frontier: the group that has an incomplete superpage, or else whose turn is next among equals.
    pub(super) groups: Vec<u32>,
    /// By group: programs that have a page and are not done.
    under_way: Vec<u32>,
    /// Kept for its space.
    order: Vec<u32>,
}

impl Turns {
    pub(super) fn new(frontiers: u8, groups: u32) -> Self {
        Self {
            groups: vec![0; usize::from(frontiers)],
            under_way: vec![0; groups as usize],
            order: Vec::new(),
        }
    }

    pub(super) fn of(&self, frontier: Frontier) -> u32 {
        self.groups.get(usize::from(frontier.0)).copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, frontier: Frontier, group: u32) {
        if let Some(turn) = self.groups.get_mut(usize::from(frontier.0)) {
            *turn = group;
        }
    }

    /// A program of a group has its page.
    pub(super) fn begin_program(&mut self, group: u32) {
        self.under_way[group as usize] += 1;
    }

    /// A program of a group that had its page is over.
    pub(super) fn end_program(&mut self, group: u32) {
        let under_way = &mut self.under_way[group as usize];
        debug_assert!(*under_way > 0, "group {group} has no program under way");
        *under_way = under_way.saturating_sub(1);
    }

    /// The groups, those first that have the fewest programs under way, equals in turn from that of `frontier` on.
    pub(super) fn take_order(&mut self, frontier: Frontier) -> Vec<u32> {
        let (first, count) = (self.of(frontier), self.under_way.len() as u32);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend((0..count).map(|turn| (first + turn) % count));
        order.sort_by_key(|group| self.under_way[*group as usize]);
        order
    }

    /// Takes the list back for its space.
    pub(super) fn give_back_order(&mut self, order: Vec<u32>) {
        self.order = order;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand: three groups, the second is the first in turn.
    #[test]
    fn a_superpage_goes_where_the_fewest_programs_are_under_way() {
        let mut turns = Turns::new(1, 3);
        let frontier = Frontier(0);
        turns.set(frontier, 1);
        assert_eq!(turns.take_order(frontier), [1, 2, 0]);
        for group in [1, 1, 2, 0] {
            turns.begin_program(group);
        }
        assert_eq!(turns.take_order(frontier), [2, 0, 1]);
        turns.end_program(1);
        turns.end_program(1);
        assert_eq!(turns.take_order(frontier), [1, 2, 0]);
    }
}
