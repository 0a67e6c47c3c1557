//! Snapshots: the content of a drive in a file, from which any policy can continue.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use wordline_units::SimTime;

use crate::config::RecoveryKind;
use crate::contract::{Identity, Mapping, Subjects};
use crate::plan::{Lpn, Scope};
use crate::state::archive::{Archive, ArchiveError, Extent};
use crate::state::container::{self, ContainerError, Kind};

const KIND: Kind = Kind {
    magic: b"WLDRIVE\n",
    version: 10,
    name: "a snapshot of a drive",
};

/// Logical pages between two questions whether to go on.
const ASKED_EVERY: u64 = 1 << 20;

/// Why a snapshot cannot be saved or loaded.
#[derive(Debug, Error)]
pub enum SnapshotError {
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
    /// Work is under way.
    #[error(
        "a drive can be saved only while no write is under way and no collection in the middle of a block"
    )]
    Busy,
    /// The user does not want to go on.
    #[error("interrupted")]
    Interrupted,
}

/// What a state fits. Policies may differ: to try them from one state is what snapshots are for.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Header {
    mapping: String,
    /// Dimensions from channels to pages of a block, and bytes of a page.
    dimensions: [u32; 7],
    user_pages: u64,
    now: u64,
    /// Names of the modes beside the normal one.
    modes: Vec<String>,
    /// What pages hold, by the keys that say it.
    content: Vec<(String, String)>,
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

