//! Options of what a job does beside sending its commands: when it takes up completions, whom it waits for, whose end its own is, and what ends it.

use std::collections::BTreeMap;
use std::sync::Arc;

use wordline_units::Duration;

use super::Each;
use super::error::Fault;
use super::layout::Copy;
use super::options::{JobOption, also, used};
use super::spec::{Engine, JobSpec};
use super::values::{MICROSECOND, Value};
use crate::{Batch, Conduct, Ends, Floor};

/// Longest cycle of `rate_min`, in ms: an hour.
const LONGEST_CYCLE: u64 = 3_600_000;

/// What a job says of it.
#[derive(Clone, Debug)]
pub(crate) struct Beside {
    complete_min: u32,
    complete_max: u32,
    low: u32,
    pub(crate) is_offloaded: bool,
    wait_for: Option<Arc<str>>,
    pub(crate) exitall: bool,
    exit_what: Ends,
    pub(crate) new_group: bool,
    group_reporting: bool,
    rate_min: Each<Option<u64>>,
    rate_iops_min: Each<Option<u64>>,
    rate_cycle: Duration,
    max_latency: Each<Option<Duration>>,
    /// Weight of the job among those of its flow; 0: none.
    pub(crate) flow: u64,
    pub(crate) flow_id: u64,
    pub(crate) serialize_overlap: bool,
}

impl Default for Beside {
    fn default() -> Self {
        Self {
            complete_min: 1,
            complete_max: 0,
            low: 0,
            is_offloaded: false,
            wait_for: None,
            exitall: false,
            exit_what: Ends::Group,
            new_group: false,
            group_reporting: false,
            rate_min: Each::default(),
            rate_iops_min: Each::default(),
            rate_cycle: Duration::from_ms(1000),
            max_latency: Each::default(),
            flow: 0,
            flow_id: 0,
            serialize_overlap: false,
        }
    }
}

/// A setter of one field by one method of [`Value`].
macro_rules! setters {
    ($($name:ident: $read:expr;)*) => {
        $(fn $name<'a>(job: &mut JobSpec, value: &Value<'a>) -> Result<(), String> {
            let read: fn(&Value<'a>) -> Result<_, String> = $read;
            job.beside.$name = read(value)?;
            Ok(())
        })*
    };
}

fn depth(value: &Value<'_>) -> Result<u32, String> {
    let most = super::setters::MOST_COMMANDS;
    Ok(value.count(0, most)? as u32)
}

setters! {
    complete_min: depth;
    complete_max: depth;
    low: depth;
    is_offloaded: |value| value.word(&[("inline", false), ("offload", true)]);
    wait_for: |value| value.text().map(|text| Some(text.into()));
    exitall: Value::flag;
    exit_what: |value| value.word(&[
        ("group", Ends::Group),
        ("stonewall", Ends::Started),
        ("all", Ends::All),
    ]);
    new_group: Value::flag;
    group_reporting: Value::flag;
    rate_min: |value| value.each(Value::integer);
    rate_iops_min: |value| value.each(Value::integer);
    rate_cycle: |value| value.count(1, LONGEST_CYCLE).map(Duration::from_ms);
    max_latency: |value| value.each(|part| part.time(MICROSECOND));
    flow: |value| value.count(0, 1000);
    flow_id: |value| value.count(0, u64::from(u32::MAX));
    serialize_overlap: Value::flag;
}

/// Options of jobs beside each other, and of what ends them.
pub(crate) const BESIDE: &[JobOption] = &[
    also(
        "iodepth_batch_complete_min",
        &["iodepth_batch_complete"],
        complete_min,
        "a job whose commands are all outstanding waits until so many are completed, and takes them up together; 0 alone keeps one command outstanding, as in fio",
    ),
    used(
        "iodepth_batch_complete_max",
        complete_max,
        "completions that are taken up together at most; iodepth_batch_complete_min where that is more",
    ),
    used(
        "iodepth_low",
        low,
        "a job whose commands are all outstanding sends nothing before no more than so many are; iodepth where it is unset or more",
    ),
    used(
        "io_submit_mode",
        is_offloaded,
        "inline (default): a job with a rate waits for all that it has sent before it waits for its time; offload: it does not",
    ),
    used(
        "wait_for",
        wait_for,
        "the job starts when all copies of the job of this name, which stands above it, are completed",
    ),
    used(
        "exitall",
        exitall,
        "in any job: when a job is completed, those of its exit_what send nothing more",
    ),
    used(
        "exit_what",
        exit_what,
        "with exitall: group (those of its reporting group), stonewall (those that have started) or all",
    ),
    used(
        "new_group",
        new_group,
        "a reporting group begins with the job, as with stonewall",
    ),
    used(
        "group_reporting",
        group_reporting,
        "jobs of one reporting group that follow each other have one row in results",
    ),
    also(
        "rate_min",
        &["ratemin"],
        rate_min,
        "bytes per second below which the job ends, judged as in fio: from its third second on, over each rate_cycle",
    ),
    used(
        "rate_iops_min",
        rate_iops_min,
        "commands per second below which the job ends, as with rate_min",
    ),
    also(
        "rate_cycle",
        &["ratecycle"],
        rate_cycle,
        "milliseconds over which rate_min and rate_iops_min are judged; 1000 where it is unset",
    ),
    used(
        "max_latency",
        max_latency,
        "the job ends when a command takes longer; microseconds without unit; separated by commas, one each for reads, writes and trims",
    ),
    used(
        "flow",
        flow,
        "weight of the job among those of its flow_id: a job that has sent more than its share waits for the others; 0: it does not",
    ),
    used(
        "flow_id",
        flow_id,
        "which jobs share their flow; 0 where it is unset",
    ),
    used(
        "serialize_overlap",
        serialize_overlap,
        "a command that overlaps one under way waits until that is completed, and the job with it; with io_submit_mode=offload those of all such jobs count. Changes nothing where one command \
         is under way, or none changes data",
    ),
];

