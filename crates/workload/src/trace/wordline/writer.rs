//! Writes the binary form.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::record::Expected;
use super::section::{self, Kind};
use super::{MAGIC, VERSION, has_room};
use crate::trace::fields::SECTOR;
use crate::trace::output::{Output, failure};
use crate::trace::row::{Attributes, TraceRow};
use crate::trace::scan::Scanner;
use crate::{HostCommand, WorkloadError};

/// Requests of a section.
const BLOCK: u32 = 4_096;

/// Writes a trace in Wordline's binary form, in bounded memory.
///
/// Requests go to an unnamed temporary file beside the trace until their totals are known; the
/// trace gets its name when it is whole. A writer that is dropped leaves nothing behind.
pub struct TraceWriter {
    path: PathBuf,
    spool: BufWriter<File>,
    scanner: Scanner,
    expected: Expected,
    /// The section that is being filled: number of requests, records.
    block: Vec<u8>,
    in_block: u32,
    records: u64,
}

impl TraceWriter {
    /// Begins a trace at `path`. A name that ends in `.gz`, `.zst`, `.bz2` or `.xz` has it compressed.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn create(path: &Path) -> Result<Self, WorkloadError> {
        let spool = tempfile::tempfile_in(Output::folder(path)).map_err(|error| failure(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            spool: BufWriter::new(spool),
            scanner: Scanner::default(),
            expected: Expected::default(),
            block: vec![0; 4],
            in_block: 0,
            records: 0,
        })
    }

    /// Appends a command; it is taken for one of device 0.
    ///
    /// # Errors
    /// A command that ends beyond 8 EiB, a disk that is full.
    pub fn write(&mut self, command: &HostCommand) -> Result<(), WorkloadError> {
        let start = command.sector.checked_mul(SECTOR);
        self.write_row(&TraceRow {
            arrival: command.arrival.ns(),
            device: 0,
            op: command.op,
            start: start.unwrap_or(u64::MAX),
            bytes: u64::from(command.sectors) * SECTOR,
            attributes: Attributes {
                fua: command.fua,
                queue: command.queue,
                placement: command.placement,
            },
            response: None,
        })
    }

    /// Appends a request.
    ///
    /// # Errors
    /// A request that ends beyond 8 EiB or is larger than 2 TiB, too many devices, a disk that is
    /// full.
    pub(crate) fn write_row(&mut self, row: &TraceRow) -> Result<(), WorkloadError> {
        self.records += 1;
        if !has_room(row) {
            return Err(self.refused(format!(
                "a request of {} bytes from byte {}; requests of at most 2 TiB that end below 8 EiB are accepted",
                row.bytes, row.start
            )));
        }
        let devices = self.scanner.devices();
        let added = if row.bytes == 0 && row.op.has_length() {
            self.scanner.add_empty(row)
        } else {
            self.scanner.add(row, self.records)
        };
        let Some(device) = added else {
            return Err(self.refused("one device too many".to_owned()));
        };
        if device == devices {
            self.expected.add_device();
        }
        self.expected.write(row, device, &mut self.block);
        self.in_block += 1;
        if self.in_block == BLOCK {
            self.end_block()?;
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<(), WorkloadError> {
        if let Some(count) = self.block.first_chunk_mut() {
            *count = self.in_block.to_le_bytes();
        }
        let mut section = Vec::with_capacity(self.block.len() + section::HEAD);
        section::write(Kind::Requests, &self.block, &mut section);
        self.spool
            .write_all(&section)
            .map_err(|error| failure(&self.path, &error))?;
        self.block.truncate(4);
        self.in_block = 0;
        Ok(())
    }

    /// Ends the trace and gives it its name. Answers its requests, those without length included.
    ///
    /// # Errors
    /// A disk that is full, a file that cannot be replaced.
    pub fn finish(mut self) -> Result<u64, WorkloadError> {
        if self.in_block > 0 {
            self.end_block()?;
        }
        let mut start = Vec::from(MAGIC);
        start.extend(VERSION.to_le_bytes());
        start.extend(0_u16.to_le_bytes());
        let scan = std::mem::take(&mut self.scanner).totals();
        section::write_totals(&scan, &mut start);
        let mut end = Vec::new();
        section::write(Kind::End, &[], &mut end);

        let failed = |error: &std::io::Error| failure(&self.path, error);
        let mut spool = self.spool.into_inner().map_err(|error| failed(error.error()))?;
        spool.rewind().map_err(|error| failed(&error))?;
        let mut output = Output::create(&self.path)?;
        std::io::copy(&mut start.chain(spool).chain(end.as_slice()), &mut output)
            .map_err(|error| failed(&error))?;
        output.publish()?;
        Ok(self.records)
    }

    fn refused(&self, problem: String) -> WorkloadError {
        WorkloadError::file(&self.path, format!("request {}: {problem}", self.records))
    }
}

#[cfg(test)]
impl TraceWriter {
    /// Bytes that the writer holds back.
    pub(super) fn held(&self) -> usize {
        self.block.capacity() + self.spool.capacity()
    }
}
