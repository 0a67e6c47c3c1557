//! The model from a table, for drives with many blocks.

use std::sync::{Arc, Mutex, PoisonError};

use super::course::Course;
use super::error::ParamError;
use super::grid::{Axis, Grid};
use super::model::RetentionModel;
use super::params::CellParams;
use super::rests::RestHistogram;
use super::thermal::check_temperature;
use super::wear::{Representative, WearState};
use crate::error_retention::ErrorRetention;

/// Wear from 1 to 2^20 equivalent events.
const WEAR: Axis = Axis { octaves: 20, cuts: 4 };
/// Rests from 1 s to 2^30 s.
const REST: Axis = Axis { octaves: 30, cuts: 3 };

/// Retention by wear from a table, for drives with many blocks: by FENCE, whose wear is the trapped charge, or by the errors that a code corrects, where
/// wear is the number of programs and erases and rests heal nothing.
///
/// Of FENCE the cumulative law is in the table; off it the model solves exactly. Against the exact law the mean error of s is 0.02 % and the worst, at the edge where the
/// recoverable charge is used up, below 1.3 %. All functions are total: what is below 0, or no number, counts as 0.
#[derive(Clone, Debug)]
pub struct Lookup {
    law: Law,
    /// Share of the last cycle in the rests that stand for a block.
    last_share: f64,
}

#[derive(Clone, Debug)]
enum Law {
    Traps {
        model: Box<RetentionModel>,
        slowing: Arc<Grid>,
    },
    Errors(Arc<ErrorRetention>),
}

/// A program and an erase.
const EVENTS_PER_CYCLE: f64 = 2.0;

/// The tables of the constants that were asked for last, 310 KB each: studies of the same cells share one.
static TABLES: Mutex<Vec<(CellParams, Arc<Grid>)>> = Mutex::new(Vec::new());
/// Most tables that are kept.
const KEPT: usize = 16;

impl Lookup {
    /// Fills the table, unless one of these constants is kept: 77,361 solutions, a tenth of a second.
    #[must_use]
    pub fn new(model: RetentionModel) -> Self {
        let tables = || TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = tables()
            .iter()
            .find(|(params, _)| params == model.params())
            .map(|(_, table)| Arc::clone(table));
        let slowing = kept.unwrap_or_else(|| {
            let table = Grid::new(WEAR, REST, |events, rest| model.slowing(events, libm::log(rest)));
            let table = Arc::new(table);
            let mut tables = tables();
            if tables.len() == KEPT {
                tables.remove(0);
            }
            tables.push((model.params().clone(), Arc::clone(&table)));
            table
        });
        let model = Box::new(model);
        Self {
            law: Law::Traps { model, slowing },
            last_share: 1.0,
        }
    }

    /// The same, where the rests that stand for a block are geometric means over about so many of its last cycles (exponentially weighted), 1 or more: one rest of a second alone decides less.
    #[must_use]
    pub fn over_cycles(self, cycles: u32) -> Self {
        Self {
            last_share: 1.0 / f64::from(cycles.max(1)),
            ..self
        }
    }

    /// Share of the last cycle in the rests that stand for a block.
    pub(super) fn last_share(&self) -> f64 {
        self.last_share
    }

    /// Retention by the errors that a code corrects.
    #[must_use]
    pub fn by_errors(retention: ErrorRetention) -> Self {
        Self {
            law: Law::Errors(Arc::new(retention)),
            last_share: 1.0,
        }
    }

    /// The exact model of FENCE, where retention follows it.
    #[must_use]
    pub fn model(&self) -> Option<&RetentionModel> {
        match &self.law {
            Law::Traps { model, .. } => Some(model),
            Law::Errors(_) => None,
        }
    }

    /// The raw bit error rate up to which data are corrected, where retention follows errors.
    #[must_use]
    pub fn corrected(&self) -> Option<f64> {
        match &self.law {
            Law::Traps { .. } => None,
            Law::Errors(errors) => Some(errors.corrected()),
        }
    }

    /// Factor by which rests at a temperature count longer than at 30 degC.
    ///
    /// # Errors
    /// A temperature outside -40 to 150 degC.
    pub fn rest_factor(&self, celsius: f64) -> Result<f64, ParamError> {
        match &self.law {
            Law::Traps { model, .. } => model.rest_factor(celsius),
            Law::Errors(_) => check_temperature(celsius).map(|()| 1.0),
        }
    }

