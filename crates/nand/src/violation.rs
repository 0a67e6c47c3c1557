//! A rule of the medium that a command broke.

use std::fmt;

use thiserror::Error;

use crate::address::{BlockId, PageAddress, Ppn};

/// The rules of the medium (array specification, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// R-a: pages of a block are programmed in increasing order.
    InOrder,
    /// R-b: copy-back stays in its plane, and in its parity.
    CopyBack,
    /// R-c: constituents of a multi-plane command are aligned, in distinct planes of one die.
    MultiPlane,
    /// R-d: a programmed page is not programmed again before its block is erased.
    NoOverwrite,
    /// R-e: an interleaved command addresses distinct dies of one chip.
    Interleave,
    /// R-f: constituents of a multi-plane command are of one kind.
    OneKind,
    /// Only a programmed page can be read.
    Unwritten,
    /// The address exists.
    Address,
}

impl Rule {
    /// The short name of the rule.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InOrder => "R-a (in order)",
            Self::CopyBack => "R-b (copy-back)",
            Self::MultiPlane => "R-c (multi-plane alignment)",
            Self::NoOverwrite => "R-d (no overwrite)",
            Self::Interleave => "R-e (interleave)",
            Self::OneKind => "R-f (one kind)",
            Self::Unwritten => "reads of programmed pages only",
            Self::Address => "addresses inside the drive",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One constituent of a command, as the medium sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read a page.
    Read(Ppn),
    /// Program a page.
    Program(Ppn),
    /// Copy a page inside its plane.
    CopyBack {
        /// Page read.
        source: Ppn,
        /// Page programmed.
        destination: Ppn,
    },
    /// Erase a block.
    Erase(BlockId),
}

/// A command that the medium does not allow: a defect of whoever sent it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("rule {rule} broken by {access:?} at {address}: {why}")]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The offending constituent.
    pub access: Access,
    /// Its address by level.
    pub address: PageAddress,
    /// What is wrong, in words.
    pub why: &'static str,
}
