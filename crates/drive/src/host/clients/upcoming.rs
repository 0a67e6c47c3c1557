//! Commands that a client has and that are not sent yet.

use wordline_workload::HostCommand;

/// Commands gone beyond which a list that never becomes empty is shortened.
const MOST_GONE: usize = 1024;

/// Commands in the order in which they will be sent. Those that are gone keep their places until the list is empty, which it is
/// again and again, so that nothing moves.
#[derive(Debug, Default)]
pub(super) struct Upcoming {
    commands: Vec<HostCommand>,
    /// How many of them are gone.
    gone: usize,
}

impl Upcoming {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.gone == self.commands.len()
    }

    /// The command that is sent after so many others.
    #[inline]
    pub(super) fn get(&self, behind: usize) -> Option<&HostCommand> {
        self.commands.get(self.gone + behind)
    }

    /// The commands that are not sent, the next one first.
    pub(super) fn unsent(&self) -> &[HostCommand] {
        &self.commands[self.gone..]
    }

    /// The list to whose end further commands are appended.
    #[inline]
    pub(super) fn list(&mut self) -> &mut Vec<HostCommand> {
        if self.gone > MOST_GONE && 2 * self.gone > self.commands.len() {
            self.commands.drain(..self.gone);
            self.gone = 0;
        }
        &mut self.commands
    }

    /// The first command is sent.
    #[inline]
    pub(super) fn take_first(&mut self) {
        self.gone += 1;
        if self.is_empty() {
            self.clear();
        }
    }

    /// None is sent any more.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.commands.clear();
        self.gone = 0;
    }
}

impl From<Vec<HostCommand>> for Upcoming {
    fn from(commands: Vec<HostCommand>) -> Self {
        Self { commands, gone: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;
    use wordline_units::SimTime;
    use wordline_workload::HostOp;

    use proptest::prelude::*;

    fn command(sector: u64) -> HostCommand {
        HostCommand {
            arrival: SimTime::ZERO,
            op: HostOp::Read,
            fua: false,
            sector,
            sectors: 8,
            queue: 0,
            placement: 0,
        }
    }

    proptest! {
        /// The same commands in the same order as in a queue, also where it is long and never empty.
        #[test]
        fn commands_leave_in_their_order(steps in prop::collection::vec((0_usize..900, 0_usize..900), 1..30)) {
            let (mut upcoming, mut queue) = (Upcoming::default(), VecDeque::new());
            let mut number = 0;
            for (come, go) in steps {
                for _ in 0..come {
                    upcoming.list().push(command(number));
                    queue.push_back(number);
                    number += 1;
                    prop_assert!(upcoming.gone <= MOST_GONE.max(queue.len()));
                }
                for _ in 0..go.min(queue.len()) {
                    let behind = queue.len() / 2;
                    prop_assert_eq!(upcoming.get(behind).map(|command| command.sector), queue.get(behind).copied());
                    prop_assert_eq!(upcoming.get(0).map(|command| command.sector), queue.pop_front());
                    upcoming.take_first();
                }
                prop_assert_eq!(upcoming.is_empty(), queue.is_empty());
                prop_assert_eq!(upcoming.get(queue.len()), None);
            }
        }
    }
}
