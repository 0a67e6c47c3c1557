//! From a job file to the clients that send its commands.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File as Disk;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex};

use wordline_units::{Duration, SECTOR_BYTES, Seed};

use super::beside::conducts;
use super::build::Builder;
use super::drive::FioDrive;
use super::error::Fault;
use super::flow::{Flow, FlowedJob};
use super::ini::{Line, lines};
use super::iolog::Replayed;
use super::job::Job;
use super::layout::{Copy, Layout};
use super::overlap::{SerialJob, UnderWay};
use super::spec::{Engine, JobSpec, written};
use super::values::Space;
use super::variables::replaced;
use super::zoned::build::FileZones;
use super::zoned::table::ZoneTable;
use super::zoned::{ZoneRules, ZonedJob};
use crate::error::JobError;
use crate::synthetic::slots::below;
use crate::{Admission, Client, Conduct, Think, WorkloadConfig, WorkloadError};

/// Jobs of a file, copies counted: as many as fio runs.
pub(crate) const MOST_CLIENTS: u64 = 4096;
/// Files of one job.
pub(crate) const MOST_FILES: u64 = 1024;
/// Files of all jobs, each with the state of its own that a job keeps for it.
const MOST_STATES: u64 = 1 << 16;
/// Largest job file.
const LARGEST: u64 = 1 << 20;
const SECTOR: u64 = SECTOR_BYTES as u64;

