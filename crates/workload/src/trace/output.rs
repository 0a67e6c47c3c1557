//! A trace that is being written: compressed as its name says, and there only when it is whole.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use crate::WorkloadError;

/// Where the bytes go before they are whole.
type Temporary = BufWriter<NamedTempFile<File>>;

enum Encoder {
    Plain(Temporary),
    Gzip(GzEncoder<Temporary>),
    Zstd(zstd::stream::write::Encoder<'static, Temporary>),
}

/// A file under a temporary name beside its own; dropped, it is removed.
pub(crate) struct Output {
    path: PathBuf,
    encoder: Encoder,
}

/// The name of a file without the end that says how it is compressed, in lower case.
pub(crate) fn name_inside(path: &Path) -> String {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    [".gz", ".zst", ".zstd"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name)
        .to_owned()
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
        let mut builder = tempfile::Builder::new();
        builder.prefix(".wordline-").suffix(".part");
        #[cfg(unix)]
        {
            // as for any new file: the umask of the user takes away from this
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let encoder = builder.tempfile_in(Self::folder(path)).and_then(|file| {
            let file = BufWriter::new(file);
            let end = path
                .extension()
                .map(|end| end.to_string_lossy().to_ascii_lowercase());
            Ok(match end.as_deref() {
                Some("gz") => Encoder::Gzip(GzEncoder::new(file, flate2::Compression::default())),
                Some("zst" | "zstd") => Encoder::Zstd(zstd::stream::write::Encoder::new(
                    file,
                    zstd::DEFAULT_COMPRESSION_LEVEL,
                )?),
                _ => Encoder::Plain(file),
            })
        });
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
        let file = match self.encoder {
            Encoder::Plain(file) => Ok(file),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
        };
        file.and_then(|file| file.into_inner().map_err(io::IntoInnerError::into_error))
            .and_then(|file| file.persist(&self.path).map_err(|error| error.error))
            .map(drop)
            .map_err(|error| failure(&self.path, &error))
    }
}

/// What is wrong with a file that cannot be written.
pub(crate) fn failure(path: &Path, error: &io::Error) -> WorkloadError {
    WorkloadError::file(path, format!("cannot be written: {error}"))
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.encoder {
            Encoder::Plain(file) => file.write(bytes),
            Encoder::Gzip(encoder) => encoder.write(bytes),
            Encoder::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.encoder {
            Encoder::Plain(file) => file.flush(),
            Encoder::Gzip(encoder) => encoder.flush(),
            Encoder::Zstd(encoder) => encoder.flush(),
        }
    }
}
