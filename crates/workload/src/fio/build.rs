//! From what a section says to the generator of its commands.

use std::collections::BTreeSet;

use wordline_units::{SECTOR_BYTES, Seed};

use super::coverage::Coverage;
use super::distribution::Places;
use super::drive::FioDrive;
use super::error::Fault;
use super::files::Files;
use super::job::{Durability, Job, Progress, Quota, Work};
use super::layout::{Copy, Layout};
use super::pace::{Lane, Pace};
use super::place::{File, Finder, Region, Rules, Streams, Walk};
use super::placement::Handles;
use super::sizes::SizeLaw;
use super::spec::Engine;
use super::values::Space;
use super::zoned::ZoneRules;
use super::zoned::build::{FileZones, stride, without_effect};
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
            buffered: BTreeSet::new(),
        }
    }

    /// What the user should know of the jobs that were built.
    pub(crate) fn notes(self) -> BTreeSet<String> {
        let mut notes = self.notes;
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
        let sought: Vec<Region> = regions
            .iter()
            .map(|region| stride.map_or(*region, |stride| stride.first_of(*region)))
            .collect();
        let sizes = self.sizes(copy, &sought)?;
        check(copy)?;
        let zone_rules = match zones {
            Some(zones) => Some(zones.rules(copy, regions[0], &sizes)?),
            None => None,
        };
        let mut streams = Streams::of(seed, client);
        let mut files = Vec::with_capacity(regions.len());
        for (number, (region, sought)) in regions.iter().zip(&sought).enumerate() {
            let keys = format!("workload.fio.{client}.scatter.{number}");
            let finder = if spec.random {
                self.finder(copy, *sought, &sizes, seed, &keys, &mut streams)?
            } else {
                Finder::None
            };
            files.push(match stride {
                Some(stride) => File::strided(*region, stride, finder),
                None => File::new(*region, finder),
            });
        }
        let pace = Pace::new(
            lanes(copy, &sizes)?,
            seed.stream(&format!("workload.fio.{client}.arrival")),
        );
        self.take_notes(copy);
        let job = Job {
            rules: Rules {
                sizes,
                walk: walk(copy),
            },
            files: Files::new(files, spec.service),
            work,
            quota: self.quota(copy, &regions),
            durability: Durability {
                flush_every: [spec.fsync, spec.fdatasync],
                flush_at_end: spec.end_fsync || spec.fsync_on_close,
                fua: spec.fua,
            },
            write: spec.write,
            handles: Handles::of(copy, self.drive)?,
            pace,
            streams,
            queue: client as u16,
            notes: Vec::new(),
            only_writes: false,
            progress: Progress::default(),
        };
        Ok((job, zone_rules))
    }

    fn sizes(&self, copy: &Copy<'_>, regions: &[Region]) -> Result<Each<SizeLaw>, Fault> {
        let mut laws = Each::new([SizeLaw::Fixed(1), SizeLaw::Fixed(1), SizeLaw::Fixed(1)]);
        let room = regions.iter().map(|region| region.sectors).min().unwrap_or(0);
        for direction in copy.spec.work().placed() {
            let (option, sizes) = copy.spec.sizes(*direction);
            for size in sizes.named() {
                if size == 0 || !size.is_multiple_of(SECTOR) || size > LARGEST_BLOCK {
                    return Err(copy.fault(option, size, "multiples of 512 up to 1 GiB"));
                }
            }
            let law = sizes.law(SECTOR);
            if law.most() > room {
                let accepted = format!(
                    "at most the {} B that a pass over the smallest file has room for",
                    room * SECTOR
                );
                return Err(copy.fault(option, law.most() * SECTOR, accepted));
            }
            *laws.of_mut(*direction) = law;
        }
        Ok(laws)
    }

    /// How the random places of a file are found.
    fn finder(
        &mut self,
        copy: &Copy<'_>,
        region: Region,
        sizes: &Each<SizeLaw>,
        seed: Seed,
        keys: &str,
        streams: &mut Streams,
    ) -> Result<Finder, Fault> {
        let spec = copy.spec;
        let placed = spec.work().placed();
        let aligned = placed
            .iter()
            .any(|direction| spec.blockalign.of(*direction).is_some());
        if spec.law.keeps_map() && !spec.norandommap && !aligned {
            return self.map(copy, region, sizes, streams);
        }
        let mut finders = Each::default();
        for direction in placed {
            let least = sizes.of(*direction).least();
            let step = match *spec.blockalign.of(*direction) {
                None => least,
                Some(align) if align >= SECTOR && align.is_multiple_of(SECTOR) => align / SECTOR,
                Some(align) => return Err(copy.fault("blockalign", align, "multiples of 512")),
            };
            let count = (region.sectors - least) / step + 1;
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
        region: Region,
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
            let blocks = region.sectors / unit;
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

    fn quota(&self, copy: &Copy<'_>, regions: &[Region]) -> Quota {
        let spec = copy.spec;
        let all = regions
            .iter()
            .map(|region| region.sectors)
            .fold(0, u64::saturating_add);
        let amount = match (spec.io_size, spec.filesize, spec.size) {
            (Some(amount), ..) | (None, Some(_), Some(amount)) => Some(amount),
            _ => None,
        };
        let sectors = amount.map_or(all, |amount| amount.of(self.space).div_ceil(SECTOR));
        // each block is trimmed and written
        let twice = if spec.work() == Work::TrimThenWrite { 2 } else { 1 };
        Quota {
            sectors: if spec.time_based {
                u64::MAX
            } else {
                sectors.saturating_mul(twice)
            },
            loops: (!spec.time_based).then_some(spec.loops),
            passes: amount.is_some() || spec.time_based,
            commands: match spec.number_ios {
                0 => u64::MAX,
                commands => commands,
            },
        }
    }

    fn take_notes(&mut self, copy: &Copy<'_>) {
        let spec = copy.spec;
        for (option, why) in &spec.noted {
            self.notes.insert(format!("{option} has no effect: {why}"));
        }
        for (option, why) in without_effect(copy, self.drive) {
            self.notes
                .insert(format!("{option} of {} has no effect: {why}", copy.job));
        }
        if spec.engine == Engine::Synchronous && spec.iodepth > 1 {
            self.notes.insert(format!(
                "iodepth={} of {} counts as 1: its ioengine is synchronous",
                spec.iodepth, copy.job
            ));
        }
        if !spec.direct {
            self.buffered.insert(copy.job.to_owned());
        }
    }
}

/// Options that exclude each other.
fn check(copy: &Copy<'_>) -> Result<(), Fault> {
    let spec = copy.spec;
    if spec.time_based && spec.runtime.is_none() {
        return Err(copy.fault("time_based", 1, "a runtime beside it"));
    }
    if spec.verify && spec.do_verify && spec.writes() {
        let accepted = "do_verify=0 beside it: written data are not read back and compared";
        return Err(copy.fault_as_written("verify", accepted));
    }
    Ok(())
}

fn walk(copy: &Copy<'_>) -> Walk {
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
        }
    }
}

