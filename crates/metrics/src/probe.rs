//! Probes: observers of the drive. None is woven into its logic; an absent one costs nothing.

use std::any::Any;

use wordline_ftl::{Cause, Inspect, Lpn, PageRequest, Written};
use wordline_nand::{BlockId, ChannelId, ChipId, DieId, Mode, Ppn};
use wordline_units::SimTime;

/// The kind of a flash command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandKind {
    /// Page read.
    Read,
    /// Page program.
    Program,
    /// Copy inside a plane.
    CopyBack,
    /// Block erase.
    Erase,
}

/// One page (or block) of a flash command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constituent {
    /// Why.
    pub cause: Cause,
    /// Page read or programmed; for an erase the first page of the block.
    pub page: Ppn,
    /// Block that holds `page`.
    pub block: BlockId,
    /// Die that holds `page`.
    pub die: DieId,
    /// Source page of a copy-back.
    pub source: Option<Ppn>,
    /// Owner written to, or expected in, the spare area.
    pub lpn: Lpn,
    /// Pages of the block given up to get to `page`.
    pub skipped: u32,
    /// Whether it is a read that brings data to the controller, not one of the spare area alone.
    pub brings_data: bool,
    /// Mode of `page`: that in which it is programmed, or was.
    pub mode: Mode,
    /// Mode in which the page of `source` is read; that of `page` where there is no source.
    pub read_mode: Mode,
}

/// The array step of a command in one die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// Which die.
    pub die: DieId,
    /// When its array step starts.
    pub from: SimTime,
    /// When it ends.
    pub to: SimTime,
}

/// A flash command at the moment it is issued: basic, multi-plane (several planes of one die),
/// interleaved (several dies of one chip), or both.
#[derive(Clone, Copy, Debug)]
pub struct IssuedCommand<'a> {
    /// What it does.
    pub kind: CommandKind,
    /// The channel that carries it.
    pub channel: ChannelId,
    /// Its pages, those of one die together.
    pub constituents: &'a [Constituent],
    /// Bus step: command, address and data-in, from.
    pub bus_from: SimTime,
    /// Bus step, to.
    pub bus_to: SimTime,
    /// Array steps, one per die.
    pub arrays: &'a [Array],
    /// Whether the registers are cached: the array step may follow another of the same die.
    pub cached: bool,
    /// Whether it takes the bus of its package instead of the channel, of which its bus step is then a moment; [`PackageBusUse`] says when it has that bus.
    pub in_package: bool,
}

/// A use of the bus inside a package with a controller: command and data-in, or data-out.
#[derive(Clone, Copy, Debug)]
pub struct PackageBusUse {
    /// The package.
    pub chip: ChipId,
    /// The die that drives or takes the data.
    pub die: DieId,
    /// The page of a read whose data are moved; none of a command.
    pub page: Option<Ppn>,
    /// From: not before the present moment.
    pub from: SimTime,
    /// To.
    pub to: SimTime,
}

/// A later use of the bus by a command: data-out of a read, second half of a copy-back.
#[derive(Clone, Copy, Debug)]
pub struct BusUse {
    /// The channel.
    pub channel: ChannelId,
    /// The die that drives or takes the data.
    pub die: DieId,
    /// The page that the data belong to.
    pub page: Ppn,
    /// From.
    pub from: SimTime,
    /// To.
    pub to: SimTime,
    /// The array step that it starts: the second half of a copy-back.
    pub array: Option<Array>,
}

/// A program or erase at the moment when it has left the array of its die to be resumed later.
#[derive(Clone, Copy, Debug)]
pub struct SuspendedArray {
    /// What it is.
    pub kind: CommandKind,
    /// The die.
    pub die: DieId,
    /// Its first page; for an erase the first of the block.
    pub page: Ppn,
    /// Now.
    pub at: SimTime,
    /// When it left: now, or before where it had to wait for other dies of its chip.
    pub left: SimTime,
    /// When it would have ended.
    pub would_end: SimTime,
}

/// A program or erase at the moment when it is back in the array of its die.
#[derive(Clone, Copy, Debug)]
pub struct ResumedArray {
    /// What it is.
    pub kind: CommandKind,
    /// The die.
    pub die: DieId,
    /// Its first page; for an erase the first of the block.
    pub page: Ppn,
    /// Now.
    pub at: SimTime,
    /// When it ends, unless it is suspended again.
    pub to: SimTime,
}

/// Class of a host request in latency statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestClass {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// What moves no data between host and drive ([`Other`] says what).
    Other,
}

/// What a request of the class `Other` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Other {
    /// Deallocates sectors.
    Trim,
    /// Writes zeroes without data.
    Zeroes,
    /// Makes earlier writes durable.
    Flush,
    /// Opens, closes, finishes or resets a zone.
    Zone,
}

