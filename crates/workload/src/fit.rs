//! From a trace to a profile that has its statistics.
//!
//! The trace is read several times: for its totals, for its figures, sizes and runs (`survey`),
//! for its places (`places`), and for how these are visited again (`visits`). A surrogate of equal
//! length is then drawn from the profile and described as the trace was (`compare`).

mod arrivals;
mod compare;
mod follow;
mod places;
mod survey;
mod visits;

use std::path::Path;

use serde::Serialize;
use wordline_units::ByteSize;

use crate::profile::{ArrivalProfile, Profile, RequestProfile};
use crate::stats::{Request, Requests, Tally, TraceStats, described};
use crate::synthetic::Surrogate;
use crate::trace::detect::{TraceOptions, recognise};
use crate::trace::reader::Wanted;
use crate::trace::scan::{LOOK, Scan};
use crate::{HostOp, Source, WorkloadConfig, WorkloadError, WorkloadKind};
use places::PlaceTable;
use survey::Survey;
use visits::Visits;

pub use compare::Compared;

/// A profile, the trace that it was derived from, and a surrogate of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// The distribution.
    pub profile: Profile,
    /// The statistics of the trace.
    pub trace: TraceStats,
    /// The statistics of as many requests drawn from the profile.
    pub surrogate: TraceStats,
    /// Both side by side.
    pub comparison: Vec<Compared>,
}

/// Sizes that are listed one by one.
const LISTED: usize = 128;

/// Reads or writes: what a profile tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Reads,
    Writes,
}

impl Side {
    /// `None` for a request that is neither: profiles have no such requests.
    pub(crate) const fn of(op: HostOp) -> Option<Self> {
        match op {
            HostOp::Read => Some(Self::Reads),
            HostOp::Write => Some(Self::Writes),
            _ => None,
        }
    }

    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

/// Derives a profile from the trace at `path` and says how near it comes. `options`
/// overrides what is recognised; `seed` is that of the surrogate. Memory is bounded: up to 4 Mi
/// places are followed, larger ones where the trace has more.
///
/// # Errors
/// Options that cannot be used; a trace that cannot be read, is malformed, or neither reads nor writes.
pub fn fit(path: &Path, options: &TraceOptions<'_>, seed: u64) -> Result<Fit, WorkloadError> {
    fit_watched(path, options, seed, &|| true)
}

/// As [`fit`]. `goes_on` is asked now and then, and stops the work by returning false.
///
/// # Errors
/// As [`fit`]; `WorkloadError::Interrupted`.
pub fn fit_watched(
    path: &Path,
    options: &TraceOptions<'_>,
    seed: u64,
    goes_on: &dyn Fn() -> bool,
) -> Result<Fit, WorkloadError> {
    let recognised = recognise(path, options)?;
    let file = recognised.file.clone();
    let scan = Scan::of(&file, Wanted::ALL, &mut |_| goes_on())?;
    let requests = || Requests::open(&file, &scan, goes_on);
    let trace = described(recognised, &scan, goes_on)?;

    let survey = Survey::of(requests()?)?;
    if survey.requests() == 0 {
        let problem = "holds neither reads nor writes, of which a profile is made";
        return Err(WorkloadError::file(path, problem));
    }
    let table = PlaceTable::of(path, survey.requests(), requests, survey.align)?;
    let visits = Visits::of(requests()?, table)?;
    let profile = profile_of(path, &trace, &survey, &visits);
    profile
        .check()
        .map_err(|problem| WorkloadError::file(path, problem))?;
    let surrogate = surrogate(&profile, survey.requests(), seed, goes_on)?;
    let comparison = compare::compare(&trace, &surrogate);
    Ok(Fit {
        profile,
        trace,
        surrogate,
        comparison,
    })
}

fn profile_of(path: &Path, trace: &TraceStats, survey: &Survey, visits: &Visits) -> Profile {
    let name = path
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let requests = survey.requests();
    let align = visits.table.align;
    let largest = survey.largest().div_ceil(512) * 512;
    // room for the largest request at the highest place
    let space = (trace.laid_out_bytes + largest).div_ceil(align) * align + align;
    let side = |side: Side| {
        let [sequential, streams] = visits.table.goes_on(side);
        let (places, popularity, count) = visits.popularity(side);
        RequestProfile {
            // those of runs: places have their own
            sizes: match &visits.table.run_sizes[side.index()] {
                runs if runs.is_empty() => survey.side(side).sizes.list(LISTED),
                runs => runs.list(LISTED),
            },
            sequential,
            streams,
            places: (places > 0).then_some(places),
            visits: (count > 0).then_some(count),
            popularity,
            ..RequestProfile::default()
        }
    };
    Profile {
        title: name.clone(),
        requests: Some(requests),
        read_fraction: survey.side(Side::Reads).requests as f64 / requests as f64,
        space: Some(ByteSize(space)),
        align: ByteSize(align),
        phases: visits.table.phases(),
        shared_places: visits.table.shared(),
        arrivals: ArrivalProfile {
            burst_bias: trace.interarrival.burst_bias,
            ..visits.arrivals.profile()
        },
        reads: side(Side::Reads),
        writes: side(Side::Writes),
        sources: [("*".to_owned(), format!("fitted to {name}"))].into(),
    }
}

/// The statistics of `requests` requests drawn from `profile`.
fn surrogate(
    profile: &Profile,
    requests: u64,
    seed: u64,
    goes_on: &dyn Fn() -> bool,
) -> Result<TraceStats, WorkloadError> {
    let config = WorkloadConfig {
        kind: WorkloadKind::Profile,
        requests: Some(requests),
        seed,
        ..WorkloadConfig::default()
    };
    let space = profile.space.map_or(0, ByteSize::bytes);
    let mut source = Surrogate::new(profile, &config, space / 512)?;
    let mut tally = Tally::new(1, space);
    let mut drawn = 0_u64;
    while let Some(command) = source.next_command()? {
        drawn += 1;
        if drawn.is_multiple_of(LOOK) && !goes_on() {
            return Err(WorkloadError::Interrupted);
        }
        tally.add(&Request {
            arrival: command.arrival.ns(),
            device: 0,
            op: command.op,
            start: command.sector * 512,
            bytes: u64::from(command.sectors) * 512,
        });
    }
    Ok(TraceStats {
        format: "profile".to_owned(),
        time_unit: "ns".to_owned(),
        devices: 1,
        highest_byte: space,
        ..tally.finish()
    })
}
