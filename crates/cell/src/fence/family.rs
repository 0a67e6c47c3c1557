//! The model from tables for cells that deviate from the mean one, block by block.

use super::course::Course;
use super::error::{ParamError, require};
use super::lookup::Lookup;
use super::model::RetentionModel;
use super::rests::RestHistogram;
use super::variation::{CellDraw, Variation};

/// Trap counts are told apart up to so many standard deviations; beyond, they count as that.
const REACH: f64 = 5.0;
/// The widest step between two tables, in the logarithm of the trap counts.
const STEP: f64 = 0.05;
/// The widest variation of the trap counts: 101 tables.
const WIDEST: f64 = 0.5;

/// Where the cells of a block stand: between which tables, and the rest of their draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    table: u32,
    share: f64,
    draw: CellDraw,
}

/// Tables of the cumulative law for trap counts around the mean. What a block's traps do lies between two of them, linearly
/// in their logarithm; the tests hold what comes of it to 1.5 % of the exact law.
#[derive(Clone, Debug)]
pub struct Family {
    model: RetentionModel,
    tables: Vec<Lookup>,
    /// ln of the trap counts of the first table, over the mean ones, and the step between two.
    lowest: f64,
    step: f64,
}

impl Family {
    /// Fills the tables, one for each step of 5 %.
    ///
    /// # Errors
    /// Trap counts that vary by more than 0.5; constants that fit no model.
    pub fn new(model: &RetentionModel, variation: &Variation) -> Result<Self, ParamError> {
        let sigma = variation.traps();
        require(
            sigma <= WIDEST,
            "sigma_traps",
            sigma,
            "accepted are numbers from 0 to 0.5",
        )?;
        let steps = (REACH * sigma / STEP).ceil();
        let step = if steps > 0.0 { REACH * sigma / steps } else { 1.0 };
        let count = 2 * steps as u32 + 1;
        let lowest = -steps * step;
        let tables = (0..count)
            .map(|table| {
                let cell = CellDraw {
                    traps: libm::exp(lowest + f64::from(table) * step),
                    leak: 1.0,
                    level_gap: model.kind().level_gap(),
                };
                Ok(Lookup::new(model.varied(&cell)?))
            })
            .collect::<Result<_, ParamError>>()?;
        Ok(Self {
            model: model.clone(),
            tables,
            lowest,
            step,
        })
    }

    /// Where the cells of a draw stand.
    #[must_use]
    pub fn place(&self, draw: CellDraw) -> Place {
        let last = self.tables.len() - 1;
        let steps = ((libm::log(draw.traps) - self.lowest) / self.step).clamp(0.0, last as f64);
        let table = (steps as u32).min(last.saturating_sub(1) as u32);
        Place {
            table,
            share: steps - f64::from(table),
            draw,
        }
    }

    /// The tables below and above, and the share of the way between them.
    fn around(&self, place: &Place) -> (usize, usize, f64) {
        let below = (place.table as usize).min(self.tables.len() - 1);
        (below, (below + 1).min(self.tables.len() - 1), place.share)
    }

    /// Real events for one equivalent event (s), in cycling with a rest of so many seconds at 30 degC.
    #[must_use]
    pub fn events_per_equivalent(&self, place: &Place, events: f64, rest: f64) -> f64 {
        let (below, above, share) = self.around(place);
        let slowing = |table: usize| self.tables[table].events_per_equivalent(events, rest);
        let low = slowing(below);
        if share == 0.0 {
            low
        } else {
            low + share * (slowing(above) - low)
        }
    }

    /// Retention in seconds at 30 degC, after a wear with a rest of so many seconds at 30 degC.
    #[must_use]
    pub fn retention(&self, place: &Place, events: f64, rest: f64) -> f64 {
        let params = self.model.params();
        let events = events.max(params.new_events);
        let undone = (self.events_per_equivalent(place, events, rest) - 1.0) / params.kappa;
        self.model
            .seconds_of(&place.draw, events, libm::log(rest.max(1.0)), undone)
    }

    /// How wear proceeds at each table while every event has a rest of the distribution.
    pub fn courses<'a>(&'a self, rests: &RestHistogram) -> Courses<impl Fn(f64) -> f64 + 'a> {
        Courses {
            tables: self.tables.iter().map(|table| table.course(rests, 1.0)).collect(),
        }
    }
}

/// How the wear of varied cells proceeds under one distribution of rests.
pub struct Courses<F> {
    tables: Vec<Course<F>>,
}

impl<F: Fn(f64) -> f64> Courses<F> {
    /// The wear after `events` more events.
    pub fn advance(&mut self, place: &Place, wear: f64, events: f64) -> f64 {
        let last = self.tables.len() - 1;
        let below = (place.table as usize).min(last);
        let low = self.tables[below].advance(wear, events);
        if place.share == 0.0 {
            return low;
        }
        let high = self.tables[(below + 1).min(last)].advance(wear, events);
        low + place.share * (high - low)
    }
}

#[cfg(test)]
mod tests {
    use wordline_units::Seed;

    use super::super::{CellKind, CellParams, RestAcceleration};
    use super::*;

    fn model() -> RetentionModel {
        RetentionModel::new(CellParams::nand_80nm(), CellKind::Mlc2, RestAcceleration::Off).unwrap()
    }

    #[test]
    #[ignore = "slow: several seconds"]
    fn the_tables_follow_the_exact_model_of_each_block() {
        let variation = Variation::new(0.08, 0.2, 0.02).unwrap();
        let family = Family::new(&model(), &variation).unwrap();
        for block in 0..40 {
            let draw = variation.draw(Seed(3), block, CellKind::Mlc2);
            let (exact, place) = (model().varied(&draw).unwrap(), family.place(draw));
            for events in [300.0, 2e3, 9e3] {
                for rest in [10.0, 300.0, 2e4] {
                    let right = exact.events_per_equivalent(events, rest).unwrap();
                    let found = family.events_per_equivalent(&place, events, rest);
                    assert!(
                        (found / right - 1.0).abs() < 0.015,
                        "{events} {rest}: {found} {right}"
                    );
                    let right = exact.retention(events, rest, 30.0).unwrap();
                    let found = family.retention(&place, events, rest);
                    assert!(
                        (found / right - 1.0).abs() < 0.015,
                        "{events} {rest}: {found} {right}"
                    );
                }
            }
        }
    }

    #[test]
    fn cells_that_do_not_vary_are_the_mean_one_to_the_bit() {
        let variation = Variation::default();
        let (family, lookup) = (Family::new(&model(), &variation).unwrap(), Lookup::new(model()));
        let place = family.place(variation.draw(Seed(1), 7, CellKind::Mlc2));
        let rests = RestHistogram::from_shares(&[(5.0, 0.5), (5e3, 0.5)]).unwrap();
        let (mut courses, mut course) = (family.courses(&rests), lookup.course(&rests, 1.0));
        for events in [1.0, 250.0, 4e3] {
            let slowing = lookup.events_per_equivalent(events, 77.0);
            assert_eq!(family.events_per_equivalent(&place, events, 77.0), slowing);
            assert_eq!(
                family.retention(&place, events, 77.0),
                lookup.retention(events, 77.0)
            );
            assert_eq!(courses.advance(&place, events, 1e4), course.advance(events, 1e4));
        }
    }

    #[test]
    fn too_wide_a_variation_is_refused() {
        let variation = Variation::new(0.6, 0.0, 0.0).unwrap();
        let error = Family::new(&model(), &variation).unwrap_err().to_string();
        assert!(error.contains("sigma_traps"), "{error}");
    }
}
