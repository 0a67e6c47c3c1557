//! A trace that is being written: compressed as its name says, and there only when it is whole.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::compression::{Compression, Encoder};
use crate::WorkloadError;

/// Where the bytes go before they are whole.
type Temporary = BufWriter<NamedTempFile<File>>;

/// A file under a temporary name beside its own; dropped, it is removed.
pub(crate) struct Output {
    path: PathBuf,
    encoder: Encoder<Temporary>,
}

impl Output {
    /// The folder that `path` lies in.
    pub(crate) fn folder(path: &Path) -> &Path {
        path.parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."))
    }

    /// Begins the file that will be at `path`.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub(crate) fn create(path: &Path) -> Result<Self, WorkloadError> {
        let encoder =
            temporary(path).and_then(|file| Encoder::new(Compression::of_name(path).0, BufWriter::new(file)));
        Ok(Self {
            path: path.to_owned(),
            encoder: encoder.map_err(|error| failure(path, &error))?,
        })
    }

    /// Gives the file its name, in place of one that is there.
    ///
    /// # Errors
    /// A disk that is full, a file that cannot be replaced.
    pub(crate) fn publish(self) -> Result<(), WorkloadError> {
        self.encoder
            .finish()
            .and_then(|file| file.into_inner().map_err(io::IntoInnerError::into_error))
            .and_then(|file| file.persist(&self.path).map_err(|error| error.error))
            .map(drop)
            .map_err(|error| failure(&self.path, &error))
    }
}

/// A file under a temporary name beside `path`; dropped, it is removed.
pub(crate) fn temporary(path: &Path) -> io::Result<NamedTempFile<File>> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".wordline-").suffix(".part");
    #[cfg(unix)]
    {
        // as for any new file: the umask of the user takes away from this
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(Output::folder(path))
}

/// What is wrong with a file that cannot be written.
pub(crate) fn failure(path: &Path, error: &io::Error) -> WorkloadError {
    WorkloadError::file(path, format!("cannot be written: {error}"))
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.encoder.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.flush()
    }
}
