//! From the options of a file to the zones of its jobs.

use std::sync::{Arc, Mutex};

use super::super::build::SECTOR;
use super::super::drive::{DriveZones, FioDrive};
use super::super::error::Fault;
use super::super::job::Work;
use super::super::layout::Copy;
use super::super::place::{Region, Stride};
use super::super::sizes::SizeLaw;
use super::super::{Direction, Each};
use super::ZoneRules;
use super::options::{Skip, ZoneMode};
use super::table::{ZoneSizes, ZoneTable};

/// The zones of the jobs of a file.
#[derive(Debug)]
pub(crate) struct FileZones {
    sizes: ZoneSizes,
    /// Sectors that writes are multiples of.
    block: u64,
    is_of_drive: bool,
    pub(crate) table: Arc<Mutex<ZoneTable>>,
}

impl FileZones {
    /// Those of jobs with `zonemode=zbd`; none where no job has it.
    ///
    /// # Errors
    /// Zones that are not those of the drive, or not the same for all jobs; limits above those of the drive.
    pub(crate) fn of(copies: &[Copy<'_>], drive: &FioDrive) -> Result<Option<Self>, Fault> {
        let mut zoned = copies
            .iter()
            .filter(|copy| copy.spec.zones.mode() == ZoneMode::Zbd);
        let Some(first) = zoned.clone().next() else {
            return Ok(None);
        };
        let shape = Shape::of(first, drive)?;
        for copy in zoned.by_ref() {
            if let Some(option) = Shape::of(copy, drive)?.differs_from(&shape) {
                let accepted = "the same for all jobs with zonemode=zbd, which share the zones";
                return Err(copy.fault_as_written(option, accepted));
            }
        }
        if let Some(copy) = copies
            .iter()
            .find(|copy| copy.spec.zones.mode() != ZoneMode::Zbd && copy.spec.writes())
            && matches!(drive.zones, DriveZones::Known(_))
        {
            let accepted = "zbd in every job that writes: jobs with it keep count of what is written to the zones of the drive";
            return Err(copy.fault_as_written("zonemode", accepted));
        }
        let (is_of_drive, lost) = match &drive.zones {
            DriveZones::Known(zones) => (true, zones.lost.as_slice()),
            DriveZones::None | DriveZones::Unknown(_) => (false, [].as_slice()),
        };
        let Shape {
            sizes,
            block,
            count,
            most_open,
        } = shape;
        Ok(Some(Self {
            sizes,
            block,
            is_of_drive,
            table: Arc::new(Mutex::new(ZoneTable::new(
                sizes,
                count,
                lost,
                most_open.map(|most| most as usize),
                is_of_drive,
            ))),
        }))
    }

    /// Bytes of a zone.
    pub(crate) const fn bytes(&self) -> u64 {
        self.sizes.size * SECTOR
    }

    /// The part of a region that consists of whole zones, and what the user should know of it.
    ///
    /// # Errors
    /// Files in place of a device, no whole zone.
    pub(crate) fn region(
        &self,
        copy: &Copy<'_>,
        regions: &[Region],
    ) -> Result<(Region, Option<String>), Fault> {
        let &[region] = regions else {
            return Err(copy.fault_as_written("filename", "one device with zonemode=zbd"));
        };
        if !copy.is_on_device() {
            return Err(copy.fault_as_written(
                "filename",
                "a device with zonemode=zbd, such as filename=/dev/nvme0n1",
            ));
        }
        let size = self.sizes.size;
        let first = region.first.next_multiple_of(size);
        let end = (region.first + region.sectors()) / size * size;
        if first >= end {
            let accepted = format!(
                "regions of at least one whole zone of {} B with zonemode=zbd",
                self.bytes()
            );
            return Err(copy.fault("size", region.bytes, accepted));
        }
        let whole = Region {
            first,
            bytes: (end - first) * SECTOR,
            room: end - first,
            offset: 0,
        };
        let is_cut = (whole.first, whole.bytes) != (region.first, region.bytes);
        let note = is_cut.then(|| {
            format!(
                "the region of {} is made whole zones: {} B from byte {} on",
                copy.job,
                whole.bytes,
                whole.first * SECTOR
            )
        });
        Ok((whole, note))
    }

    /// What a job may do in its region.
    ///
    /// # Errors
    /// Blocks that do not fit zones, trims of other sizes, work that zones have no place for.
    pub(crate) fn rules(
        &self,
        copy: &Copy<'_>,
        region: Region,
        sizes: &Each<SizeLaw>,
    ) -> Result<ZoneRules, Fault> {
        let spec = copy.spec;
        let options = &spec.zones;
        if spec.work() == Work::TrimThenWrite {
            return Err(copy.fault_as_written(
                "rw",
                "others than trimwrite with zonemode=zbd, where a trim resets a zone",
            ));
        }
        if spec.work() == Work::One(Direction::Trim) && !self.is_of_drive {
            return Err(copy.fault_as_written(
                "rw",
                "others than trim with zonemode=zbd on a drive without zones, where a reset is no command",
            ));
        }
        for direction in spec.work().placed() {
            self.check_sizes(copy, *direction, sizes.of(*direction))?;
        }
        let skip = match options.skip {
            Skip::Zones(zones) => zones.saturating_mul(self.sizes.size),
            Skip::Bytes(bytes) if bytes.is_multiple_of(self.bytes()) => bytes / SECTOR,
            Skip::Bytes(_) => {
                let accepted = format!("multiples of the zone of {} B with zonemode=zbd", self.bytes());
                return Err(copy.fault_as_written("zoneskip", accepted));
            }
        };
        let frequency = options.reset_frequency;
        let early_resets = (frequency > 0.0).then(|| {
            let threshold = region.sectors() as f64 * options.reset_threshold;
            (threshold, ((1.0 / frequency) as u64).max(1))
        });
        let zone = |sector: u64| (sector / self.sizes.size) as u32;
        Ok(ZoneRules {
            range: zone(region.first)..zone(region.first + region.sectors()),
            is_random: spec.random,
            least: Each::new(Direction::ALL.map(|direction| sizes.of(direction).least())),
            read_beyond: options.read_beyond,
            most_open: options.most_open_of_job as usize,
            skip,
            early_resets,
            appends: options.append && self.is_of_drive,
        })
    }

    fn check_sizes(&self, copy: &Copy<'_>, direction: Direction, law: &SizeLaw) -> Result<(), Fault> {
        let (option, named) = copy.spec.sizes(direction);
        let ZoneSizes { size, capacity } = self.sizes;
        let fault = |sectors: u64, accepted: String| Err(copy.fault(option, sectors * SECTOR, accepted));
        if direction == Direction::Trim {
            return match law {
                SizeLaw::Fixed(sectors) if *sectors == size => Ok(()),
                _ => {
                    let accepted = format!(
                        "trims of one zone of {} B, which they reset, with zonemode=zbd",
                        size * SECTOR
                    );
                    fault(law.least(), accepted)
                }
            };
        }
        let least = law.least();
        if law.most() > capacity {
            let accepted = format!(
                "blocks of at most the {} B of a zone with zonemode=zbd",
                capacity * SECTOR
            );
            return fault(least, accepted);
        }
        if direction == Direction::Write && self.is_of_drive {
            let block = self.block * SECTOR;
            if let Some(other) = named.named().into_iter().find(|size| !size.is_multiple_of(block)) {
                let accepted = format!("multiples of the logical block of {block} B on a drive with zones");
                return Err(copy.fault(option, other, accepted));
            }
        }
        Ok(())
    }

    /// Early resets go by what is written in the region, which all jobs that write then share.
    ///
    /// # Errors
    /// They have several.
    pub(crate) fn check_early_resets(copies: &[Copy<'_>], rules: &[Option<ZoneRules>]) -> Result<(), Fault> {
        let writing = || {
            let both = copies.iter().zip(rules);
            both.filter_map(|(copy, rules)| Some((copy, rules.as_ref()?)))
                .filter(|(copy, _)| copy.spec.writes())
        };
        let Some((copy, rules)) = writing().find(|(_, rules)| rules.early_resets.is_some()) else {
            return Ok(());
        };
        if writing().all(|(_, other)| other.range == rules.range) {
            return Ok(());
        }
        let accepted = "0, or one region for all jobs that write";
        Err(copy.fault_as_written("zone_reset_frequency", accepted))
    }
}

/// What the jobs of a file say of zones, in sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    sizes: ZoneSizes,
    block: u64,
    count: u32,
    most_open: Option<u32>,
}

impl Shape {
    /// The option by which the zones of two jobs differ.
    fn differs_from(&self, other: &Self) -> Option<&'static str> {
        let pairs = [
            ("zonesize", self.sizes.size == other.sizes.size),
            ("zonecapacity", self.sizes.capacity == other.sizes.capacity),
            ("max_open_zones", self.most_open == other.most_open),
        ];
        pairs
            .into_iter()
            .find(|(_, same)| !same)
            .map(|(option, _)| option)
    }

