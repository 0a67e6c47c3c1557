//! How long a block keeps data whose errors a code corrects.

use crate::disturb::Disturbances;
use crate::error::{CellError, require};
use crate::heat::HeatLaw;
use crate::reliability::{PageState, Reliability};

/// The longest time that is told apart: 500 years.
const LONGEST_DAYS: f64 = 500.0 * 365.0;
const DAY: f64 = 86_400.0;
/// Cycles from 1 to 2^20, so many nodes for each doubling.
const OCTAVES: u32 = 20;
const CUTS: u32 = 64;

/// How long a nominal block keeps data, by its program/erase cycles: until the raw bit error rate of its worst page is
/// more than the code corrects. Nothing reads or programs the block in that time, and rests of its cells heal nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorRetention {
    /// Seconds after 0, then 1 to 2^20 cycles.
    new: f64,
    worn: Vec<f64>,
    corrected: f64,
    heat: HeatLaw,
}

impl ErrorRetention {
    /// The times of some cells with a code that corrects pages up to the raw bit error rate `corrected`.
    ///
    /// # Errors
    /// A rate that is not between 0 and 0.5; as for [`HeatLaw::check`].
    pub fn new(cells: &Reliability, corrected: f64, heat: HeatLaw) -> Result<Self, CellError> {
        let holds = corrected > 0.0 && corrected < 0.5;
        require(holds, "corrected", corrected, "error rates between 0 and 0.5")?;
        heat.check()?;
        let days = |cycles: f64| kept_days(cells, cycles.round() as u32, corrected);
        Ok(Self {
            new: DAY * days(0.0),
            worn: (0..=OCTAVES * CUTS)
                .map(|node| DAY * days(libm::exp2(f64::from(node) / f64::from(CUTS))))
                .collect(),
            corrected,
            heat,
        })
    }

    /// The raw bit error rate up to which the code corrects.
    #[must_use]
    pub const fn corrected(&self) -> f64 {
        self.corrected
    }

    /// Seconds for which data written after so many cycles are kept, at the temperature of [`HeatLaw`]; 0 where they cannot be read at once. Between nodes of the
    /// table, of which 64 double the cycles, the logarithm is linear in that of the cycles.
    #[must_use]
    pub fn seconds(&self, cycles: f64) -> f64 {
        if cycles.is_nan() || cycles <= 1.0 {
            let share = if cycles > 0.0 { cycles } else { 0.0 };
            return self.new + share * (self.worn[0] - self.new);
        }
        let place = libm::log2(cycles) * f64::from(CUTS);
        let node = (place as usize).min(self.worn.len() - 2);
        let share = (place - node as f64).min(1.0);
        let (low, high) = (self.worn[node], self.worn[node + 1]);
        if low > 0.0 && high > 0.0 {
            return libm::exp(libm::log(low) + share * (libm::log(high) - libm::log(low)));
        }
        // the edge at which a page cannot be read at once
        low + share * (high - low)
    }

    /// What times are multiplied by at another temperature.
    #[must_use]
    pub fn heat_factor(&self, celsius: f64) -> f64 {
        self.heat.factor(celsius)
    }
}

/// Days until the worst page of a nominal block has more errors than are corrected.
fn kept_days(cells: &Reliability, cycles: u32, corrected: f64) -> f64 {
    let pages = if cells.has_page_types() {
        cells.family().bits
    } else {
        1
    };
    let worst = |age_days: f64| {
        let rate = |page| {
            cells.rber(&PageState {
                factor: 1.0,
                cycles,
                age_days,
                disturbed: Disturbances::default(),
                redone: 0,
                step: 0,
                page,
            })
        };
        (0..pages as u8).map(rate).fold(0.0, f64::max)
    };
    if worst(0.0) > corrected {
        return 0.0;
    }
    if worst(LONGEST_DAYS) <= corrected {
        return LONGEST_DAYS;
    }
    // the rate rises with age; bisection over the logarithm, from a second on
    let (mut low, mut high) = (libm::log(1.0 / DAY), libm::log(LONGEST_DAYS));
    if worst(libm::exp(low)) > corrected {
        return 0.0;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if worst(libm::exp(middle)) > corrected {
            high = middle;
        } else {
            low = middle;
        }
    }
    libm::exp(low)
}

#[cfg(test)]
mod tests {
    use wordline_units::{Celsius, Seed};

    use super::*;
    use crate::config::CellConfig;

    /// Errors 1e-3 + 1e-6 cycles + 1e-6 cycles days^0.5.
    fn cells() -> Reliability {
        let mut config = CellConfig::default();
        config.rber.epsilon = 1e-3;
        (config.rber.alpha, config.rber.k) = (1e-6, 1.0);
        (config.rber.beta, config.rber.m, config.rber.n) = (1e-6, 1.0, 0.5);
        Reliability::new(&config, Seed(1)).unwrap()
    }

    #[test]
    fn times_are_those_at_which_the_errors_are_as_many_as_are_corrected() {
        let kept = ErrorRetention::new(&cells(), 1e-2, HeatLaw::default()).unwrap();
        // (9e-3 - 1e-6 N) / (1e-6 N) days, squared
        for cycles in [100.0, 977.0, 3000.0, 5000.0, 8000.0] {
            let exact = DAY * libm::pow((9e-3 - 1e-6 * cycles) / (1e-6 * cycles), 2.0);
            let found = kept.seconds(cycles);
            let exact = exact.min(LONGEST_DAYS * DAY);
            assert!((found / exact - 1.0).abs() < 0.01, "{cycles}: {found} {exact}");
        }
        assert_eq!(kept.seconds(0.0), LONGEST_DAYS * DAY);
        assert_eq!(kept.seconds(10_000.0), 0.0);
        assert_eq!(kept.seconds(1e12), 0.0);
        assert_eq!(kept.seconds(f64::NAN), kept.seconds(0.0));
    }

    #[test]
    fn times_never_rise_with_wear() {
        let kept = ErrorRetention::new(&cells(), 1e-2, HeatLaw::default()).unwrap();
        let times: Vec<f64> = (0..20_000)
            .map(|cycles| kept.seconds(f64::from(cycles)))
            .collect();
        assert!(times.windows(2).all(|pair| pair[1] <= pair[0]));
    }

    /// JESD218: an enterprise drive keeps data for three months at 40 degC, a client drive for a year at 30 degC.
    #[test]
    fn ten_degrees_cost_what_the_classes_of_jedec_say() {
        let kept = ErrorRetention::new(&cells(), 1e-2, HeatLaw::default()).unwrap();
        let found = kept.heat_factor(40.0);
        assert!((1.0 / found - 4.0).abs() < 0.2, "{found}");
        assert!((kept.heat_factor(30.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn values_outside_their_ranges_are_refused() {
        for rate in [0.0, 0.5, f64::NAN, -1.0] {
            assert!(ErrorRetention::new(&cells(), rate, HeatLaw::default()).is_err());
        }
        let cold = HeatLaw {
            temperature: Celsius(-300.0),
            ..HeatLaw::default()
        };
        assert!(
            ErrorRetention::new(&cells(), 1e-2, cold)
                .unwrap_err()
                .to_string()
                .contains("retention.temperature")
        );
        let strong = HeatLaw {
            activation_energy: 4.0,
            ..HeatLaw::default()
        };
        assert!(
            ErrorRetention::new(&cells(), 1e-2, strong)
                .unwrap_err()
                .to_string()
                .contains("activation_energy")
        );
    }
}
