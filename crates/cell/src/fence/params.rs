//! The constants of the model, each with where it comes from.

use super::barrier::Barrier;
use super::constants::{DAY, VACUUM_PERMITTIVITY};
use super::error::{ParamError, require};
use super::thermal::REFERENCE_CELSIUS;
use super::tunnelling;
use crate::heat::kelvin;

/// Retention in seconds below which a block serves no storage: 2 days (the research group's simulator).
pub const MINIMUM_USABLE: f64 = 2.0 * DAY;

/// The highest program and erase voltage.
const HIGHEST_VOLTAGE: f64 = 100.0;
/// From this thickness of the tunnel oxide on, in m, the steady leak does not dominate.
const THICK_OXIDE: f64 = 13e-9;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// Stated in the dissertation.
    Stated,
    /// From the simulator that the research group released with Jiang and Gurumurthi, MASCOTS 2013.
    Simulator,
    /// Fitted or chosen, to the published anchors alone.
    Fitted,
}

impl Provenance {
    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Simulator => "simulator",
            Self::Fitted => "fitted",
        }
    }
}

/// A constant of the model.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Field of [`CellParams`].
    pub name: &'static str,
    /// Its unit, empty without one.
    pub unit: &'static str,
    /// Where its value comes from.
    pub provenance: Provenance,
    /// What it is.
    pub meaning: &'static str,
    read: fn(&CellParams) -> f64,
    write: fn(&mut CellParams, f64),
}

impl Parameter {
    /// Its value.
    #[must_use]
    pub fn value(&self, params: &CellParams) -> f64 {
        (self.read)(params)
    }
}

