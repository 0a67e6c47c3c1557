//! `read_iolog`: a job that replays a log of fio, or another trace, in place of commands of its own.

use std::path::Path;
use std::sync::Arc;

use wordline_units::{SECTOR_BYTES, SimTime};

use super::drive::FioDrive;
use super::error::Fault;
use super::layout::{Copy, split};
use super::options::{JobOption, used};
use super::spec::JobSpec;
use super::values::Value;
use crate::config::DeviceLayout;
use crate::trace::replay::TraceReplay;
use crate::{HostCommand, HostOp, Source, SourceError, TraceFacts, WorkloadConfig, WorkloadKind};

/// What a job says of the log that it replays.
#[derive(Clone, Debug)]
pub(crate) struct Iolog {
    files: Option<Arc<str>>,
    pub(crate) no_stall: bool,
    /// Percentage of the rate in the log.
    time_scale: u64,
    redirect: Option<Arc<str>>,
    align: u64,
    scale: u64,
    /// Reads, writes, trims, flushes are left out.
    skip: [bool; 4],
}

impl Default for Iolog {
    fn default() -> Self {
        Self {
            files: None,
            no_stall: false,
            time_scale: 100,
            redirect: None,
            align: 0,
            scale: 1,
            skip: [false; 4],
        }
    }
}

impl Iolog {
    /// Whether the job replays a log.
    pub(crate) const fn is_set(&self) -> bool {
        self.files.is_some()
    }
}

fn files(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    if value.text()? == "-" {
        return Err("files: a run reads nothing from its standard input".to_owned());
    }
    job.iolog.files = Some(value.text()?.into());
    Ok(())
}

fn no_stall(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.iolog.no_stall = value.flag()?;
    Ok(())
}

fn time_scale(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.iolog.time_scale = value.count(1, 1_000_000)?;
    Ok(())
}

fn redirect(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.iolog.redirect = Some(value.text()?.into());
    Ok(())
}

fn align(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    let align = value.integer()?;
    if align != 0 && (!align.is_power_of_two() || align < u64::from(SECTOR_BYTES)) {
        return Err("0, or a power of two of at least 512".to_owned());
    }
    job.iolog.align = align;
    Ok(())
}

fn scale(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.iolog.scale = value.count(0, u64::from(u32::MAX))?.max(1);
    Ok(())
}

fn skip(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    let mut skip = [false; 4];
    for word in value.text()?.split(',') {
        let kind = value
            .part(word.trim())
            .word(&[("read", 0), ("write", 1), ("trim", 2), ("sync", 3)])?;
        skip[kind] = true;
    }
    job.iolog.skip = skip;
    Ok(())
}

/// Options of logs that jobs replay.
pub(crate) const IOLOG: &[JobOption] = &[
    used(
        "read_iolog",
        files,
        "a log of fio (version 2 or 3) or another trace in the folder of the job file, which the job replays in place of commands of its own; of several, separated by `:`, each copy takes the next. Addresses are those of the drive, and files of a log lie one behind the other",
    ),
    used(
        "replay_no_stall",
        no_stall,
        "1: commands of a log are sent as soon as there is room, whatever their times",
    ),
    used(
        "replay_time_scale",
        time_scale,
        "percentage of the rate of a log at which it is replayed",
    ),
    used(
        "replay_redirect",
        redirect,
        "all files of a log are the same one, whatever its name",
    ),
    used(
        "replay_align",
        align,
        "addresses of a log are rounded down to multiples of this power of two",
    ),
    used("replay_scale", scale, "addresses of a log are divided by this"),
    used(
        "replay_skip",
        skip,
        "read, write, trim, sync, separated by commas: what is left out of a log",
    ),
];

/// A log that a job replays.
pub(crate) struct Replayed {
    log: TraceReplay,
    options: Iolog,
    queue: u16,
    /// Sectors of the drive.
    sectors: u64,
    notes: Vec<String>,
}

impl Replayed {
    /// The log of a copy, which is client number `client`.
    ///
    /// # Errors
    /// A log that cannot be read, or does not fit the drive.
    pub(crate) fn open(copy: &Copy<'_>, client: usize, drive: &FioDrive) -> Result<Self, Fault> {
        let options = copy.spec.iolog.clone();
        let names = split(options.files.as_deref().unwrap_or_default());
        let name = &names[copy.number as usize % names.len()];
        // what has no end, such as a device, is no log
        if !drive.folder.join(name).is_file() {
            return Err(copy.fault("read_iolog", name, "a file that is there"));
        }
        let config = WorkloadConfig {
            kind: WorkloadKind::Trace,
            path: Some(Path::new(name).to_owned()),
            devices: match options.redirect {
                Some(_) => DeviceLayout::Fold,
                None => DeviceLayout::SideBySide,
            },
            compress_time: options.time_scale as f64 / 100.0,
            ..WorkloadConfig::default()
        };
        let reach = drive.sectors.saturating_mul(options.scale);
        let log = TraceReplay::open(&config, reach, &drive.folder, &mut |_| true)
            .map_err(|error| copy.fault("read_iolog", name, format!("a log of fio, or a trace: {error}")))?;
        Ok(Self {
            log,
            options,
            queue: client as u16,
            sectors: drive.sectors,
            notes: Vec::new(),
        })
    }

    /// What the user should know beside what the log tells.
    pub(crate) fn tell(&mut self, notes: Vec<String>) {
        self.notes = notes;
    }

    fn is_skipped(&self, op: HostOp) -> bool {
        let kind = match op {
            HostOp::Read => 0,
            HostOp::Trim => 2,
            HostOp::Flush => 3,
            _ => 1,
        };
        self.options.skip[kind]
    }

    fn place(&self, sector: u64) -> u64 {
        let sector = sector / self.options.scale;
        let align = self.options.align / u64::from(SECTOR_BYTES);
        if align > 1 { sector / align * align } else { sector }
    }
}

impl Source for Replayed {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        while let Some(command) = self.log.next_command()? {
            if self.is_skipped(command.op) {
                continue;
            }
            let sector = self.place(command.sector);
            // a long command near the end is moved by less than it is long
            let last = self.sectors.saturating_sub(u64::from(command.sectors));
            return Ok(Some(HostCommand {
                sector: sector.min(last),
                queue: self.queue,
                arrival: if self.options.no_stall {
                    SimTime::ZERO
                } else {
                    command.arrival
                },
                ..command
            }));
        }
        Ok(None)
    }

    fn len_hint(&self) -> Option<u64> {
        None
    }

    fn notes(&self) -> Vec<String> {
        self.notes.iter().cloned().chain(self.log.notes()).collect()
    }

    fn trace_facts(&self) -> Option<TraceFacts> {
        None
    }
}
