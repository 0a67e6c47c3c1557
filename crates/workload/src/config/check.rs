//! Checks of `[workload]` that need no drive and no file.

use std::path::Path;

use wordline_keys::RefusedValue;
use wordline_units::{ByteSize, Duration, SECTOR_BYTES, did_you_mean};

use super::{ArrivalLaw, Extent, Region, Replay, WorkloadConfig, WorkloadKind};
use crate::profile::builtin;

/// Largest request, in bytes: 1 GiB.
const LARGEST_REQUEST: u64 = 1 << 30;
/// Largest logical block of a drive, in bytes.
const LARGEST_BLOCK: u64 = 64 << 10;
const SHARE: &str = "a share from 0 to 1";

impl WorkloadConfig {
    /// Checks every value, and the keys that exclude or need each other.
    ///
    /// # Errors
    /// The first key that cannot be used.
    pub fn check(&self) -> Result<(), RefusedValue> {
        self.check_requests()?;
        self.zones.check()?;
        self.check_arrivals()?;
        self.check_shapes()?;
        self.check_trace()
    }

    fn is_synthetic(&self) -> bool {
        !matches!(
            self.kind,
            WorkloadKind::Trace | WorkloadKind::Profile | WorkloadKind::Fio
        )
    }

    fn check_requests(&self) -> Result<(), RefusedValue> {
        share("workload.read_fraction", self.read_fraction)?;
        share("workload.trim_fraction", self.trim_fraction)?;
        if self.is_synthetic()
            && self.kind != WorkloadKind::Mixed
            && self.read_fraction + self.trim_fraction > 1.0
        {
            return Err(RefusedValue::new(
                "workload.trim_fraction",
                self.trim_fraction,
                format!(
                    "at most 1 together with workload.read_fraction = {}",
                    self.read_fraction
                ),
            ));
        }
        let sizes = self.request_size.as_slice();
        if sizes.is_empty() {
            return Err(RefusedValue::new(
                "workload.request_size",
                "[]",
                "at least one size",
            ));
        }
        for &size in sizes {
            request_size("workload.request_size", size)?;
        }
        if let Some(align) = self.align {
            whole_sectors("workload.align", align)?;
        }
        if let Some(size) = self.round_to {
            whole_sectors("workload.round_to", size)?;
        }
        if self.requests == Some(0) {
            return Err(RefusedValue::new("workload.requests", 0, "at least 1"));
        }
        self.region
            .as_ref()
            .map_or(Ok(()), |region| region.check("workload.region"))
    }

    fn check_arrivals(&self) -> Result<(), RefusedValue> {
        const INTERARRIVAL: &str = "workload.interarrival";
        const QUEUE_DEPTH: &str = "workload.queue_depth";
        const DURATION: &str = "workload.duration";
        if let Some(depth) = self.queue_depth {
            if depth == 0 {
                return Err(RefusedValue::new(QUEUE_DEPTH, 0, "at least 1"));
            }
            if self.kind == WorkloadKind::Fio {
                let accepted = "nothing: each job has its iodepth; leave it out";
                return Err(RefusedValue::new(QUEUE_DEPTH, depth, accepted));
            }
            if self.kind == WorkloadKind::Trace && self.replay != Replay::ClosedLoop {
                let accepted =
                    "nothing at recorded times; leave it out, or set workload.replay = \"closed_loop\"";
                return Err(RefusedValue::new(QUEUE_DEPTH, depth, accepted));
            }
        }
        if let Some(gap) = self.interarrival {
            if !self.is_synthetic() {
                let accepted = match self.kind {
                    WorkloadKind::Fio => {
                        "nothing: the jobs of a fio file have rates of their own; leave it out"
                    }
                    _ => {
                        "nothing: traces and profiles have arrival times of their own; to play them faster set \
                         workload.compress_time"
                    }
                };
                return Err(RefusedValue::new(INTERARRIVAL, gap, accepted));
            }
            if gap == Duration::ZERO {
                return Err(RefusedValue::new(INTERARRIVAL, gap, "at least 1 ns"));
            }
            if let Some(depth) = self.queue_depth {
                let accepted = format!(
                    "either an open loop (workload.interarrival) or a closed one (workload.queue_depth = {depth}), not \
                     both"
                );
                return Err(RefusedValue::new(INTERARRIVAL, gap, accepted));
            }
        } else if self.is_synthetic() {
            if self.arrival != ArrivalLaw::Fixed {
                let accepted = "a mean gap such as \"100 us\", which workload.arrival needs";
                return Err(RefusedValue::new(INTERARRIVAL, "unset", accepted));
            }
            if let Some(duration) = self.duration {
                let accepted = "nothing in a closed loop, whose requests have no times of their own; give \
                                workload.requests, or workload.interarrival";
                return Err(RefusedValue::new(DURATION, duration, accepted));
            }
        }
        if self.duration == Some(Duration::ZERO) {
            return Err(RefusedValue::new(DURATION, "0 ns", "longer than 0 ns"));
        }
        share("workload.gap_fraction", self.gap_fraction)?;
        const BIAS: &str = "workload.burst_bias";
        match self.burst_bias {
            Some(bias) if !(0.5..=1.0).contains(&bias) => {
                return Err(RefusedValue::new(BIAS, bias, "0.5 (no bursts) to 1"));
            }
            None if self.arrival == ArrivalLaw::SelfSimilar => {
                return Err(RefusedValue::new(
                    BIAS,
                    "unset",
                    "0.5 (no bursts) to 1, such as 0.7",
                ));
            }
            _ => {}
        }
        if self.arrival == ArrivalLaw::OnOff && self.on == Duration::ZERO {
            return Err(RefusedValue::new("workload.on", self.on, "longer than 0 ns"));
        }
        Ok(())
    }