macro_rules! params {
    ($($field:ident = $value:expr, $unit:literal, $provenance:ident, $meaning:literal;)*) => {
        /// The constants of the model; the defaults are those of 80 nm NAND. [`PARAMETERS`] says where each comes from.
        #[derive(Clone, Debug, PartialEq)]
        pub struct CellParams {
            $(#[doc = $meaning] #[doc = concat!("(", $unit, ").")] pub $field: f64,)*
            /// Height of the reduced barrier against equivalent events.
            pub barrier: Barrier,
            /// Whether a tunnel oxide of 13 nm or more is accepted, though the steady leak does not dominate there.
            pub allow_thick_oxide: bool,
        }

        /// The numeric constants in the order of [`CellParams`].
        pub const PARAMETERS: &[Parameter] = &[$(Parameter {
            name: stringify!($field),
            unit: $unit,
            provenance: Provenance::$provenance,
            meaning: $meaning,
            read: |params| params.$field,
            write: |params, value| params.$field = value,
        }),*];

        impl CellParams {
            /// Planar NAND of 80 nm: the cell of the dissertation.
            #[must_use]
            pub fn nand_80nm() -> Self {
                Self { $($field: $value,)* barrier: Barrier::default(), allow_thick_oxide: false }
            }
        }
    };
}

params! {
    feature = 80e-9, "m", Stated, "feature size; a cell is a square of it";
    oxide = 7.5e-9, "m", Simulator, "thickness of the tunnel oxide";
    permittivity = 4.5, "", Simulator, "effective relative permittivity of the tunnel oxide";
    gcr = 0.6, "", Simulator, "gate coupling ratio";
    trap_a = 0.08, "electrons", Simulator, "interface traps of a cell after one event, exponent 0.62";
    trap_b = 5.0, "electrons", Simulator, "oxide traps of a cell after one event, exponent 0.30";
    recoverable = 0.6, "", Simulator, "share K of the trapped charge that rest can free";
    detrapping = 1e-3, "V", Simulator, "factor c_d of logarithmic detrapping";
    kappa = 1.2, "", Fitted, "factor of the rate law, matched to the discrete recurrence";
    program_voltage = 16.0, "V", Stated, "program and erase voltage (ITRS 2009)";
    flat_band = 1.0, "V", Simulator, "flat-band voltage";
    barrier_height = 3.2, "eV", Simulator, "barrier of silicon and its oxide";
    oxide_mass = 0.42, "electron masses", Simulator, "effective mass of an electron in the oxide";
    silicon_mass = 0.19, "electron masses", Simulator, "effective mass of an electron in silicon";
    injected = 2.9, "V", Simulator, "threshold window of the injected charge";
    silc_alpha = -0.4, "", Simulator, "exponent of the injected charge in the leak (after Larcher et al. 2002)";
    silc_beta = 0.3, "", Simulator, "exponent of the stress current in the leak (after Larcher et al. 2002)";
    silc_d = 0.69, "(C/m^2)^-alpha", Simulator, "factor of the injected charge in the leak (after Larcher et al. 2002)";
    silc_c = 3.661_85e-24, "(A/m^2)^(1-beta) m^2/V^2", Simulator, "factor of the leak (after Larcher et al. 2002)";
    events_per_cycle = 2.0, "", Stated, "stress events of a program/erase cycle; checked against the unrested endurance";
    new_events = 200.0, "", Fitted, "equivalent events below which a cell counts as new: about 65 years";
}

impl Default for CellParams {
    fn default() -> Self {
        Self::nand_80nm()
    }
}

impl CellParams {
    /// Sets the constant called `name`.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), ParamError> {
        let Some(parameter) = PARAMETERS.iter().find(|parameter| parameter.name == name) else {
            let names: Vec<&str> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
            let hint = wordline_units::nearest(name, names.iter().copied())
                .map_or_else(String::new, |near| format!("did you mean `{near}`? "));
            return Err(ParamError {
                field: name.to_owned(),
                found: value.to_string(),
                accepted: format!("unknown constant; {hint}accepted are {}", names.join(", ")),
            });
        };
        (parameter.write)(self, value);
        Ok(())
    }

    /// Capacitance of the tunnel oxide in F/m^2.
    pub(super) fn oxide_capacitance(&self) -> f64 {
        self.permittivity * VACUUM_PERMITTIVITY / self.oxide
    }

    /// Capacitance between control and floating gate in F/m^2.
    pub(super) fn gate_capacitance(&self) -> f64 {
        self.gcr * self.oxide_capacitance()
    }

    /// Field in the oxide during stress in V/m.
    pub(super) fn stress_field(&self) -> f64 {
        (self.program_voltage * self.gcr - self.flat_band) / self.oxide
    }

    /// Checks every value by itself, and those that bound each other.
    pub(super) fn check(&self) -> Result<(), ParamError> {
        for (field, value, low, high) in [
            ("feature", self.feature, 1e-9, 1e-5),
            ("oxide", self.oxide, 1e-9, 1e-7),
            ("permittivity", self.permittivity, 1.0, 100.0),
            ("trap_a", self.trap_a, 0.0, 1e6),
            ("trap_b", self.trap_b, 0.0, 1e6),
            ("detrapping", self.detrapping, 0.0, 10.0),
            ("kappa", self.kappa, 1e-3, 1e3),
            ("flat_band", self.flat_band, -10.0, 10.0),
            ("barrier_height", self.barrier_height, 0.1, 20.0),
            ("oxide_mass", self.oxide_mass, 1e-3, 10.0),
            ("silicon_mass", self.silicon_mass, 1e-3, 10.0),
            ("injected", self.injected, 1e-3, 100.0),
            ("silc_alpha", self.silc_alpha, -10.0, -1e-3),
            ("silc_d", self.silc_d, 1e-12, 1e12),
            ("silc_c", self.silc_c, 1e-60, 1e12),
            ("events_per_cycle", self.events_per_cycle, 0.1, 100.0),
            ("new_events", self.new_events, 1.0, 1e9),
        ] {
            require(
                (low..=high).contains(&value),
                field,
                value,
                format!("accepted are numbers from {low:?} to {high:?}"),
            )?;
        }
        require(
            self.oxide < THICK_OXIDE || self.allow_thick_oxide,
            "oxide",
            self.oxide,
            "accepted are numbers below 13e-9 m, where the steady leak dominates (allow_thick_oxide lifts the bound)",
        )?;
        require(
            self.trap_a + self.trap_b > 0.0,
            "trap_b",
            self.trap_b,
            "accepted are numbers above 0 where trap_a is 0: some charge must be trapped",
        )?;
        for (field, value) in [("gcr", self.gcr), ("silc_beta", self.silc_beta)] {
            require(
                value > 0.0 && value < 1.0,
                field,
                value,
                "accepted are numbers between 0 and 1, neither included",
            )?;
        }
        require(
            (0.0..1.0).contains(&self.recoverable),
            "recoverable",
            self.recoverable,
            "accepted are numbers from 0 to below 1",
        )?;
        self.check_stress()
    }

    fn check_stress(&self) -> Result<(), ParamError> {
        require(
            self.stress_field() > 0.0 && self.program_voltage <= HIGHEST_VOLTAGE,
            "program_voltage",
            self.program_voltage,
            format!(
                "accepted are voltages above flat_band / gcr = {} V, below which nothing tunnels, up to \
                 {HIGHEST_VOLTAGE} V",
                self.flat_band / self.gcr
            ),
        )?;
        let x = tunnelling::thermal_argument(
            self.oxide_mass,
            self.barrier_height,
            self.stress_field(),
            kelvin(REFERENCE_CELSIUS),
        );
        require(
            x < std::f64::consts::PI,
            "program_voltage",
            self.program_voltage,
            "accepted are voltages at which the thermal correction of tunnelling stays below pi",
        )
    }
}

/// What a cell stores, which says how far its levels lie apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellKind {
    /// One bit: 1.70 V (the research group's simulator).
    Slc,
    /// Two bits: 0.65 V (the same; the dissertation states the ratio, 2.6).
    Mlc2,
    /// Another gap.
    Custom {
        /// Threshold gap that stores one level, in volts.
        level_gap: f64,
    },
}

impl CellKind {
    /// Threshold gap that stores one level, in volts.
    #[must_use]
    pub const fn level_gap(self) -> f64 {
        match self {
            Self::Slc => 1.70,
            Self::Mlc2 => 0.65,
            Self::Custom { level_gap } => level_gap,
        }
    }
}
