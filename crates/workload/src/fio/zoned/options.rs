//! The options of zones: `zonemode` and those that have an effect with it.

use super::super::options::{JobOption, used};
use super::super::spec::JobSpec;
use super::super::values::Value;

/// `zonemode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ZoneMode {
    #[default]
    None,
    Strided,
    Zbd,
}

/// What a job says of zones, sizes in bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ZoneOptions {
    pub(crate) mode: ZoneMode,
    pub(crate) range: Option<u64>,
    pub(crate) size: Option<u64>,
    pub(crate) capacity: Option<u64>,
    pub(crate) skip: Skip,
    pub(crate) read_beyond: bool,
    pub(crate) most_open: Option<u64>,
    pub(crate) most_open_of_job: u64,
    pub(crate) ignore_limits: bool,
    pub(crate) reset_threshold: f64,
    pub(crate) reset_frequency: f64,
    pub(crate) append: bool,
}

/// `zoneskip`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    Bytes(u64),
    Zones(u64),
}

impl Default for Skip {
    fn default() -> Self {
        Self::Bytes(0)
    }
}

impl ZoneOptions {
    /// `zonemode`.
    pub(crate) const fn mode(&self) -> ZoneMode {
        self.mode
    }
}

fn mode(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.zones.mode = value.word(&[
        ("none", ZoneMode::None),
        ("strided", ZoneMode::Strided),
        ("zbd", ZoneMode::Zbd),
    ])?;
    Ok(())
}

fn range(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.zones.range = Some(value.integer()?);
    Ok(())
}

fn size(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.zones.size = Some(value.integer()?);
    Ok(())
}

fn capacity(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.zones.capacity = Some(value.integer()?);
    Ok(())
}

fn skip(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.zones.skip = match value.text()?.strip_suffix('z') {
        Some(zones) => Skip::Zones(value.part(zones).integer()?),
        None => Skip::Bytes(value.integer()?),
    };
    Ok(())
}

fn read_beyond(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.zones.read_beyond = value.flag()?;
    Ok(())
}

fn most_open(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.zones.most_open = Some(value.count(0, u64::from(u32::MAX))?);
    Ok(())
}

fn most_open_of_job(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.zones.most_open_of_job = value.count(0, u64::from(u32::MAX))?;
    Ok(())
}

fn ignore_limits(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.zones.ignore_limits = value.flag()?;
    Ok(())
}

fn append(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.zones.append = value.flag()?;
    Ok(())
}

fn share(value: &Value<'_>) -> Result<f64, String> {
    let number = value.number()?;
    if (0.0..=1.0).contains(&number) {
        Ok(number)
    } else {
        Err("a number from 0 to 1".to_owned())
    }
}

fn reset_threshold(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.zones.reset_threshold = share(value)?;
    Ok(())
}

fn reset_frequency(job: &mut JobSpec, value: &Value<'_>) -> Result<(), String> {
    job.zones.reset_frequency = share(value)?;
    Ok(())
}

/// Every option of zones.
pub(crate) const ZONES: &[JobOption] = &[
    used(
        "zone_append",
        append,
        "zbd, on a drive with zones: 1: writes are zone appends, so that several may be under way in a zone whatever their order",
    ),
    used(
        "zonemode",
        mode,
        "none, strided or zbd. strided: commands fall in one zone until zonesize bytes are transferred, then in the next. zbd: each zone is written at its write \
         pointer, and reset before it is written again; of a drive with zones these are its own, of another drive zones that the job keeps count of. Unset: none",
    ),
    used(
        "zonerange",
        range,
        "strided: size of a zone, zonesize where it is unset; zbd: as zonesize, if set",
    ),
    used(
        "zonesize",
        size,
        "strided: bytes transferred in a zone before the next; zbd: size of a zone, that of the drive where the drive has zones",
    ),
    used(
        "zonecapacity",
        capacity,
        "zbd, on a drive without zones: what can be written of a zone, zonesize where it is unset; without effect on a drive with zones",
    ),
    used(
        "zoneskip",
        skip,
        "strided: bytes from the end of a zone to the next; zbd: whole zones (bytes, or a number such as 2z) that sequential jobs leave out behind each",
    ),
    used(
        "read_beyond_wp",
        read_beyond,
        "zbd: 1: reads go anywhere, also where nothing was written",
    ),
    used(
        "max_open_zones",
        most_open,
        "zbd: zones that all jobs write at once, which then go on in those that are open; the drive's limit where it is unset, and at most that; 0: no limit, on a \
         drive without one",
    ),
    used(
        "job_max_open_zones",
        most_open_of_job,
        "zbd: zones that the job has opened and not filled, at most; 0: no limit",
    ),
    used(
        "ignore_zone_limits",
        ignore_limits,
        "zbd: 1: max_open_zones may be 0 or above the drive's limit, and is no limit where it is unset",
    ),
    used(
        "zone_reset_threshold",
        reset_threshold,
        "zbd: with zone_reset_frequency, share of the region that is written from which on zones are reset before they are full, 0 to 1; the same region for all \
         jobs that write",
    ),
    used(
        "zone_reset_frequency",
        reset_frequency,
        "zbd: one write in so many resets its zone before, as 1 over their number, 0 to 1; 0: none",
    ),
];
