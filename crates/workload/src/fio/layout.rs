//! Where the files of jobs lie on the drive.

use std::collections::BTreeMap;

use wordline_units::SECTOR_BYTES;

use super::Direction;
use super::error::Fault;
use super::place::Region;
use super::spec::JobSpec;
use super::values::{Amount, Space};
use super::zoned::options::ZoneMode;

/// Files start at multiples of a file system's block.
const FILE_STEP: u64 = 4096;
const SECTOR: u64 = SECTOR_BYTES as u64;

/// A copy of a job.
pub(crate) struct Copy<'a> {
    pub(crate) spec: &'a JobSpec,
    /// Line of its section.
    pub(crate) section: usize,
    /// Name of the job.
    pub(crate) job: &'a str,
    /// Which copy, from 0.
    pub(crate) number: u64,
}

/// How the drive is shared.
pub(crate) enum Layout {
    /// Jobs name one device, which is the drive.
    Device { space: Space },
    /// Files lie one behind the other in the order in which jobs name them: first byte and size by name.
    Files {
        space: Space,
        starts: BTreeMap<String, (u64, u64)>,
        end: u64,
    },
}

impl Layout {
    /// The layout for `copies` on a drive.
    ///
    /// # Errors
    /// Sizes in zones of jobs that have none; a second device, files beside a device, files that the drive has no room for.
    pub(crate) fn new(copies: &[Copy<'_>], space: Space) -> Result<Self, Fault> {
        let bytes = space.bytes;
        let mut device: Option<String> = None;
        let mut order: Vec<(String, u64)> = Vec::new();
        let mut index: BTreeMap<String, usize> = BTreeMap::new();
        for copy in copies {
            if copy.spec.iolog.is_set() {
                continue;
            }
            copy.check_zones(space)?;
            let names = copy.names();
            let count = names.len() as u64;
            for name in names {
                if copy.is_device(&name) {
                    if let Some(other) = device.as_ref().filter(|other| **other != name) {
                        return Err(copy.fault(
                            "filename",
                            &name,
                            format!(
                                "a single device, not also {other}: one drive is simulated. Run the jobs of each device on a drive of its own (fio --section=NAME chooses jobs), or name \
                                 files, which lie side by side on one drive"
                            ),
                        ));
                    }
                    device = Some(name);
                    continue;
                }
                if copy.has_size_of_file() && index.contains_key(&name) {
                    continue;
                }
                let needed = copy.file_bytes(count, space)?;
                match index.get(&name).and_then(|index| order.get_mut(*index)) {
                    Some((_, size)) => *size = (*size).max(needed),
                    None => {
                        index.insert(name.clone(), order.len());
                        order.push((name, needed));
                    }
                }
            }
            if let (Some(device), Some((file, _))) = (&device, order.first()) {
                let accepted = format!(
                    "a device or files, not both {device} and {file}, which would be at the same place of the drive"
                );
                return Err(copy.fault_as_written("filename", accepted));
            }
        }
        if device.is_some() {
            return Ok(Self::Device { space });
        }
        let mut starts = BTreeMap::new();
        let mut end = 0_u64;
        for (name, size) in order {
            let start = end.next_multiple_of(FILE_STEP);
            end = start.saturating_add(size);
            starts.insert(name, (start, size));
        }
        match copies.last() {
            Some(copy) if end > bytes => {
                let accepted =
                    format!("at most the {bytes} B of the drive for all files together, which need {end} B");
                Err(copy.fault(
                    "size",
                    copy.spec.size.map_or(end, |size| size.of(space)),
                    accepted,
                ))
            }
            _ => Ok(Self::Files { space, starts, end }),
        }
    }

    /// The regions of the drive that a copy works on, one per file.
    ///
    /// # Errors
    /// A region that does not lie in its file.
    pub(crate) fn regions(&self, copy: &Copy<'_>) -> Result<Vec<Region>, Fault> {
        let names = copy.names();
        let count = names.len() as u64;
        let (space, starts) = match self {
            Self::Device { space } => (*space, None),
            Self::Files { space, starts, .. } => (*space, Some(starts)),
        };
        let offset = copy.offset(space)?;
        let of_files = || {
            let known = names.iter().filter_map(|name| starts?.get(name));
            known
                .map(|(_, size)| size.saturating_sub(offset))
                .min()
                .unwrap_or(0)
        };
        let bytes = if copy.has_size_of_file() && starts.is_some() {
            of_files()
        } else {
            copy.io_bytes(count, space, starts.is_none())?
        };
        let behind = space.bytes.saturating_sub(offset);
        if bytes > behind || bytes == 0 {
            let accepted = format!(
                "above 0 and at most {behind} B behind offset {offset}: the drive has {} B",
                space.bytes
            );
            return Err(copy.fault("size", bytes, accepted));
        }
        Ok(names
            .iter()
            .map(|name| {
                let start = starts
                    .and_then(|starts| starts.get(name))
                    .map_or(0, |(start, _)| *start);
                Region {
                    first: (start + offset) / SECTOR,
                    bytes,
                    room: if starts.is_none() { behind } else { bytes } / SECTOR,
                    offset: offset / SECTOR,
                }
            })
            .collect())
    }

    /// What the user should know of it.
    pub(crate) fn note(&self) -> Option<String> {
        match self {
            Self::Device { .. } => None,
            Self::Files { starts, end, .. } => Some(format!(
                "files of the jobs: {}, one behind the other on the first {end} B of the drive",
                starts.len()
            )),
        }
    }
}

impl Copy<'_> {
    /// A problem with an option of the job.
    pub(crate) fn fault(&self, option: &str, found: impl ToString, accepted: impl Into<String>) -> Fault {
        self.spec.fault(self.section, option, found, accepted.into())
    }

