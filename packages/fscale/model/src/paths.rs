//! The way of each operation through the units. Closed forms and simulation read the same paths.

use serde::Serialize;

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// The host's line; with two ways the one of reads.
    Host,
    /// The way of writes, where the line has two.
    HostWrites,
    /// A core of the controller's processor.
    Processor,
    /// Memory on the controller's chip, as a tier of the table.
    Sram,
    /// The controller's memory.
    Dram,
    /// Memory behind a CXL link, as a tier of the table.
    Cxl,
    /// Memory of the host, as a tier of the table.
    HostMemory,
    /// Places of the write buffer; used with `host.ack = "buffer"`.
    Buffer,
    /// The controller's codec.
    Ecc,
    /// What joins memory, codecs and channels on the controller's chip.
    Interconnect,
    /// The channel of a die.
    Channel,
    /// A die (LUN).
    Die,
    /// The local controller of a package.
    Local,
    /// The private bus of a package.
    Bus,
    /// The codec of a package.
    MiniEcc,
    /// Places of a package for moves that are under way, `max_moves` of them.
    Moves,
}

impl Unit {
    /// All, in the order of their discriminants.
    pub const ALL: [Self; 16] = [
        Self::Host,
        Self::HostWrites,
        Self::Processor,
        Self::Sram,
        Self::Dram,
        Self::Cxl,
        Self::HostMemory,
        Self::Buffer,
        Self::Ecc,
        Self::Interconnect,
        Self::Channel,
        Self::Die,
        Self::Local,
        Self::Bus,
        Self::MiniEcc,
        Self::Moves,
    ];
}

impl Unit {
    /// Whether it is a number of places, which are taken while servers work, and no server.
    #[must_use]
    pub fn is_place(self) -> bool {
        matches!(self, Self::Buffer | Self::Moves)
    }
}

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The host reads.
    HostRead,
    /// The host writes a logical page.
    HostWrite,
    /// The host writes a part of a logical page, which is read before it is programmed.
    PartialWrite,
    /// The host writes a part of a logical page of which an earlier part is still in the write buffer.
    MergedWrite,
    /// A look-up of the table finds its entry in memory on the controller's chip.
    SramLookUp,
    /// The same in the controller's memory, where the table has tiers.
    DramLookUp,
    /// The same behind a CXL link.
    CxlLookUp,
    /// The same in memory of the host.
    HostMemoryLookUp,
    /// A page of the table is read from flash.
    PageIn,
    /// A changed page of the table is programmed.
    PageOut,
    /// Collection or wear levelling moves a valid page.
    Move,
    /// A collected block is erased; in FScale with the command that had it collected.
    Erase,
    /// The die of an overwritten copy is told (FScale).
    Invalidate,
    /// Gathered updates of a tree are programmed (FScale).
    NodeProgram,
    /// Collection asks whether a page is stale (FScale).
    DirectoryCheck,
}

impl Kind {
    /// All, in the order of their discriminants.
    pub const ALL: [Self; 15] = [
        Self::HostRead,
        Self::HostWrite,
        Self::PartialWrite,
        Self::MergedWrite,
        Self::SramLookUp,
        Self::DramLookUp,
        Self::CxlLookUp,
        Self::HostMemoryLookUp,
        Self::PageIn,
        Self::PageOut,
        Self::Move,
        Self::Erase,
        Self::Invalidate,
        Self::NodeProgram,
        Self::DirectoryCheck,
    ];
}

/// One step of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Time at a server, with the cycles that it is where the server is a processor.
    Visit {
        /// The kind of server.
        unit: Unit,
        /// Nanoseconds.
        ns: u64,
        /// Cycles.
        cycles: u32,
    },
    /// The server of the next visit, a core, is kept while the memory looks an entry up, until the next visit of a core has ended
    /// ([`crate::LookUpWait::Spin`]).
    Keep,
    /// The table entry is needed: a look-up waits for the tier that has the entry, or for a [`Kind::PageIn`]. Where the entry changes, a page that
    /// is read evicts a changed one, a [`Kind::PageOut`].
    Entry {
        /// Whether the entry changes.
        changes: bool,
    },
    /// What follows concerns another die, any with the same probability.
    OtherDie,
    /// The host is answered; what follows is done afterwards.
    Acknowledge,
    /// The next `steps` are taken with this probability only: the codec of the package could not correct, or a learned table named the wrong page.
    Chance {
        /// Probability.
        probability: f64,
        /// Steps that are skipped otherwise.
        steps: usize,
    },
}

/// The steps of an operation, in order.
pub type Path = Vec<Step>;

/// The paths of all kinds of operations of a drive.
#[derive(Clone, Debug, PartialEq)]
pub struct Paths {
    by_kind: [Path; Kind::ALL.len()],
}

impl Paths {
    pub(crate) fn new(of: impl FnMut(Kind) -> Path) -> Self {
        Self {
            by_kind: Kind::ALL.map(of),
        }
    }

    /// The path of a kind; empty where the design has no such operation.
    #[must_use]
    pub fn of(&self, kind: Kind) -> &[Step] {
        &self.by_kind[kind as usize]
    }
}