    fn of(copy: &Copy<'_>, drive: &FioDrive) -> Result<Self, Fault> {
        let options = &copy.spec.zones;
        let shape = match &drive.zones {
            DriveZones::Unknown(accepted) => return Err(copy.fault_as_written("zonemode", *accepted)),
            DriveZones::Known(zones) => {
                let bytes = zones.size * SECTOR;
                if options.size.is_some_and(|size| size != bytes && size > 0) {
                    return Err(copy.fault_as_written(
                        "zonesize",
                        format!("{bytes}, the zones of the drive (ftl.zones.size)"),
                    ));
                }
                Self {
                    sizes: ZoneSizes {
                        size: zones.size,
                        capacity: zones.capacity,
                    },
                    block: zones.block,
                    count: zones.count,
                    most_open: most_open(copy, zones.most_open)?,
                }
            }
            DriveZones::None => Self::kept_by_jobs(copy, drive)?,
        };
        if options
            .range
            .is_some_and(|range| range != shape.sizes.size * SECTOR)
        {
            return Err(copy.fault_as_written("zonerange", "zonesize with zonemode=zbd"));
        }
        Ok(shape)
    }

    /// Zones of a drive without zones.
    fn kept_by_jobs(copy: &Copy<'_>, drive: &FioDrive) -> Result<Self, Fault> {
        let options = &copy.spec.zones;
        let Some(size) = options
            .size
            .filter(|size| *size > 0 && size.is_multiple_of(SECTOR))
        else {
            let accepted = "multiples of 512: the drive has no zones, and jobs with zonemode=zbd keep count of zones of their own";
            return Err(copy.fault_as_written("zonesize", accepted));
        };
        let capacity = options.capacity.unwrap_or(size);
        if capacity == 0 || capacity > size || !capacity.is_multiple_of(SECTOR) {
            return Err(copy.fault_as_written(
                "zonecapacity",
                format!("multiples of 512 up to zonesize = {size}"),
            ));
        }
        let count = drive.sectors / (size / SECTOR);
        let count = u32::try_from(count)
            .ok()
            .filter(|count| (1..=MOST_ZONES).contains(count));
        let Some(count) = count else {
            let accepted = format!(
                "so many bytes that the drive of {} B has 1 to {MOST_ZONES} zones",
                drive.sectors.saturating_mul(SECTOR)
            );
            return Err(copy.fault_as_written("zonesize", accepted));
        };
        Ok(Self {
            sizes: ZoneSizes {
                size: size / SECTOR,
                capacity: capacity / SECTOR,
            },
            block: 1,
            count,
            most_open: most_open(copy, None)?,
        })
    }
}