    fn check_shapes(&self) -> Result<(), RefusedValue> {
        if !(0.0..=10.0).contains(&self.theta) {
            return Err(RefusedValue::new(
                "workload.theta",
                self.theta,
                "a skew from 0 to 10",
            ));
        }
        if !(self.hot_space > 0.0 && self.hot_space < 1.0) {
            return Err(RefusedValue::new(
                "workload.hot_space",
                self.hot_space,
                "a share above 0 and below 1",
            ));
        }
        share("workload.hot_requests", self.hot_requests)?;
        match self.kind {
            WorkloadKind::Mixed => self.check_mix(),
            WorkloadKind::LogStructured => self.store.check(&self.request_size),
            WorkloadKind::Profile => self.check_profile(),
            _ => Ok(()),
        }
    }

    fn check_profile(&self) -> Result<(), RefusedValue> {
        const PROFILE: &str = "workload.profile";
        match (&self.profile, &self.profile_file) {
            (Some(name), None) if builtin::by_name(name).is_none() => {
                let known: Vec<&str> = builtin::profiles().iter().map(|named| named.name).collect();
                let hint = did_you_mean(name, known.iter().copied());
                let accepted = format!("{hint}accepted are {}", known.join(", "));
                Err(RefusedValue::new(PROFILE, name, accepted))
            }
            (Some(name), Some(_)) => Err(RefusedValue::new(
                PROFILE,
                name,
                "only one of workload.profile and workload.profile_file; remove one of them",
            )),
            (None, None) => Err(RefusedValue::new(
                PROFILE,
                "unset",
                "the trace to stand in for, such as financial1, or workload.profile_file",
            )),
            (None, Some(path)) => named("workload.profile_file", path, "the file of a profile"),
            (Some(_), None) => Ok(()),
        }
    }

    fn check_mix(&self) -> Result<(), RefusedValue> {
        const MIX: &str = "workload.mix";
        if self.mix.is_empty() {
            let accepted =
                "at least one class, such as [{ size = \"4 KiB\", weight = 3, read_fraction = 0.7 }]";
            return Err(RefusedValue::new(MIX, "[]", accepted));
        }
        for class in &self.mix {
            request_size(MIX, class.size)?;
            if !(class.weight > 0.0 && class.weight.is_finite()) {
                return Err(RefusedValue::new(
                    MIX,
                    format!("weight {}", class.weight),
                    "weights above 0",
                ));
            }
            let reads = class.read_fraction.unwrap_or(self.read_fraction);
            if !(0.0..=1.0).contains(&reads) {
                return Err(RefusedValue::new(MIX, format!("read_fraction {reads}"), SHARE));
            }
            if reads + self.trim_fraction > 1.0 {
                let accepted = format!(
                    "at most 1 together with workload.trim_fraction = {}",
                    self.trim_fraction
                );
                return Err(RefusedValue::new(MIX, format!("read_fraction {reads}"), accepted));
            }
        }
        Ok(())
    }

