//! Options that would change what is sent, and that Wordline does not have.

use super::options::{JobOption, Treatment};

/// Refused whatever its value.
const fn refused(name: &'static str, meaning: &'static str) -> JobOption {
    unless(name, &[], &[], meaning)
}

/// Refused unless the value asks for nothing.
const fn unless(
    name: &'static str,
    aliases: &'static [&'static str],
    unless: &'static [&'static str],
    meaning: &'static str,
) -> JobOption {
    JobOption {
        name,
        aliases,
        treatment: Treatment::Refused { unless },
        meaning,
    }
}

const BATCH: &str = "commands are sent one by one, as soon as there is room";
const LOG: &str = "logs are not replayed from a job file; set workload.kind = \"trace\" for a trace";
const TARGET: &str = "iodepth is not searched for";
const MINIMUM: &str = "a job is not ended by what the drive reaches";
const BACKLOG: &str = "written data are not read back and compared";
const TRIMMED: &str = "trims of verified data are not supported";

/// Options that are refused, and why.
pub(crate) const REFUSED: &[JobOption] = &[
    unless(
        "ramp_size",
        &[],
        &["0"],
        "a ramp is a time; set ramp_time, or run.warm_up for requests or drive writes",
    ),
    unless(
        "blocksize_unaligned",
        &["bs_unaligned"],
        &["0"],
        "hosts address whole sectors of 512 bytes",
    ),
    unless(
        "bs_is_seq_rand",
        &[],
        &["0"],
        "block sizes belong to reads, writes and trims",
    ),
    unless("iodepth_batch", &["iodepth_batch_submit"], &["1"], BATCH),
    unless(
        "iodepth_batch_complete_min",
        &["iodepth_batch_complete"],
        &["0", "1"],
        "the host takes up each completion at once",
    ),
    refused("iodepth_low", BATCH),
    unless(
        "serialize_overlap",
        &[],
        &["0"],
        "commands that overlap are not held back",
    ),
    unless(
        "io_submit_mode",
        &[],
        &["inline"],
        "commands are sent by the job itself",
    ),
    unless("rate_min", &["ratemin"], &["0"], MINIMUM),
    unless("rate_iops_min", &[], &["0"], MINIMUM),
    unless(
        "rate_ignore_thinktime",
        &[],
        &["0"],
        "a rate catches up after a pause",
    ),
    unless(
        "thinktime_iotime",
        &[],
        &["0"],
        "pauses come after a number of commands, not after a time",
    ),
    unless("latency_target", &[], &["0"], TARGET),
    unless("latency_window", &[], &["0"], TARGET),
    refused("latency_percentile", TARGET),
    unless("latency_run", &[], &["0"], TARGET),
    unless("max_latency", &[], &["0"], MINIMUM),
    unless(
        "flow",
        &[],
        &["0"],
        "jobs do not hold each other back; give each its rate",
    ),
    refused("flow_id", "jobs do not hold each other back; give each its rate"),
    refused(
        "flow_watermark",
        "jobs do not hold each other back; give each its rate",
    ),
    refused(
        "flow_sleep",
        "jobs do not hold each other back; give each its rate",
    ),
    refused("wait_for", "a job waits for all jobs above it; set stonewall"),
    unless(
        "exitall",
        &[],
        &["0"],
        "a job is not ended by another; set its runtime",
    ),
    refused("exit_what", "a job is not ended by another; set its runtime"),
    unless(
        "write_barrier",
        &["barrier"],
        &["0"],
        "drives have no barriers; set fsync",
    ),
    refused(
        "sync_file_range",
        "ranges of files are not synchronised; set fsync",
    ),
    unless("atomic", &[], &["0"], "writes are not atomic"),
    unless(
        "file_append",
        &[],
        &["0"],
        "files have their size before the run; set offset",
    ),
    unless(
        "fill_device",
        &["fill_fs"],
        &["0"],
        "a drive does not run out of space; set size",
    ),
    refused("opendir", "there are no directories on the drive; set filename"),
    unless("create_only", &[], &["0"], "a job that sends nothing"),
    unless("verify_only", &[], &["0"], BACKLOG),
    unless("verify_backlog", &[], &["0"], BACKLOG),
    unless("verify_backlog_batch", &[], &["0"], BACKLOG),
    unless("trim_percentage", &[], &["0"], TRIMMED),
    unless("trim_verify_zero", &[], &["0"], TRIMMED),
    unless("trim_backlog", &[], &["0"], TRIMMED),
    unless("trim_backlog_batch", &[], &["0"], TRIMMED),
    unless(
        "zone_append",
        &[],
        &["0"],
        "zones are written at their write pointers",
    ),
    unless(
        "initial_zone_reset",
        &[],
        &["0"],
        "the zones of the drive are empty",
    ),
    unless("num_range", &[], &["1"], "a trim has one range"),
    refused("read_iolog", LOG),
    refused("read_iolog_chunked", LOG),
    refused("merge_blktrace_file", LOG),
    refused("merge_blktrace_scalars", LOG),
    refused("merge_blktrace_iters", LOG),
    refused("replay_no_stall", LOG),
    refused("replay_time_scale", LOG),
    refused("replay_redirect", LOG),
    refused("replay_align", LOG),
    refused("replay_scale", LOG),
    refused("replay_skip", LOG),
    unless("readfua", &[], &["0"], "reads have no forced unit access"),
    unless(
        "writefua",
        &[],
        &["0"],
        "set sync=1 for writes with forced unit access",
    ),
    unless("sprandom", &[], &["0"], "age the drive instead; see age.method"),
];
