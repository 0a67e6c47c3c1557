//! What is asked of a lifetime study.

use wordline_cell::fence::{CellKind, RestAcceleration};
use wordline_units::Duration;

use crate::config::ConfigError;

/// How time is worked through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fidelity {
    /// Every write is simulated.
    Exact,
    /// Wear is advanced analytically where the mapping is in a steady state.
    Skip {
        /// Relative error of retention that is aimed at, above 0, at most 0.2.
        tolerance: f64,
    },
}

/// A lifetime study of a drive under its workload.
#[derive(Clone, Debug)]
pub struct LifetimeOptions {
    /// The cells.
    pub cell: CellKind,
    /// Whether heat speeds the recovery of resting cells.
    pub rest_acceleration: RestAcceleration,
    /// Temperature in degrees Celsius.
    pub celsius: f64,
    /// Retention that data must have.
    pub required: Duration,
    /// Time that is studied.
    pub horizon: Duration,
    /// Time between two snapshots.
    pub every: Duration,
    /// How often a day the exported capacity is written; `None`: as the workload's arrivals say.
    pub writes_per_day: Option<f64>,
    /// How time is worked through.
    pub fidelity: Fidelity,
}

impl Default for LifetimeOptions {
    /// Five years of MLC at 30 degC and one drive write a day, looked at every 15 days.
    fn default() -> Self {
        const DAY: Duration = Duration(86_400_000_000_000);
        Self {
            cell: CellKind::Mlc2,
            rest_acceleration: RestAcceleration::Off,
            celsius: 30.0,
            required: DAY * 365,
            horizon: DAY * 5 * 365,
            every: DAY * 15,
            writes_per_day: Some(1.0),
            fidelity: Fidelity::Skip { tolerance: 0.02 },
        }
    }
}

impl LifetimeOptions {
    /// # Errors
    /// A time of zero, snapshots further apart than the horizon, or more than 100,000 of them; a rate or a tolerance out
    /// of range.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let refuse = |holds: bool, subject: String, problem: &str| {
            if holds {
                Ok(())
            } else {
                Err(ConfigError::key(None, subject, problem))
            }
        };
        for (name, time) in [
            ("required", self.required),
            ("horizon", self.horizon),
            ("every", self.every),
        ] {
            refuse(
                time > Duration::ZERO,
                format!("{name} = {time}"),
                "accepted are times above 0 s",
            )?;
        }
        refuse(
            self.every <= self.horizon,
            format!("every = {}", self.every),
            "accepted are times up to the horizon",
        )?;
        refuse(
            self.horizon.ns() / self.every.ns() <= 100_000,
            format!("every = {}", self.every),
            "more than 100,000 snapshots; accepted are longer times",
        )?;
        if let Some(rate) = self.writes_per_day {
            refuse(
                rate > 0.0 && rate <= 1e5,
                format!("writes_per_day = {rate}"),
                "accepted are numbers above 0, up to 100,000",
            )?;
        }
        if let Fidelity::Skip { tolerance } = self.fidelity {
            refuse(
                tolerance > 0.0 && tolerance <= 0.2,
                format!("tolerance = {tolerance}"),
                "accepted are numbers above 0, up to 0.2",
            )?;
        }
        Ok(())
    }
}

/// How far a study has come.
#[derive(Clone, Copy, Debug)]
pub struct LifetimeProgress {
    /// Share of the horizon.
    pub share: f64,
    /// Pages programmed.
    pub programmed: u64,
}