    /// Factor by which retention at a temperature differs from [`Self::retention`].
    ///
    /// # Errors
    /// A temperature outside -40 to 150 degC.
    pub fn retention_factor(&self, celsius: f64) -> Result<f64, ParamError> {
        match &self.law {
            Law::Traps { model, .. } => model.retention_factor(celsius),
            Law::Errors(errors) => check_temperature(celsius).map(|()| errors.heat_factor(celsius)),
        }
    }

    /// Real events for one equivalent event (s), in cycling with a rest of so many seconds at 30 degC.
    #[must_use]
    pub fn events_per_equivalent(&self, events: f64, rest: f64) -> f64 {
        match &self.law {
            Law::Traps { model, slowing } => events_per_equivalent(model, slowing, events, rest),
            Law::Errors(_) => 1.0,
        }
    }

    /// Retention in seconds at 30 degC, or at the temperature for which error rates hold, after `events` equivalent events with a rest of so many seconds at 30 degC.
    #[must_use]
    pub fn retention(&self, events: f64, rest: f64) -> f64 {
        match &self.law {
            Law::Traps { model, slowing } => {
                let (events, undone) = undone(model, slowing, events, rest);
                model.seconds_with(events, libm::log(rest.max(1.0)), undone)
            }
            Law::Errors(errors) => errors.seconds(events / EVENTS_PER_CYCLE),
        }
    }

    /// Threshold shift in volts that is left after recovery; no number where retention follows errors.
    #[must_use]
    pub fn vth_net(&self, events: f64, rest: f64) -> f64 {
        match &self.law {
            Law::Traps { model, slowing } => {
                let (events, undone) = undone(model, slowing, events, rest);
                model.net(events, libm::log(rest.max(1.0)), undone)
            }
            Law::Errors(_) => f64::NAN,
        }
    }

    /// Retention in seconds at 30 degC of data that are written to a block now.
    #[must_use]
    pub fn retention_of(&self, state: &WearState, representative: Representative) -> f64 {
        self.retention(state.equivalent_events(), state.rest(representative))
    }

    /// How wear proceeds while every event has a rest of the distribution; rests count `factor` times as long as they
    /// are. Without a rest in it every event counts whole.
    pub fn course<'a>(&'a self, rests: &RestHistogram, factor: f64) -> Course<impl Fn(f64) -> f64 + 'a> {
        let shares: Vec<(f64, f64)> = rests
            .shares()
            .map(|(share, ln_rest)| {
                (
                    share,
                    libm::exp(ln_rest) * if ln_rest > 0.0 { factor } else { 1.0 },
                )
            })
            .collect();
        Course::new(move |events| {
            if shares.is_empty() {
                return 1.0;
            }
            shares
                .iter()
                .map(|(share, rest)| share / self.events_per_equivalent(events, *rest))
                .sum()
        })
    }
}

fn events_per_equivalent(model: &RetentionModel, slowing: &Grid, events: f64, rest: f64) -> f64 {
    if rest.is_nan() || rest <= 1.0 {
        return 1.0;
    }
    let events = events.max(1.0);
    slowing
        .read(events, rest)
        .unwrap_or_else(|| model.slowing(events, libm::log(rest)))
}

/// Events that count, at least those of a new cell, and what rests undo of each.
fn undone(model: &RetentionModel, slowing: &Grid, events: f64, rest: f64) -> (f64, f64) {
    let events = events.max(model.params().new_events);
    (
        events,
        (events_per_equivalent(model, slowing, events, rest) - 1.0) / model.params().kappa,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fence::{CellKind, RestAcceleration};

    fn slowing(lookup: &Lookup) -> &Arc<Grid> {
        match &lookup.law {
            Law::Traps { slowing, .. } => slowing,
            Law::Errors(_) => unreachable!("a model of FENCE"),
        }
    }

    #[test]
    fn models_with_the_same_constants_share_a_table() {
        let of = |trap_a: f64, kind| {
            let mut params = CellParams::default();
            params.trap_a *= trap_a;
            Lookup::new(RetentionModel::new(params, kind, RestAcceleration::Off).unwrap())
        };
        let (one, other) = (of(1.01, CellKind::Mlc2), of(1.01, CellKind::Slc));
        assert!(Arc::ptr_eq(slowing(&one), slowing(&other)));
        let worse = of(1.02, CellKind::Mlc2);
        assert!(!Arc::ptr_eq(slowing(&one), slowing(&worse)));
        assert!(one.events_per_equivalent(500.0, 1e4) != worse.events_per_equivalent(500.0, 1e4));
        assert_eq!(
            worse.events_per_equivalent(500.0, 1e4),
            of(1.02, CellKind::Slc).events_per_equivalent(500.0, 1e4)
        );
    }
}
