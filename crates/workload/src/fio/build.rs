//! From what a section says to the generator of its commands.

use std::collections::{BTreeMap, BTreeSet};

use wordline_units::{SECTOR_BYTES, Seed, SimTime};

use super::coverage::Coverage;
use super::distribution::Places;
use super::drive::FioDrive;
use super::error::Fault;
use super::files::Files;
use super::job::{Durability, Job, Progress, Work};
use super::layout::{Copy, Layout};
use super::pace::{Lane, Pace};
use super::place::{File, Finder, Region, Rules, Streams, Walk};
use super::placement::Handles;
use super::quota::Quota;
use super::sizes::SizeLaw;
use super::spec::{Engine, JobSpec, Pattern};
use super::unused_options::without_effect;
use super::values::Space;
use super::written::Written;
use super::zoned::ZoneRules;
use super::zoned::build::{FileZones, stride};
use super::zoned::options::ZoneMode;
use super::{Direction, Each};

/// Blocks of all random maps that need memory: 256 MiB.
const MOST_MAPPED: u64 = 1 << 31;
/// Largest block, in bytes.
const LARGEST_BLOCK: u64 = 1 << 30;
pub(crate) const SECTOR: u64 = SECTOR_BYTES as u64;

/// Builds the jobs of a file, one after the other.
pub(crate) struct Builder<'a> {
    layout: &'a Layout,
    drive: &'a FioDrive,
    zones: Option<&'a FileZones>,
    space: Space,
    /// Seed of jobs that set none.
    seed: u64,
    /// Blocks of random maps that need memory, so far.
    mapped: u64,
    notes: BTreeSet<String>,
    /// Jobs by an option of theirs that changes nothing, and why.
    idle: BTreeMap<(&'static str, &'static str), BTreeSet<String>>,
    /// Jobs that fio would run through the page cache.
    buffered: BTreeSet<String>,
}

