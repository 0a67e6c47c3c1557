//! Files that are whole or not there: a magic, a format version, a zstd stream and a CRC-32 of all before it, written
//! under a temporary name and renamed.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Bytes before the compressed part and after it.
const FRONT: u64 = 12;
const BACK: u64 = 4;

/// What a file holds.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its first bytes.
    pub magic: &'static [u8; 8],
    /// The format that this version writes and reads.
    pub version: u32,
    /// In words.
    pub name: &'static str,
}

/// Why a file cannot be written or read.
#[derive(Debug, Error)]
pub enum ContainerError {
    /// The file system says no.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Some other file.
    #[error("{path} is not {name}")]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// What was looked for.
        name: &'static str,
    },
    /// Written by another version.
    #[error("{path} has format {found}; this version reads format {accepted}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The format that is read.
        accepted: u32,
    },
    /// Truncated or altered.
    #[error("{path} is damaged: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How that shows.
        what: String,
    },
}

/// Writes a file. Until it is whole, one that was there before stays as it was.
///
/// # Errors
/// Whatever the file system refuses; what `content` returns.
pub fn write(
    path: &Path,
    kind: Kind,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ContainerError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".part{}", std::process::id()));
    let part = path.with_file_name(name);
    let written = write_part(&part, kind, content).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| {
        // What is half-written must not stay; that it cannot be removed adds nothing.
        let _ = fs::remove_file(&part);
        ContainerError::Io {
            path: path.to_owned(),
            error,
        }
    })
}

fn write_part(
    part: &Path,
    kind: Kind,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = Summed::new(BufWriter::new(File::create(part)?));
    out.write_all(kind.magic)?;
    out.write_all(&kind.version.to_le_bytes())?;
    write_packed(&mut out, content)?;
    let sum = out.sum.clone().finalize();
    out.write_all(&sum.to_le_bytes())?;
    out.flush()?;
    out.inner.get_ref().sync_all()
}

/// Writes what `content` writes, compressed.
fn write_packed(out: impl Write, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut refusing = Refusing {
        inner: BufWriter::with_capacity(1 << 16, zstd::Encoder::new(out, 1)?),
        refusal: None,
    };
    let written = content(&mut refusing);
    let Refusing { inner, refusal } = refusing;
    written.map_err(|error| refusal.unwrap_or(error))?;
    inner
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .finish()?;
    Ok(())
}

/// Opens a file, checks that it is whole and of its kind, and returns what is in it.
///
/// # Errors
/// No such file, another kind or format, damage.
pub fn open(path: &Path, kind: Kind) -> Result<impl Read + use<>, ContainerError> {
    let io = |error: io::Error| ContainerError::Io {
        path: path.to_owned(),
        error,
    };
    let damaged = |what: String| ContainerError::Damaged {
        path: path.to_owned(),
        what,
    };
    let mut file = File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut front = [0_u8; FRONT as usize];
    if length < FRONT || file.read_exact(&mut front).is_err() || front[..8] != kind.magic[..] {
        return Err(ContainerError::OtherKind {
            path: path.to_owned(),
            name: kind.name,
        });
    }
    let found = u32::from_le_bytes([front[8], front[9], front[10], front[11]]);
    if found != kind.version {
        return Err(ContainerError::Version {
            path: path.to_owned(),
            found,
            accepted: kind.version,
        });
    }
    if length < FRONT + BACK {
        return Err(damaged(format!("it ends after {length} bytes")));
    }
    check_sum(&mut file, length).map_err(io)?.map_err(damaged)?;
    file.seek(SeekFrom::Start(FRONT)).map_err(io)?;
    let packed = BufReader::new(file.take(length - FRONT - BACK));
    let unpacked = zstd::Decoder::with_buffer(packed).map_err(io)?;
    Ok(BufReader::with_capacity(1 << 16, unpacked))
}

/// Reads all but the last four bytes and compares their sum with those.
fn check_sum(file: &mut File, length: u64) -> io::Result<Result<(), String>> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut sum = crc32fast::Hasher::new();
    let mut buffer = vec![0_u8; 1 << 16];
    let mut left = length - BACK;
    while left > 0 {
        let chunk = left.min(buffer.len() as u64) as usize;
        reader.read_exact(&mut buffer[..chunk])?;
        sum.update(&buffer[..chunk]);
        left -= chunk as u64;
    }
    let mut expected = [0_u8; BACK as usize];
    reader.read_exact(&mut expected)?;
    let (found, expected) = (sum.finalize(), u32::from_le_bytes(expected));
    Ok(if found == expected {
        Ok(())
    } else {
        Err(format!("its checksum is {found:08x}, not {expected:08x}"))
    })
}

/// A writer that keeps the error of the file system: serializers replace it with one of their own, which does not say
/// that the disk is full.
struct Refusing<W> {
    inner: W,
    refusal: Option<io::Error>,
}

impl<W> Refusing<W> {
    fn keep<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let told = error.kind().into();
            self.refusal = Some(error);
            told
        })
    }
}

impl<W: Write> Write for Refusing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes);
        self.keep(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.inner.flush();
        self.keep(flushed)
    }
}

/// A writer that keeps the CRC-32 of what went through it.
struct Summed<W> {
    inner: W,
    sum: crc32fast::Hasher,
}

impl<W: Write> Summed<W> {
    fn new(inner: W) -> Self {
        Self {
            inner,
            sum: crc32fast::Hasher::new(),
        }
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes so many bytes; then the disk is full.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 < bytes.len() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0 -= bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_told_from_behind_a_serializer() {
        // nothing that compresses
        let mut state = 1_u64;
        let noise: Vec<u64> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state ^ (state >> 29)
        })
        .take(100_000)
        .collect();
        let written = write_packed(Full(1_000), |out| {
            postcard::to_io(&noise, out).map_err(io::Error::other)?;
            Ok(())
        });
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
        let room = write_packed(Full(1 << 20), |out| out.write_all(&[0; 100]));
        assert!(room.is_ok());
    }

    /// A writer in between keeps bytes until it is flushed: a content that flushes has them written below.
    #[test]
    fn a_flush_reaches_the_writer_below() {
        struct Flushes(u32);
        impl Write for Flushes {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                Ok(bytes.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                self.0 += 1;
                Err(io::ErrorKind::StorageFull.into())
            }
        }
        let mut refusing = Refusing {
            inner: Flushes(0),
            refusal: None,
        };
        assert_eq!(refusing.flush().unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(refusing.inner.0, 1);
        assert_eq!(refusing.refusal.unwrap().kind(), io::ErrorKind::StorageFull);
    }
}
