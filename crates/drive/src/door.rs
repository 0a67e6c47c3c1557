//! `scheduler.max_writes`: the queue of host writes is limited, and a write beyond the limit waits at the door of the drive.

use std::collections::VecDeque;

use crate::operation::{Kind, Level, Op};

/// The programs of the host that wait for a die, and the write commands that wait until fewer do.
#[derive(Debug)]
pub(crate) struct WriteDoor {
    /// Programs that may wait.
    most: u32,
    /// Programs that do.
    waiting: u32,
    /// Commands at the door, in the order in which they came.
    held: VecDeque<Held>,
}

/// A write command at the door.
#[derive(Clone, Copy, Debug)]
struct Held {
    command: u32,
    pages: u64,
}

impl WriteDoor {
    pub(crate) fn new(most: u32) -> Self {
        Self {
            most,
            waiting: 0,
            held: VecDeque::new(),
        }
    }

    /// A write command of so many pages comes. Tells whether it waits at the door: behind others, or because its pages would be too many. One
    /// with more pages than may wait goes in alone.
    pub(crate) fn holds(&mut self, command: u32, pages: u64) -> bool {
        if self.held.is_empty() && self.has_room(pages) {
            return false;
        }
        self.held.push_back(Held { command, pages });
        true
    }

    /// Takes the first command at the door that may go in now.
    pub(crate) fn take_next(&mut self) -> Option<u32> {
        let pages = self.held.front()?.pages;
        if !self.has_room(pages) {
            return None;
        }
        self.held.pop_front().map(|held| held.command)
    }

    /// An operation has entered a queue.
    #[inline]
    pub(crate) fn queued(&mut self, op: &Op) {
        self.waiting += u32::from(counts(op));
    }

    /// An operation has left its queue.
    #[inline]
    pub(crate) fn dequeued(&mut self, op: &Op) {
        self.waiting -= u32::from(counts(op));
    }

    fn has_room(&self, pages: u64) -> bool {
        self.waiting == 0 || u64::from(self.waiting) + pages <= u64::from(self.most)
    }
}

/// Whether an operation is a program of the host.
fn counts(op: &Op) -> bool {
    op.level == Level::Host && op.kind() == Some(Kind::Program)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three programs may wait. Worked by hand.
    #[test]
    fn writes_beyond_the_limit_wait_in_their_order() {
        let mut door = WriteDoor::new(3);
        assert!(!door.holds(0, 2));
        door.waiting = 2;
        assert!(!door.holds(1, 1));
        door.waiting = 3;
        assert!(door.holds(2, 2));
        // it would fit, and another is before it
        door.waiting = 2;
        assert!(door.holds(3, 1));
        assert_eq!(door.take_next(), None);
        door.waiting = 1;
        assert_eq!(door.take_next(), Some(2));
        door.waiting = 3;
        assert_eq!(door.take_next(), None);
        door.waiting = 2;
        assert_eq!(door.take_next(), Some(3));
        assert_eq!(door.take_next(), None);
    }

    /// A command of more pages than may wait goes in when none does.
    #[test]
    fn a_command_longer_than_the_queue_goes_in_alone() {
        let mut door = WriteDoor::new(3);
        assert!(!door.holds(0, 9));
        door.waiting = 9;
        assert!(door.holds(1, 9));
        door.waiting = 1;
        assert_eq!(door.take_next(), None);
        door.waiting = 0;
        assert_eq!(door.take_next(), Some(1));
    }
}
