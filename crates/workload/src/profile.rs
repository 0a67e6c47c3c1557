//! Profiles: what a trace is like, as a law from which requests like its own are drawn.
//!
//! One type serves the traces of the literature that are not at hand (`builtin`), a user's own
//! file (`workload.profile_file`) and what `fit` derives from a trace.

pub(crate) mod builtin;
mod check;
mod msr;
mod servers;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::{ByteSize, Duration};

use crate::WorkloadError;

/// A law of requests.
///
/// Each request is a read or a write. It goes on where the request before ended, or where one of
/// the last 32 requests ended, or it starts at a place: places lie a fixed distance apart, and a
/// law of popularity says how often each is asked for. The file of a profile holds these keys at
/// its top.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// What it stands for.
    pub title: String,
    /// Requests of the trace that it stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// Share of requests that read, 0 to 1; the others write.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub read_fraction: f64,
    /// Bytes of the drive that requests fall in. Left out, or larger than the drive: all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<ByteSize>,
    /// Distance of the places at which requests start, a multiple of 512 B.
    pub align: ByteSize,
    /// Share of requests by the sector of their place at which they start, one number for each; it
    /// belongs to the place and stays. Left out: requests whose size is a multiple of `align` start
    /// at its first sector, others at any, each time anew.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<f64>,
    /// Share of the places of reads that are places of writes too, 0 to 1, drawn whatever their
    /// popularity. Left out: the most popular places of reads are those of writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "wordline_units::optional_share")]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub shared_places: Option<f64>,
    /// Arrivals.
    pub arrivals: ArrivalProfile,
    /// Reads.
    pub reads: RequestProfile,
    /// Writes.
    pub writes: RequestProfile,
    /// Where each figure comes from, by its key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, String>,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            title: String::new(),
            requests: None,
            read_fraction: 0.5,
            space: None,
            align: ByteSize(4096),
            phases: Vec::new(),
            shared_places: None,
            arrivals: ArrivalProfile::default(),
            reads: RequestProfile::default(),
            writes: RequestProfile::default(),
            sources: BTreeMap::new(),
        }
    }
}

/// When the requests of a profile arrive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ArrivalProfile {
    /// Mean gap between requests.
    pub mean_gap: Duration,
    /// Coefficient of variation of the gaps, 0 to 1000: 1 is a Poisson process; below 1, a fixed
    /// gap and an exponential one; above 1, one of two exponential gaps (hyper-exponential with
    /// balanced means).
    pub cv: f64,
    /// Bias of self-similar arrivals, 0.5 (no bursts) to 1, in place of `cv`; `workload.burst_bias` goes before it. With `gaps`, which have the
    /// bursts of the trace itself, it says how bursty they are and changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst_bias: Option<f64>,
    /// Gaps and how often each occurs, scaled to `mean_gap`, in place of `cv`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<GapShare>,
    /// How long equal numbers of requests take, relative to each other, over `cycle` requests, which
    /// then begin anew. Left out: the load is steady.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pace: Vec<f64>,
    /// Requests after which `pace` begins anew, at least one for each of its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<u64>,
}

impl Default for ArrivalProfile {
    fn default() -> Self {
        Self {
            mean_gap: Duration::from_ms(1),
            cv: 1.0,
            burst_bias: None,
            gaps: Vec::new(),
            pace: Vec::new(),
            cycle: None,
        }
    }
}

/// A gap and how often it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GapShare {
    /// The gap.
    pub gap: Duration,
    /// How often, relative to the others; at least 0.
    pub weight: f64,
}

/// What reads, or writes, of a profile are like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RequestProfile {
    /// Mean size of a lognormal law, rounded to 512 B; used where `sizes` is left out.
    pub mean_size: ByteSize,
    /// Standard deviation of the logarithm of the size, 0 to 3.
    pub size_spread: f64,
    /// Share of the sizes that are multiples of 4 KiB, 0 to 1. Left out: as it comes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "wordline_units::optional_share")]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub whole_pages: Option<f64>,
    /// Largest size of the lognormal law, a multiple of 4 KiB.
    pub largest: ByteSize,
    /// Sizes, multiples of 512 B, and how often each occurs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeShare>,
    /// Share that starts where the request before ended, 0 to 1.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub sequential: f64,
    /// Share that starts where one of the last 32 requests ended, but not the last, 0 to 1.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub streams: f64,
    /// Places that are ever asked for, at least 1. Left out: all that the space has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<u64>,
    /// Visits after which every place has had its exact share of them; then it begins anew. Left
    /// out: each visit is drawn for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
    /// How popular the places are: bands from the most popular to the least. Left out: all alike.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub popularity: Vec<Band>,
}

impl Default for RequestProfile {
    fn default() -> Self {
        Self {
            mean_size: ByteSize(4096),
            size_spread: 1.0,
            whole_pages: None,
            largest: ByteSize(1 << 20),
            sizes: Vec::new(),
            sequential: 0.0,
            streams: 0.0,
            places: None,
            visits: None,
            popularity: Vec::new(),
        }
    }
}

/// A size and how often it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeShare {
    /// The size, a multiple of 512 B.
    pub size: ByteSize,
    /// How often, relative to the others; at least 0.
    pub weight: f64,
}

/// Places of like popularity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// Share of the places.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub places: f64,
    /// Share of the visits.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub visits: f64,
    /// Sizes of its requests, in place of those of all reads or writes; repetitions keep the size of
    /// the visit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeShare>,
    /// Within the band, visits fall with rank^-exponent, rank counted from the most popular place
    /// of all; 0 to 3, 0 is all alike.
    #[serde(default)]
    pub exponent: f64,
    /// Mean number of times that a request is repeated after a visit, 0 to 1,000,000.
    #[serde(default)]
    pub repeats: f64,
    /// How long until a repetition: weights for 1, 2 to 3, 4 to 7, ... requests of the same kind,
    /// sequential ones not counted. Left out: at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeat_after: Vec<f64>,
}

impl Profile {
    /// Reads a profile from the text of a file.
    ///
    /// # Errors
    /// What is wrong with the text, with its line.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let profile: Self = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        profile.check()?;
        Ok(profile)
    }

    /// The profile as the text of a file.
    ///
    /// # Errors
    /// None that is known: every profile has such a form.
    pub fn to_toml(&self) -> Result<String, String> {
        toml::to_string(self).map_err(|error| error.to_string())
    }

    /// Reads the profile at `path`.
    ///
    /// # Errors
    /// A file that cannot be read or is no profile.
    pub(crate) fn read(path: &Path) -> Result<Self, WorkloadError> {
        /// Bytes of the longest file that is read.
        const LONGEST: u64 = 64 << 20;
        let failed = |error: std::io::Error| WorkloadError::file(path, format!("cannot be read: {error}"));
        let about = std::fs::metadata(path).map_err(failed)?;
        if !about.is_file() || about.len() > LONGEST {
            return Err(WorkloadError::file(
                path,
                "is no profile: a TOML file of at most 64 MiB is expected",
            ));
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        let profile = Self::from_toml(&text).map_err(|problem| WorkloadError::file(path, problem))?;
        if profile == Self::default() {
            let problem = "is no profile: it sets nothing; `wordline profiles NAME` prints one to start from";
            return Err(WorkloadError::file(path, problem));
        }
        Ok(profile)
    }
}