    /// A problem with an option of the job as it is written.
    pub(crate) fn fault_as_written(&self, option: &str, accepted: impl Into<String>) -> Fault {
        self.spec.fault_as_written(self.section, option, accepted.into())
    }

    /// Whether its files are as large as other jobs make them.
    fn has_size_of_file(&self) -> bool {
        let spec = self.spec;
        spec.size.is_none() && spec.filesize.is_none() && !spec.fill_device
    }

    /// The names of its files, at least one.
    fn names(&self) -> Vec<String> {
        let spec = self.spec;
        let in_directory = |name: String| match &spec.directory {
            Some(directory) if !name.starts_with('/') && !self.is_device(&name) => {
                format!("{}/{name}", directory.trim_end_matches('/'))
            }
            _ => name,
        };
        match &spec.filename {
            Some(names) => split(names).into_iter().map(in_directory).collect(),
            None if self.is_volume() => vec!["volume".to_owned()],
            None => (0..spec.nrfiles)
                .map(|number| {
                    let format = spec
                        .filename_format
                        .as_deref()
                        .unwrap_or("$jobname.$jobnum.$filenum");
                    let name = format
                        .replace("$jobname", self.job)
                        .replace("$jobnum", &self.number.to_string())
                        .replace("$filenum", &number.to_string());
                    in_directory(name)
                })
                .collect(),
        }
    }

    /// Whether all of its files are devices.
    pub(crate) fn is_on_device(&self) -> bool {
        self.names().iter().all(|name| self.is_device(name))
    }

    /// Whether its engine is one whose files are volumes.
    fn is_volume(&self) -> bool {
        let engine = self.spec.elsewhere.as_deref();
        engine.is_some_and(|engine| VOLUMES.contains(&engine))
    }

    /// Whether a name is that of a device, which it always is with an engine that has no files.
    fn is_device(&self, name: &str) -> bool {
        let is_named = self.spec.filename.is_some();
        self.is_volume()
            || (self.spec.passthrough && is_named)
            || DEVICES.iter().any(|prefix| name.starts_with(prefix))
    }

    /// How many files it has.
    pub(crate) fn files(&self) -> u64 {
        self.spec
            .filename
            .as_deref()
            .map_or(self.spec.nrfiles, |names| split(names).len() as u64)
    }

    /// The smallest block of the job, in bytes, of every direction.
    pub(crate) fn smallest_block(&self) -> u64 {
        let sizes = Direction::ALL
            .iter()
            .flat_map(|direction| self.spec.sizes(*direction).1.named());
        sizes.min().unwrap_or(SECTOR).max(1)
    }

