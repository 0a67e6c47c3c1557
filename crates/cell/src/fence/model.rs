//! The exact model: trapped charge, recovery, leak and retention as functions of wear, rest and temperature.

use super::course::Course;
use super::error::{ParamError, require};
use super::leakage::Leakage;
use super::params::{CellKind, CellParams};
use super::thermal::{DETRAPPING_EV, REFERENCE_CELSIUS, RETENTION_EV, RestAcceleration, check_temperature};
use super::traps::Traps;
use super::variation::CellDraw;
use crate::heat::arrhenius;

/// How long a cell keeps its data.
///
/// Wear is counted in *equivalent events*: the stress events without rest that would leave the same trapped charge.
/// A rest is the time since the stress event before; how fast it heals follows `rest_acceleration`.
#[derive(Clone, Debug)]
pub struct RetentionModel {
    params: CellParams,
    kind: CellKind,
    rest_acceleration: RestAcceleration,
    traps: Traps,
    leakage: Leakage,
    /// Capacitance between control and floating gate in F/m^2.
    gate: f64,
}

impl RetentionModel {
    /// # Errors
    /// A constant outside its range, or constants that do not go together.
    pub fn new(
        params: CellParams,
        kind: CellKind,
        rest_acceleration: RestAcceleration,
    ) -> Result<Self, ParamError> {
        params.check()?;
        let gap = kind.level_gap();
        require(
            gap > 0.0 && gap <= 10.0,
            "level_gap",
            format!("{gap} V"),
            "accepted are voltages above 0 V up to 10 V",
        )?;
        let model = Self {
            traps: Traps::new(&params),
            leakage: Leakage::new(&params),
            gate: params.gate_capacitance(),
            params,
            kind,
            rest_acceleration,
        };
        let longest = model.seconds(model.params.new_events, f64::NEG_INFINITY);
        require(
            longest.is_finite() && model.traps.trapped(1e9).is_finite(),
            "silc_c",
            model.params.silc_c,
            "with the other constants, the leak of a new cell is lost in rounding; accepted are constants that give a \
             finite retention",
        )?;
        Ok(model)
    }

    /// The constants.
    #[must_use]
    pub fn params(&self) -> &CellParams {
        &self.params
    }

    /// What a cell stores.
    #[must_use]
    pub fn kind(&self) -> CellKind {
        self.kind
    }

    /// Whether heat speeds recovery.
    #[must_use]
    pub fn rest_acceleration(&self) -> RestAcceleration {
        self.rest_acceleration
    }

    /// The model of a cell that deviates from the mean one.
    ///
    /// # Errors
    /// As for `new`.
    pub fn varied(&self, draw: &CellDraw) -> Result<Self, ParamError> {
        let mut params = self.params.clone();
        params.trap_a *= draw.traps;
        params.trap_b *= draw.traps;
        params.silc_c *= draw.leak;
        let kind = CellKind::Custom {
            level_gap: draw.level_gap,
        };
        Self::new(params, kind, self.rest_acceleration)
    }

    /// Factor by which rests at a temperature count longer than at 30 degC: 1 unless heat speeds recovery.
    ///
    /// # Errors
    /// A temperature outside -40 to 150 degC.
    pub fn rest_factor(&self, celsius: f64) -> Result<f64, ParamError> {
        check_temperature(celsius)?;
        Ok(match self.rest_acceleration {
            RestAcceleration::Off => 1.0,
            RestAcceleration::On => arrhenius(DETRAPPING_EV, REFERENCE_CELSIUS, celsius),
        })
    }

    /// Factor by which retention at a temperature differs from that at 30 degC.
    ///
    /// # Errors
    /// A temperature outside -40 to 150 degC.
    pub fn retention_factor(&self, celsius: f64) -> Result<f64, ParamError> {
        check_temperature(celsius)?;
        Ok(1.0 / arrhenius(RETENTION_EV, REFERENCE_CELSIUS, celsius))
    }

    /// Threshold shift by trapped charge in volts, before any recovery (3.2).
    ///
    /// # Errors
    /// A negative or non-finite number of events.
    pub fn vth_trapped(&self, events: f64) -> Result<f64, ParamError> {
        check_events(events)?;
        Ok(self.traps.trapped(events))
    }