/// Zones that jobs keep count of at most.
const MOST_ZONES: u32 = 1 << 22;

/// Zones that all jobs may have open.
fn most_open(copy: &Copy<'_>, limit: Option<u32>) -> Result<Option<u32>, Fault> {
    let options = &copy.spec.zones;
    let limit = limit.filter(|_| !options.ignore_limits);
    let most = options.most_open.map(|most| most as u32);
    match (most, limit) {
        (Some(0), None) => Ok(None),
        (Some(most), Some(limit)) if most == 0 || most > limit => {
            let accepted = format!(
                "1 to {limit}, the limit of the drive (ftl.zones.max_open, max_active), without ignore_zone_limits=1"
            );
            Err(copy.fault_as_written("max_open_zones", accepted))
        }
        (Some(most), _) => Ok(Some(most)),
        (None, limit) => Ok(limit),
    }
}

/// `zonemode=strided`: how a file is worked on zone by zone; none with other modes.
///
/// # Errors
/// No size, sizes that are no multiples of 512, several files.
pub(crate) fn stride(copy: &Copy<'_>, regions: &[Region]) -> Result<Option<Stride>, Fault> {
    let options = &copy.spec.zones;
    if options.mode() != ZoneMode::Strided {
        return Ok(None);
    }
    let bytes = SECTOR;
    let whole = |option, value: u64, least: u64| {
        if value >= least && value.is_multiple_of(bytes) {
            Ok(value / bytes)
        } else {
            Err(copy.fault_as_written(
                option,
                "multiples of 512, above 0 but for zoneskip, with zonemode=strided",
            ))
        }
    };
    let transfer = whole("zonesize", options.size.unwrap_or(0), 1)?;
    let range = match options.range {
        Some(range) if range > 0 => whole("zonerange", range, 1)?,
        _ => transfer,
    };
    let skip = match options.skip {
        Skip::Bytes(skip) => whole("zoneskip", skip, 0)?,
        Skip::Zones(_) => {
            return Err(copy.fault_as_written("zoneskip", "bytes with zonemode=strided"));
        }
    };
    if regions.len() != 1 {
        return Err(copy.fault_as_written("zonemode", "strided in a job of one file"));
    }
    Ok(Some(Stride {
        range,
        transfer,
        skip,
    }))
}

/// Options of zones that are set and change nothing, and why.
pub(crate) fn without_effect_of_zones(
    copy: &Copy<'_>,
    drive: &FioDrive,
) -> Vec<(&'static str, &'static str)> {
    let mode = copy.spec.zones.mode();
    let is_zoned_drive = matches!(drive.zones, DriveZones::Known(_));
    let mut found = Vec::new();
    let mut note = |options: &[&'static str], why| {
        let set = options.iter().filter(|option| copy.spec.is_written(option));
        found.extend(set.map(|option| (*option, why)));
    };
    if mode == ZoneMode::None {
        note(
            &["zonerange", "zonesize", "zoneskip"],
            "zonemode is none, with which fio refuses them",
        );
    }
    if mode != ZoneMode::Zbd {
        note(
            &[
                "zonecapacity",
                "read_beyond_wp",
                "max_open_zones",
                "job_max_open_zones",
                "ignore_zone_limits",
                "zone_reset_threshold",
                "zone_reset_frequency",
            ],
            "zonemode is not zbd",
        );
    } else if is_zoned_drive {
        note(&["zonecapacity"], "the zones are those of the drive");
    }
    found
}
