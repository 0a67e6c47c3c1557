//! Options that a job sets and that change nothing of it, and why.

use super::Direction;
use super::drive::FioDrive;
use super::job::Work;
use super::layout::Copy;
use super::placement::Directive;
use super::spec::Pattern;
use super::zoned::build::without_effect_of_zones;

/// Options of a job that are set and change nothing, and why.
pub(crate) fn without_effect(copy: &Copy<'_>, drive: &FioDrive) -> Vec<(&'static str, &'static str)> {
    let spec = copy.spec;
    let mut found = without_effect_of_zones(copy, drive);
    let mut note = |applies: bool, options: &[&'static str], why: &'static str| {
        let set = options.iter().filter(|option| applies && spec.is_written(option));
        found.extend(set.map(|option| (*option, why)));
    };
    note(
        !spec.random,
        &[
            "norandommap",
            "random_distribution",
            "percentage_random",
            "blockalign",
        ],
        "rw is sequential",
    );
    note(
        !spec.random || spec.modifier.is_none(),
        &["rw_sequencer"],
        "rw has no number of commands from one random place to the next",
    );
    note(
        spec.pattern != Pattern::ReadWrite,
        &["rwmixread", "rwmixwrite"],
        "rw does not mix reads and writes",
    );
    note(
        !spec.may_write(),
        &[
            "fsync",
            "fdatasync",
            "end_fsync",
            "fsync_on_close",
            "sync",
            "write_mode",
            "write_hint",
        ],
        "the job does not write",
    );
    note(
        spec.rate.is_unset() && spec.rate_iops.is_unset(),
        &["rate_process"],
        "there is no rate",
    );
    note(
        spec.thinktime.ns() == 0,
        &["thinktime_blocks"],
        "there is no thinktime",
    );
    note(
        spec.is_time_based(),
        &["loops", "number_ios"],
        "the job goes on until its runtime is up",
    );
    note(
        spec.verifies() && !spec.reads_back(),
        &["verify", "verify_pattern"],
        "the job goes on until its runtime is up, and so never comes to the end of a pass, where fio reads back",
    );
    note(
        spec.beside.serialize_overlap && !spec.serializes(),
        &["serialize_overlap"],
        "one command is under way at a time, or none changes data",
    );
    note(
        !spec.may_write() && (spec.verify || spec.verify_pattern),
        &["verify", "verify_pattern"],
        "the job does not write, and what it reads is not compared",
    );
    note(
        !spec.verifies(),
        &["verify_backlog", "verify_backlog_batch"],
        "nothing is read back",
    );
    note(
        spec.verifies() && spec.verify_backlog == 0,
        &["verify_backlog_batch"],
        "there is no verify_backlog",
    );
    note(spec.beside.flow == 0, &["flow_id"], "there is no flow");
    note(!spec.beside.exitall, &["exit_what"], "there is no exitall");
    note(
        !spec.is_written("rate_min") && !spec.is_written("rate_iops_min"),
        &["rate_cycle"],
        "there is no rate_min",
    );
    note(
        spec.ranges() == 1,
        &["num_range"],
        "the job does not trim several ranges",
    );
    note(
        !spec.iolog.is_set(),
        &[
            "replay_no_stall",
            "replay_time_scale",
            "replay_redirect",
            "replay_align",
            "replay_scale",
            "replay_skip",
        ],
        "there is no read_iolog",
    );
    note(
        spec.directive == Directive::None,
        &["plids", "plid_select", "dp_scheme"],
        "there is no dataplacement",
    );
    note(
        copy.files() == 1 && !spec.iolog.is_set(),
        &["file_service_type"],
        "the job has one file",
    );
    note(
        spec.filename.is_some(),
        &["nrfiles", "filename_format"],
        "filename names the files",
    );
    note(
        spec.steadystate.is_none(),
        &[
            "steadystate_duration",
            "steadystate_ramp_time",
            "steadystate_check_interval",
        ],
        "there is no steadystate",
    );
    note(
        !(spec.offset.is_share() || spec.offset_increment.is_share()),
        &["offset_align"],
        "the offset is no share of the drive",
    );
    note(spec.numjobs == 1, &["offset_increment"], "the job has one copy");
    note(
        spec.bssplit.of(placed(spec.work())).is_some(),
        &["bs", "bsrange"],
        "bssplit stands above it",
    );
    found
}

/// The direction whose sizes are looked at.
const fn placed(work: Work) -> Direction {
    work.directions()[0]
}