    /// Equivalent events that trap `volts`: the inverse of `vth_trapped`.
    ///
    /// # Errors
    /// A negative or non-finite voltage.
    pub fn equivalent_events_for(&self, volts: f64) -> Result<f64, ParamError> {
        require(
            volts.is_finite() && volts >= 0.0,
            "vth",
            format!("{volts} V"),
            "accepted are finite voltages of 0 or more",
        )?;
        Ok(self.traps.events(volts))
    }

    /// Threshold shift in volts that one rest of so many seconds at 30 degC frees (3.3).
    ///
    /// # Errors
    /// A negative or non-finite argument.
    pub fn vth_recovered(&self, events: f64, rest: f64) -> Result<f64, ParamError> {
        check_events(events)?;
        check_rest(rest)?;
        Ok(self.traps.recovered(self.traps.trapped(events), libm::log(rest)))
    }

    /// Events undone for each that counts, r of the cumulative law, in cycling with so long a rest at 30 degC.
    ///
    /// # Errors
    /// A negative or non-finite argument.
    pub fn events_undone(&self, events: f64, rest: f64) -> Result<f64, ParamError> {
        check_events(events)?;
        check_rest(rest)?;
        Ok(self.undone(events, libm::log(rest)))
    }

    /// Real events for one equivalent event, s of the cumulative law, in cycling with so long a rest at 30 degC.
    ///
    /// # Errors
    /// A negative or non-finite argument.
    pub fn events_per_equivalent(&self, events: f64, rest: f64) -> Result<f64, ParamError> {
        check_events(events)?;
        check_rest(rest)?;
        Ok(self.slowing(events, libm::log(rest)))
    }

    /// Leakage current density in A/m^2 (3.6).
    ///
    /// # Errors
    /// A negative or non-finite number of events.
    pub fn silc_current(&self, events: f64) -> Result<f64, ParamError> {
        check_events(events)?;
        Ok(self.leakage.current(events))
    }

    /// Prefactor of the leakage current in A/V^2 (3.7).
    ///
    /// # Errors
    /// A negative or non-finite number of events.
    pub fn silc_factor(&self, events: f64) -> Result<f64, ParamError> {
        check_events(events)?;
        Ok(self.leakage.factor(events))
    }

    /// Retention in seconds of data written now, after `events` equivalent events with so long a rest, at a
    /// temperature (3.10 and section 4). Cells younger than `new_events` count as new.
    ///
    /// # Errors
    /// A negative or non-finite argument; a temperature outside -40 to 150 degC.
    pub fn retention(&self, events: f64, rest: f64, celsius: f64) -> Result<f64, ParamError> {
        check_events(events)?;
        let ln_rest = self.ln_rest(rest, celsius)?;
        Ok(self.seconds(events, ln_rest) * self.retention_factor(celsius)?)
    }

    /// Retention in seconds after each number of program/erase cycles, all with so long a rest before every event.
    ///
    /// # Errors
    /// As for `retention`.
    pub fn retention_curve(&self, rest: f64, celsius: f64, cycles: &[f64]) -> Result<Vec<f64>, ParamError> {
        let ln_rest = self.ln_rest(rest, celsius)?;
        let factor = self.retention_factor(celsius)?;
        let mut course = self.course(ln_rest);
        cycles
            .iter()
            .map(|cycles| {
                require_amount("cycles", *cycles)?;
                let events = course.advance(0.0, cycles * self.params.events_per_cycle);
                Ok(self.seconds(events, ln_rest) * factor)
            })
            .collect()
    }

    /// Equivalent events after each number of program/erase cycles, all with so long a rest before every event.
    ///
    /// # Errors
    /// As for `retention`.
    pub fn wear_curve(&self, rest: f64, celsius: f64, cycles: &[f64]) -> Result<Vec<f64>, ParamError> {
        let mut course = self.course(self.ln_rest(rest, celsius)?);
        cycles
            .iter()
            .map(|cycles| {
                require_amount("cycles", *cycles)?;
                Ok(course.advance(0.0, cycles * self.params.events_per_cycle))
            })
            .collect()
    }

    /// Program/erase cycles after which retention falls below `threshold` seconds, with so long a rest before every
    /// event; `None` where that of a new cell is below it already.
    ///
    /// # Errors
    /// A threshold of 0 or less; as for `retention`.
    pub fn cycles_to_retention(
        &self,
        threshold: f64,
        rest: f64,
        celsius: f64,
    ) -> Result<Option<f64>, ParamError> {
        require(
            threshold.is_finite() && threshold > 0.0,
            "threshold",
            format!("{threshold} s"),
            "accepted are finite times above 0 s",
        )?;
        let ln_rest = self.ln_rest(rest, celsius)?;
        let at_reference = threshold / self.retention_factor(celsius)?;
        let Some(events) = self.worn_to(at_reference, ln_rest) else {
            return Ok(None);
        };
        Ok(Some(
            self.course(ln_rest).events_to(events) / self.params.events_per_cycle,
        ))
    }

