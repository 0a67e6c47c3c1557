//! What the timeline is told, and the file that it may be written to.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::NamedTempFile;
use wordline_metrics::{
    BusUse, FinishedRequest, IssuedCommand, LastOperation, OutputConfig, ResumedArray, Segment, Serves, Span,
    SuspendedArray, Timeline, TimelineTables,
};
use wordline_nand::{DieId, Geometry};
use wordline_units::SimTime;

use crate::error::RunError;
use crate::operation::{Kind, Op, OpId, Owner};
use crate::table::Table;

/// The timeline of a run, and what it must know of operations in flight.
#[derive(Debug)]
pub(super) struct Watch {
    timeline: Timeline,
    geometry: Geometry,
    /// When the command of each operation was issued, by number of the operation.
    issued: Vec<SimTime>,
    /// The operation of each request in the drive that was done last, by number in the drive.
    last: Vec<Option<LastOperation>>,
    /// Numbers that the host gave the requests in the drive.
    numbers: Vec<Option<u64>>,
    /// Whom the pages of the command in the making serve.
    serves: Vec<Serves>,
    file: Option<TimelineFile>,
}

/// Bytes of events that are compressed at once.
const PENDING: usize = 64 << 10;

/// A file that gets its name when it is whole.
#[derive(Debug)]
struct TimelineFile {
    path: PathBuf,
    building: NamedTempFile,
}

impl TimelineFile {
    /// A file beside `path`, and what writes into it; compressed where the name ends in `.gz`.
    fn create(path: &Path) -> Result<(Self, Box<dyn Write + Send>), RunError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let create = || -> io::Result<(NamedTempFile, File)> {
            let building = readable().tempfile_in(folder.unwrap_or(Path::new(".")))?;
            let file = building.reopen()?;
            Ok((building, file))
        };
        let (building, file) = create().map_err(|error| problem(path, error))?;
        let out: Box<dyn Write + Send> = if path.extension().is_some_and(|ending| ending == "gz") {
            // an event is written in a dozen pieces, each of which would be a call of the compressor
            let encoder = GzEncoder::new(BufWriter::new(file), Compression::fast());
            let compressed = Compressed(Some(encoder));
            Box::new(BufWriter::with_capacity(PENDING, compressed))
        } else {
            Box::new(BufWriter::new(file))
        };
        let path = path.to_owned();
        Ok((Self { path, building }, out))
    }
}

/// How the file is made: temporary files are for their owner alone, results are not.
fn readable() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// A compressed stream that is complete once it is flushed.
struct Compressed(Option<GzEncoder<BufWriter<File>>>);

impl Write for Compressed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Some(encoder) => encoder.write(bytes),
            None => Err(io::ErrorKind::WriteZero.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.take() {
            Some(encoder) => encoder.finish()?.flush(),
            None => Ok(()),
        }
    }
}

fn problem(path: &Path, error: io::Error) -> RunError {
    RunError::Timeline {
        path: path.to_owned(),
        error,
    }
}

impl Watch {
    /// Watches a run if the configuration or a file for trace events asks for it.
    ///
    /// # Errors
    /// The file cannot be made.
    pub(super) fn new(
        geometry: &Geometry,
        output: &OutputConfig,
        path: Option<&Path>,
    ) -> Result<Option<Box<Self>>, RunError> {
        if path.is_none() && output.timeline != Some(true) {
            return Ok(None);
        }
        let (file, out) = path.map(TimelineFile::create).transpose()?.unzip();
        Ok(Some(Box::new(Self {
            timeline: Timeline::new(geometry, output, out),
            geometry: *geometry,
            issued: Vec::new(),
            last: Vec::new(),
            numbers: Vec::new(),
            serves: Vec::new(),
            file,
        })))
    }

    /// The drive suspends these.
    pub(super) fn suspends(&mut self, geometry: &Geometry, programs: bool, erases: bool) {
        self.timeline.suspends(geometry, programs, erases);
    }

