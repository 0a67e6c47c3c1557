//! Snapshots: the state of an FTL in a file, a header and the state (postcard) in a container.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use wordline_units::SimTime;

use crate::container::{self, ContainerError, Kind};
use crate::contract::Ftl;
use crate::error::FtlError;
use crate::page::{PageFtl, PageFtlState};
use crate::plan::{Lpn, Scope};

const KIND: Kind = Kind {
    magic: b"WLDRIVE\n",
    version: 1,
    name: "a snapshot of a drive",
};

/// Why a snapshot cannot be saved or loaded.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// The mapping has no state that could be saved.
    #[error("the state of a drive with this `ftl.mapping` cannot be saved")]
    Unsupported,
    /// The file cannot be written or read, or is no snapshot.
    #[error(transparent)]
    File(#[from] ContainerError),
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
    container::write(path, KIND, |out| {
        postcard::to_io(&(header, state), out).map_err(io::Error::other)?;
        Ok(())
    })?;
    Ok(())
}

/// Puts a fresh drive into a saved state and returns the time at which it was saved.
///
/// # Errors
/// No such file, not a snapshot, another format version, damage, another geometry or capacity, a
/// page outside the plane that a static allocation gives it.
pub fn load(ftl: &mut PageFtl, path: &Path) -> Result<SimTime, SnapshotError> {
    let unpacked = container::open(path, KIND)?;
    let mut scratch = [0_u8; 16];
    let ((header, state), _): ((Header, PageFtlState), _) = postcard::from_io((unpacked, &mut scratch))
        .map_err(|error| ContainerError::Damaged {
            path: path.to_owned(),
            what: error.to_string(),
        })?;

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
