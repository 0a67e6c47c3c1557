//! The table of job options: what each means here.

use super::beside::BESIDE;
use super::iolog::IOLOG;
use super::rejected::REFUSED;
use super::setters::{self as set, Setter};

use super::without_effect::{IGNORED, NOTED};
use super::zoned::options::ZONES;

/// An option of fio and what becomes of it.
pub(crate) struct JobOption {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) treatment: Treatment,
    /// What it does here, what else fio does, or why it is refused.
    pub(crate) meaning: &'static str,
}

/// What becomes of an option.
#[derive(Clone, Copy)]
pub(crate) enum Treatment {
    /// It says what the job does.
    Used(Setter),
    /// Accepted; concerns fio itself or its host, not the commands.
    Ignored,
    /// Accepted; the user is told that it changes nothing here.
    Noted,
    /// Refused, but for values that ask for nothing.
    Refused { unless: &'static [&'static str] },
}

/// One row of the table of options, for documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FioOption {
    /// Its name in job files.
    pub name: &'static str,
    /// Other names of the same.
    pub aliases: &'static [&'static str],
    /// `used`, `ignored`, `noted` or `refused`.
    pub treatment: &'static str,
    /// What it does here, or why it does nothing, or why it is refused.
    pub meaning: &'static str,
}

/// Every option of fio job files that Wordline knows.
pub fn fio_options() -> impl Iterator<Item = FioOption> {
    all().map(|option| FioOption {
        name: option.name,
        aliases: option.aliases,
        treatment: match option.treatment {
            Treatment::Used(_) => "used",
            Treatment::Ignored => "ignored",
            Treatment::Noted => "noted",
            Treatment::Refused { .. } => "refused",
        },
        meaning: option.meaning,
    })
}

fn all() -> impl Iterator<Item = &'static JobOption> {
    [USED, BESIDE, IOLOG, ZONES, NOTED, IGNORED, REFUSED]
        .into_iter()
        .flatten()
}

/// The option called `name`.
pub(crate) fn find(name: &str) -> Option<&'static JobOption> {
    all().find(|option| option.name == name || option.aliases.contains(&name))
}

/// What to say of an option that does not exist.
pub(crate) fn unknown(name: &str) -> String {
    let farthest = (name.chars().count() / 3).max(1);
    let known = all()
        .flat_map(|option| [option.name].into_iter().chain(option.aliases.iter().copied()))
        // a distance to an overlong name would take long
        .filter(|known| name.len() <= known.len() + farthest.min(8));
    match wordline_units::nearest(name, known) {
        Some(known) => format!("unknown option; did you mean `{known}`?"),
        None => {
            "unknown option; accepted: the job options of fio 3 that describe a block workload".to_owned()
        }
    }
}

pub(crate) const fn used(name: &'static str, set: Setter, meaning: &'static str) -> JobOption {
    also(name, &[], set, meaning)
}

pub(crate) const fn also(
    name: &'static str,
    aliases: &'static [&'static str],
    set: Setter,
    meaning: &'static str,
) -> JobOption {
    JobOption {
        name,
        aliases,
        treatment: Treatment::Used(set),
        meaning,
    }
}

