//! `[[modes]]`: the modes in which pages can be programmed beside the normal one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_cell::Ispp;
use wordline_ecc::{BchConfig, EccConfig, EccKind};
use wordline_ftl::mode::DescribedMode;
use wordline_keys::RefusedValue;
use wordline_keys::limits::STEP;
use wordline_nand::{CellType, MAX_MODES, Mode, PerPageType, SuspendStyle, Timing};
use wordline_units::Duration;

use crate::{Config, ProgramSuspend};

/// `[[modes]]`: a mode in which pages can be programmed beside the normal one, which `[timing]`, `[cell]` and `[ecc]`
/// describe. What a mode leaves out is as in the normal mode. `[ftl.modes]` says which pages get which mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModeConfig {
    /// Its name: letters, digits, `-` and `_`; not `normal` or `preserve`.
    pub name: String,
    /// Array program (tPROG): one duration or a list by page type. If unset it follows from `step`: the time of the normal
    /// mode in inverse proportion to the program steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub t_prog: Option<PerPageType>,
    /// Array read (tR) of a page of this mode with one reference voltage per boundary of states.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub t_r: Option<PerPageType>,
    /// Program step, above 0 and below 2, as `cell.vth.step` of the normal mode: a page programmed in smaller steps has
    /// fewer errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Makes the modes classes of blocks, which each mode then is: the share of all blocks, the strongest by process variation
    /// (`cell.process_variation`), that are in this class or in one before it; above 0 and below 1, strictly increasing. Every page of
    /// such a block is programmed in this mode, whoever writes it. The other blocks are of the normal class. Without `t_prog` and
    /// `step` the program step is the largest with which the class has, at a data age of 7 days, no more errors than the
    /// weakest block in the normal mode (Cui et al. 2018). `[ftl.modes]` has no effect then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "wordline_units::optional_share")]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub quantile: Option<f64>,
    /// The code of a page of this mode, with `ecc.kind = "bch"`: keys as in `[ecc.bch]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bch: Option<BchConfig>,
}

fn refused(found: impl ToString, accepted: impl ToString) -> RefusedValue {
    RefusedValue::new("modes", found.to_string(), accepted.to_string())
}

impl Config {
    /// The names of the modes beside the normal one, in the order of their numbers.
    #[must_use]
    pub fn mode_names(&self) -> Vec<String> {
        self.modes.iter().map(|mode| mode.name.clone()).collect()
    }

    /// What the FTL is told of the modes, the normal one first.
    ///
    /// # Errors
    /// A program step that is refused.
    pub fn described_modes(&self) -> Result<Vec<DescribedMode>, RefusedValue> {
        let described = |name: &str, t_prog: &PerPageType| DescribedMode {
            name: name.to_owned(),
            program_time: t_prog.mean(),
        };
        let mut modes = vec![described(Mode::NORMAL_NAME, &self.timing.t_prog)];
        for mode in &self.modes {
            modes.push(described(&mode.name, &self.program_time_of_mode(mode)?));
        }
        Ok(modes)
    }

    /// The modes beside the normal one, with their numbers.
    pub fn numbered_modes(&self) -> impl Iterator<Item = (Mode, &ModeConfig)> {
        (1..).map(Mode).zip(&self.modes)
    }

    /// The program steps of the modes beside the normal one.
    ///
    /// # Errors
    /// A class of blocks whose step does not follow from the cells.
    pub fn mode_steps(&self) -> Result<Vec<f64>, RefusedValue> {
        let normal = self.cell.vth.step;
        self.modes
            .iter()
            .map(|mode| Ok(self.step_of_mode(mode)?.unwrap_or(normal)))
            .collect()
    }

    /// The code of the pages of a mode.
    #[must_use]
    pub fn code_of_mode(&self, mode: &ModeConfig) -> EccConfig {
        EccConfig {
            bch: mode.bch.clone().unwrap_or_else(|| self.ecc.bch.clone()),
            ..self.ecc.clone()
        }
    }

    /// Array program times of a mode.
    ///
    /// # Errors
    /// A program step that is refused.
    pub fn program_time_of_mode(&self, mode: &ModeConfig) -> Result<PerPageType, RefusedValue> {
        if let Some(times) = &mode.t_prog {
            return Ok(times.clone());
        }
        let Some(step) = self.step_of_mode(mode)? else {
            return Ok(self.timing.t_prog.clone());
        };
        let slowdown = Ispp::new(self.cell.vth.step, None)
            .and_then(|ispp| ispp.slowdown(step))
            .map_err(|_| {
                refused(
                    format!("a mode with step = {step}"),
                    "a step above 0 and below 2, as cell.vth.step",
                )
            })?;
        let scaled = |time: Duration| Duration((time.ns() as f64 * slowdown).round() as u64);
        Ok(match &self.timing.t_prog {
            PerPageType::All(time) => PerPageType::All(scaled(*time)),
            PerPageType::Each(times) => PerPageType::Each(times.iter().copied().map(scaled).collect()),
        })
    }