    /// Equivalent events at which retention at 30 degC falls below `threshold` seconds, `None` where that of a new
    /// cell is below it.
    pub(super) fn worn_to(&self, threshold: f64, ln_rest: f64) -> Option<f64> {
        let new = self.params.new_events;
        if self.seconds(new, ln_rest) < threshold {
            return None;
        }
        // beyond, nothing that rest frees leaves any charge
        let spent = self
            .traps
            .events(self.kind.level_gap() / (1.0 - self.params.recoverable));
        let (mut low, mut high) = (libm::log(new), libm::log(spent.max(new)));
        while high - low > 1e-14 * high.abs().max(1.0) {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.seconds(libm::exp(middle), ln_rest) < threshold {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(libm::exp(low))
    }

    /// How wear proceeds in cycling with a constant rest, given as the logarithm of its seconds at 30 degC.
    fn course(&self, ln_rest: f64) -> Course<impl Fn(f64) -> f64> {
        Course::new(move |events| 1.0 / self.slowing(events, ln_rest))
    }

    /// Logarithm of a rest, as long as it counts at the temperature; checks both.
    fn ln_rest(&self, rest: f64, celsius: f64) -> Result<f64, ParamError> {
        check_rest(rest)?;
        Ok(libm::log(rest * self.rest_factor(celsius)?))
    }

    pub(super) fn undone(&self, events: f64, ln_rest: f64) -> f64 {
        self.traps.undone(self.traps.trapped(events.max(1.0)), ln_rest)
    }

    pub(super) fn slowing(&self, events: f64, ln_rest: f64) -> f64 {
        1.0 + self.params.kappa * self.undone(events, ln_rest)
    }

    /// Retention in seconds at 30 degC.
    fn seconds(&self, events: f64, ln_rest: f64) -> f64 {
        let events = events.max(self.params.new_events);
        self.seconds_with(events, ln_rest, self.undone(events, ln_rest))
    }

    /// Retention in seconds at 30 degC of a cell that is not younger than new, where what rest undoes is known.
    pub(super) fn seconds_with(&self, events: f64, ln_rest: f64, undone: f64) -> f64 {
        let net = self.net(events, ln_rest, undone);
        let charge = (self.kind.level_gap() - net).max(0.0) * self.gate;
        charge / self.leakage.current(events)
    }

    /// The same of cells that deviate from the mean one.
    pub(super) fn seconds_of(&self, draw: &CellDraw, events: f64, ln_rest: f64, undone: f64) -> f64 {
        let trapped = draw.traps * self.traps.trapped(events);
        let net = self.left(trapped, ln_rest, undone);
        let charge = (draw.level_gap - net).max(0.0) * self.gate;
        charge / (draw.leak * self.leakage.current(events))
    }

    /// Threshold shift in volts that is left after recovery.
    pub(super) fn net(&self, events: f64, ln_rest: f64, undone: f64) -> f64 {
        self.left(self.traps.trapped(events), ln_rest, undone)
    }

    /// What recovery leaves of so many volts.
    fn left(&self, trapped: f64, ln_rest: f64, undone: f64) -> f64 {
        if ln_rest <= 0.0 {
            return trapped;
        }
        trapped - self.traps.recovered(trapped, ln_rest + libm::log1p(undone))
    }

    #[cfg(test)]
    pub(super) fn leakage(&self) -> &Leakage {
        &self.leakage
    }

    pub(super) fn traps(&self) -> &Traps {
        &self.traps
    }
}

pub(super) fn check_events(events: f64) -> Result<(), ParamError> {
    require_amount("events", events)
}

pub(super) fn check_rest(rest: f64) -> Result<(), ParamError> {
    require(
        rest.is_finite() && rest >= 0.0,
        "rest",
        format!("{rest} s"),
        "accepted are finite times of 0 s or more",
    )
}

fn require_amount(field: &str, amount: f64) -> Result<(), ParamError> {
    require(
        amount.is_finite() && amount >= 0.0,
        field,
        amount,
        "accepted are finite numbers of 0 or more",
    )
}