    /// Sizes in zones are for jobs that have zones.
    fn check_zones(&self, space: Space) -> Result<(), Fault> {
        let spec = self.spec;
        let amounts = [
            ("size", spec.size),
            ("io_size", spec.io_size),
            ("offset", Some(spec.offset)),
            ("offset_increment", Some(spec.offset_increment)),
        ];
        let in_zones = |amount: &Option<Amount>| matches!(amount, Some(Amount::Zones(_)));
        let found = amounts.iter().find(|(_, amount)| in_zones(amount));
        match found {
            Some((option, _)) if space.zone == 0 || spec.zones.mode() != ZoneMode::Zbd => {
                let accepted = "bytes or a share, but with zonemode=zbd, where zones are counted";
                Err(self.fault_as_written(option, accepted))
            }
            _ => Ok(()),
        }
    }

    fn offset(&self, space: Space) -> Result<u64, Fault> {
        let drive = space.bytes;
        let spec = self.spec;
        let (offset, increment) = (spec.offset, spec.offset_increment);
        let sum = offset
            .of(space)
            .saturating_add(increment.of(space).saturating_mul(self.number));
        let align = match spec.offset_align {
            0 => self.smallest_block(),
            align => align,
        };
        let sum = if offset.is_share() || increment.is_share() {
            sum.checked_next_multiple_of(align).unwrap_or(u64::MAX)
        } else {
            sum
        };
        if sum >= drive {
            return Err(self.fault("offset", sum, format!("less than the {drive} B of the drive")));
        }
        if sum.is_multiple_of(SECTOR) {
            Ok(sum)
        } else {
            Err(self.fault("offset", sum, "multiples of 512"))
        }
    }

    /// Bytes of each of its `files` files that it works on; of a device those behind the offset where it does not say so.
    fn io_bytes(&self, files: u64, space: Space, is_device: bool) -> Result<u64, Fault> {
        let spec = self.spec;
        let offset = self.offset(space)?;
        let share = spec.size.filter(|size| size.is_share());
        let whole = match (spec.filesize, spec.size) {
            (Some(filesize), _) if filesize <= offset => {
                return Err(self.fault("offset", offset, format!("less than filesize = {filesize}")));
            }
            (Some(filesize), _) => filesize - offset,
            (None, Some(size)) if share.is_none() => size.of(space) / files.max(1),
            (None, _) if is_device => space.bytes.saturating_sub(offset),
            (None, None) if spec.fill_device => (space.bytes / files.max(1)).saturating_sub(offset),
            (None, Some(_)) => (space.bytes / files.max(1)).saturating_sub(offset),
            (None, None) => {
                return Err(self.fault(
                    "size",
                    "unset",
                    "the size of the files, such as size=1g or size=50%",
                ));
            }
        };
        Ok(match share {
            Some(Amount::Percent(percent)) if percent < 100 => {
                let bytes = (u128::from(whole + offset) * u128::from(percent) / 100) as u64;
                let block = self.smallest_block();
                bytes.min(whole) / block * block
            }
            _ => whole,
        })
    }

    /// Bytes of each of its files.
    fn file_bytes(&self, files: u64, space: Space) -> Result<u64, Fault> {
        Ok(self
            .offset(space)?
            .saturating_add(self.io_bytes(files, space, false)?))
    }
}

/// Engines of other storage whose files are volumes, each with a size of its own.
const VOLUMES: [&str; 8] = [
    "dev-dax", "libhdfs", "libiscsi", "libzbc", "mtd", "nbd", "pmemblk", "rbd",
];
/// How names of devices begin.
const DEVICES: [&str; 3] = ["/dev/", r"\\.\", "trtype="];

/// Names parted by `:`; `\:` is a colon in a name.
pub(crate) fn split(names: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut chars = names.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, found.last_mut()) {
            ('\\', Some(name)) if chars.next_if_eq(&':').is_some() => name.push(':'),
            (':', _) => found.push(String::new()),
            (char, Some(name)) => name.push(char),
            (_, None) => {}
        }
    }
    found
}