    fn check_trace(&self) -> Result<(), RefusedValue> {
        let file = match self.kind {
            WorkloadKind::Trace => Some("the trace to replay"),
            WorkloadKind::Fio => Some("the fio job file to run"),
            _ => None,
        };
        if let (Some(_), Some(_)) = (&self.jobs, &self.path) {
            let accepted = "either the text of a job file or workload.path";
            return Err(RefusedValue::new("workload.jobs", "a text", accepted));
        }
        if let Some(file) = file.filter(|_| self.jobs.is_none()) {
            let path = self
                .path
                .as_deref()
                .ok_or_else(|| RefusedValue::new("workload.path", "unset", file))?;
            named("workload.path", path, file)?;
        }
        if let Some(name) = &self.format {
            crate::trace::format::by_name(name)?;
            if name == "csv" {
                self.csv.check()?;
            }
        }
        if !(self.compress_time > 0.0 && (1e-6..=1e9).contains(&self.compress_time)) {
            let accepted = "a number from 0.000001 to 1000000000; 2 plays twice as fast";
            return Err(RefusedValue::new(
                "workload.compress_time",
                self.compress_time,
                accepted,
            ));
        }
        if let Some(block) = self.logical_block
            && !(block.bytes().is_power_of_two()
                && (u64::from(SECTOR_BYTES)..=LARGEST_BLOCK).contains(&block.bytes()))
        {
            let accepted = "a power of two from 512 B to 64 KiB";
            return Err(RefusedValue::new("workload.logical_block", block, accepted));
        }
        if let Some(size) = self.device_size {
            whole_sectors("workload.device_size", size)?;
        }
        if self.take == Some(0) {
            return Err(RefusedValue::new("workload.take", 0, "at least 1"));
        }
        if self.repeat == 0 {
            return Err(RefusedValue::new("workload.repeat", 0, "at least 1"));
        }
        Ok(())
    }
}

/// Refuses a path that names no file: errors about the file could not say which one is meant.
fn named(key: &'static str, path: &Path, accepted: &str) -> Result<(), RefusedValue> {
    if path.as_os_str().is_empty() {
        return Err(RefusedValue::new(key, "\"\"", accepted));
    }
    Ok(())
}

fn share(key: &'static str, value: f64) -> Result<(), RefusedValue> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(RefusedValue::new(key, value, SHARE))
    }
}

fn whole_sectors(key: &'static str, size: ByteSize) -> Result<(), RefusedValue> {
    if size.bytes() != 0 && size.bytes().is_multiple_of(u64::from(SECTOR_BYTES)) {
        return Ok(());
    }
    Err(RefusedValue::new(
        key,
        size,
        "a multiple of 512 B, at least 512 B",
    ))
}

fn request_size(key: &'static str, size: ByteSize) -> Result<(), RefusedValue> {
    whole_sectors(key, size)?;
    if size.bytes() <= LARGEST_REQUEST {
        Ok(())
    } else {
        Err(RefusedValue::new(key, size, "at most 1 GiB"))
    }
}

impl Region {
    /// Checks that the region, the value of `key`, is not empty.
    ///
    /// # Errors
    /// A share outside 0 to 1; an end that does not lie behind its start.
    pub fn check(&self, key: &'static str) -> Result<(), RefusedValue> {
        let ends = match self {
            Self::UpTo(end) => [Extent::Share(0.0), *end],
            Self::Range(ends) => *ends,
        };
        for end in ends {
            if let Extent::Share(value) = end {
                share(key, value)?;
            }
        }
        let empty = match ends {
            [Extent::Share(from), Extent::Share(to)] => from >= to,
            [Extent::Size(from), Extent::Size(to)] => from >= to,
            [Extent::Share(from), Extent::Size(to)] => to.bytes() == 0 || from >= 1.0,
            [Extent::Size(_), Extent::Share(to)] => to <= 0.0,
        };
        if empty {
            let accepted = "a range whose end is after its start";
            return Err(RefusedValue::new(key, self, accepted));
        }
        Ok(())
    }
}
