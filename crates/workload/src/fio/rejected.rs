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

const LOG: &str = "logs are not merged; give each to a job of its own";
const TARGET: &str = "the iodepth that meets a latency is not searched for; write iodepth=${DEPTH} and run the job with several --define DEPTH=";
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
    refused("opendir", "there are no directories on the drive; set filename"),
    unless("create_only", &[], &["0"], "a job that sends nothing"),
    unless("verify_only", &[], &["0"], BACKLOG),
    unless("trim_percentage", &[], &["0"], TRIMMED),
    unless("trim_verify_zero", &[], &["0"], TRIMMED),
    unless("trim_backlog", &[], &["0"], TRIMMED),
    unless("trim_backlog_batch", &[], &["0"], TRIMMED),
    unless(
        "initial_zone_reset",
        &[],
        &["0"],
        "the zones of the drive are empty",
    ),
    refused("merge_blktrace_file", LOG),
    refused("merge_blktrace_scalars", LOG),
    refused("merge_blktrace_iters", LOG),
    unless("readfua", &[], &["0"], "reads have no forced unit access"),
    unless(
        "sg_write_mode",
        &[],
        &["write", "0"],
        "SCSI commands other than writes are not simulated",
    ),
    unless("sprandom", &[], &["0"], "age the drive instead; see age.method"),
];
