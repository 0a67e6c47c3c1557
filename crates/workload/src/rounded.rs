//! Requests that are rounded to whole pages, as simulators that know whole pages only need them (Microsoft's SSD extension of DiskSim asserts that a piece of a request
//! is a page).

use crate::{Collection, HostCommand, HostOp, Source, SourceError, TraceFacts};

/// A stream whose reads and writes begin and end at multiples of a size: they are extended at both ends.
pub(crate) struct Rounded {
    inner: Box<dyn Source>,
    /// Sectors of the size, at least 1.
    unit: u64,
    /// Sectors of the drive, beyond which nothing is extended.
    capacity: u64,
}

impl Rounded {
    /// `inner` with its reads and writes extended to multiples of `unit` sectors, in a drive of `capacity` sectors.
    pub(crate) fn new(inner: Box<dyn Source>, unit: u64, capacity: u64) -> Self {
        Self {
            inner,
            unit: unit.max(1),
            capacity,
        }
    }

    fn round(&self, command: HostCommand) -> HostCommand {
        if !matches!(command.op, HostOp::Read | HostOp::Write) {
            return command;
        }
        let (from, to) = (
            command.sector,
            command.sector.saturating_add(u64::from(command.sectors)),
        );
        let first = from - from % self.unit;
        // what lies beyond the drive stays there, to be refused
        let end = to
            .checked_next_multiple_of(self.unit)
            .map_or(to, |end| end.min(self.capacity.max(to)));
        match u32::try_from(end - first) {
            Ok(sectors) => HostCommand {
                sector: first,
                sectors,
                ..command
            },
            Err(_) => command,
        }
    }
}

impl Source for Rounded {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        let command = self.inner.next_command()?;
        Ok(command.map(|command| self.round(command)))
    }

    fn next_commands(&mut self, most: usize, commands: &mut Vec<HostCommand>) -> Result<(), SourceError> {
        let before = commands.len();
        let read = self.inner.next_commands(most, commands);
        for command in &mut commands[before..] {
            *command = self.round(*command);
        }
        read
    }

    fn is_drawn(&self) -> bool {
        self.inner.is_drawn()
    }

    fn rewind(&mut self) -> Result<(), SourceError> {
        self.inner.rewind()
    }

    fn len_hint(&self) -> Option<u64> {
        self.inner.len_hint()
    }

    fn notes(&self) -> Vec<String> {
        self.inner.notes()
    }

    fn collection(&self) -> Option<Collection> {
        self.inner.collection()
    }

    fn restart_counts(&mut self) {
        self.inner.restart_counts();
    }

    fn trace_facts(&self) -> Option<TraceFacts> {
        self.inner.trace_facts()
    }
}

#[cfg(test)]
mod tests {
    use wordline_units::SimTime;

    use super::*;

    struct Listed(Vec<HostCommand>);

    impl Source for Listed {
        fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
            Ok(self.0.pop())
        }

        fn len_hint(&self) -> Option<u64> {
            Some(self.0.len() as u64)
        }

        fn notes(&self) -> Vec<String> {
            Vec::new()
        }
    }

    /// Pages of 8 sectors in a drive of 61 sectors, worked by hand.
    #[test]
    fn requests_grow_to_whole_pages_at_both_ends() {
        let rounded = |op, sector, sectors| {
            let command = HostCommand {
                arrival: SimTime(5),
                op,
                fua: false,
                sector,
                sectors,
                queue: 0,
                placement: 0,
            };
            let mut source = Rounded::new(Box::new(Listed(vec![command])), 8, 61);
            let found = source.next_command().unwrap().unwrap();
            assert_eq!((found.arrival, found.op), (SimTime(5), op));
            (found.sector, found.sectors)
        };
        assert_eq!(rounded(HostOp::Read, 9, 1), (8, 8));
        assert_eq!(rounded(HostOp::Write, 15, 2), (8, 16));
        assert_eq!(rounded(HostOp::Write, 16, 24), (16, 24));
        // the drive ends in the middle of a page, and a request beyond its end stays one
        assert_eq!(rounded(HostOp::Read, 57, 2), (56, 5));
        assert_eq!(rounded(HostOp::Read, 57, 6), (56, 7));
        // what was not to be deallocated is not
        assert_eq!(rounded(HostOp::Trim, 9, 9), (9, 9));
        assert_eq!(rounded(HostOp::Flush, 0, 0), (0, 0));
    }
}