impl<'a> Builder<'a> {
    pub(crate) const fn new(
        layout: &'a Layout,
        (drive, space): (&'a FioDrive, Space),
        zones: Option<&'a FileZones>,
        seed: u64,
    ) -> Self {
        Self {
            layout,
            drive,
            zones,
            space,
            seed,
            mapped: 0,
            notes: BTreeSet::new(),
            idle: BTreeMap::new(),
            buffered: BTreeSet::new(),
        }
    }

    /// What the user should know of the jobs that were built.
    pub(crate) fn notes(self) -> BTreeSet<String> {
        let mut notes = self.notes;
        notes.extend(self.idle.into_iter().map(|((option, why), jobs)| {
            let jobs: Vec<String> = jobs.into_iter().collect();
            format!("{option} of {} has no effect: {why}", jobs.join(", "))
        }));
        if !self.buffered.is_empty() {
            let jobs: Vec<String> = self.buffered.into_iter().collect();
            notes.insert(format!(
                "without direct=1 fio would run {} through the host's page cache; here every command goes to the drive",
                jobs.join(", ")
            ));
        }
        notes
    }

    /// The commands of a copy of a job, which is client number `client`, and what it may do with zones.
    ///
    /// # Errors
    /// Options that do not fit each other or the drive.
    pub(crate) fn job(&mut self, copy: &Copy<'_>, client: usize) -> Result<(Job, Option<ZoneRules>), Fault> {
        let spec = copy.spec;
        let seed = Seed(spec.seed.unwrap_or(self.seed));
        let work = spec.work();
        let mut regions = self.layout.regions(copy)?;
        let zones = self.zones.filter(|_| spec.zones.mode() == ZoneMode::Zbd);
        if let Some(zones) = zones {
            let (region, note) = zones.region(copy, &regions)?;
            self.notes.extend(note);
            regions = vec![region];
        }
        let stride = stride(copy, &regions)?;
        // where places are sought: all of a file, or one of its zones
        let sought = |region: &Region| stride.map_or(region.sectors(), |stride| stride.range);
        let sizes = self.sizes(copy, &regions)?;
        check(copy)?;
        let zone_rules = match zones {
            Some(zones) => Some(zones.rules(copy, regions[0], &sizes)?),
            None => None,
        };
        let mut streams = Streams::of(seed, client);
        let mut files = Vec::with_capacity(regions.len());
        for (number, region) in regions.iter().enumerate() {
            let keys = format!("workload.fio.{client}.scatter.{number}");
            let finder = if spec.random {
                self.finder(copy, sought(region), &sizes, seed, &keys, &mut streams)?
            } else {
                Finder::None
            };
            files.push(File::new(*region, stride, finder));
        }
        let mut popular = seed.stream(&format!("workload.fio.{client}.service"));
        let files = Files::new(files, spec.service.clone(), &mut popular)
            .map_err(|accepted| copy.fault_as_written("file_service_type", accepted))?;
        let has_one_law = sizes.of(Direction::Trim) == sizes.of(Direction::Write);
        let pace = Pace::new(
            lanes(copy, &sizes),
            seed.stream(&format!("workload.fio.{client}.arrival")),
        );
        self.take_notes(copy);
        let job = Job {
            rules: Rules {
                rewrites: work == Work::TrimThenWrite && (spec.random || has_one_law),
                sizes,
                walk: walk(copy, regions.len()),
            },
            files,
            work,
            quota: Quota::of(copy, &regions, self.space),
            durability: Durability {
                flush_every: [spec.fsync, spec.fdatasync],
                at_end: match spec.may_write() && (spec.end_fsync || spec.fsync_on_close) {
                    true => regions.len() as u64,
                    false => 0,
                },
                fua: spec.fua || spec.writefua,
            },
            write: spec.write,
            handles: Handles::of(copy, self.drive)?,
            pace,
            streams,
            queue: client as u16,
            notes: Vec::new(),
            written: spec.reads_back().then(|| {
                let backlog = spec.verify_backlog;
                let batch = match spec.verify_backlog_batch {
                    0 => backlog,
                    batch => batch,
                };
                Written::nothing(may_overlap(spec), (backlog, batch))
            }),
            only_writes: false,
            now: SimTime::ZERO,
            progress: Progress::default(),
        };
        Ok((job, zone_rules))
    }

    fn sizes(&self, copy: &Copy<'_>, regions: &[Region]) -> Result<Each<SizeLaw>, Fault> {
        let mut laws = Each::new([SizeLaw::Fixed(1), SizeLaw::Fixed(1), SizeLaw::Fixed(1)]);
        let is_random = copy.spec.random;
        let room = |region: &Region| if is_random { region.sectors() } else { region.room };
        let room = regions.iter().map(room).min().unwrap_or(0);
        let work = copy.spec.work();
        for direction in work.directions() {
            let (option, sizes) = copy.spec.sizes(*direction);
            let is_drawn = !copy.spec.random || work.placed().contains(direction);
            for size in sizes.named() {
                if size == 0 || !size.is_multiple_of(SECTOR) || size > LARGEST_BLOCK {
                    let accepted = if size > 0 && size.is_multiple_of(1000) {
                        "multiples of 512 up to 1 GiB; in fio 4k is 4096 B and 4KiB is 4000 B, unless kb_base=1000"
                    } else {
                        "multiples of 512 up to 1 GiB"
                    };
                    return Err(copy.fault(option, size, accepted));
                }
            }
            let law = sizes.law(SECTOR);
            if is_drawn && law.least() > room {
                let accepted = format!(
                    "at most the {} B that a pass over the smallest file has room for",
                    room * SECTOR
                );
                return Err(copy.fault(option, law.least() * SECTOR, accepted));
            }
            *laws.of_mut(*direction) = law;
        }
        let all = regions
            .iter()
            .map(|region| region.bytes)
            .fold(0, u64::saturating_add);
        let size = copy.spec.size.filter(|size| !size.is_share());
        let all = size.map_or(all, |size| size.of(self.space).min(all));
        if all < copy.smallest_block() {
            let (option, _) = copy.spec.sizes(copy.spec.work().directions()[0]);
            let accepted = format!("at most the {all} B of the size");
            return Err(copy.fault(option, copy.smallest_block(), accepted));
        }
        Ok(laws)
    }

    /// How the random places of a file are found.
    fn finder(
        &mut self,
        copy: &Copy<'_>,
        room: u64,
        sizes: &Each<SizeLaw>,
        seed: Seed,
        keys: &str,
        streams: &mut Streams,
    ) -> Result<Finder, Fault> {
        let spec = copy.spec;
        let placed = spec.work().placed();
        let largest = placed
            .iter()
            .map(|direction| sizes.of(*direction).least())
            .max()
            .unwrap_or(0);
        if largest > room {
            let option = if spec.zones.range.is_some() {
                "zonerange"
            } else {
                "zonesize"
            };
            let accepted = format!(
                "at least a block of {} B where places are random",
                largest * SECTOR
            );
            return Err(copy.fault_as_written(option, accepted));
        }
        if spec.keeps_map() {
            return self.map(copy, room, sizes, streams);
        }
        let mut finders = Each::default();
        for direction in placed {
            let least = sizes.of(*direction).least();
            let step = match *spec.blockalign.of(*direction) {
                None => least,
                Some(align) if align >= SECTOR && align.is_multiple_of(SECTOR) => align / SECTOR,
                Some(align) => return Err(copy.fault("blockalign", align, "multiples of 512")),
            };
            let count = room.saturating_sub(least.saturating_sub(step)) / step;
            if count == 0 {
                let accepted = format!("at most the {} B of the region", room * SECTOR);
                return Err(copy.fault("blockalign", step * SECTOR, accepted));
            }
            let law = &spec.law;
            let places = Places::new(
                law,
                *direction,
                count,
                step.saturating_mul(SECTOR),
                &mut seed.stream(keys),
            )
            .map_err(|accepted| copy.fault_as_written("random_distribution", accepted))?;
            *finders.of_mut(*direction) = Some((step, places));
        }
        Ok(Finder::Drawn(Box::new(finders)))
    }

    fn map(
        &mut self,
        copy: &Copy<'_>,
        room: u64,
        sizes: &Each<SizeLaw>,
        streams: &mut Streams,
    ) -> Result<Finder, Fault> {
        let placed = copy.spec.work().placed();
        let mut maps: Vec<(u64, Coverage)> = Vec::new();
        let mut of = Each::new([0; 3]);
        for direction in placed {
            let unit = sizes.of(*direction).least();
            if let Some(shared) = maps.iter().position(|(other, _)| *other == unit) {
                *of.of_mut(*direction) = shared;
                continue;
            }
            let several = placed.iter().any(|other| {
                let law = sizes.of(*other);
                law.least() == unit && !matches!(law, SizeLaw::Fixed(_))
            });
            let blocks = room / unit;
            if several {
                self.mapped = self.mapped.saturating_add(blocks);
                if self.mapped > MOST_MAPPED {
                    let accepted = format!(
                        "norandommap=1, one block size, or smaller regions: maps of at most {MOST_MAPPED} blocks are kept"
                    );
                    return Err(copy.fault("norandommap", 0, accepted));
                }
            }
            *of.of_mut(*direction) = maps.len();
            maps.push((unit, Coverage::new(blocks, several, &mut streams.places)));
        }
        Ok(Finder::Map { maps, of })
    }

    fn take_notes(&mut self, copy: &Copy<'_>) {
        let spec = copy.spec;
        let work = spec.work();
        for (option, why) in &spec.noted {
            self.notes.insert(format!("{option} has no effect: {why}"));
        }
        for (option, why) in without_effect(copy, self.drive) {
            self.idle
                .entry((option, why))
                .or_default()
                .insert(copy.job.to_owned());
        }
        if spec.time_based && spec.runtime.is_none() {
            self.notes.insert(format!(
                "time_based of {} has no effect without a runtime, as in fio",
                copy.job
            ));
        }
        if let Some(engine) = &spec.elsewhere {
            self.notes.insert(format!(
                "ioengine={engine} of {} asks other storage; here its reads, writes and trims go to the drive",
                copy.job
            ));
        }
        if spec.engine == Engine::Synchronous && spec.iodepth > 1 {
            self.notes.insert(format!(
                "iodepth={} of {} counts as 1: its ioengine is synchronous",
                spec.iodepth, copy.job
            ));
        }
        let is_elsewhere = spec.pattern == Pattern::TrimWrite
            && spec.random
            && (spec.is_written("offset") || spec.zones.mode() == ZoneMode::Strided);
        if is_elsewhere {
            self.notes.insert(format!(
                "each place that {} trims is written; fio 3.3x takes offset and strided zones for part of the place, and writes elsewhere",
                copy.job
            ));
        }
        let smallest = copy.smallest_block();
        let least = |direction: &Direction| spec.sizes(*direction).1.named().into_iter().min();
        if spec.random
            && spec.keeps_map()
            && work
                .placed()
                .iter()
                .any(|direction| least(direction) != Some(smallest))
        {
            self.notes.insert(format!(
                "{} visits each block once in a pass; fio 3.3x may end such a pass early, as its map counts in the smallest block of all directions",
                copy.job
            ));
        }
        for direction in work.directions() {
            let (option, sizes) = spec.sizes(*direction);
            self.notes.extend(sizes.rounded().into_iter().map(|(size, down)| {
                format!(
                    "{option} of {}: {size} B is rounded down to {down} B, a multiple of the smallest size, as in fio",
                    copy.job
                )
            }));
        }
        if !spec.direct && !spec.passthrough && spec.elsewhere.is_none() {
            self.buffered.insert(copy.job.to_owned());
        }
    }
}

/// Options that exclude each other.
fn check(copy: &Copy<'_>) -> Result<(), Fault> {
    let spec = copy.spec;
    let is_above_zero = |rate: &Option<u64>| rate.is_some_and(|rate| rate > 0);
    let has_both = |direction: &Direction| {
        is_above_zero(spec.rate.of(*direction)) && is_above_zero(spec.rate_iops.of(*direction))
    };
    if Direction::ALL.iter().any(has_both) {
        let accepted = "one of rate and rate_iops for each direction, as in fio";
        return Err(copy.fault_as_written("rate_iops", accepted));
    }
    if spec.reads_back() && (spec.is_time_based() || spec.zones.mode() == ZoneMode::Zbd) {
        let accepted = "do_verify=0 beside zonemode=zbd, or time_based with verify_backlog: what was written is read back at the end of a pass over the files";
        let option = ["verify", "verify_pattern"]
            .into_iter()
            .find(|option| spec.is_written(option));
        return Err(copy.fault_as_written(option.unwrap_or("verify"), accepted));
    }
    Ok(())
}

/// Whether a job may write a place twice in a pass.
fn may_overlap(spec: &JobSpec) -> bool {
    let jumps = spec.modifier.is_some() || !spec.percentage_random.is_unset();
    jumps
        || spec.numjobs > 1
        || (spec.random && !spec.keeps_map())
        || spec.zones.mode() == ZoneMode::Strided
        || spec.io_size.is_some()
}

fn walk(copy: &Copy<'_>, files: usize) -> Walk {
    let spec = copy.spec;
    let percent = |direction| spec.percentage_random.of(direction).unwrap_or(100);
    if spec.random {
        Walk::Random {
            every: spec.modifier.map_or(1, i64::unsigned_abs).max(1),
            identical: spec.identical,
            percent: Each::new(Direction::ALL.map(percent)),
        }
    } else {
        Walk::Sequential {
            hole: spec.modifier.unwrap_or(0) / SECTOR as i64,
            wraps: spec.is_time_based() && files == 1,
        }
    }
}

/// The rates of the directions of a job.
fn lanes(copy: &Copy<'_>, sizes: &Each<SizeLaw>) -> Each<Option<Lane>> {
    let spec = copy.spec;
    let mut lanes = Each::default();
    for direction in spec.work().directions() {
        let least = sizes.of(*direction).least() * SECTOR;
        let above_zero = |rates: &Each<Option<u64>>| rates.of(*direction).filter(|rate| *rate > 0);
        let iops = above_zero(&spec.rate_iops).map(|rate| rate.saturating_mul(least));
        let rate = above_zero(&spec.rate).or(iops);
        *lanes.of_mut(*direction) = rate.map(|rate| Lane::new(rate, least, spec.poisson));
    }
    lanes
}
