//! Writes MSR Cambridge CSV, which most tools read.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::output::{Output, failure};
use super::row::{Attributes, TraceRow};
use crate::{HostOp, WorkloadError};

/// Nanoseconds of a tick.
const TICK: u64 = 100;

/// Writes rows. Hosts are called `host0` and so on: their names are known to no row. There is no
/// response time, so that 0 stands in its column.
pub(crate) struct MsrWriter {
    path: PathBuf,
    output: Output,
    /// Requests whose FUA, queue or placement handle has no column.
    bare: u64,
}

impl MsrWriter {
    /// Begins a trace at `path`.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub(crate) fn create(path: &Path) -> Result<Self, WorkloadError> {
        Ok(Self {
            path: path.to_owned(),
            output: Output::create(path)?,
            bare: 0,
        })
    }

    /// Appends a request. A time within a tick gets decimals, so that it reads back exactly.
    ///
    /// # Errors
    /// A request that neither reads nor writes, a disk that is full.
    pub(crate) fn write_row(&mut self, row: &TraceRow) -> Result<(), WorkloadError> {
        let op = match row.op {
            HostOp::Read => "Read",
            HostOp::Write => "Write",
            _ => {
                let problem = format!(
                    "a request of kind {:?}; MSR Cambridge CSV holds reads and writes, Wordline binary (.wlt) holds all",
                    row.op
                );
                return Err(WorkloadError::file(&self.path, problem));
            }
        };
        self.bare += u64::from(row.attributes != Attributes::default());
        let (host, disk) = (row.device >> 32, row.device & 0xffff_ffff);
        let (ticks, rest) = (row.arrival / TICK, row.arrival % TICK);
        let decimals = if rest == 0 {
            String::new()
        } else {
            format!(".{rest:02}")
        };
        writeln!(
            self.output,
            "{ticks}{decimals},host{host},{disk},{op},{},{},0",
            row.start, row.bytes
        )
        .map_err(|error| failure(&self.path, &error))
    }

    /// Ends the trace and gives it its name. Answers what it could not hold.
    ///
    /// # Errors
    /// A disk that is full, a file that cannot be replaced.
    pub(crate) fn finish(self) -> Result<Option<String>, WorkloadError> {
        let Self { path, output, bare } = self;
        output.publish()?;
        Ok((bare > 0).then(|| {
            format!(
                "{}: {bare} requests lost their FUA, queue or placement handle, for which MSR Cambridge CSV has no column",
                path.display()
            )
        }))
    }
}
