//! `[cell]`: how reliable the cells are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::{Is, On, Set, Unset};
use wordline_keys::{Rule, Section};
use wordline_units::{Duration, Voltage};

use crate::cell::References;
use crate::disturb::{ProgramDisturb, ReadDisturb};
use crate::error::{CellError, require};
use crate::heat::HeatLaw;
use crate::ispp::{Ispp, check_programmed};
use crate::pages::{Reading, check_bits};
use crate::power_law::{EarlyLoss, PowerLaw};
use crate::solve::Family;
use crate::variation::{Variation, VariationConfig};
use crate::vth::{Erased, Programmed, check_step};
use crate::vth_shift::{ShiftConfig, VthShift, check_gap};

/// The longest program.
const LONGEST_PROGRAM: Duration = Duration(1_000_000_000);
/// The oldest data: 500 years.
const OLDEST: Duration = Duration(500 * 365 * 86_400_000_000_000);

/// `[cell]`: threshold voltages, raw bit error rates, and how blocks differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CellConfig {
    /// Bits of a cell, 1 to 5.
    pub bits_per_cell: u32,
    /// Which of the rates of a cell's pages goes to the error correction, where rates come from threshold voltages.
    pub ber_reading: Reading,
    /// Age of data up to which the error rate of a class of blocks must not exceed that of the
    /// weakest block.
    pub design_age: Duration,
    /// Threshold voltages.
    pub vth: VthConfig,
    /// Raw bit error rates.
    pub rber: RberConfig,
    /// How blocks differ.
    pub process_variation: VariationConfig,
    /// How heat ages data that are kept.
    pub retention: HeatLaw,
    /// How long programs take.
    pub program: ProgramConfig,
}

/// `[cell.vth]`: threshold voltages, in gaps between adjacent states; the erased state is centred on 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VthConfig {
    /// Program step, 0 to 2: the width of the flat part of programmed states.
    pub step: f64,
    /// Deviation of the erased state.
    pub sigma_erased: f64,
    /// Deviation of the tails of programmed states, for the models that compute rates from it: `vth_shift`, and `fixed`
    /// without a rate. With the others it follows from the error rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sigma_programmed: Option<f64>,
    /// Reference voltages of reads: a name, or a list of `2^bits - 1` numbers, strictly increasing.
    pub references: References,
    /// Volts between adjacent states.
    pub gap: Voltage,
}

/// `[cell.rber]`: the raw bit error rate of a nominal block by cycles, age, reads and programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RberConfig {
    /// What the error rate depends on.
    pub model: RberModel,
    /// The rate, with the model `fixed`; if unset, the rate of the threshold voltages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Rate of a fresh block, with the model `power_law`.
    pub epsilon: f64,
    /// Rate by wear after one cycle.
    pub alpha: f64,
    /// Power of the cycles in the rate by wear, 0 to 8.
    pub k: f64,
    /// Rate by age after one cycle and one day.
    pub beta: f64,
    /// Power of the cycles in the rate by age, 0 to 8.
    pub m: f64,
    /// Power of the age, 0 to 8.
    pub n: f64,
    /// Errors by charge that leaves within hours of the program, as in cells that trap charge; if this table is missing, there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub early_loss: Option<EarlyLoss>,
    /// Errors caused by reads; if this table is missing, there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_disturb: Option<ReadDisturb>,
    /// Errors caused by programs of the same block after the page's own; if this table is missing, there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program_disturb: Option<ProgramDisturb>,
    /// Relative increase of a page's error rate for each program phase that was cancelled and
    /// repeated, 0 to 10. Unset: no increase; Wu (2013) argues that a fine program step and the
    /// error correction compensate for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "wordline_units::optional_share")]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub redone_phase: Option<f64>,
    /// Gives each page of a cell its own rate instead of their mean.
    pub by_page_type: bool,
    /// Constants of the model `vth_shift`.
    pub vth_shift: ShiftConfig,
}

/// What raw bit error rates follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RberModel {
    /// Powers of cycles, age of the data, reads and programs.
    #[default]
    PowerLaw,
    /// Threshold voltages that shift and spread.
    VthShift,
    /// A constant rate.
    Fixed,
}

impl RberModel {
    /// As configuration spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PowerLaw => "power_law",
            Self::VthShift => "vth_shift",
            Self::Fixed => "fixed",
        }
    }
}

/// `[cell.program]`: how long programs take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProgramConfig {
    /// Time of a program at the reference step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_prog: Option<Duration>,
    /// The reference step: program times and error rates are given for it; `cell.vth.step` if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Whole pulses of a program at the reference step, 1 to 10000; left out, times are in inverse proportion to
    /// the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pulses: Option<u32>,
}