fn dimensions(ftl: &dyn Mapping) -> [u32; 7] {
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

/// The mapping, and what it keeps on flash for recovery: a state with other records, or none, is that of another drive.
fn mapping_name(ftl: &dyn Mapping) -> String {
    let Identity {
        mapping, recovery, ..
    } = ftl.identity();
    match recovery {
        RecoveryKind::None => mapping.to_owned(),
        kind => format!("{mapping} with ftl.recovery.kind = \"{}\"", kind.name()),
    }
}

/// The modes of pages beside the normal one.
fn mode_names(ftl: &dyn Mapping) -> &[String] {
    ftl.page_modes().map_or(&[], |modes| modes.mode_names())
}

fn content(ftl: &dyn Mapping) -> Vec<(String, String)> {
    let keys = ftl.identity().content_keys.into_iter();
    keys.map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Saves the state of a drive at time `now`.
///
/// # Errors
/// Work under way; whatever the file system refuses. A file that was there before stays as it
/// was then.
pub fn save(ftl: &mut dyn Mapping, now: SimTime, path: &Path) -> Result<(), SnapshotError> {
    save_watched(ftl, now, path, &mut || true)
}

/// As [`save`]; `watch` is asked now and then whether to go on.
///
/// # Errors
/// As [`save`]; `Interrupted`: the drive is not to be used any more.
pub fn save_watched(
    ftl: &mut dyn Mapping,
    now: SimTime,
    path: &Path,
    watch: &mut dyn FnMut() -> bool,
) -> Result<(), SnapshotError> {
    let header = Header {
        mapping: mapping_name(ftl),
        dimensions: dimensions(ftl),
        user_pages: ftl.user_pages(),
        now: now.ns(),
        modes: mode_names(ftl).to_vec(),
        content: content(ftl),
    };
    let mut refusal = None;
    let written = container::write(path, KIND, |out| {
        let mut archive = Archive::saving(out).watched(watch);
        let written = archive
            .part(&mut { header })
            .and_then(|()| ftl.archive(now, Extent::Content, &mut archive));
        refusal = match written {
            Err(ArchiveError::Busy) => Some(SnapshotError::Busy),
            Err(ArchiveError::Interrupted) => Some(SnapshotError::Interrupted),
            _ => None,
        };
        written.map_err(io::Error::other)
    });
    match refusal {
        Some(refusal) => Err(refusal),
        None => Ok(written?),
    }
}

/// Puts a fresh drive into a saved state and returns the time at which it was saved.
///
/// # Errors
/// As [`load_watched`], never `Interrupted`.
pub fn load(ftl: &mut dyn Mapping, path: &Path) -> Result<SimTime, SnapshotError> {
    load_watched(ftl, path, &mut || true)
}

/// As [`load`]; `watch` is asked now and then whether to go on.
///
/// # Errors
/// `Interrupted`; no such file, not a snapshot, another format version, damage, another mapping, geometry, capacity or content of pages, a
/// page outside the plane that a static allocation gives it.
pub fn load_watched(
    ftl: &mut dyn Mapping,
    path: &Path,
    watch: &mut dyn FnMut() -> bool,
) -> Result<SimTime, SnapshotError> {
    let mut unpacked = container::open(path, KIND)?;
    let mut archive = Archive::loading(&mut unpacked).watched(&mut *watch);
    let damaged = |error: ArchiveError| match error {
        ArchiveError::Interrupted => SnapshotError::Interrupted,
        error => SnapshotError::File(ContainerError::Damaged {
            path: path.to_owned(),
            what: error.to_string(),
        }),
    };
    let mut header = Header::default();
    archive.part(&mut header).map_err(damaged)?;
    let other = |key, found: String, expected: String| SnapshotError::OtherDrive {
        path: path.to_owned(),
        key,
        found,
        expected,
    };
    let mapping = mapping_name(ftl);
    if header.mapping != mapping {
        return Err(other("ftl.mapping", header.mapping, mapping));
    }
    for ((key, found), expected) in DIMENSIONS.into_iter().zip(header.dimensions).zip(dimensions(ftl)) {
        if found != expected {
            return Err(other(key, found.to_string(), expected.to_string()));
        }
    }
    for (key, expected) in ftl.identity().content_keys {
        let found = header.content.iter().find(|(name, _)| name == key);
        let found = found.map_or_else(|| "none".to_owned(), |(_, value)| value.clone());
        if found != expected {
            return Err(other(key, found, expected));
        }
    }
    if header.user_pages != ftl.user_pages() {
        let (found, expected) = (header.user_pages, ftl.user_pages());
        let key = "exported pages (ftl.over_provisioning)";
        return Err(other(key, found.to_string(), expected.to_string()));
    }
    if header.modes != mode_names(ftl) {
        let names = |modes: &[String]| format!("[{}]", modes.join(", "));
        let (found, expected) = (names(&header.modes), names(mode_names(ftl)));
        return Err(other("modes", found, expected));
    }
    let now = SimTime(header.now);
    ftl.archive(now, Extent::Content, &mut archive)
        .and_then(|()| archive.end())
        .map_err(damaged)?;
    if let Some((found, expected)) = misplaced(ftl, watch)? {
        return Err(other("allocation", found, expected));
    }
    Ok(now)
}

/// A page that does not lie where allocation would put it, and where that is.
fn misplaced(
    ftl: &dyn Mapping,
    watch: &mut dyn FnMut() -> bool,
) -> Result<Option<(String, String)>, SnapshotError> {
    let geometry = *ftl.unit_geometry();
    for lpn in (0..ftl.user_pages()).map(Lpn) {
        if lpn.0.is_multiple_of(ASKED_EVERY) && !watch() {
            return Err(SnapshotError::Interrupted);
        }
        let Some(page) = ftl.lookup(lpn) else { continue };
        let plane = geometry.plane_of(geometry.block_of(page));
        let fits = match ftl.home(lpn) {
            Scope::Drive => return Ok(None),
            Scope::Plane(home) => home == plane,
            Scope::Die(die) => geometry.die_of(plane) == die,
            Scope::Chip(chip) => geometry.chip_of(geometry.die_of(plane)) == chip,
            Scope::Channel(channel) => geometry.channel_of(geometry.die_of(plane)) == channel,
        };
        if !fits {
            let found = format!("logical page {} in {plane}", lpn.0);
            return Ok(Some((found, format!("{:?}", ftl.home(lpn)))));
        }
    }
    Ok(None)
}