const USED: &[JobOption] = &[
    used(
        "kb_base",
        set::kb_base,
        "1024 (default): k is 1024 and kib is 1000; 1000: the other way round. Counts for its whole section",
    ),
    used(
        "name",
        set::name,
        "name of the job in results, in place of its section's",
    ),
    used(
        "numjobs",
        set::numjobs,
        "copies of the job, each with random streams and a queue of its own",
    ),
    used(
        "loops",
        set::loops,
        "passes over the files at least, and how often size counts",
    ),
    also(
        "runtime",
        &["timeout"],
        set::runtime,
        "nothing is sent later than this after the job's start; seconds without unit",
    ),
    used(
        "time_based",
        set::time_based,
        "the job starts over until its runtime is up",
    ),
    used(
        "ramp_time",
        set::ramp_time,
        "the run is measured when this time is over, the longest of its jobs, from their starts; it prolongs the runtime. Behind a stonewall, or with wait_for, the job's own figures begin then; run.warm_up counts instead where it is set",
    ),
    also(
        "steadystate",
        &["ss"],
        set::steadystate,
        "the job ends when it is in a steady state: when the values of a rolling window are within the limit of their mean (iops, bw, lat) or their slope per interval is below it (iops_slope, bw_slope, lat_slope); the limit is a number or a percentage of the mean. Each job is judged alone",
    ),
    also(
        "steadystate_duration",
        &["ss_dur"],
        set::steadystate_duration,
        "length of the window of steadystate; 0, the default: it is not judged",
    ),
    also(
        "steadystate_ramp_time",
        &["ss_ramp"],
        set::steadystate_ramp_time,
        "nothing is collected for steadystate for so long after the job's start",
    ),
    also(
        "steadystate_check_interval",
        &["ss_interval"],
        set::steadystate_check_interval,
        "time in which a value is collected for steadystate, 1 s by default; shorter ones than fio's are accepted",
    ),
    also(
        "startdelay",
        &["start_delay"],
        set::startdelay,
        "the job starts this long after its group; with a range, each copy draws its own time",
    ),
    also(
        "stonewall",
        &["wait_for_previous"],
        set::stonewall,
        "the job starts when all jobs above it are completed",
    ),
    used("directory", set::directory, "part of the names of files"),
    used(
        "filename",
        set::filename,
        "files separated by `:`, or one device, which is the drive; jobs that name the same file share it",
    ),
    used(
        "libblkio_path",
        set::libblkio_path,
        "the device of ioengine=libblkio, which is the drive, where no filename is given",
    ),
    used(
        "filename_format",
        set::filename_format,
        "names of files from $jobname, $jobnum and $filenum",
    ),
    also(
        "nrfiles",
        &["nr_files"],
        set::nrfiles,
        "files of each copy where no filename is given",
    ),
    used(
        "file_service_type",
        set::file_service_type,
        "roundrobin, random or sequential, each with :commands per turn, or zipf:theta, pareto:h or normal:deviation, where files do not come to an end",
    ),
    also(
        "rw",
        &["readwrite"],
        set::rw,
        "read, write, trim, randread, randwrite, randtrim, rw, readwrite, randrw, trimwrite, randtrimwrite. A number behind `:` is the commands per random place, or the hole between sequential ones",
    ),
    used(
        "rw_sequencer",
        set::rw_sequencer,
        "sequential or identical: what comes between two random places",
    ),
    used(
        "rwmixread",
        set::rwmixread,
        "percentage of reads; drawn for each command",
    ),
    used(
        "rwmixwrite",
        set::rwmixwrite,
        "percentage of writes; the later of the two options counts",
    ),
    also(
        "bs",
        &["blocksize"],
        set::bs,
        "block size, a multiple of 512; separated by commas, one each for reads, writes and trims",
    ),
    also(
        "bsrange",
        &["blocksize_range"],
        set::bsrange,
        "each multiple of the smaller size up to the larger one, equally likely",
    ),
    used(
        "bssplit",
        set::bssplit,
        "sizes and their percentages; a blank percentage shares what is left; sizes are rounded down to multiples of the smallest",
    ),
    also(
        "blockalign",
        &["ba"],
        set::blockalign,
        "random places are multiples of this; switches the random map off",
    ),
    used(
        "size",
        set::size,
        "bytes of the region, divided by the files, and bytes of a pass over them; a percentage is one of the drive",
    ),
    also(
        "io_size",
        &["io_limit"],
        set::io_size,
        "bytes at which the job ends, where they differ from size; further passes follow where the files end before; a percentage is one of the regions",
    ),
    used(
        "filesize",
        set::filesize,
        "size of each file; size is then the bytes of a pass, at most those of all files",
    ),
    also(
        "offset",
        &["fileoffset"],
        set::offset,
        "start of the region in each file; a percentage is one of the drive, rounded up to blocks",
    ),
    used(
        "offset_increment",
        set::offset_increment,
        "added to offset for each copy",
    ),
    used(
        "offset_align",
        set::offset_align,
        "what an offset in percent is rounded up to; 0: the smallest block",
    ),
    used(
        "number_ios",
        set::number_ios,
        "the job ends after this many commands, times its loops; with rw=trimwrite after twice as many; without effect with time_based",
    ),
    used(
        "random_distribution",
        set::random_distribution,
        "random, zipf:theta (1.1 where it is left out), pareto:h (0.2), normal:deviation (0), zoned:access/size:..., zoned_abs:access/bytes:...; popular blocks are scattered, with :center around the most popular one",
    ),
    used(
        "percentage_random",
        set::percentage_random,
        "percentage of random places in a random job, the others go on behind the last command",
    ),
    used(
        "norandommap",
        set::norandommap,
        "each random place is drawn independently; otherwise every block is visited once per pass",
    ),
    used(
        "randseed",
        set::randseed,
        "seed of the job; left out: `workload.seed`",
    ),
    used(
        "direct",
        set::direct,
        "commands go to the drive directly in any case; without direct=1 a note says so",
    ),
    used(
        "buffered",
        set::buffered,
        "the other way round as direct: commands go to the drive directly in any case",
    ),
    used(
        "iodepth",
        set::iodepth,
        "commands outstanding; 1 with a synchronous engine",
    ),
    used(
        "ioengine",
        set::ioengine,
        "says whether iodepth counts: libaio, io_uring, posixaio and others yes; sync, psync (default), mmap and others no",
    ),
    used(
        "rate",
        set::rate,
        "bytes per second; separated by commas, one each for reads, writes and trims",
    ),
    used(
        "rate_iops",
        set::rate_iops,
        "commands of the smallest block per second",
    ),
    used("rate_process", set::rate_process, "linear or poisson"),
    used(
        "thinktime",
        set::thinktime,
        "pause after thinktime_blocks commands, when they are completed; microseconds without unit",
    ),
    used(
        "thinktime_blocks",
        set::thinktime_blocks,
        "commands between two pauses",
    ),
    used(
        "fsync",
        set::fsync,
        "a flush after this many writes, before the next command, as of fio 3.38",
    ),
    used("fdatasync", set::fdatasync, "as fsync"),
    used(
        "end_fsync",
        set::end_fsync,
        "a flush for each file at the end of each pass of a job that may write; not where the runtime ends the job",
    ),
    used("fsync_on_close", set::fsync_on_close, "as end_fsync"),
    used(
        "sync",
        set::sync,
        "none, sync or dsync: writes are acknowledged when they are on the medium (FUA)",
    ),
    used("write_mode", set::write_mode, "write or zeroes (Write Zeroes)"),
    also(
        "dataplacement",
        &["data_placement"],
        set::dataplacement,
        "none, fdp or streams: writes carry a placement handle of plids, which ftl.placement.directive makes use of",
    ),
    used("fdp", set::fdp, "1: as dataplacement=fdp"),
    also(
        "plids",
        &["fdp_pli"],
        set::plids,
        "streams of the job's writes (streams), or which of the drive's placement identifiers they have, counted from 0 (fdp); numbers and ranges parted by commas, \
         such as 0,2-4. Unset with fdp: all identifiers in turn",
    ),
    also(
        "plid_select",
        &["fdp_pli_select"],
        set::plid_select,
        "roundrobin, random or scheme: which of plids is next, or which the file of dp_scheme says",
    ),
    used(
        "dp_scheme",
        set::dp_scheme,
        "with plid_select=scheme, a file in the folder of the job file, each line of which has the first byte of a range of the drive, the byte behind it, and the \
         placement identifier (counted as by plids) or stream of writes there, parted by commas; the first range that holds counts, and writes elsewhere have none",
    ),
    used(
        "write_hint",
        set::write_hint,
        "none, short, medium, long or extreme: placement handle 0 to 4 of writes, as the streams to which Linux turned it; \
         without effect with dataplacement",
    ),
    used(
        "verify",
        set::verify,
        "what was written is read back at the end of each pass, whatever the method; the content is not compared. Changes nothing for jobs that only read, and with time_based, where no pass ends; not with zonemode=zbd, nor with time_based beside verify_backlog",
    ),
    used(
        "verify_pattern",
        set::verify_pattern,
        "verify=pattern where verify is unset",
    ),
    used("do_verify", set::do_verify, "0: written data are not read back"),
    used(
        "verify_backlog",
        set::verify_backlog,
        "written data are read back after so many writes of a pass, not at its end alone; 0: at its end",
    ),
    used(
        "verify_backlog_batch",
        set::verify_backlog_batch,
        "how many writes are read back then; verify_backlog where it is unset",
    ),
    used(
        "num_range",
        set::num_range,
        "ranges of a trim: so many trims of one block each are sent for one of fio, and count as one for number_ios and iodepth",
    ),
    used("writefua", set::writefua, "1: as sync=1"),
    also(
        "fill_device",
        &["fill_fs"],
        set::fill_device,
        "1: a job without a size has that of the drive",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::spec::JobSpec;

    #[test]
    fn every_name_is_listed_once() {
        let mut names: Vec<&str> = all()
            .flat_map(|option| [option.name].into_iter().chain(option.aliases.iter().copied()))
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn unknown_options_are_refused_with_the_nearest_one() {
        let refused = |key: &str| JobSpec::default().set(7, key, Some("1")).unwrap_err();
        assert_eq!(refused("io_depth").line, 7);
        assert_eq!(
            refused("io_depth").problem,
            "io_depth=1: unknown option; did you mean `iodepth`?"
        );
        assert!(refused("zzzz").problem.contains("unknown option; accepted"));
    }
}
