//! Options that are accepted and change no command.

use super::options::{JobOption, Treatment};

const fn noted(name: &'static str, meaning: &'static str) -> JobOption {
    JobOption {
        name,
        aliases: &[],
        treatment: Treatment::Noted,
        meaning,
    }
}

const fn ignored(name: &'static str, meaning: &'static str) -> JobOption {
    aliased(name, &[], meaning)
}

const fn aliased(name: &'static str, aliases: &'static [&'static str], meaning: &'static str) -> JobOption {
    JobOption {
        name,
        aliases,
        treatment: Treatment::Ignored,
        meaning,
    }
}

const CONTENT: &str = "the content of data is not simulated";
const PRIORITY: &str = "commands have no priority here";
const REPORT: &str = "concerns the report of fio";
const LOG: &str = "concerns the logs of fio";
const BUFFERS: &str = "concerns the buffers in the host's memory";
const HOST: &str = "concerns processes of the host, which is not simulated";
const FILES: &str = "concerns files of the host; files are placed on the drive before the run";
const ENGINE: &str = "concerns how the host's engine calls the kernel";
const VERIFYING: &str = "without effect without verify";

/// Options whose lack of effect the user should know of.
pub(crate) const NOTED: &[JobOption] = &[
    noted("buffer_compress_percentage", CONTENT),
    noted("buffer_compress_chunk", CONTENT),
    noted("dedupe_percentage", CONTENT),
    noted("dedupe_mode", CONTENT),
    noted("dedupe_working_set_percentage", CONTENT),
    noted("dedupe_global", CONTENT),
    noted("prio", PRIORITY),
    noted("prioclass", PRIORITY),
    noted("cmdprio_percentage", PRIORITY),
    noted("cmdprio_class", PRIORITY),
    noted("cmdprio", PRIORITY),
    noted("cmdprio_bssplit", PRIORITY),
    noted(
        "randrepeat",
        "runs repeat in any case; change randseed or `workload.seed` for other draws",
    ),
    noted(
        "allrandrepeat",
        "runs repeat in any case; change randseed or `workload.seed` for other draws",
    ),
    noted("random_generator", "the generator is Wordline's own"),
];

/// Options about fio itself and its host.
pub(crate) const IGNORED: &[JobOption] = &[
    ignored("description", "not parsed, as in fio"),
    ignored("group_reporting", REPORT),
    ignored("new_group", REPORT),
    ignored("unified_rw_reporting", REPORT),
    ignored("stats", REPORT),
    ignored("unit_base", REPORT),
    ignored("percentile_list", REPORT),
    ignored("significant_figures", REPORT),
    ignored("clat_percentiles", REPORT),
    ignored("slat_percentiles", REPORT),
    ignored("lat_percentiles", REPORT),
    ignored("disk_util", REPORT),
    ignored("disable_lat", REPORT),
    ignored("disable_clat", REPORT),
    ignored("disable_slat", REPORT),
    aliased("disable_bw_measurement", &["disable_bw"], REPORT),
    ignored("bwavgtime", REPORT),
    ignored("iopsavgtime", REPORT),
    ignored("rate_cycle", REPORT),
    ignored("error_dump", REPORT),
    ignored("per_job_logs", LOG),
    ignored("write_bw_log", LOG),
    ignored("write_lat_log", LOG),
    ignored("write_hist_log", LOG),
    ignored("write_iops_log", LOG),
    ignored("write_iolog", LOG),
    ignored("log_entries", LOG),
    aliased("log_avg_msec", &["log_window_value"], LOG),
    ignored("log_hist_msec", LOG),
    ignored("log_hist_coarseness", LOG),
    ignored("log_max_value", LOG),
    ignored("log_offset", LOG),
    ignored("log_prio", LOG),
    ignored("log_compression", LOG),
    ignored("log_compression_cpus", LOG),
    ignored("log_store_compressed", LOG),
    ignored("log_unix_epoch", LOG),
    ignored("log_alternate_epoch", LOG),
    ignored("block_error_percentiles", LOG),
    ignored("thread", HOST),
    ignored("nice", HOST),
    ignored("cpumask", HOST),
    ignored("cpus_allowed", HOST),
    ignored("cpus_allowed_policy", HOST),
    ignored("numa_cpu_nodes", HOST),
    ignored("numa_mem_policy", HOST),
    ignored("cgroup", HOST),
    ignored("cgroup_weight", HOST),
    ignored("cgroup_nodelete", HOST),
    ignored("uid", HOST),
    ignored("gid", HOST),
    ignored("lockmem", HOST),
    ignored("exec_prerun", HOST),
    ignored("exec_postrun", HOST),
    ignored("ioscheduler", HOST),
    ignored("continue_on_error", HOST),
    ignored("ignore_error", HOST),
    ignored("exitall_on_error", HOST),
    ignored("profile", HOST),
    ignored("clocksource", HOST),
    ignored("gtod_reduce", HOST),
    ignored("gtod_cpu", HOST),
    ignored(
        "thinktime_spin",
        "a pause is a pause, whatever the host does in it",
    ),
    ignored(
        "thinktime_blocks_type",
        "a pause begins when its commands are completed",
    ),
    ignored(
        "softrandommap",
        "the random map needs no memory that could run out",
    ),
    ignored("invalidate", "there is no page cache to invalidate"),
    ignored("fadvise_hint", "there is no page cache to advise"),
    ignored("pre_read", "there is no page cache to fill"),
    ignored("zero_buffers", BUFFERS),
    ignored("refill_buffers", BUFFERS),
    ignored("scramble_buffers", BUFFERS),
    ignored("buffer_pattern", BUFFERS),
    aliased("iomem", &["mem"], BUFFERS),
    aliased("iomem_align", &["mem_align"], BUFFERS),
    ignored("hugepage-size", BUFFERS),
    ignored("unique_filename", FILES),
    ignored("lockfile", FILES),
    ignored("openfiles", FILES),
    ignored("create_serialize", FILES),
    ignored("create_fsync", FILES),
    ignored("create_on_open", FILES),
    ignored("allow_file_create", FILES),
    ignored("allow_mounted_write", FILES),
    ignored("unlink", FILES),
    ignored("unlink_each_loop", FILES),
    ignored("fallocate", FILES),
    ignored("overwrite", FILES),
    ignored("hipri", ENGINE),
    ignored("hipri_percentage", ENGINE),
    ignored("fixedbufs", ENGINE),
    ignored("registerfiles", ENGINE),
    ignored("nonvectored", ENGINE),
    ignored("sqthread_poll", ENGINE),
    ignored("sqthread_poll_cpu", ENGINE),
    ignored("force_async", ENGINE),
    ignored("userspace_reap", ENGINE),
    ignored("nowait", ENGINE),
    ignored("cmd_type", ENGINE),
    ignored(
        "iodepth_batch_complete_max",
        "a bound on what the host takes up at once, not on what it waits for",
    ),
    ignored("verify_fatal", VERIFYING),
    ignored("verify_dump", VERIFYING),
    ignored("verify_async", VERIFYING),
    ignored("verify_async_cpus", VERIFYING),
    ignored("verify_offset", VERIFYING),
    ignored("verify_interval", VERIFYING),
    ignored("verify_pattern", VERIFYING),
    ignored("verify_state_save", VERIFYING),
    ignored("verify_state_load", VERIFYING),
    ignored("experimental_verify", VERIFYING),
];
