//! Calibration: the values of a few inputs that fit measured energies best.

use crate::chip::{Chip, Data};
use crate::config::{ChipConfig, parameter};
use crate::error::ChipError;
use crate::linear::{eliminate, solve};
use crate::states::PageKind;

/// What was measured: an operation of a chip, and its energy.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Which operation.
    pub operation: MeasuredOperation,
    /// Inputs that differ in this measurement from the chip's, in the units of arrays.
    pub settings: Vec<(String, f64)>,
    /// Its energy in J, above 0.
    pub joules: f64,
}

/// An operation that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeasuredOperation {
    /// Read of a page with a share of ones.
    Read(PageKind, f64),
    /// Program of a page with a share of ones.
    Program(PageKind, f64),
    /// Erase of a block with a share of programmed cells.
    Erase(f64),
}

/// A calibrated chip.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibrated {
    /// The chip with the values found.
    pub chip: ChipConfig,
    /// Values of the unknowns, in their order and in the units of arrays.
    pub values: Vec<f64>,
    /// Model by measurement, less one, for each measurement.
    pub residuals: Vec<f64>,
}

/// Most steps of the search; a well-posed one takes some ten.
const STEPS: usize = 200;
/// Change of an unknown by which derivatives are taken.
const NUDGE: f64 = 1e-6;

/// Finds the values of the inputs `unknowns` for which `chip` fits the measurements best: least squares of the
/// logarithm of model by measurement (Levenberg and Marquardt), from the values given. No residual may be beyond
/// `tolerance`.
///
/// # Errors
/// Fewer measurements than unknowns, an unknown on which no measurement depends, unknowns that measurements cannot
/// tell apart, start values that are refused, or a measurement that the best fit misses by more than `tolerance`.
pub fn calibrate(
    chip: &ChipConfig,
    unknowns: &[(&str, f64)],
    measured: &[Measured],
    tolerance: f64,
) -> Result<Calibrated, ChipError> {
    if tolerance.is_nan() || tolerance <= 0.0 {
        return Err(ChipError::new(
            "tolerance",
            tolerance,
            "accepted are numbers above 0",
        ));
    }
    if unknowns.is_empty() || measured.len() < unknowns.len() {
        return Err(ChipError::new(
            "measurements",
            measured.len(),
            format!(
                "accepted are at least as many as the {} unknowns, of which one is needed",
                unknowns.len()
            ),
        ));
    }
    let keys: Vec<&str> = unknowns.iter().map(|(key, _)| *key).collect();
    let mut values: Vec<f64> = unknowns.iter().map(|(_, value)| *value).collect();
    let mut misses = misses(chip, &keys, &values, measured)?;
    let mut damping = 1e-3;
    for _ in 0..STEPS {
        let slopes = slopes(chip, &keys, &values, measured, &misses)?;
        let (normal, gradient) = normal_equations(&slopes, &misses, values.len());
        if let Some(idle) = (0..keys.len()).find(|unknown| normal[*unknown][*unknown] == 0.0) {
            return Err(ChipError::new(
                keys[idle],
                "unknown",
                "no measurement depends on it",
            ));
        }
        let mut better = false;
        while damping < 1e12 {
            let mut damped = normal.clone();
            for (unknown, row) in damped.iter_mut().enumerate() {
                row[unknown] *= 1.0 + damping;
            }
            let trial: Option<Vec<f64>> = solve(damped, gradient.clone()).map(|step| {
                values
                    .iter()
                    .zip(step)
                    .map(|(value, step)| value - step)
                    .collect()
            });
            // a step out of what is accepted is a step too far
            let tried = trial.and_then(|trial| {
                let found = self::misses(chip, &keys, &trial, measured).ok()?;
                Some((trial, found))
            });
            if let Some((trial, found)) = tried
                && square(&found) < square(&misses)
            {
                (values, misses, better) = (trial, found, true);
                damping /= 10.0;
                break;
            }
            damping *= 10.0;
        }
        if !better {
            break;
        }
    }
    let slopes = slopes(chip, &keys, &values, measured, &misses)?;
    let (normal, gradient) = normal_equations(&slopes, &misses, values.len());
    if !independent(&normal) || solve(normal, gradient).is_none() {
        return Err(ChipError::new(
            "unknowns",
            keys.join(", "),
            "the measurements cannot tell them apart; accepted are fewer unknowns, or measurements that do",
        ));
    }
    let residuals: Vec<f64> = misses.iter().map(|miss| libm::expm1(*miss)).collect();
    check_residuals(&keys, &values, measured, &residuals, tolerance)?;
    Ok(Calibrated {
        chip: variant(chip, &keys, &values)?,
        values,
        residuals,
    })
}

