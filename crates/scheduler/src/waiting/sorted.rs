//! A list that stays sorted, made for what mostly comes at its end and leaves at its front.

use std::collections::VecDeque;

/// Values that rise, each once.
#[derive(Clone, Debug)]
pub(super) struct Sorted<T>(VecDeque<T>);

impl<T> Default for Sorted<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Copy + Ord> Sorted<T> {
    /// A value that is not there comes in.
    pub(super) fn insert(&mut self, value: T) {
        if self.0.back().is_none_or(|last| *last < value) {
            self.0.push_back(value);
        } else {
            let place = self.0.partition_point(|other| *other < value);
            self.0.insert(place, value);
        }
    }

    /// A value leaves. Tells whether it was there.
    pub(super) fn remove(&mut self, value: T) -> bool {
        let found = self.0.binary_search(&value);
        found.is_ok_and(|place| self.0.remove(place).is_some())
    }

    /// The least.
    pub(super) fn first(&self) -> Option<T> {
        self.0.front().copied()
    }

    /// The greatest of those that lie below a value by this order.
    pub(super) fn last_where(&self, is_below: impl Fn(&T) -> bool) -> Option<T> {
        let below = self.0.partition_point(is_below);
        below.checked_sub(1).map(|place| self.0[place])
    }
}
