//! The command that a host sends to the drive, and the stream that it comes from.

use thiserror::Error;
use wordline_units::SimTime;

use crate::TraceFacts;

/// What a host command asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostOp {
    /// Read sectors.
    Read,
    /// Write sectors.
    Write,
    /// Deallocate sectors (TRIM).
    Trim,
    /// Make sectors read as zeroes without sending data (NVMe Write Zeroes).
    WriteZeroes,
    /// Make every earlier write durable; has no address.
    Flush,
    /// Write sectors to the zone that begins at the address, where its write pointer is.
    ZoneAppend,
    /// Open the zone that begins at the address.
    ZoneOpen,
    /// Close the zone that begins at the address.
    ZoneClose,
    /// Finish the zone that begins at the address: it is full.
    ZoneFinish,
    /// Reset the zone that begins at the address: it is empty.
    ZoneReset,
}

impl HostOp {
    /// Whether data go from the host to the drive.
    #[must_use]
    #[inline]
    pub const fn sends_data(self) -> bool {
        matches!(self, Self::Write | Self::ZoneAppend)
    }

    /// Whether it manages a zone as a whole.
    #[must_use]
    pub const fn manages_zone(self) -> bool {
        matches!(
            self,
            Self::ZoneOpen | Self::ZoneClose | Self::ZoneFinish | Self::ZoneReset
        )
    }

    /// Whether it has a length.
    #[must_use]
    pub const fn has_length(self) -> bool {
        !matches!(self, Self::Flush) && !self.manages_zone()
    }
}

/// One host command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCommand {
    /// Arrival (open loop); ignored in a closed loop.
    pub arrival: SimTime,
    /// What is asked for.
    pub op: HostOp,
    /// Forced unit access: a write is acknowledged only when it is on the medium.
    pub fua: bool,
    /// First 512-byte sector.
    pub sector: u64,
    /// Number of 512-byte sectors; 0 for a flush and for zone management only.
    pub sectors: u32,
    /// Submission queue (tenant).
    pub queue: u16,
    /// Placement handle (stream, FDP handle); 0 is none.
    pub placement: u16,
}

/// The work of a host that collects zones itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collection {
    /// Pages that the workload can address.
    pub logical_pages: u64,
    /// Pages that the workload wrote.
    pub user_pages: u64,
    /// Pages that were moved out of zones before their resets.
    pub moved_pages: u64,
    /// Zones that were reset.
    pub resets: u64,
    /// Pages read of which nothing was written: no command was sent for them.
    pub unwritten_reads: u64,
}

impl Collection {
    /// Pages written for each page that the workload wrote; 0 before the first.
    #[must_use]
    pub fn write_amplification(&self) -> f64 {
        if self.user_pages == 0 {
            return 0.0;
        }
        (self.user_pages + self.moved_pages) as f64 / self.user_pages as f64
    }
}

/// Why a source broke off: file, row, what was found, what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct SourceError(pub String);

/// A stream of commands; never holds a whole trace.
pub trait Source: Send {
    /// The next command, `None` at the end. Arrivals never go backwards.
    ///
    /// # Errors
    /// A malformed row or a failing file; the stream is over then.
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError>;

    /// Appends the next commands, at most so many; none at the end.
    ///
    /// # Errors
    /// As for `next_command`; those appended before are good.
    fn next_commands(&mut self, most: usize, commands: &mut Vec<HostCommand>) -> Result<(), SourceError> {
        for _ in 0..most {
            match self.next_command()? {
                Some(command) => commands.push(command),
                None => break,
            }
        }
        Ok(())
    }

    /// Whether commands are drawn as they are asked for, so that it makes no difference how many are asked for that are never
    /// sent: what [`Self::notes`] and [`Self::trace_facts`] tell does not depend on it.
    fn is_drawn(&self) -> bool {
        false
    }

    /// Whether its next command depends on when it is asked for. Such a source is told the time ([`Self::time_is`]) before each command.
    fn heeds_time(&self) -> bool {
        false
    }

    /// What comes next is sent at this time after the start of the client at the earliest.
    fn time_is(&mut self, _now: SimTime) {}

    /// Whether its next command may have to wait for some of those before it. Such a source is asked before each command ([`Self::is_held`]), and told what
    /// becomes of those that it gave.
    fn follows_completions(&self) -> bool {
        false
    }

    /// Whether the next command has to wait until some command, of this source or of another one of the same file, is completed.
    fn is_held(&mut self) -> bool {
        false
    }

    /// A command that the source gave is completed, well or with an error.
    fn completed(&mut self, _command: &HostCommand, _failed: bool) {}

    /// Nothing more is sent: neither further commands, nor `unsent`, which the source gave.
    fn stopped(&mut self, _unsent: &[HostCommand]) {}

    /// Goes back to the first command.
    ///
    /// # Errors
    /// A failing file; a source that draws its commands, and so has no need to start over.
    fn rewind(&mut self) -> Result<(), SourceError> {
        Err(SourceError(
            "a source that draws its commands does not start over".to_owned(),
        ))
    }

    /// Commands in all, where the source knows; for progress bars.
    fn len_hint(&self) -> Option<u64>;

    /// What the user should be told once the source is read (format guessed, rows reordered,
    /// addresses folded); read at the end of the run.
    fn notes(&self) -> Vec<String>;

    /// What the host of a drive with zones has done, where the commands are those of one that collects zones itself.
    fn collection(&self) -> Option<Collection> {
        None
    }

    /// Counts begin at zero again.
    fn restart_counts(&mut self) {}

    /// Of the replay of a trace, what decides how its results are to be read; at the end of the run.
    fn trace_facts(&self) -> Option<TraceFacts> {
        None
    }
}