    pub(super) fn array_left(&mut self, array: &SuspendedArray) {
        self.timeline.array_left(array.die, array.left);
    }

    pub(super) fn array_resumed(&mut self, array: &ResumedArray) {
        self.timeline.array_resumed(array.die, array.at, array.to);
    }

    pub(super) fn array_ended(&mut self, die: DieId) {
        self.timeline.array_ended(die);
    }

    /// The run is over.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn finish(self, end: SimTime) -> Result<TimelineTables, RunError> {
        let path = self
            .file
            .as_ref()
            .map(|file| file.path.clone())
            .unwrap_or_default();
        let tables = self.timeline.finish(end).map_err(|error| problem(&path, error))?;
        if let Some(file) = self.file {
            file.building
                .persist(&file.path)
                .map_err(|error| problem(&path, error.error))?;
        }
        Ok(tables)
    }

    /// Measuring starts; see [`Timeline::restart`].
    pub(super) fn restart(&mut self, now: SimTime, under_way: &[Span]) {
        self.timeline.restart(now, under_way);
    }

    /// A request is done; `slot` was its number in the drive.
    pub(super) fn request(&mut self, slot: u32, request: &FinishedRequest, parts: &[Segment]) {
        let last = self.last.get_mut(slot as usize).and_then(Option::take);
        self.timeline.request(request, parts, last);
    }

    pub(super) fn buffer(&mut self, at: SimTime, dirty: u64) {
        self.timeline.buffer(at, dirty);
    }
}

/// The element of a number, made if it is not there.
fn entry<T: Clone + Default>(table: &mut Vec<T>, number: u32) -> &mut T {
    let index = number as usize;
    if index >= table.len() {
        table.resize(index + 1, T::default());
    }
    &mut table[index]
}

impl Watch {
    /// A request of the host was sent; `slot` is its number in the drive until its completion is with the host.
    pub(super) fn sent(&mut self, slot: u32, number: u64) {
        *entry(&mut self.numbers, slot) = Some(number);
    }

    /// The host has the completion.
    pub(super) fn completed(&mut self, slot: u32) {
        *entry(&mut self.numbers, slot) = None;
    }

    /// Whom an operation serves.
    fn serves(&self, owner: Owner) -> Serves {
        match owner {
            Owner::Request(request) => match self.numbers.get(request as usize) {
                Some(Some(number)) => Serves::Request(*number),
                _ => Serves::Buffer,
            },
            Owner::Job(job) => Serves::Job(job.0),
            Owner::Buffer(_) | Owner::Fill(_) | Owner::Padding(_) => Serves::Buffer,
        }
    }

    /// A command of these operations was issued.
    pub(super) fn command(&mut self, command: &IssuedCommand<'_>, members: &[OpId], ops: &Table<Op>) {
        self.serves.clear();
        for &id in members {
            self.serves.push(self.serves(ops[id].owner));
            *entry(&mut self.issued, id) = command.bus_from;
        }
        self.timeline.command(command, &self.serves);
    }

    /// The bus is used for the data of an operation.
    pub(super) fn bus(&mut self, use_: &BusUse, op: &Op) {
        if let Some(kind) = op.kind() {
            let serves = self.serves(op.owner);
            self.timeline.bus(use_, kind.into(), &op.constituent(), serves);
        }
    }

    /// A flash operation is done.
    pub(super) fn done(&mut self, now: SimTime, id: OpId, op: &Op, kind: Kind) {
        match op.owner {
            Owner::Request(request) if op.step.acknowledges => {
                *entry(&mut self.last, request) = Some(LastOperation {
                    kind: kind.into(),
                    cause: op.step.cause,
                    channel: self.geometry.channel_of(op.die),
                    die: op.die,
                    block: op.block,
                    issued: self.issued.get(id as usize).copied().unwrap_or_default(),
                });
            }
            Owner::Job(job) if kind == Kind::Erase => self.timeline.erased(job.0, now),
            _ => {}
        }
    }
}
