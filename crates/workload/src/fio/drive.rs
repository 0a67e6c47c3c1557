//! The drive that a job file runs on, as far as jobs have to know it.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The drive that a job file runs on.
#[derive(Clone, Debug)]
pub struct FioDrive {
    /// Its user space in sectors of 512 bytes.
    pub sectors: u64,
    /// Its zones.
    pub zones: DriveZones,
    /// The placement identifiers of a drive with flexible data placement, in the order in which it reports its reclaim unit handles; none of another drive.
    pub placement_identifiers: Option<Vec<u16>>,
    /// The folder where the files lie that a job file names.
    pub folder: PathBuf,
    /// What stands for `${NAME}` in a job file, by name.
    pub variables: BTreeMap<String, String>,
}

impl FioDrive {
    /// A drive of so many sectors without zones and without flexible data placement, and files in the current folder.
    #[must_use]
    pub fn plain(sectors: u64) -> Self {
        Self {
            sectors,
            zones: DriveZones::None,
            placement_identifiers: None,
            folder: PathBuf::new(),
            variables: BTreeMap::new(),
        }
    }
}

/// What a job file knows of the zones of the drive.
#[derive(Clone, Debug)]
pub enum DriveZones {
    /// The drive has none.
    None,
    /// The drive has zones, all of them empty but for those that are lost.
    Known(FioZones),
    /// The drive has zones that a job file cannot use; what is accepted instead.
    Unknown(&'static str),
}

/// The zones of a drive.
#[derive(Clone, Debug)]
pub struct FioZones {
    /// How many there are.
    pub count: u32,
    /// Sectors from the start of a zone to that of the next.
    pub size: u64,
    /// Sectors of a zone that can be written.
    pub capacity: u64,
    /// Sectors of a logical block: writes are of whole blocks.
    pub block: u64,
    /// Zones that can be written at once; none: any number.
    pub most_open: Option<u32>,
    /// Zones that cannot be written.
    pub lost: Vec<u32>,
}
