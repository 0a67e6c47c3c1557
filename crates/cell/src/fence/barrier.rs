//! The barrier that traps lower.

use super::error::{ParamError, require};

/// Height of the reduced (trap-assisted) barrier against equivalent events: straight lines between knots,
/// constant outside them.
#[derive(Clone, Debug, PartialEq)]
pub struct Barrier {
    knots: Vec<(f64, f64)>,
}

impl Barrier {
    /// Knots of events and electronvolts.
    ///
    /// # Errors
    /// No knot; events not increasing; heights not within 0.8 to 1.1 eV, or rising.
    pub fn new(knots: Vec<(f64, f64)>) -> Result<Self, ParamError> {
        require(
            !knots.is_empty(),
            "barrier_knots",
            "nothing",
            "accepted is at least one knot",
        )?;
        for (events, height) in &knots {
            require(
                events.is_finite() && *events >= 0.0,
                "barrier_knots",
                events,
                "accepted are finite numbers of events, 0 or more",
            )?;
            require(
                (0.8..=1.1).contains(height),
                "barrier_knots",
                height,
                "accepted are heights of 0.8 to 1.1 eV",
            )?;
        }
        for pair in knots.windows(2) {
            let shown = format!("({}, {}), ({}, {})", pair[0].0, pair[0].1, pair[1].0, pair[1].1);
            require(
                pair[0].0 < pair[1].0 && pair[0].1 >= pair[1].1,
                "barrier_knots",
                shown,
                "accepted are knots with rising events and heights that do not rise",
            )?;
        }
        Ok(Self { knots })
    }

    /// The knots: events and electronvolts.
    #[must_use]
    pub fn knots(&self) -> &[(f64, f64)] {
        &self.knots
    }

    /// Height in electronvolts after `events` equivalent events.
    #[must_use]
    pub fn height(&self, events: f64) -> f64 {
        let after = self.knots.partition_point(|(at, _)| *at <= events);
        match (
            after.checked_sub(1).map(|before| self.knots[before]),
            self.knots.get(after).copied(),
        ) {
            (Some((from, high)), Some((to, low))) => high + (low - high) * (events - from) / (to - from),
            (Some((_, height)), None) | (None, Some((_, height))) => height,
            (None, None) => f64::NAN,
        }
    }
}

impl Default for Barrier {
    /// Equation F4: the range is the dissertation's, the knots up to 10^5 events are the research group's
    /// simulator's, those beyond continue them.
    fn default() -> Self {
        Self {
            knots: vec![
                (1e2, 1.10),
                (1e3, 1.05),
                (1e4, 1.00),
                (1e5, 0.95),
                (1e6, 0.90),
                (1e7, 0.85),
                (1e8, 0.80),
            ],
        }
    }
}