impl Other {
    /// Every one, in the order of their indices.
    pub const ALL: [Self; 4] = [Self::Trim, Self::Zeroes, Self::Flush, Self::Zone];
    /// Their names in summaries and tables.
    pub const NAMES: [&'static str; 4] = ["trim", "zeroes", "flush", "zone"];

    /// Whether it counts as a request for sectors, as in fio: one for zones or for durability does not.
    #[must_use]
    pub const fn asks_for_sectors(self) -> bool {
        matches!(self, Self::Trim | Self::Zeroes)
    }
}

/// How a host request ended; the later ones are the graver ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// The drive did what was asked.
    #[default]
    Good,
    /// A page of a read could not be corrected: the data are wrong (NVMe: Unrecovered Read Error).
    Uncorrectable,
    /// The drive did nothing: the addresses are beyond its capacity, say (NVMe: LBA Out of Range).
    Refused,
    /// Something of the command does not fit the drive (NVMe: Invalid Field in Command).
    InvalidField,
    /// A write beyond the capacity of its zone (NVMe: Zone Boundary Error).
    ZoneBoundary,
    /// A write elsewhere than at the write pointer of its zone (NVMe: Zone Invalid Write).
    ZoneInvalidWrite,
    /// A write to a full zone (NVMe: Zone Is Full).
    ZoneFull,
    /// A write to a zone that can only be read (NVMe: Zone Is Read Only).
    ZoneReadOnly,
    /// An access to a zone that is offline (NVMe: Zone Is Offline).
    ZoneOffline,
    /// Another zone would be active than may be (NVMe: Too Many Active Zones).
    TooManyActiveZones,
    /// Another zone would be open than may be (NVMe: Too Many Open Zones).
    TooManyOpenZones,
    /// The zone cannot be brought to that state (NVMe: Invalid Zone State Transition).
    InvalidZoneTransition,
    /// A page of a write could not be written, or a zone could not be reset (NVMe: Write Fault).
    WriteFault,
}

impl Status {
    /// Every status, in the order of their indices.
    pub const ALL: [Self; 13] = [
        Self::Good,
        Self::Uncorrectable,
        Self::Refused,
        Self::InvalidField,
        Self::ZoneBoundary,
        Self::ZoneInvalidWrite,
        Self::ZoneFull,
        Self::ZoneReadOnly,
        Self::ZoneOffline,
        Self::TooManyActiveZones,
        Self::TooManyOpenZones,
        Self::InvalidZoneTransition,
        Self::WriteFault,
    ];
    /// Their names in tables.
    pub const NAMES: [&'static str; 13] = [
        "good",
        "uncorrectable",
        "refused",
        "invalid_field",
        "zone_boundary",
        "zone_invalid_write",
        "zone_full",
        "zone_read_only",
        "zone_offline",
        "too_many_active_zones",
        "too_many_open_zones",
        "invalid_zone_transition",
        "write_fault",
    ];

    /// Index into [`Self::ALL`] and [`Self::NAMES`].
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether the drive did nothing.
    #[must_use]
    pub const fn is_refused(self) -> bool {
        !matches!(self, Self::Good | Self::Uncorrectable | Self::WriteFault)
    }
}

/// A host request that was acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRequest {
    /// Running number in order of admission.
    pub number: u64,
    /// Its class.
    pub class: RequestClass,
    /// What it is where its class is `Other` and it came from a host.
    pub other: Option<Other>,
    /// How it ended.
    pub status: Status,
    /// When it came.
    pub arrival: SimTime,
    /// When it was admitted to the drive.
    pub admitted: SimTime,
    /// When it began to be served: the first of its flash commands was issued, or work in the controller's memory or on its codec began. Its
    /// admission where neither was done for it (a command that is refused), and where there is no table of requests.
    pub served: SimTime,
    /// When it was acknowledged.
    pub completed: SimTime,
    /// First sector.
    pub sector: u64,
    /// Sectors.
    pub sectors: u32,
    /// Submission queue.
    pub queue: u16,
}

/// An observer. Every method has an empty default; times never go backwards between calls.
pub trait Probe: Any + Send {
    /// The FTL has accepted a write or TRIM of one or more logical pages.
    fn page_accepted(&mut self, _at: SimTime, _request: &PageRequest) {}

    /// The program or copy-back that is issued next writes this beside the data of the host. Told where the mapping says it.
    fn page_written(&mut self, _page: Ppn, _written: &Written) {}

    /// A flash command was issued.
    fn issued(&mut self, _command: &IssuedCommand<'_>) {}

    /// The bus of a package is used, from now or a later moment on.
    fn package_bus(&mut self, _at: SimTime, _use: &PackageBusUse) {}

    /// The bus is used for data of a command issued before.
    fn bus(&mut self, _use_: &BusUse) {}

    /// A program or erase has left the array of its die.
    fn suspended(&mut self, _array: &SuspendedArray) {}

    /// A program or erase is back in the array of its die.
    fn resumed(&mut self, _array: &ResumedArray) {}

    /// The data of a read have left the die for the decoder. It ends with `operation_done`, or is issued again.
    fn decoding(&mut self, _at: SimTime, _constituent: &Constituent) {}

    /// The data of a read could not be decoded: it waits to be issued again, with finer sensing.
    fn retried(&mut self, _at: SimTime, _constituent: &Constituent) {}

    /// The page that is being programmed brings these logical pages, in the order of their places in it. Told where several
    /// may share one, before `operation_done`.
    fn units_programmed(&mut self, _page: Ppn, _units: &[Lpn]) {}

    /// The program or erase of a constituent has failed (`ftl.failures`). It ends with `operation_done`.
    fn operation_failed(&mut self, _at: SimTime, _kind: CommandKind, _constituent: &Constituent) {}

    /// A constituent is wholly done (data out, array ready) and the FTL has been told.
    fn operation_done(&mut self, _at: SimTime, _kind: CommandKind, _constituent: &Constituent) {}

    /// A host request was acknowledged.
    fn request_done(&mut self, _request: &FinishedRequest) {}

    /// The run is over; what the probe found wrong, if anything. A probe that takes long tells `watch` the share that is done, and ends without a
    /// finding where that returns false.
    ///
    /// # Errors
    /// A violated rule, in words.
    fn finish(
        &mut self,
        _at: SimTime,
        _ftl: &dyn Inspect,
        _watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), String> {
        Ok(())
    }

    /// Findings so far; the drive stops the run at the first one.
    fn violation(&self) -> Option<&str> {
        None
    }
}