impl Default for CellConfig {
    fn default() -> Self {
        Self {
            bits_per_cell: 2,
            ber_reading: Reading::WorstPage,
            design_age: Duration(7 * 86_400_000_000_000),
            vth: VthConfig::default(),
            rber: RberConfig::default(),
            process_variation: VariationConfig::default(),
            retention: HeatLaw::default(),
            program: ProgramConfig::default(),
        }
    }
}

impl Default for VthConfig {
    fn default() -> Self {
        Self {
            step: 0.4,
            sigma_erased: 0.1,
            sigma_programmed: None,
            references: References::Midpoint,
            gap: Voltage(0.9484),
        }
    }
}

impl Section for VthConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(&["gap"], &[Is("cell.rber.model", &["vth_shift"])]),
        // threshold voltages give rates, or part the given ones among the pages of a cell
        Rule::only(
            &["sigma_programmed"],
            &[Is("cell.rber.model", &["vth_shift", "fixed"])],
        ),
        Rule::only(
            &["step", "sigma_erased", "references"],
            &[
                Is("cell.rber.model", &["vth_shift", "fixed"]),
                On("cell.rber.by_page_type"),
                // pages that are programmed with another step are compared with this one
                Set("modes"),
            ],
        ),
        Rule::only(&["sigma_programmed"], &[Unset("cell.rber.rate")]),
    ];
}

/// The constants of `mlc_late_life`: 3000 cycles give 0.0020 at once and 0.0075 after seven days.
impl Default for RberConfig {
    fn default() -> Self {
        Self {
            model: RberModel::PowerLaw,
            rate: None,
            epsilon: 0.0,
            alpha: 6.666_667e-7,
            k: 1.0,
            beta: 5.175_207e-7,
            m: 1.0,
            n: 0.65,
            early_loss: None,
            read_disturb: None,
            program_disturb: None,
            redone_phase: None,
            by_page_type: false,
            vth_shift: ShiftConfig::default(),
        }
    }
}

impl Section for RberConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(
            &[
                "epsilon",
                "alpha",
                "k",
                "beta",
                "m",
                "n",
                "early_loss",
                "read_disturb",
                "program_disturb",
            ],
            &[Is("cell.rber.model", &["power_law"])],
        ),
        Rule::only(&["rate"], &[Is("cell.rber.model", &["fixed"])]),
        Rule::only(&["vth_shift"], &[Is("cell.rber.model", &["vth_shift"])]),
    ];
}

/// What rates follow, checked and ready.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    PowerLaw(PowerLaw),
    VthShift(Box<VthShift>),
    Fixed(f64),
}

