//! What each option sets, and which values it accepts.

use std::sync::Arc;

use super::Direction;
use super::distribution::Law;
use super::files::Service;
use super::placement::{self, Directive, Select};
use super::sizes::Sizes;
use super::spec::{Engine, JobSpec, Pattern};
use super::steady::Criterion;
use super::values::{Amount, KbBase, MICROSECOND, SECOND, Value};
use crate::HostOp;

/// Sets an option, or says what is accepted.
pub(crate) type Setter = fn(&mut JobSpec, &Value<'_>) -> Result<(), String>;

/// Most commands outstanding, between two pauses and between two random places.
pub(crate) const MOST_COMMANDS: u64 = 1 << 20;

/// Ranges of a trim, as in NVMe's Dataset Management.
const MOST_RANGES: u64 = 256;

/// Engines that send one command after the other.
const SYNCHRONOUS: &[&str] = &[
    "psync", "sync", "vsync", "pvsync", "pvsync2", "mmap", "splice", "sg",
];
/// Engines for other storage, whose commands go to the drive here: those that send one after the other, and those that keep `iodepth` outstanding.
const ELSEWHERE: [&[&str]; 2] = [
    &[
        "cpp_null",
        "dev-dax",
        "gfapi",
        "http",
        "ime_psync",
        "ime_psyncv",
        "libcufile",
        "libhdfs",
        "libhipfile",
        "libpmem",
        "libzbc",
        "mtd",
        "pmemblk",
    ],
    &[
        "dfs",
        "gfapi_async",
        "ime_aio",
        "libiscsi",
        "nbd",
        "nfs",
        "null",
        "rados",
        "rbd",
    ],
];
/// Engines that do something else than reading, writing and trimming, and what that is.
const OTHERS: &[(&str, &str)] = &[
    ("cpuio", "computes and sends no command"),
    ("exec", "runs a program and sends no command"),
    ("net", "sends data over a network"),
    ("netsplice", "sends data over a network"),
    ("rdma", "sends data over a network"),
    ("librpma_apm_client", "sends data over a network"),
    ("librpma_apm_server", "receives data over a network"),
    ("librpma_gpspm_client", "sends data over a network"),
    ("librpma_gpspm_server", "receives data over a network"),
    ("filecreate", "creates files and sends no command"),
    ("filestat", "asks a file system and sends no command"),
    ("filedelete", "deletes files and sends no command"),
    ("dircreate", "creates folders and sends no command"),
    ("dirstat", "asks a file system and sends no command"),
    ("dirdelete", "deletes folders and sends no command"),
    ("falloc", "asks a file system for space and sends no command"),
    ("ftruncate", "changes sizes of files and sends no command"),
    ("e4defrag", "has a file system move extents"),
];
/// Engines whose commands never go through the host's page cache, and whose file names are devices.
const PASSTHROUGH: &[&str] = &["sg", "io_uring_cmd", "xnvme", "libblkio", "spdk", "spdk_bdev"];
/// Engines that keep `iodepth` commands outstanding.
const ASYNCHRONOUS: &[&str] = &[
    "libaio",
    "io_uring",
    "io_uring_cmd",
    "posixaio",
    "solarisaio",
    "windowsaio",
    "xnvme",
    "libblkio",
    "spdk",
    "spdk_bdev",
];

pub(crate) fn rw(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    use Direction::{Read, Trim, Write};
    use Pattern::{One, ReadWrite, TrimWrite};
    let text = value.text()?;
    let (word, modifier) = match text.split_once(':') {
        // nothing behind the colon is as good as no colon
        Some((word, modifier)) => (word, Some(modifier).filter(|modifier| !modifier.is_empty())),
        None => (text, None),
    };
    (job.random, job.pattern) = value.part(word).word(&[
        ("read", (false, One(Read))),
        ("write", (false, One(Write))),
        ("trim", (false, One(Trim))),
        ("randread", (true, One(Read))),
        ("randwrite", (true, One(Write))),
        ("randtrim", (true, One(Trim))),
        ("rw", (false, ReadWrite)),
        ("readwrite", (false, ReadWrite)),
        ("randrw", (true, ReadWrite)),
        ("trimwrite", (false, TrimWrite)),
        ("randtrimwrite", (true, TrimWrite)),
    ])?;
    job.modifier = match modifier {
        None => None,
        Some(number) if job.random => Some(value.part(number).count(1, MOST_COMMANDS)? as i64),
        Some(number) => {
            let (sign, digits) = number
                .strip_prefix('-')
                .map_or((1, number), |digits| (-1, digits));
            let bytes = value
                .part(digits)
                .integer()
                .ok()
                .and_then(|bytes| i64::try_from(bytes).ok());
            let bytes = bytes.filter(|bytes| bytes % 512 == 0);
            Some(
                sign * bytes
                    .ok_or("a hole between sequential commands of multiples of 512, such as 4k or -8k")?,
            )
        }
    };
    Ok(())
}

pub(crate) fn ioengine(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    let engine = value.text()?;
    job.elsewhere = None;
    job.engine = if SYNCHRONOUS.contains(&engine) {
        Engine::Synchronous
    } else if ASYNCHRONOUS.contains(&engine) || engine.starts_with("external:") {
        Engine::Asynchronous
    } else if let Some(elsewhere) = ELSEWHERE.iter().position(|names| names.contains(&engine)) {
        job.elsewhere = Some(engine.into());
        [Engine::Synchronous, Engine::Asynchronous][elsewhere]
    } else if let Some((_, does)) = OTHERS.iter().find(|(name, _)| *name == engine) {
        return Err(format!("an engine of a block device: this one {does}"));
    } else {
        return Err(format!(
            "an engine of a block device: {}, {} or external:...",
            SYNCHRONOUS.join(", "),
            ASYNCHRONOUS.join(", ")
        ));
    };
    job.passthrough = PASSTHROUGH.contains(&engine) || engine.contains("spdk");
    Ok(())
}

/// The device of libblkio, whatever its path: jobs of this engine need no `filename`.
pub(crate) fn libblkio_path(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    value.text()?;
    job.filename.get_or_insert_with(|| "/dev/libblkio".into());
    Ok(())
}

pub(crate) fn kb_base(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.kb_base = value.word(&[("1024", KbBase::Binary), ("1000", KbBase::Decimal)])?;
    Ok(())
}

pub(crate) fn rwmixread(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.reads = value.percent()?;
    Ok(())
}

pub(crate) fn rwmixwrite(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.reads = 100 - value.percent()?;
    Ok(())
}

pub(crate) fn bssplit(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.bssplit = value.each(Sizes::split)?;
    Ok(())
}

pub(crate) fn random_distribution(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.law = Law::read(value)?;
    Ok(())
}

pub(crate) fn startdelay(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.startdelay = value.range(|part| part.time(SECOND))?;
    Ok(())
}

pub(crate) fn filesize(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    let (least, most) = value.range(Value::integer)?;
    if least != most {
        return Err("one size: files of random sizes are not supported".to_owned());
    }
    job.filesize = Some(least);
    Ok(())
}

pub(crate) fn buffered(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.direct = !value.flag()?;
    Ok(())
}

pub(crate) fn sync(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.fua = value.word(&[
        ("none", false),
        ("0", false),
        ("sync", true),
        ("1", true),
        ("dsync", true),
    ])?;
    Ok(())
}

pub(crate) fn write_mode(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.write = value.word(&[("write", HostOp::Write), ("zeroes", HostOp::WriteZeroes)])?;
    Ok(())
}

/// Methods of `verify`: all read back what was written, also `null`, which compares nothing.
const METHODS: [(&str, bool); 20] = [
    ("0", false),
    ("null", true),
    ("md5", true),
    ("crc64", true),
    ("crc32", true),
    ("crc32c", true),
    ("crc32c-intel", true),
    ("crc16", true),
    ("crc7", true),
    ("sha1", true),
    ("sha256", true),
    ("sha512", true),
    ("sha3-224", true),
    ("sha3-256", true),
    ("sha3-384", true),
    ("sha3-512", true),
    ("xxhash", true),
    ("meta", true),
    ("pattern", true),
    ("pattern_hdr", true),
];

pub(crate) fn verify(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.verify = value.word(&METHODS)?;
    Ok(())
}

pub(crate) fn verify_pattern(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    value.text()?;
    job.verify_pattern = true;
    Ok(())
}

pub(crate) fn fdp(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.directive = if value.flag()? {
        Directive::DataPlacement
    } else {
        Directive::None
    };
    Ok(())
}

pub(crate) fn plid_select(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.plid_select = match value.text()? {
        "roundrobin" => Select::RoundRobin,
        "random" => Select::Random,
        "scheme" => Select::Scheme,
        _ => return Err("roundrobin, random or scheme".to_owned()),
    };
    Ok(())
}

/// 0 is as good as none, as in fio.
fn some_amount(value: &Value<'_>) -> Result<Option<Amount>, String> {
    let amount = value.amount()?;
    Ok(Some(amount)
        .filter(|amount| !matches!(amount, Amount::Bytes(0) | Amount::Percent(0) | Amount::Zones(0))))
}

/// A setter of one field by one method of [`Value`].
macro_rules! setters {
    ($($name:ident: $field:ident = $read:expr;)*) => {
        $(pub(crate) fn $name<'a>(job: &mut JobSpec, value: &Value<'a>) -> Result<(), String> {
            let read: fn(&Value<'a>) -> Result<_, String> = $read;
            job.$field = read(value)?;
            Ok(())
        })*
    };
}

fn words(value: &Value<'_>) -> Result<Option<Arc<str>>, String> {
    value.text().map(|text| Some(text.into()))
}

fn number<T: TryFrom<u64>>(value: &Value<'_>, least: u64, most: u64) -> Result<T, String> {
    let number = value.count(least, most)?;
    T::try_from(number).map_err(|_| format!("at most {most}"))
}

setters! {
    name: name = words;
    numjobs: numjobs = |value| value.count(1, super::clients::MOST_CLIENTS);
    loops: loops = Value::integer;
    runtime: runtime = |value| Ok(Some(value.time(SECOND)?).filter(|time| time.ns() > 0));
    time_based: time_based = Value::flag;
    ramp_time: ramp_time = |value| value.time(SECOND);
    steadystate: steadystate = Criterion::read;
    steadystate_duration: steadystate_duration = |value| value.time(SECOND);
    steadystate_ramp_time: steadystate_ramp_time = |value| value.time(SECOND);
    steadystate_check_interval: steadystate_check_interval = |value| value.time(SECOND);
    stonewall: stonewall = Value::flag;
    directory: directory = words;
    filename: filename = words;
    filename_format: filename_format = words;
    nrfiles: nrfiles = |value| value.count(1, super::clients::MOST_FILES);
    file_service_type: service = Service::read;
    rw_sequencer: identical = |value| value.word(&[("sequential", false), ("identical", true)]);
    bs: bs = |value| value.each(Value::integer);
    bsrange: bsrange = |value| value.each(|part| part.range(Value::integer));
    blockalign: blockalign = |value| value.each(Value::integer);
    size: size = some_amount;
    io_size: io_size = some_amount;
    offset: offset = Value::amount;
    offset_increment: offset_increment = Value::amount;
    offset_align: offset_align = Value::integer;
    number_ios: number_ios = Value::integer;
    percentage_random: percentage_random = |value| value.each(Value::percent);
    norandommap: norandommap = Value::flag;
    randseed: seed = |value| value.integer().map(Some);
    direct: direct = Value::flag;
    iodepth: iodepth = |value| number(value, 1, MOST_COMMANDS);
    rate: rate = |value| value.each(Value::integer);
    rate_iops: rate_iops = |value| value.each(Value::integer);
    rate_process: poisson = |value| value.word(&[("linear", false), ("poisson", true)]);
    thinktime: thinktime = |value| value.time(MICROSECOND);
    thinktime_blocks: thinktime_blocks = |value| number(value, 1, MOST_COMMANDS);
    dataplacement: directive = |value| value.word(&[
        ("none", Directive::None),
        ("fdp", Directive::DataPlacement),
        ("streams", Directive::Streams),
    ]);
    plids: plids = placement::identifiers;
    dp_scheme: scheme = words;
    write_hint: write_hint = |value| value.word(&[
        ("none", 0),
        ("short", 1),
        ("medium", 2),
        ("long", 3),
        ("extreme", 4),
    ]);
    fsync: fsync = Value::integer;
    fdatasync: fdatasync = Value::integer;
    end_fsync: end_fsync = Value::flag;
    fsync_on_close: fsync_on_close = Value::flag;
    do_verify: do_verify = Value::flag;
    verify_backlog: verify_backlog = Value::integer;
    verify_backlog_batch: verify_backlog_batch = Value::integer;
    num_range: num_range = |value| value.count(1, MOST_RANGES);
    writefua: writefua = Value::flag;
    fill_device: fill_device = Value::flag;
}
