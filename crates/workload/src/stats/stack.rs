//! LRU stack distances: how many other pages were touched since a page was touched last (Mattson
//! et al., IBM Systems Journal, 1970), in a Fenwick tree over the order of last touches.

/// Places in the tree at the start.
const SMALLEST: usize = 1 << 10;

/// The order of last touches. A page is known by the *slot* of its last touch.
#[derive(Debug)]
pub(crate) struct Stack {
    /// Fenwick tree over the slots, counted from 1: a slot weighs 1 while it is the last touch of
    /// its page.
    tree: Vec<u32>,
    next: u32,
    live: u32,
}

impl Stack {
    /// A stack of `live` pages, which hold the slots from 0 on in the order of their last touches.
    pub(crate) fn of(live: u32) -> Self {
        let places = (2 * live as usize).max(SMALLEST);
        let mut tree = vec![0; places + 1];
        for slot in 1..=places {
            tree[slot] += u32::from(slot <= live as usize);
            let above = slot + (slot & slot.wrapping_neg());
            if above <= places {
                tree[above] += tree[slot];
            }
        }
        Self {
            tree,
            next: live,
            live,
        }
    }

    /// Whether no slot is left: the pages must be numbered anew, by [`Self::of`].
    pub(crate) const fn is_full(&self) -> bool {
        self.next as usize + 1 >= self.tree.len()
    }

    /// A page is touched for the first time: its slot.
    pub(crate) fn push(&mut self) -> u32 {
        let slot = self.next;
        self.change(slot, 1);
        self.next += 1;
        self.live += 1;
        slot
    }

    /// A page is touched whose last touch was `slot`: how many others were touched since, and its
    /// new slot.
    pub(crate) fn touch(&mut self, slot: u32) -> (u32, u32) {
        let distance = self.live - self.upto(slot);
        self.change(slot, u32::MAX);
        self.live -= 1;
        (distance, self.push())
    }

    /// Live slots up to and including `slot`.
    fn upto(&self, slot: u32) -> u32 {
        let (mut place, mut sum) = (slot as usize + 1, 0);
        while place > 0 {
            sum += self.tree[place];
            place &= place - 1;
        }
        sum
    }

    /// Adds `by`, modulo 2^32, to the weight of `slot`.
    fn change(&mut self, slot: u32, by: u32) {
        let mut place = slot as usize + 1;
        while place < self.tree.len() {
            self.tree[place] = self.tree[place].wrapping_add(by);
            place += place & place.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Stack;

    #[test]
    fn distances_count_other_pages() {
        let mut stack = Stack::of(0);
        let (a, b, c) = (stack.push(), stack.push(), stack.push());
        let (distance, a) = stack.touch(a);
        assert_eq!(distance, 2);
        let (distance, a) = stack.touch(a);
        assert_eq!(distance, 0);
        assert_eq!(stack.touch(c).0, 1);
        assert_eq!(stack.touch(b).0, 2);
        assert_eq!(stack.touch(a).0, 2);
    }

    #[test]
    fn a_stack_made_anew_goes_on() {
        let mut stack = Stack::of(3_000);
        assert_eq!(stack.touch(0).0, 2_999);
        assert_eq!(stack.touch(2_999).0, 1);
        let mut pushed = 0;
        while !stack.is_full() {
            stack.push();
            pushed += 1;
        }
        assert!(pushed >= 2_998);
        assert_eq!(stack.touch(1).0, 2_999 + pushed);
    }
}
