//! Snapshots: the state of an FTL in a file.
//!
//! A file is the magic, the format version, a zstd stream of a header and the state (postcard),
//! and a CRC-32 of all before it. It is written under a temporary name and renamed.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use wordline_units::SimTime;

use crate::contract::Ftl;
use crate::error::FtlError;
use crate::page::{PageFtl, PageFtlState};
use crate::plan::{Lpn, Scope};

const MAGIC: &[u8; 8] = b"WLDRIVE\n";
const VERSION: u32 = 1;
/// Bytes before the compressed part and after it.
const FRONT: u64 = 12;
const BACK: u64 = 4;

/// Why a snapshot cannot be saved or loaded.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// The mapping has no state that could be saved.
    #[error("the state of a drive with this `ftl.mapping` cannot be saved")]
    Unsupported,
    /// The file system says no.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Not a file that `save` wrote.
    #[error("{path} is not a snapshot of a drive")]
    NotASnapshot {
        /// The file.
        path: PathBuf,
    },
    /// Written by another version.
    #[error("{path} has snapshot format {found}; this version reads format {VERSION}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// Truncated or altered.
    #[error("{path} is damaged: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How that shows.
        what: String,
    },
    /// Saved from a drive that differs.
    #[error("{path} is a snapshot of another drive: {key} = {found} there, {expected} here")]
    OtherDrive {
        /// The file.
        path: PathBuf,
        /// What differs.
        key: &'static str,
        /// Its value in the file.
        found: String,
        /// Its value in this drive.
        expected: String,
    },
    /// The state does not fit the drive.
    #[error("{path}: {error}")]
    State {
        /// The file.
        path: PathBuf,
        /// Why.
        error: FtlError,
    },
    /// Work is under way.
    #[error(
        "a drive can be saved only while no write is under way and no collection in the middle of a block"
    )]
    Busy,
}

/// What a state fits. Policies may differ: to try them from one state is what snapshots are for.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    /// Dimensions from channels to pages of a block, and bytes of a page.
    dimensions: [u32; 7],
    user_pages: u64,
    now: u64,
}

const DIMENSIONS: [&str; 7] = [
    "geometry.channels",
    "geometry.chips_per_channel",
    "geometry.dies_per_chip",
    "geometry.planes_per_die",
    "geometry.blocks_per_plane",
    "geometry.pages_per_block",
    "geometry.page_size",
];

fn dimensions(ftl: &PageFtl) -> [u32; 7] {
    let g = ftl.geometry();
    [
        g.channels,
        g.chips_per_channel,
        g.dies_per_chip,
        g.planes_per_die,
        g.blocks_per_plane,
        g.pages_per_block,
        g.page_bytes,
    ]
}

/// Saves the state of a drive at time `now`.
///
/// # Errors
/// Work under way; whatever the file system refuses. A file that was there before stays as it
/// was then.
pub fn save(ftl: &PageFtl, now: SimTime, path: &Path) -> Result<(), SnapshotError> {
    let state = ftl.state().ok_or(SnapshotError::Busy)?;
    let header = Header {
        dimensions: dimensions(ftl),
        user_pages: ftl.user_pages(),
        now: now.ns(),
    };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".part{}", std::process::id()));
    let part = path.with_file_name(name);
    let written = write(&part, &header, &state).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| {
        // What is half-written must not stay; that it cannot be removed adds nothing.
        let _ = fs::remove_file(&part);
        SnapshotError::Io {
            path: path.to_owned(),
            error,
        }
    })
}

fn write(part: &Path, header: &Header, state: &PageFtlState) -> io::Result<()> {
    let mut out = Summed::new(BufWriter::new(File::create(part)?));
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    let mut packed = BufWriter::with_capacity(1 << 16, zstd::Encoder::new(&mut out, 1)?);
    postcard::to_io(&(header, state), &mut packed).map_err(io::Error::other)?;
    packed
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .finish()?;
    let sum = out.sum.clone().finalize();
    out.write_all(&sum.to_le_bytes())?;
    out.flush()?;
    out.inner.get_ref().sync_all()
}

/// Puts a fresh drive into a saved state and returns the time at which it was saved.
///
/// # Errors
/// No such file, not a snapshot, another format version, damage, another geometry or capacity, a
/// page outside the plane that a static allocation gives it.
pub fn load(ftl: &mut PageFtl, path: &Path) -> Result<SimTime, SnapshotError> {
    let io = |error: io::Error| SnapshotError::Io {
        path: path.to_owned(),
        error,
    };
    let damaged = |what: String| SnapshotError::Damaged {
        path: path.to_owned(),
        what,
    };
    let mut file = File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut front = [0_u8; FRONT as usize];
    if length < FRONT || file.read_exact(&mut front).is_err() || &front[..8] != MAGIC {
        return Err(SnapshotError::NotASnapshot {
            path: path.to_owned(),
        });
    }
    let version = u32::from_le_bytes([front[8], front[9], front[10], front[11]]);
    if version != VERSION {
        return Err(SnapshotError::Version {
            path: path.to_owned(),
            found: version,
        });
    }
    if length < FRONT + BACK {
        return Err(damaged(format!("it ends after {length} bytes")));
    }
    check_sum(&mut file, length).map_err(io)?.map_err(damaged)?;

    file.seek(SeekFrom::Start(FRONT)).map_err(io)?;
    let packed = BufReader::new(file.take(length - FRONT - BACK));
    let unpacked = BufReader::with_capacity(1 << 16, zstd::Decoder::with_buffer(packed).map_err(io)?);
    let mut scratch = [0_u8; 16];
    let ((header, state), _): ((Header, PageFtlState), _) =
        postcard::from_io((unpacked, &mut scratch)).map_err(|error| damaged(error.to_string()))?;

    let other = |key, found: String, expected: String| SnapshotError::OtherDrive {
        path: path.to_owned(),
        key,
        found,
        expected,
    };
    for ((key, found), expected) in DIMENSIONS.into_iter().zip(header.dimensions).zip(dimensions(ftl)) {
        if found != expected {
            return Err(other(key, found.to_string(), expected.to_string()));
        }
    }
    if header.user_pages != ftl.user_pages() {
        let (found, expected) = (header.user_pages, ftl.user_pages());
        let key = "exported pages (ftl.over_provisioning)";
        return Err(other(key, found.to_string(), expected.to_string()));
    }
    ftl.restore(&state, SimTime(header.now))
        .map_err(|error| SnapshotError::State {
            path: path.to_owned(),
            error,
        })?;
    check_homes(ftl).map_err(|(found, expected)| other("allocation", found, expected))?;
    Ok(SimTime(header.now))
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

/// Whether every page lies where allocation would put it.
fn check_homes(ftl: &PageFtl) -> Result<(), (String, String)> {
    let geometry = *ftl.geometry();
    for lpn in (0..ftl.user_pages()).map(Lpn) {
        let Some(page) = ftl.lookup(lpn) else { continue };
        let plane = geometry.plane_of(geometry.block_of(page));
        let fits = match ftl.home(lpn) {
            Scope::Drive => return Ok(()),
            Scope::Plane(home) => home == plane,
            Scope::Die(die) => geometry.die_of(plane) == die,
            Scope::Chip(chip) => geometry.chip_of(geometry.die_of(plane)) == chip,
            Scope::Channel(channel) => geometry.channel_of(geometry.die_of(plane)) == channel,
        };
        if !fits {
            let found = format!("logical page {} in {plane}", lpn.0);
            return Err((found, format!("{:?}", ftl.home(lpn))));
        }
    }
    Ok(())
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
