//! Placement handles of the writes of a job: `dataplacement`, `plids`, `plid_select`, `dp_scheme`, `write_hint`.

mod scheme;

use std::sync::Arc;

use wordline_units::Stream;

use super::drive::FioDrive;
use super::error::Fault;
use super::layout::Copy;
use super::values::Value;
use crate::synthetic::slots::below;
use scheme::Range;

/// Most identifiers of a job (`FIO_MAX_DP_IDS` of fio).
const MOST_IDS: usize = 128;

/// The directive that writes carry (`dataplacement`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Directive {
    #[default]
    None,
    DataPlacement,
    Streams,
}

/// Which identifier is next (`plid_select`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Select {
    #[default]
    RoundRobin,
    Random,
    Scheme,
}

/// Identifiers and ranges of them parted by commas, as of `plids`.
pub(crate) fn identifiers(value: &Value<'_>) -> Result<Vec<u16>, String> {
    let mut ids: Vec<u16> = Vec::new();
    for part in value.text()?.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let id = |text| value.part(text).count(0, u64::from(u16::MAX));
        let (first, last) = (id(first)?, id(last)?);
        if first > last {
            return Err("ranges from the smaller to the larger number, such as 2-4".to_owned());
        }
        ids.extend((first..=last).take(MOST_IDS + 1).map(|id| id as u16));
        if ids.len() > MOST_IDS {
            return Err(format!("at most {MOST_IDS} identifiers"));
        }
    }
    Ok(ids)
}

/// The handles of the writes of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Handles {
    ids: Vec<u16>,
    select: Select,
    next: usize,
    /// Handles by place, with `plid_select=scheme`.
    scheme: Arc<[Range]>,
}

impl Handles {
    /// Those that the options of a job ask for on a drive.
    ///
    /// # Errors
    /// A directive without identifiers, where they are not known of the drive; identifiers that the drive does not have; a stream of identifier 0, which is
    /// none; a scheme that cannot be read.
    pub(crate) fn of(copy: &Copy<'_>, drive: &FioDrive) -> Result<Self, Fault> {
        let spec = copy.spec;
        if spec.directive == Directive::None {
            return Ok(Self {
                ids: vec![spec.write_hint],
                ..Self::default()
            });
        }
        if spec.plid_select == Select::Scheme {
            return Ok(Self {
                select: Select::Scheme,
                scheme: scheme::read(copy, drive)?,
                ..Self::default()
            });
        }
        let ids = match (spec.directive, &spec.plids, &drive.placement_identifiers) {
            (Directive::DataPlacement, ids, Some(all)) if ids.is_empty() => all.clone(),
            (Directive::DataPlacement, ids, None) if ids.is_empty() => {
                let accepted = "the placement handles that the job writes with, such as plids=0,1, on a drive without \
                                ftl.placement.directive = \"fdp\"";
                return Err(copy.fault("plids", "unset", accepted));
            }
            (Directive::Streams, ids, _) if ids.is_empty() || ids.contains(&0) => {
                let accepted = "the streams that the job writes to, from 1 to 65535, such as plids=1,2";
                return Err(copy.fault_as_written("plids", accepted));
            }
            (_, ids, _) => {
                let known = ids.iter().map(|id| identifier(copy, drive, *id));
                known
                    .collect::<Result<_, _>>()
                    .map_err(|accepted| copy.fault_as_written("plids", accepted))?
            }
        };
        Ok(Self {
            ids,
            select: spec.plid_select,
            ..Self::default()
        })
    }

    /// That of the next write, which begins at a byte of the drive.
    pub(crate) fn next(&mut self, byte: u64, draws: &mut Stream) -> u16 {
        match (&self.ids[..], self.select) {
            (_, Select::Scheme) => scheme::handle(&self.scheme, byte),
            ([], _) => 0,
            ([only], _) => *only,
            (ids, Select::Random) => ids[below(ids.len() as u64, draws) as usize],
            (ids, Select::RoundRobin) => {
                let id = ids[self.next % ids.len()];
                self.next = (self.next + 1) % ids.len();
                id
            }
        }
    }
}

/// The handle that a number of `plids` or of a scheme stands for.
///
/// # Errors
/// What is accepted, where the drive has no such identifier.
fn identifier(copy: &Copy<'_>, drive: &FioDrive, number: u16) -> Result<u16, String> {
    match (copy.spec.directive, &drive.placement_identifiers) {
        (Directive::DataPlacement, Some(all)) => all.get(usize::from(number)).copied().ok_or_else(|| {
            format!(
                "numbers from 0 to {}: the drive has {} placement identifiers (ftl.placement)",
                all.len().saturating_sub(1),
                all.len()
            )
        }),
        _ => Ok(number),
    }
}
