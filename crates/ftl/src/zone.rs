//! Zones as a host sees them (NVM Express, zoned namespace command set).

use serde::{Deserialize, Serialize};

use crate::plan::Lpn;

/// What the host asks of a zone as a whole (zone management send).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ZoneAction {
    /// Open it explicitly: it stays open until it is closed, finished, reset or full.
    Open,
    /// Close it: it takes no resources of an open zone, and can be written on.
    Close,
    /// Finish it: it is full, whatever was written.
    Finish,
    /// Reset it: it is empty, and its data are gone.
    Reset,
}

/// The state of a zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ZoneState {
    /// Nothing was written since the last reset.
    #[default]
    Empty,
    /// Opened by a write; the drive may close it when another zone is to be opened.
    ImplicitlyOpen,
    /// Opened by the host.
    ExplicitlyOpen,
    /// Partly written, and not open.
    Closed,
    /// Takes no more writes until it is reset.
    Full,
    /// Can be read only, for good.
    ReadOnly,
    /// Can be neither read nor written, for good.
    Offline,
}

impl ZoneState {
    /// Every state, in the order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::Empty,
        Self::ImplicitlyOpen,
        Self::ExplicitlyOpen,
        Self::Closed,
        Self::Full,
        Self::ReadOnly,
        Self::Offline,
    ];

    /// The name used in summaries (`ftl.zones.<state>`).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::ImplicitlyOpen => "implicitly_open",
            Self::ExplicitlyOpen => "explicitly_open",
            Self::Closed => "closed",
            Self::Full => "full",
            Self::ReadOnly => "read_only",
            Self::Offline => "offline",
        }
    }

    /// Whether something may be written to it, now or after a reset.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        !matches!(self, Self::ReadOnly | Self::Offline)
    }

    /// Whether it counts as an open zone.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::ImplicitlyOpen | Self::ExplicitlyOpen)
    }

    /// Whether it counts as an active zone.
    #[must_use]
    pub const fn is_active(self) -> bool {
        self.is_open() || matches!(self, Self::Closed)
    }
}

/// How the address space of a drive is divided into zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneLayout {
    /// Zones of the drive, at least 1.
    pub zones: u32,
    /// Logical pages from the start of a zone to that of the next (ZSZE).
    pub zone_pages: u64,
    /// Logical pages of a zone that can be written, the first ones (ZCAP); at most `zone_pages`.
    pub capacity_pages: u64,
    /// Zones that may be open at once; none: no limit.
    pub max_open: Option<u32>,
    /// Zones that may be active (open or closed) at once; none: no limit.
    pub max_active: Option<u32>,
}

impl ZoneLayout {
    /// The zone that a logical page lies in, and its place there.
    #[must_use]
    pub const fn split(&self, lpn: Lpn) -> (u32, u64) {
        ((lpn.0 / self.zone_pages) as u32, lpn.0 % self.zone_pages)
    }

    /// The first logical page of a zone.
    #[must_use]
    pub const fn start(&self, zone: u32) -> Lpn {
        Lpn(zone as u64 * self.zone_pages)
    }
}

/// The state of one zone (zone management receive: report zones).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneFacts {
    /// Its state.
    pub state: ZoneState,
    /// Its first logical page.
    pub start: Lpn,
    /// Logical pages that can be written.
    pub capacity: u64,
    /// The logical page that is written next; of a full zone the one behind the capacity.
    pub write_pointer: Lpn,
}

/// What was done with the zones of a drive since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneTotals {
    /// Write commands at the write pointer.
    pub writes: u64,
    /// Zone appends.
    pub appends: u64,
    /// Zones that were reset; resets of empty zones do not count.
    pub resets: u64,
    /// Pages that could not be written any more when zones were finished.
    pub finished_pages: u64,
    /// Zones finished by the host.
    pub finishes: u64,
    /// Zones opened by a command of their own.
    pub opens: u64,
    /// Zones closed by a command of their own.
    pub closes: u64,
    /// Open zones that the drive closed because another was to be opened.
    pub implicit_closes: u64,
    /// Commands that the rules of zones refused.
    pub refused: u64,
}

/// A command of the host, before it is divided into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostAccess {
    /// What it does.
    pub kind: AccessKind,
    /// Its first logical page.
    pub lpn: Lpn,
    /// Logical pages that it touches.
    pub pages: u64,
    /// Sectors of its first page that lie before it.
    pub head: u32,
    /// Sectors of its last page that lie behind it.
    pub tail: u32,
}

/// What a command of the host does, as far as zones are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes at its address.
    Write,
    /// It writes where the zone's pointer is; its address is the start of the zone.
    Append,
    /// It concerns the zone as a whole; its address is the start of the zone.
    Manage(ZoneAction),
    /// It deallocates, which is no affair of zones.
    Deallocate,
}