impl Beside {
    /// How completions are taken up; `None`: one by one.
    fn batch(&self, depth: u32) -> Option<Batch> {
        let least = self.complete_min.clamp(1, depth);
        let most = self.complete_max.max(self.complete_min).clamp(least, depth);
        let low = match self.low {
            0 => depth,
            low => low.min(depth),
        };
        (least > 1 || most > 1 || low < depth).then_some(Batch { least, most, low })
    }

    /// Commands outstanding of a job with so many: where completions are looked for after each command, one of them is waited for.
    pub(crate) const fn depth(&self, depth: u32) -> u32 {
        if self.complete_min == 0 && self.complete_max == 0 {
            1
        } else {
            depth
        }
    }

    fn floor(&self) -> Option<Floor> {
        let bytes = self.rate_min.values();
        let commands = self.rate_iops_min.values();
        let is_set = bytes.iter().chain(&commands).any(|rate| *rate > 0);
        is_set.then_some(Floor {
            bytes,
            commands,
            cycle: self.rate_cycle,
        })
    }

    fn longest(&self) -> Option<[Duration; 3]> {
        let values = self.max_latency.clone().map(|limit| {
            limit
                .filter(|limit| *limit > Duration::ZERO)
                .unwrap_or(Duration(u64::MAX))
        });
        (!self.max_latency.is_unset()).then_some(values)
    }
}

/// What the copies of a file's jobs do beside sending commands, each with its stonewall group.
///
/// # Errors
/// A job that waits for none, or for one of several of that name.
pub(crate) fn conducts(copies: &[Copy<'_>], ramps: &[Duration]) -> Result<Vec<Conduct>, Fault> {
    let exits = copies.iter().any(|copy| copy.spec.beside.exitall);
    let mut names: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    let mut group = 0;
    let mut found = Vec::with_capacity(copies.len());
    for (index, (copy, ramp)) in copies.iter().zip(ramps).enumerate() {
        let beside = &copy.spec.beside;
        let begins = copy.number == 0 && (copy.spec.stonewall || beside.new_group);
        if begins && index > 0 {
            group += 1;
        }
        let waits_for = match beside.wait_for.as_deref() {
            None => Vec::new(),
            Some(name) => waited_for(copies, copy, name, names.get(name))?,
        };
        found.push(Conduct {
            batch: match copy.spec.engine {
                Engine::Asynchronous => beside.batch(copy.spec.iodepth),
                Engine::Synchronous => None,
            },
            quiesces: !beside.is_offloaded,
            waits_for,
            ends: exits.then_some(beside.exit_what),
            reporting_group: group,
            is_reported_together: beside.group_reporting,
            ramp: *ramp,
            floor: beside.floor(),
            longest: beside.longest(),
        });
        // a copy is known to those behind all copies of its job
        let is_last = copies.get(index + 1).is_none_or(|next| next.number == 0);
        if is_last {
            let all = (index as u32 - copy.number as u32)..=index as u32;
            names.entry(copy.job).or_default().extend(all);
        }
    }
    Ok(found)
}

fn waited_for(
    copies: &[Copy<'_>],
    copy: &Copy<'_>,
    name: &str,
    found: Option<&Vec<u32>>,
) -> Result<Vec<u32>, Fault> {
    let Some(found) = found else {
        return Err(copy.fault("wait_for", name, "the name of a job above this one"));
    };
    let firsts = found.iter().filter(|index| copies[**index as usize].number == 0);
    if firsts.count() > 1 {
        return Err(copy.fault(
            "wait_for",
            name,
            "a name that one job has: several above have this one",
        ));
    }
    Ok(found.clone())
}