    /// The times of the drive's operations, in all modes.
    ///
    /// # Errors
    /// Times of a mode that are refused.
    pub fn timing_with_modes(&self, timing: Timing, cell: CellType) -> Result<Timing, RefusedValue> {
        let timing = timing.with_program_order(self.nand.program, cell);
        self.numbered_modes().try_fold(timing, |timing, (number, mode)| {
            let t_prog = self.program_time_of_mode(mode)?;
            timing
                .with_mode(number, mode.t_r.as_ref(), Some(&t_prog), cell)
                .map_err(|error| {
                    refused(
                        format!("{} = {} in mode \"{}\"", error.key, error.found, mode.name),
                        error.accepted,
                    )
                })
        })
    }

    /// Checks the modes, but for their times and codes.
    pub(crate) fn check_modes(&self) -> Result<(), RefusedValue> {
        if self.modes.len() >= MAX_MODES {
            return Err(refused(
                format!("{} modes", self.modes.len()),
                format!("up to {}", MAX_MODES - 1),
            ));
        }
        for (place, mode) in self.modes.iter().enumerate() {
            let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
            let reserved = [Mode::NORMAL_NAME, "preserve"].contains(&mode.name.as_str());
            let is_new = self.modes[..place].iter().all(|other| other.name != mode.name);
            if mode.name.is_empty() || !mode.name.chars().all(plain) || reserved || !is_new {
                let accepted = "a name of letters, digits, `-` and `_` for each mode, none twice and none of them \"normal\" \
                                or \"preserve\"";
                return Err(refused(format!("a mode with name = \"{}\"", mode.name), accepted));
            }
            if mode.step.is_some_and(|step| !(step > 0.0 && step < 2.0)) {
                let step = mode.step.unwrap_or_default();
                return Err(refused(
                    format!("a mode with step = {step}"),
                    "a step above 0 and below 2",
                ));
            }
            if mode.bch.is_some() && self.ecc.kind != EccKind::Bch {
                let found = format!("bch in mode \"{}\"", mode.name);
                return Err(refused(found, "no code of a mode's own, or ecc.kind = \"bch\""));
            }
            let is_cut = self.scheduler.suspends()
                && self.scheduler.suspension.program_suspend != ProgramSuspend::None
                && self.nand.suspend_style == SuspendStyle::Phases;
            if is_cut && (mode.t_prog.is_some() || mode.step.is_some() || mode.quantile.is_some()) {
                let found = format!("mode \"{}\" with programs of another length", mode.name);
                let accepted = "modes with t_prog, step and quantile unset where programs are suspended by phases, since the phases of \
                                others are not known; or nand.suspend_style = \"vendor\"";
                return Err(refused(found, accepted));
            }
        }
        self.check_block_classes()?;
        wordline_ftl::check_modes(&self.ftl.modes, &self.described_modes()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow() -> ModeConfig {
        ModeConfig {
            name: "slow".to_owned(),
            ..ModeConfig::default()
        }
    }

    fn with(mode: ModeConfig) -> Config {
        Config {
            modes: vec![mode],
            ..Config::default()
        }
    }

    /// The normal step is 0.4 and a program 200 µs; with a step of 0.32 it has 0.4 / 0.32 = 1.25 times as many pulses.
    #[test]
    fn a_smaller_step_takes_longer() {
        let config = with(ModeConfig {
            step: Some(0.32),
            ..slow()
        });
        let time = |mode: &ModeConfig| config.program_time_of_mode(mode).unwrap();
        let us = |us| PerPageType::All(Duration::from_us(us));
        assert_eq!(time(&config.modes[0]), us(250));
        assert_eq!(time(&slow()), us(200));
        let given = ModeConfig {
            t_prog: Some(us(754)),
            ..config.modes[0].clone()
        };
        assert_eq!(time(&given), us(754));
    }

    #[test]
    fn refusals_name_what_was_found() {
        let named = |name: &str| ModeConfig {
            name: name.to_owned(),
            ..slow()
        };
        for (modes, found) in [
            (vec![named("normal")], "name = \"normal\""),
            (vec![named("a b")], "name = \"a b\""),
            (vec![named("")], "name = \"\""),
            (vec![slow(), slow()], "name = \"slow\""),
            (
                vec![ModeConfig {
                    step: Some(2.0),
                    ..slow()
                }],
                "step = 2",
            ),
            (
                vec![ModeConfig {
                    bch: Some(BchConfig::default()),
                    ..slow()
                }],
                "bch in mode \"slow\"",
            ),
            (
                (0..16).map(|number| named(&format!("m{number}"))).collect(),
                "16 modes",
            ),
        ] {
            let config = Config {
                modes,
                ..Config::default()
            };
            let error = config.check_modes().unwrap_err();
            assert!(error.found.contains(found), "{}", error.found);
        }
        assert!(with(slow()).check_modes().is_ok());
    }
}
