//! Programs that wait for a page.
//!
//! Programs of one cause that may go to the same places wait for the same thing: where the oldest of them finds no page, none of them does. Each time
//! that space is freed costs as much as there are such classes, however many programs wait.

use std::collections::VecDeque;

use wordline_ftl::{Cause, Target};

use crate::operation::OpId;

/// What decides about where a program may go: its target and its cause.
pub(crate) type Class = (Option<Target>, Cause);

/// A program that waits, and its place in the order of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) op: OpId,
    number: u64,
}

/// The programs of a class.
#[derive(Debug)]
struct Queue {
    class: Class,
    /// Oldest first.
    waiting: VecDeque<Waiting>,
    /// Whether the oldest has found no page since space was freed last.
    is_declined: bool,
}

/// The programs that wait for a page.
#[derive(Debug, Default)]
pub(crate) struct Unplaced {
    /// As many as there were classes in the run; few.
    queues: Vec<Queue>,
    /// How many have been put here.
    number: u64,
    is_space_freed: bool,
}

impl Unplaced {
    /// How many programs wait.
    pub(crate) fn len(&self) -> u64 {
        self.queues.iter().map(|queue| queue.waiting.len() as u64).sum()
    }

    /// A program that is ready finds no page: it waits behind the others of its class.
    pub(crate) fn push(&mut self, op: OpId, class: Class) {
        let number = self.number;
        self.number += 1;
        self.queue(class).waiting.push_back(Waiting { op, number });
    }

    /// A block was erased.
    #[inline]
    pub(crate) fn space_freed(&mut self) {
        self.is_space_freed = true;
    }

    /// Whether space was freed since programs were tried last.
    #[inline]
    pub(crate) fn is_space_freed(&self) -> bool {
        self.is_space_freed
    }

    /// Begins to try them, if space was freed since they were tried last: whether any is to be tried.
    #[inline]
    pub(crate) fn begin_trying(&mut self) -> bool {
        if !std::mem::take(&mut self.is_space_freed) {
            return false;
        }
        for queue in &mut self.queues {
            queue.is_declined = false;
        }
        self.oldest().is_some()
    }

    /// Takes out the oldest program whose class has not been declined.
    pub(crate) fn take_oldest(&mut self) -> Option<Waiting> {
        let queue = self.oldest()?;
        self.queues[queue].waiting.pop_front()
    }

    /// A program that was taken out finds no page, nor do the others of its class.
    pub(crate) fn decline(&mut self, waiting: Waiting, class: Class) {
        let queue = self.queue(class);
        queue.waiting.push_front(waiting);
        queue.is_declined = true;
    }

    /// The queue with the oldest program of those that have not been declined.
    fn oldest(&self) -> Option<usize> {
        let tried = self
            .queues
            .iter()
            .enumerate()
            .filter(|(_, queue)| !queue.is_declined);
        tried
            .filter_map(|(index, queue)| Some((queue.waiting.front()?.number, index)))
            .min()
            .map(|(_, index)| index)
    }

    fn queue(&mut self, class: Class) -> &mut Queue {
        let index = self
            .queues
            .iter()
            .position(|queue| queue.class == class)
            .unwrap_or_else(|| {
                self.queues.push(Queue {
                    class,
                    waiting: VecDeque::new(),
                    is_declined: false,
                });
                self.queues.len() - 1
            });
        &mut self.queues[index]
    }
}

#[cfg(test)]
mod tests {
    use wordline_ftl::{Frontier, Scope};

    use super::*;

    fn class(op: OpId) -> Class {
        let target = Target::Stripe {
            frontier: Frontier((op % 2) as u8),
            scope: Scope::Drive,
        };
        (Some(target), Cause::Host)
    }

    /// Programs 0, 2, 4 of one class and 1, 3 of another: the first finds no page, so that 2 and 4 are not tried; they are
    /// when space is freed again, in the order in which they came.
    #[test]
    fn a_class_whose_oldest_is_declined_is_not_tried_again() {
        let mut unplaced = Unplaced::default();
        for op in 0..5 {
            unplaced.push(op, class(op));
        }
        assert!(!unplaced.begin_trying(), "no space was freed");
        unplaced.space_freed();
        assert!(unplaced.begin_trying());
        let first = unplaced.take_oldest().unwrap();
        unplaced.decline(first, class(first.op));
        let tried: Vec<OpId> = std::iter::from_fn(|| unplaced.take_oldest())
            .map(|waiting| waiting.op)
            .collect();
        assert_eq!((first.op, &tried[..]), (0, &[1, 3][..]));
        assert_eq!(unplaced.len(), 3);
        unplaced.space_freed();
        assert!(unplaced.begin_trying());
        let tried: Vec<OpId> = std::iter::from_fn(|| unplaced.take_oldest())
            .map(|waiting| waiting.op)
            .collect();
        assert_eq!(tried, [0, 2, 4]);
        unplaced.space_freed();
        assert!(!unplaced.begin_trying(), "none waits");
    }
}