/// Refuses a fit that misses a measurement by more than `tolerance`, and names the one that it misses most.
fn check_residuals(
    keys: &[&str],
    values: &[f64],
    measured: &[Measured],
    residuals: &[f64],
    tolerance: f64,
) -> Result<(), ChipError> {
    let worst = (0..residuals.len()).max_by(|a, b| residuals[*a].abs().total_cmp(&residuals[*b].abs()));
    let Some(worst) = worst.filter(|worst| residuals[*worst].abs() > tolerance) else {
        return Ok(());
    };
    let joules = measured[worst].joules;
    let found: Vec<String> = keys
        .iter()
        .zip(values)
        .map(|(key, value)| format!("{key} = {value:.4e}"))
        .collect();
    Err(ChipError::new(
        format!("measurement {}", worst + 1),
        format!("{joules:e} J"),
        format!(
            "the best fit ({}) gives {:.4e} J, {:+.1} %; accepted are measurements that the model can meet within \
             {} % (tolerance = {tolerance})",
            found.join(", "),
            joules * (1.0 + residuals[worst]),
            100.0 * residuals[worst],
            100.0 * tolerance,
        ),
    ))
}

fn variant(chip: &ChipConfig, keys: &[&str], values: &[f64]) -> Result<ChipConfig, ChipError> {
    let mut chip = chip.clone();
    for (key, value) in keys.iter().zip(values) {
        parameter(key)?.set(&mut chip, *value)?;
    }
    Ok(chip)
}

/// Logarithm of model by measurement, for each measurement.
fn misses(
    chip: &ChipConfig,
    keys: &[&str],
    values: &[f64],
    measured: &[Measured],
) -> Result<Vec<f64>, ChipError> {
    let calibrated = variant(chip, keys, values)?;
    measured
        .iter()
        .map(|measured| {
            let joules = measured.joules;
            if !(joules.is_finite() && joules > 0.0) {
                return Err(ChipError::new(
                    "joules",
                    joules,
                    "accepted are energies above 0 J",
                ));
            }
            let mut config = calibrated.clone();
            for (key, value) in &measured.settings {
                parameter(key)?.set(&mut config, *value)?;
            }
            let chip = Chip::new(config)?;
            let energy = match measured.operation {
                MeasuredOperation::Read(kind, ones) => chip.read(kind, Some(ones * chip.cells())),
                MeasuredOperation::Program(kind, ones) => chip.program(kind, Data::Ones(ones * chip.cells())),
                MeasuredOperation::Erase(programmed) => chip.erase(programmed),
            }?;
            Ok(libm::log(energy.total() / joules))
        })
        .collect()
}

/// Derivatives of the misses by each unknown.
fn slopes(
    chip: &ChipConfig,
    keys: &[&str],
    values: &[f64],
    measured: &[Measured],
    misses: &[f64],
) -> Result<Vec<Vec<f64>>, ChipError> {
    (0..values.len())
        .map(|unknown| {
            let slope = |nudge: f64| {
                let mut nudged = values.to_vec();
                nudged[unknown] += nudge;
                let moved = self::misses(chip, keys, &nudged, measured)?;
                Ok(moved
                    .iter()
                    .zip(misses)
                    .map(|(moved, miss)| (moved - miss) / nudge)
                    .collect())
            };
            let nudge = values[unknown].abs().max(1e-9) * NUDGE;
            // at the edge of what is accepted there is only one side
            slope(nudge).or_else(|_: ChipError| slope(-nudge))
        })
        .collect()
}

/// The matrix and the right side of the normal equations.
fn normal_equations(slopes: &[Vec<f64>], misses: &[f64], unknowns: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let normal = (0..unknowns)
        .map(|row| slopes.iter().map(|column| dot(&slopes[row], column)).collect())
        .collect();
    (normal, slopes.iter().map(|slope| dot(slope, misses)).collect())
}

fn square(misses: &[f64]) -> f64 {
    misses.iter().map(|miss| miss * miss).sum()
}

