//! Placement handles of the writes of a job: `dataplacement`, `plids`, `plid_select`, `write_hint`.

use wordline_units::Stream;

use super::error::Fault;
use super::layout::Copy;
use super::values::Value;
use crate::synthetic::slots::below;

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
}

/// Identifiers parted by commas, as of `plids`.
pub(crate) fn identifiers(value: &Value<'_>) -> Result<Vec<u16>, String> {
    let ids: Vec<u16> = value
        .text()?
        .split(',')
        .map(|part| value.part(part).count(0, u64::from(u16::MAX)).map(|id| id as u16))
        .collect::<Result<_, _>>()?;
    if ids.len() > MOST_IDS {
        return Err(format!("at most {MOST_IDS} identifiers"));
    }
    Ok(ids)
}

/// The handles of the writes of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Handles {
    ids: Vec<u16>,
    select: Select,
    next: usize,
}

impl Handles {
    /// Those that the options of a job ask for.
    ///
    /// # Errors
    /// A directive without identifiers: how many a drive has is not known to a job. A stream of identifier 0, which is none.
    pub(crate) fn of(copy: &Copy<'_>) -> Result<Self, Fault> {
        let spec = copy.spec;
        let ids = match (spec.directive, &spec.plids) {
            (Directive::None, _) => vec![spec.write_hint],
            (Directive::DataPlacement, ids) if ids.is_empty() => {
                let accepted = "the placement handles that the job writes with, such as plids=0,1";
                return Err(copy.fault("plids", "unset", accepted));
            }
            (Directive::Streams, ids) if ids.is_empty() || ids.contains(&0) => {
                let accepted = "the streams that the job writes to, from 1 to 65535, such as plids=1,2";
                return Err(copy.fault_as_written("plids", accepted));
            }
            (_, ids) => ids.clone(),
        };
        Ok(Self {
            ids,
            select: spec.plid_select,
            next: 0,
        })
    }

    /// That of the next write.
    pub(crate) fn next(&mut self, draws: &mut Stream) -> u16 {
        match (&self.ids[..], self.select) {
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
