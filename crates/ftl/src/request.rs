//! Requests of the host for logical pages, and how an FTL answers them.

use serde::{Deserialize, Serialize};
use wordline_units::SimTime;

use crate::plan::Lpn;
use crate::zone::ZoneAction;

/// What is asked of one logical page (or, for TRIM, of a run of whole pages).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PageOp {
    /// Read the marked sub-pages.
    Read,
    /// Write the marked sub-pages.
    Write,
    /// Forget the marked sub-pages.
    Trim,
    /// Manage the zone that begins with the logical page.
    Zone(ZoneAction),
}

/// A page-sized piece of a host command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// What is asked.
    pub op: PageOp,
    /// The (first) logical page.
    pub lpn: Lpn,
    /// Logical pages covered: 1, or more for a TRIM of whole pages.
    pub pages: u64,
    /// The sub-pages concerned: bit i stands for sector i of the page.
    pub bitmap: u64,
    /// Placement handle of the command; 0 is none.
    pub placement: u16,
    /// Class of blocks whose pages a scheduler has promised to a write: 0 is the normal one, 1 the fastest of the strong ones.
    pub class: u8,
    /// Sectors of the whole command (size-based placement reads it).
    pub command_sectors: u32,
}

/// A request for whole logical pages, and when it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedRequest {
    /// When it comes.
    pub at: SimTime,
    /// What is asked.
    pub op: PageOp,
    /// The (first) logical page.
    pub lpn: Lpn,
    /// Logical pages: 1, or more for a TRIM.
    pub pages: u64,
    /// Placement handle; 0 is none.
    pub placement: u16,
}

/// How an FTL answers a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Accepted; the plan holds the steps (none: it has taken effect already).
    Accepted,
    /// A read whose data are still in the controller, on their way to flash.
    InMemory,
    /// A read of which the controller has a part, on its way to flash. The plan reads the rest. It may be given up: no step of it has a token.
    PartlyInMemory,
    /// A read of sub-pages that hold no data: zeroes. The plan holds the steps that are needed to know that, if there are
    /// any.
    Unmapped,
    /// An earlier write of the page must take effect first: submit again after a step of that
    /// logical page is done.
    Wait,
    /// Another request brings what this one needs: submit again after a step of this other logical page is done. It may be
    /// one behind those that the drive exports, as which the FTL knows pages of its own.
    WaitFor(Lpn),
    /// Refused by the rules of the interface (a handle without open blocks, an address beyond the drive).
    Refused(Refusal),
}

/// An interface's own refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Beyond the exported capacity.
    OutOfRange,
    /// The placement handle of the write has no open blocks, and gets none.
    NoUnit,
    /// Something of the command does not fit: zone management of a drive without zones or of an address inside a zone, an append at an address inside a zone, a
    /// write to a zone that is not of whole pages.
    InvalidField,
    /// A write to a zone beyond its capacity.
    ZoneBoundary,
    /// A write to a zone elsewhere than at its write pointer.
    InvalidWrite,
    /// A write to a zone that is full.
    ZoneFull,
    /// A write to a zone that can only be read.
    ZoneReadOnly,
    /// An access to a zone that is offline.
    ZoneOffline,
    /// Another zone would be active than may be.
    TooManyActive,
    /// Another zone would be open than may be, and none was opened by a write.
    TooManyOpen,
    /// The zone cannot be brought to that state from the one it is in.
    InvalidTransition,
    /// Something of the zone has failed since the command was admitted.
    WriteFault,
}