/// The rates of the directions of a job.
fn lanes(copy: &Copy<'_>, sizes: &Each<SizeLaw>) -> Result<Each<Option<Lane>>, Fault> {
    let spec = copy.spec;
    let placed = spec.work().placed();
    let mut lanes = Each::default();
    for direction in spec.work().directions() {
        // what is trimmed first is written with the sizes of the trims
        let of_size = if placed.contains(direction) {
            *direction
        } else {
            Direction::Trim
        };
        let least = sizes.of(of_size).least() * SECTOR;
        let above_zero = |rates: &Each<Option<u64>>| rates.of(*direction).filter(|rate| *rate > 0);
        let iops = above_zero(&spec.rate_iops).map(|rate| rate.saturating_mul(least));
        let rate = above_zero(&spec.rate).or(iops);
        *lanes.of_mut(*direction) = rate.map(|rate| Lane::new(rate, least, spec.poisson));
    }
    let limited = |direction| lanes.of(direction).is_some();
    if matches!(spec.work(), Work::Mixed { .. }) && limited(Direction::Read) != limited(Direction::Write) {
        let option = if spec.rate.of(Direction::Read).is_some() || spec.rate.of(Direction::Write).is_some() {
            "rate"
        } else {
            "rate_iops"
        };
        let accepted = "a rate of reads and one of writes; to limit one of them, make it a job of its own";
        return Err(copy.fault_as_written(option, accepted));
    }
    Ok(lanes)
}
