//! Writes fio's log, version 3, which `fio --read_iolog` replays on a real drive.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::fio_iolog::Version;
use super::output::{Output, failure};
use super::row::{Attributes, TraceRow};
use crate::{HostOp, WorkloadError};

/// Nanoseconds of fio's unit.
const MICROSECOND: u64 = 1000;
/// Time of the first request: where it is 0, fio (3.33) takes the next for the first and does not wait for it.
const START: u64 = 1;
/// Devices that a log may name: fio opens a file for each.
const MOST_DEVICES: usize = 1024;

/// Writes requests in the order of time. Devices are called `device0` and so on, in the order in which they appear.
pub(crate) struct IologWriter {
    path: PathBuf,
    output: Output,
    /// Numbers of the devices in the trace.
    devices: Vec<u64>,
    /// Arrival of the first request, at which fio's clock starts.
    start: Option<u64>,
    /// Time of the last request.
    last: u64,
    trims: u64,
    /// Requests whose time is within a microsecond.
    rounded: u64,
    /// Requests whose FUA, queue or placement handle has no column.
    bare: u64,
}

/// What an operation is called; `None` for one that fio's log cannot hold.
const fn action(op: HostOp) -> Option<&'static str> {
    match op {
        HostOp::Read => Some("read"),
        HostOp::Write => Some("write"),
        HostOp::Trim => Some("trim"),
        HostOp::Flush => Some("sync"),
        _ => None,
    }
}

impl IologWriter {
    /// Begins a log at `path`.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub(crate) fn create(path: &Path) -> Result<Self, WorkloadError> {
        let mut output = Output::create(path)?;
        writeln!(output, "{}", Version::Three.first_line()).map_err(|error| failure(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            output,
            devices: Vec::new(),
            start: None,
            last: 0,
            trims: 0,
            rounded: 0,
            bare: 0,
        })
    }

    /// Appends a request, which does not arrive before those above.
    ///
    /// # Errors
    /// A request that fio's log cannot hold, a disk that is full.
    pub(crate) fn write_row(&mut self, row: &TraceRow) -> Result<(), WorkloadError> {
        let refused = |problem: String| WorkloadError::file(&self.path, problem);
        let action = action(row.op).ok_or_else(|| {
            refused(format!(
                "a request of kind {:?}; fio's log holds reads, writes, trims and flushes, Wordline binary (.wlt) and Parquet hold all",
                row.op
            ))
        })?;
        if row.bytes > u64::from(u32::MAX) {
            return Err(refused(format!(
                "a request of {} bytes; fio's log counts the bytes of a request in 32 bits",
                row.bytes
            )));
        }
        let start = *self.start.get_or_insert(row.arrival);
        let passed = row.arrival.saturating_sub(start);
        let time = START + passed / MICROSECOND;
        self.trims += u64::from(row.op == HostOp::Trim);
        self.rounded += u64::from(!passed.is_multiple_of(MICROSECOND));
        self.bare += u64::from(row.attributes != Attributes::default());
        self.last = time;
        let written = match self.devices.iter().position(|device| *device == row.device) {
            Some(device) => self.line(time, device, action, row),
            None if self.devices.len() == MOST_DEVICES => {
                return Err(refused(format!(
                    "more than {MOST_DEVICES} devices, for each of which fio opens a file"
                )));
            }
            None => {
                let device = self.devices.len();
                self.devices.push(row.device);
                writeln!(
                    self.output,
                    "{time} device{device} add\n{time} device{device} open"
                )
                .and_then(|()| self.line(time, device, action, row))
            }
        };
        written.map_err(|error| failure(&self.path, &error))
    }

    fn line(&mut self, time: u64, device: usize, action: &str, row: &TraceRow) -> std::io::Result<()> {
        writeln!(
            self.output,
            "{time} device{device} {action} {} {}",
            row.start, row.bytes
        )
    }

    /// Ends the log and gives it its name. Answers what it could not hold.
    ///
    /// # Errors
    /// A disk that is full, a file that cannot be replaced.
    pub(crate) fn finish(mut self) -> Result<Option<String>, WorkloadError> {
        for device in 0..self.devices.len() {
            writeln!(self.output, "{} device{device} close", self.last)
                .map_err(|error| failure(&self.path, &error))?;
        }
        self.output.publish()?;
        let mut told = Vec::new();
        if self.rounded > 0 {
            told.push(format!(
                "{} requests arrive up to 1 us earlier: fio counts in microseconds",
                self.rounded
            ));
        }
        if self.trims > 0 {
            told.push(format!(
                "it has {} trims, which fio 3.33 leaves out when it replays a log (`bad ddir: 2`)",
                self.trims
            ));
        }
        if self.bare > 0 {
            told.push(format!(
                "{} requests lost their FUA, queue or placement handle, for which fio's log has no column",
                self.bare
            ));
        }
        Ok((!told.is_empty()).then(|| format!("{}: {}", self.path.display(), told.join("; "))))
    }
}