impl CellConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The first value outside its range, with its key below `cell`.
    pub fn check(&self) -> Result<(), CellError> {
        self.family()?;
        Variation::new(&self.process_variation)?;
        self.ispp()?;
        self.retention.check()?;
        require(
            self.design_age <= OLDEST,
            "cell.design_age",
            self.design_age,
            "times up to 500 years",
        )?;
        self.shape().map(|_| ())
    }

    /// Keys, or sections, that have no effect in this combination, each with the reason. Who knows which of them
    /// were set refuses those.
    #[must_use]
    pub fn idle(&self) -> Vec<(&'static str, &'static str)> {
        let mut idle = Vec::new();
        let model = self.rber.model;
        if model != RberModel::PowerLaw {
            let why = "counts only with cell.rber.model = \"power_law\"; accepted is to leave it out";
            for key in [
                "cell.rber.epsilon",
                "cell.rber.alpha",
                "cell.rber.k",
                "cell.rber.beta",
                "cell.rber.m",
                "cell.rber.n",
                "cell.rber.early_loss",
                "cell.rber.read_disturb",
                "cell.rber.program_disturb",
            ] {
                idle.push((key, why));
            }
        }
        if model != RberModel::VthShift {
            let why = "counts only with cell.rber.model = \"vth_shift\"; accepted is to leave it out";
            idle.push(("cell.rber.vth_shift", why));
        }
        if model != RberModel::Fixed {
            let why = "counts only with cell.rber.model = \"fixed\"; accepted is to leave it out";
            idle.push(("cell.rber.rate", why));
        }
        if model == RberModel::PowerLaw || (model == RberModel::Fixed && self.rber.rate.is_some()) {
            let why = "the deviation follows from the error rate; accepted is to leave it out, or a model that starts \
                       from it: cell.rber.model = \"vth_shift\", or \"fixed\" without cell.rber.rate";
            idle.push(("cell.vth.sigma_programmed", why));
        }
        if self.process_variation.sd == 0.0 {
            let why = "all blocks are alike (cell.process_variation.sd = 0); accepted is to leave it out";
            for key in [
                "cell.process_variation.distribution",
                "cell.process_variation.bound_sd",
                "cell.process_variation.seed",
            ] {
                idle.push((key, why));
            }
        }
        idle
    }

    /// The cells without step and deviation.
    ///
    /// # Errors
    /// Values of `[cell.vth]` and bits outside their ranges.
    pub fn family(&self) -> Result<Family, CellError> {
        check_bits(self.bits_per_cell)?;
        check_step("cell.vth.step", self.vth.step)?;
        check_gap(self.vth.gap)?;
        if let References::At(list) = &self.vth.references {
            crate::cell::check_references(list, self.bits_per_cell)?;
        }
        if let Some(sigma) = self.vth.sigma_programmed {
            Programmed::new(self.vth.step, sigma)?;
        }
        Ok(Family {
            bits: self.bits_per_cell,
            erased: Erased::new(self.vth.sigma_erased)?,
            references: self.vth.references.clone(),
            reading: self.ber_reading,
        })
    }

    /// How long programs take.
    ///
    /// # Errors
    /// A reference step or pulses outside their ranges.
    pub fn ispp(&self) -> Result<Ispp, CellError> {
        if let Some(t_prog) = self.program.t_prog {
            require(
                t_prog > Duration::ZERO && t_prog <= LONGEST_PROGRAM,
                "cell.program.t_prog",
                t_prog,
                "times above 0 up to 1 s",
            )?;
        }
        if self.program.step.is_none() {
            // it takes the place of the missing key
            check_programmed("cell.vth.step", self.vth.step)?;
        }
        Ispp::new(self.reference_step(), self.program.pulses)
    }

    /// The step for which program times and error rates are given.
    #[must_use]
    pub fn reference_step(&self) -> f64 {
        self.program.step.unwrap_or(self.vth.step)
    }

    /// The design age in days.
    #[must_use]
    pub fn design_days(&self) -> f64 {
        self.design_age.as_secs() / 86_400.0
    }

    /// Which number of a cell's pages the rate of a nominal block is: the mean, but for a fixed one that threshold
    /// voltages give, which is that of `ber_reading` unless each page has its own.
    #[must_use]
    pub fn nominal_reading(&self) -> Reading {
        let rber = &self.rber;
        if rber.model == RberModel::Fixed && rber.rate.is_none() && !rber.by_page_type {
            self.ber_reading
        } else {
            Reading::PageAverage
        }
    }

    pub(crate) fn shape(&self) -> Result<Shape, CellError> {
        let rber = &self.rber;
        let law = PowerLaw {
            epsilon: rber.epsilon,
            alpha: rber.alpha,
            k: rber.k,
            beta: rber.beta,
            m: rber.m,
            n: rber.n,
            early: rber.early_loss,
            read_disturb: rber.read_disturb,
            program_disturb: rber.program_disturb,
        };
        law.check()?;
        if let Some(rate) = rber.rate {
            require(
                (0.0..=0.5).contains(&rate),
                "cell.rber.rate",
                rate,
                "rates from 0 to 0.5",
            )?;
        }
        if let Some(growth) = rber.redone_phase {
            require(
                (0.0..=10.0).contains(&growth),
                "cell.rber.redone_phase",
                growth,
                "0 to 10",
            )?;
        }
        match rber.model {
            RberModel::PowerLaw => Ok(Shape::PowerLaw(law)),
            RberModel::VthShift => {
                let sigma = self.sigma_programmed("the model vth_shift starts from it")?;
                Ok(Shape::VthShift(Box::new(VthShift::new(
                    rber.vth_shift,
                    self.bits_per_cell,
                    Erased::new(self.vth.sigma_erased)?,
                    Programmed::new(self.reference_step(), sigma)?,
                    self.vth.gap,
                    &self.vth.references,
                )?)))
            }
            RberModel::Fixed => Ok(Shape::Fixed(match rber.rate {
                Some(rate) => rate,
                None => {
                    let sigma = self.sigma_programmed("without cell.rber.rate it gives the rate")?;
                    let family = self.family()?.read_as(self.nominal_reading());
                    family.rber(self.reference_step(), sigma)?
                }
            })),
        }
    }

    fn sigma_programmed(&self, why: &str) -> Result<f64, CellError> {
        self.vth.sigma_programmed.ok_or_else(|| {
            let accepted = format!("{why}; accepted are finite numbers above 0");
            CellError::refused("cell.vth.sigma_programmed", "unset", accepted)
        })
    }
}
