//! What was done, by cause.

use serde::{Deserialize, Serialize};

use crate::plan::Cause;
use crate::request::{PageOp, PageRequest};

/// Operations by cause (indexed by the number of the cause) and requests of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Pages programmed, copy-backs included.
    pub programmed: [u64; Cause::ALL.len()],
    /// Pages read, copy-backs included.
    pub read: [u64; Cause::ALL.len()],
    /// Blocks erased.
    pub erased: [u64; Cause::ALL.len()],
    /// Pages copied inside their plane; they count as read and as programmed too.
    pub copied_back: u64,
    /// Pages given up without being programmed to get to a page that was.
    pub skipped: u64,
    /// Logical pages, whole or in part, that the host wrote.
    pub host_writes: u64,
    /// Logical pages, whole or in part, that the host read.
    pub host_reads: u64,
    /// Logical pages, whole or in part, that the host trimmed.
    pub host_trims: u64,
}

impl Counts {
    pub(super) fn request(&mut self, request: &PageRequest) {
        match request.op {
            PageOp::Read => self.host_reads += 1,
            PageOp::Write => self.host_writes += 1,
            PageOp::Trim => self.host_trims += request.pages,
            PageOp::Zone(_) => {}
        }
    }

    /// Pages programmed for `cause`.
    #[must_use]
    pub fn programmed(&self, cause: Cause) -> u64 {
        self.programmed[cause as usize]
    }

    /// Pages programmed, whatever for.
    #[must_use]
    pub fn pages_programmed(&self) -> u64 {
        self.programmed.iter().sum()
    }

    /// Pages read, whatever for.
    #[must_use]
    pub fn pages_read(&self) -> u64 {
        self.read.iter().sum()
    }

    /// Blocks erased, whatever for.
    #[must_use]
    pub fn blocks_erased(&self) -> u64 {
        self.erased.iter().sum()
    }

    /// Pages programmed with data (`Cause::is_data`) for each logical page that the host wrote, as `ftl.write_amplification`
    /// has it where a logical page has the size of a page; `None` before the first write.
    #[must_use]
    pub fn write_amplification(&self) -> Option<f64> {
        let causes = Cause::ALL.iter().filter(|cause| cause.is_data());
        let data: u64 = causes.map(|cause| self.programmed(*cause)).sum();
        (self.host_writes > 0).then(|| data as f64 / self.host_writes as f64)
    }
}