/// The clients of the job file that `config` names (`kind = "fio"`), on a drive; `base_dir` is the folder that a relative path starts at.
///
/// # Errors
/// A key that cannot be used, a file that cannot be read, a job that cannot be run on the drive.
pub fn fio_job_file(
    config: &WorkloadConfig,
    drive: FioDrive,
    base_dir: &Path,
) -> Result<Vec<Client>, WorkloadError> {
    config.check()?;
    let drive = FioDrive {
        folder: base_dir.to_owned(),
        variables: config.define.clone(),
        ..drive
    };
    if let Some(jobs) = &config.jobs {
        return Ok(fio_clients(jobs, "workload.jobs", &drive, config.seed)?);
    }
    let path = base_dir.join(config.path.as_deref().unwrap_or(Path::new("")));
    let cannot = |problem: String| WorkloadError::file(&path, problem);
    let file = Disk::open(&path).map_err(|error| cannot(format!("cannot be opened: {error}")))?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| cannot(format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > LARGEST {
        return Err(cannot(
            "larger than 1 MiB: a fio job file is expected here".to_owned(),
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        cannot(format!(
            "not UTF-8 text (byte {byte}): a fio job file is expected here"
        ))
    })?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let drive = FioDrive { folder, ..drive };
    Ok(fio_clients(
        &text,
        &path.display().to_string(),
        &drive,
        config.seed,
    )?)
}

/// The clients of a fio job file, at least one, for a drive. `label` names the file in messages; `seed` is that of jobs without `randseed`.
///
/// # Errors
/// The first line that cannot be used, the first job that does not fit the drive.
pub fn fio_clients(text: &str, label: &str, drive: &FioDrive, seed: u64) -> Result<Vec<Client>, JobError> {
    assemble(text, drive, seed).map_err(|fault| fault.of(label))
}

/// What a job may do with zones, and the zones.
type JobZones = (ZoneRules, Arc<Mutex<ZoneTable>>);

/// What sends the commands of a client.
enum Made {
    Job(Box<Job>),
    Log(Box<Replayed>),
}

/// A section that is a job.
struct Section {
    line: usize,
    name: String,
    spec: JobSpec,
}

fn assemble(text: &str, drive: &FioDrive, seed: u64) -> Result<Vec<Client>, Fault> {
    let sections = sections(text, &drive.variables)?;
    let bytes = drive
        .sectors
        .checked_mul(SECTOR)
        .ok_or_else(|| Fault::new(1, "the drive is larger than 64 bits of bytes"))?;
    let copies: Vec<Copy<'_>> = sections
        .iter()
        .flat_map(|section| {
            (0..section.spec.numjobs).map(|number| Copy {
                spec: &section.spec,
                section: section.line,
                job: section.spec.name.as_deref().unwrap_or(&section.name),
                number,
            })
        })
        .take(MOST_CLIENTS as usize + 1)
        .collect();
    let files: u64 = copies.iter().map(Copy::files).sum();
    match copies.last() {
        None => {
            return Err(Fault::new(
                1,
                "no job; accepted: at least one [name] in addition to [global]",
            ));
        }
        Some(copy) if copies.len() as u64 > MOST_CLIENTS => {
            return Err(copy.fault(
                "numjobs",
                copy.spec.numjobs,
                format!("at most {MOST_CLIENTS} jobs in all"),
            ));
        }
        Some(copy) if files > MOST_STATES => {
            return Err(copy.fault(
                "nrfiles",
                copy.files(),
                format!("at most {MOST_STATES} files in all"),
            ));
        }
        Some(_) => {}
    }
    let zones = FileZones::of(&copies, drive)?;
    let space = Space {
        bytes,
        zone: zones.as_ref().map_or(0, FileZones::bytes),
    };
    let layout = Layout::new(&copies, space)?;
    let mut builder = Builder::new(&layout, (drive, space), zones.as_ref(), seed);
    let mut group = 0;
    let mut jobs = Vec::with_capacity(copies.len());
    let mut rules = Vec::with_capacity(copies.len());
    for (index, copy) in copies.iter().enumerate() {
        if copy.spec.stonewall && copy.number == 0 && index > 0 {
            group += 1;
        }
        copy.check_steady_state(copies.len())?;
        if copy.spec.iolog.is_set() {
            jobs.push((Made::Log(Box::new(Replayed::open(copy, index, drive)?)), group));
            rules.push(None);
            continue;
        }
        let (job, of_zones) = builder.job(copy, index)?;
        jobs.push((Made::Job(Box::new(job)), group));
        rules.push(of_zones);
    }
    FileZones::check_early_resets(&copies, &rules)?;
    let starts_later = |copy: &Copy<'_>, group: u32| group > 0 || copy.spec.is_written("wait_for");
    let ramps: Vec<Duration> = copies
        .iter()
        .zip(&jobs)
        .map(|(copy, (_, group))| match starts_later(copy, *group) {
            true => copy.spec.ramp_time,
            false => Duration::ZERO,
        })
        .collect();
    let conducts = conducts(&copies, &ramps)?;
    let mut flows: BTreeMap<u64, Arc<Mutex<Flow>>> = BTreeMap::new();
    let offloaded: Arc<Mutex<UnderWay>> = Arc::default();
    let notes = builder.notes().into_iter().chain(layout.note());
    let mut notes: Vec<String> = notes.map(|note| format!("fio: {note}")).collect();
    let mut clients = Vec::with_capacity(copies.len());
    let each = copies.iter().zip(jobs).zip(rules).zip(conducts);
    for (index, (((copy, (mut job, group)), rules), mut conduct)) in each.enumerate() {
        match &mut job {
            Made::Job(job) => job.notes = std::mem::take(&mut notes),
            Made::Log(log) => {
                // what waits for its time there does not wait for anything else
                conduct.quiesces = false;
                log.tell(std::mem::take(&mut notes));
            }
        }
        let zones = zones.as_ref().zip(rules);
        let zones = zones.map(|(zones, rules)| (rules, Arc::clone(&zones.table)));
        let mut client = client(copy, index, (job, zones), (group, conduct), seed);
        let beside = &copy.spec.beside;
        if copy.spec.serializes() {
            let under_way = match beside.is_offloaded {
                true => Arc::clone(&offloaded),
                false => Arc::default(),
            };
            client.source = Box::new(SerialJob::new(client.source, under_way));
        }
        if beside.flow > 0 {
            let flow = Arc::clone(flows.entry(beside.flow_id).or_default());
            client.source = Box::new(FlowedJob::new(client.source, flow, beside.flow));
        }
        clients.push(client);
    }
    number_names(&mut clients);
    Ok(clients)
}

fn client(
    copy: &Copy<'_>,
    index: usize,
    (job, zones): (Made, Option<JobZones>),
    (group, conduct): (u32, Conduct),
    seed: u64,
) -> Client {
    let spec = copy.spec;
    let depth = match spec.engine {
        Engine::Synchronous => 1,
        Engine::Asynchronous => spec.beside.depth(spec.iodepth),
    };
    let think = (spec.thinktime > Duration::ZERO).then_some(Think {
        commands: spec.thinktime_blocks,
        time: spec.thinktime,
    });
    let is_paced = match &job {
        Made::Job(job) => job.pace.is_limited(),
        Made::Log(_) => !spec.iolog.no_stall,
    };
    // ranges of a trim are under way together
    let depth = depth.saturating_mul(spec.ranges() as u32);
    let admission = if think.is_some() || is_paced {
        Admission::Paced { depth, think }
    } else {
        Admission::ClosedLoop { depth }
    };
    let (least, most) = spec.startdelay;
    let mut stream = Seed(spec.seed.unwrap_or(seed)).stream(&format!("workload.fio.{index}.delay"));
    Client {
        name: copy.job.to_owned(),
        source: match (job, zones) {
            (Made::Job(job), Some((rules, table))) => Box::new(ZonedJob::new(*job, index, rules, table)),
            (Made::Job(job), None) => job,
            (Made::Log(log), _) => log,
        },
        admission,
        group,
        delay: least + Duration(below((most - least).ns().saturating_add(1), &mut stream)),
        time_limit: spec.runtime.map(|runtime| runtime + spec.ramp_time),
        steady_state: spec.steady_state(),
        ramp: if conduct.ramp > Duration::ZERO {
            Duration::ZERO
        } else {
            spec.ramp_time
        },
        conduct,
    }
}

/// Clients of one name are numbered: copies, and sections that are called alike.
fn number_names(clients: &mut [Client]) {
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for client in &*clients {
        counts.entry(client.name.clone()).or_default().0 += 1;
    }
    for client in clients {
        if let Some((all, seen)) = counts.get_mut(&client.name)
            && *all > 1
        {
            client.name = format!("{}.{seen}", client.name);
            *seen += 1;
        }
    }
}

/// The jobs of a file, with what the `[global]` sections above them set.
fn sections(text: &str, variables: &BTreeMap<String, String>) -> Result<Vec<Section>, Fault> {
    let mut defaults = JobSpec::default();
    let mut found: Vec<Section> = Vec::new();
    let mut current: Option<(usize, &str)> = None;
    let mut options = Vec::new();
    for line in lines(text).chain([Ok((0, Line::Section("")))]) {
        match line? {
            (number, Line::Section(name)) => {
                if let Some((line, name)) = current {
                    close(&mut defaults, &mut found, line, name, &options)?;
                }
                options.clear();
                current = Some((number, name));
            }
            (number, Line::Option { key, value }) => {
                if current.is_none() {
                    let key = key.escape_debug();
                    return Err(Fault::new(
                        number,
                        format!(
                            "`{key}` stands before the first section; accepted: [global] or [name] above it"
                        ),
                    ));
                }
                let refused =
                    |problem: String| Fault::new(number, format!("{}: {problem}", written(key, value)));
                let replaced = value.map(|value| replaced(value, variables)).transpose();
                let value = replaced.map_err(refused)?;
                options.push((number, key, value));
            }
        }
    }
    Ok(found)
}

/// Takes up a section that ended.
fn close(
    defaults: &mut JobSpec,
    found: &mut Vec<Section>,
    line: usize,
    name: &str,
    options: &[(usize, &str, Option<Cow<'_, str>>)],
) -> Result<(), Fault> {
    let global = name.eq_ignore_ascii_case("global");
    let mut spec = defaults.clone();
    // units, and the engine, count for every option of the section, wherever they stand
    let (units, others): (Vec<_>, Vec<_>) = options
        .iter()
        .partition(|(_, key, _)| matches!(*key, "kb_base" | "ioengine"));
    for (line, key, value) in units.into_iter().chain(others) {
        spec.set(*line, key, value.as_deref())?;
    }
    if global {
        *defaults = spec;
        return Ok(());
    }
    if found.len() as u64 == MOST_CLIENTS {
        return Err(Fault::new(
            line,
            format!("one job too many; accepted: {MOST_CLIENTS}"),
        ));
    }
    found.push(Section {
        line,
        name: name.to_owned(),
        spec,
    });
    Ok(())
}
