//! The bytes of a trace file, decompressed, through one buffer of bounded size.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::compression::Compression;
use super::tables;
use crate::WorkloadError;

/// Bytes that the buffer starts with.
const BUFFER: usize = 256 << 10;
/// Longest record; a longer one means that the file is no trace.
pub(crate) const LONGEST_RECORD: usize = 1 << 20;

/// A file as a buffer that slides over it.
pub(crate) struct Chunks {
    source: Box<dyn Read + Send>,
    compression: Compression,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    /// Bytes of the file that were read so far, as they are compressed.
    position: Arc<AtomicU64>,
    /// Bytes of the file.
    length: u64,
}

/// Counts what is read through it.
struct Counted<R> {
    source: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Chunks {
    /// Opens a regular file; how it is compressed is recognised by its magic number. A file of columns is opened as the text of its rows.
    ///
    /// # Errors
    /// A file that is not there, not readable, or not a regular file; a file of columns where nobody reads those.
    pub(crate) fn open(path: &Path) -> Result<Self, WorkloadError> {
        let failed = |error: &io::Error| WorkloadError::file(path, format!("cannot be read: {error}"));
        let mut file = File::open(path).map_err(|error| failed(&error))?;
        let metadata = file.metadata().map_err(|error| failed(&error))?;
        if metadata.is_dir() {
            return Err(WorkloadError::file(path, "is a directory; name a trace in it"));
        }
        if !metadata.is_file() {
            let problem =
                "a regular file is expected: a trace is read twice, first for its totals, then to replay it";
            return Err(WorkloadError::file(path, problem));
        }
        let mut magic = Vec::new();
        Read::by_ref(&mut file)
            .take(Compression::MAGIC)
            .read_to_end(&mut magic)
            .map_err(|error| failed(&error))?;
        let position = Arc::new(AtomicU64::new(0));
        if let Some(kind) = tables::kind(&magic) {
            let length = metadata.len();
            let source = tables::open(path, kind, Arc::clone(&position), length)?;
            return Ok(Self {
                position,
                length,
                ..Self::over(source, Compression::Plain)
            });
        }
        let compression = Compression::of_content(&magic);
        let whole = Counted {
            source: io::Cursor::new(magic).chain(file),
            count: Arc::clone(&position),
        };
        let source = compression.decoder(whole).map_err(|error| failed(&error))?;
        Ok(Self {
            position,
            length: metadata.len(),
            ..Self::over(source, compression)
        })
    }

    fn over(source: Box<dyn Read + Send>, compression: Compression) -> Self {
        Self {
            source,
            compression,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            ended: false,
            position: Arc::default(),
            length: 0,
        }
    }

    /// Share of the file that was read so far, 0 to 1.
    pub(crate) fn share(&self) -> f64 {
        let position = self.position.load(Ordering::Relaxed);
        (position as f64 / self.length.max(1) as f64).min(1.0)
    }

    /// The bytes at hand.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Whether nothing follows the bytes at hand.
    #[inline]
    pub(crate) const fn ended(&self) -> bool {
        self.ended
    }

    /// Drops the first `used` bytes.
    #[inline]
    pub(crate) fn consume(&mut self, used: usize) {
        self.start = (self.start + used).min(self.end);
    }

    /// Reads on.
    ///
    /// # Errors
    /// What is wrong, as a sentence goes on after the file's name.
    pub(crate) fn more(&mut self) -> Result<(), String> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            if self.end >= LONGEST_RECORD {
                return Err(format!(
                    "a line of more than {} KiB: this is no block trace in a format that is known (`wordline formats`)",
                    LONGEST_RECORD >> 10
                ));
            }
            self.buffer.resize((2 * self.end).min(LONGEST_RECORD), 0);
        }
        while !self.ended {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(count) => {
                    self.end += count;
                    break;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    return Err(self.compression.failure(&error));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
impl Chunks {
    /// Bytes that the buffer takes.
    pub(crate) fn held(&self) -> usize {
        self.buffer.capacity()
    }

    /// A buffer over bytes in memory, for tests.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Self {
        Self::over(Box::new(io::Cursor::new(bytes)), Compression::Plain)
    }
}
