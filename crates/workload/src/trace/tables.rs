//! Tables in files of columns: Parquet and Arrow. Whoever embeds this crate reads and writes them, as rows of delimited text: a reader of Parquet in Rust would
//! be compiled with every build, and the Python package has one, which it loads where such a file is met.

use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::WorkloadError;

/// Why a file of columns cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableError {
    /// The user stopped it.
    Interrupted,
    /// What is wrong, as a sentence goes on after the file's name.
    Problem(String),
}

/// The rows of a table as delimited text, in pieces of bounded size: a header line of names, then a line per row, with commas between the columns.
pub trait TableText: Send {
    /// The next piece, which need not end with a line, and the share of the table, 0 to 1, that was read with it; `None` at the end.
    ///
    /// # Errors
    /// A file that cannot be read on.
    fn next_piece(&mut self) -> Result<Option<(Vec<u8>, f64)>, TableError>;
}

/// Who reads and writes files of columns.
#[derive(Clone, Copy, Debug)]
pub struct TableFiles {
    /// Opens the Parquet or Arrow file at this path.
    pub open: fn(&Path) -> Result<Box<dyn TableText>, TableError>,
    /// Writes delimited text, the first file, as a Parquet file, the second.
    pub write: fn(&Path, &Path) -> Result<(), TableError>,
}

static FILES: OnceLock<TableFiles> = OnceLock::new();

/// Has files of columns read and written by `files`; the first that are set stay.
pub fn set_table_files(files: TableFiles) {
    FILES.get_or_init(|| files);
}

/// How such files begin.
const BEGINNINGS: [(&[u8], &str); 2] = [(b"PAR1", "a Parquet file"), (b"ARROW1", "an Arrow file")];

/// What a file of these first bytes is, if it holds columns.
pub(super) fn kind(magic: &[u8]) -> Option<&'static str> {
    let found = BEGINNINGS.iter().find(|(begin, _)| magic.starts_with(begin));
    found.map(|(_, kind)| *kind)
}

fn failure(path: &Path, error: TableError) -> WorkloadError {
    match error {
        TableError::Interrupted => WorkloadError::Interrupted,
        TableError::Problem(problem) => WorkloadError::file(path, problem),
    }
}

fn files(path: &Path, kind: &str) -> Result<TableFiles, WorkloadError> {
    FILES.get().copied().ok_or_else(|| {
        let problem = format!("is {kind}, which only the Python package of Wordline reads and writes");
        WorkloadError::file(path, problem)
    })
}

/// The text of the table at `path`, which is of this kind. `position` is the share of the `length` bytes that was read.
///
/// # Errors
/// A file that is no such table.
pub(super) fn open(
    path: &Path,
    kind: &str,
    position: Arc<AtomicU64>,
    length: u64,
) -> Result<Box<dyn Read + Send>, WorkloadError> {
    let text = (files(path, kind)?.open)(path).map_err(|error| failure(path, error))?;
    Ok(Box::new(Pieces {
        text,
        piece: io::Cursor::new(Vec::new()),
        position,
        length,
    }))
}

/// Writes delimited text as a Parquet file.
///
/// # Errors
/// A disk that is full, nobody who writes such files.
pub(super) fn write(text: &Path, output: &Path, named: &Path) -> Result<(), WorkloadError> {
    (files(named, "a Parquet file")?.write)(text, output).map_err(|error| failure(named, error))
}

/// The pieces as one stream of bytes.
struct Pieces {
    text: Box<dyn TableText>,
    piece: io::Cursor<Vec<u8>>,
    position: Arc<AtomicU64>,
    length: u64,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.piece.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            match self.text.next_piece() {
                Ok(Some((piece, share))) => {
                    self.piece = io::Cursor::new(piece);
                    let position = (share.clamp(0.0, 1.0) * self.length as f64) as u64;
                    self.position.store(position, Ordering::Relaxed);
                }
                Ok(None) => return Ok(0),
                Err(TableError::Interrupted) => return Err(io::Error::other("interrupted")),
                Err(TableError::Problem(problem)) => return Err(io::Error::other(problem)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting(u32);

    impl TableText for Counting {
        fn next_piece(&mut self) -> Result<Option<(Vec<u8>, f64)>, TableError> {
            self.0 += 1;
            match self.0 {
                1..=3 => Ok(Some((
                    format!("{}\n", self.0).into_bytes(),
                    f64::from(self.0) / 4.0,
                ))),
                // a piece may be empty
                4 => Ok(Some((Vec::new(), 1.0))),
                _ => Ok(None),
            }
        }
    }

    #[test]
    fn pieces_are_one_stream() {
        let position = Arc::new(AtomicU64::new(0));
        let mut pieces = Pieces {
            text: Box::new(Counting(0)),
            piece: io::Cursor::new(Vec::new()),
            position: Arc::clone(&position),
            length: 400,
        };
        let mut all = String::new();
        pieces.read_to_string(&mut all).unwrap();
        assert_eq!(all, "1\n2\n3\n");
        assert_eq!(position.load(Ordering::Relaxed), 400);
        assert_eq!(kind(b"PAR1rest"), Some("a Parquet file"));
        assert_eq!(kind(b"PAR"), None);
    }
}