/// Whether the columns behind a normal matrix are told apart: each keeps a part of its own beside the others.
fn independent(normal: &[Vec<f64>]) -> bool {
    // the matrix of cosines between columns, so that units do not matter
    let scale: Vec<f64> = (0..normal.len())
        .map(|index| normal[index][index].sqrt())
        .collect();
    let mut cosines: Vec<Vec<f64>> = normal
        .iter()
        .zip(&scale)
        .map(|(row, mine)| {
            row.iter()
                .zip(&scale)
                .map(|(value, theirs)| value / (mine * theirs))
                .collect()
        })
        .collect();
    let pivots = eliminate(&mut cosines, &mut vec![0.0; scale.len()]);
    pivots.is_some_and(|smallest| smallest > 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ChipSource;

    fn x1() -> ChipConfig {
        Chip::load(ChipSource::Named("mohan-x1"), &[])
            .unwrap()
            .config()
            .clone()
    }

    fn measured(operation: MeasuredOperation, microjoules: f64) -> Measured {
        // case study 2: ones discharge the bit line fully, zeros not at all
        let settings = [("bias.bl_residual_1", 0.0), ("bias.bl_residual_0", 1.8)];
        Measured {
            operation,
            settings: settings.map(|(key, value)| (key.to_owned(), value)).to_vec(),
            joules: microjoules * 1e-6,
        }
    }

    const FAST: PageKind = PageKind(0);

    /// The preset's calibration constants, from the published energies that they are calibrated on.
    #[test]
    fn finds_the_preset() {
        let targets = [
            measured(MeasuredOperation::Read(FAST, 0.0), 0.543),
            measured(MeasuredOperation::Program(FAST, 0.0), 15.418),
            measured(MeasuredOperation::Program(FAST, 0.5), 11.902),
        ];
        let unknowns = [
            ("calibration.control", 1e-7),
            ("calibration.field_coupling_program", 0.9),
            ("bias.vbl_inhibit", 2.0),
        ];
        let found = calibrate(&x1(), &unknowns, &targets, 1e-6).unwrap();
        assert!((found.values[0] - 0.388e-6).abs() < 0.5e-9, "{:?}", found.values);
        assert!((found.values[1] - 0.980_778).abs() < 2e-6, "{:?}", found.values);
        assert!((found.values[2] - 2.736).abs() < 5e-4, "{:?}", found.values);
        assert!(
            found.residuals.iter().all(|residual| residual.abs() < 1e-9),
            "{:?}",
            found.residuals
        );
    }

    #[test]
    fn refuses_what_is_not_determined() {
        let read = measured(MeasuredOperation::Read(FAST, 0.0), 0.543);
        let half = measured(MeasuredOperation::Read(FAST, 0.5), 0.863);
        let fail = |unknowns: &[(&str, f64)], measured: &[Measured]| {
            calibrate(&x1(), unknowns, measured, 0.1).unwrap_err().to_string()
        };
        let control = ("calibration.control", 1e-7);
        assert!(
            fail(&[control, ("bias.vbl_inhibit", 2.0)], std::slice::from_ref(&read))
                .contains("at least as many")
        );
        assert!(fail(&[], std::slice::from_ref(&read)).contains("at least as many"));
        let said = fail(&[("bias.vbl_inhibit", 2.0)], std::slice::from_ref(&read));
        assert!(said.contains("no measurement depends on it"), "{said}");
        let said = fail(&[control, ("calibration.pump", 1e-7)], &[read.clone(), half]);
        assert!(said.contains("cannot tell them apart"), "{said}");
        let with = |joules: f64| Measured {
            joules,
            ..read.clone()
        };
        let said = fail(&[control], &[with(0.0)]);
        assert!(said.contains("above 0 J"), "{said}");
        // a read takes more than a nanojoule whatever its control takes
        let said = fail(&[control], &[with(1e-9)]);
        assert!(said.starts_with("measurement 1 = 1e-9 J: the best fit"), "{said}");
        assert!(said.contains("within 10 % (tolerance = 0.1)"), "{said}");
        let loose = calibrate(&x1(), &[control], &[with(1e-9)], f64::INFINITY).unwrap();
        assert!(loose.residuals[0] > 100.0);
        for tolerance in [0.0, -1.0, f64::NAN] {
            let said = calibrate(&x1(), &[control], &[with(1e-9)], tolerance).unwrap_err();
            assert!(said.to_string().starts_with("tolerance"), "{said}");
        }
    }
}
