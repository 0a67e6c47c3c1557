//! Classes of blocks: strong ones take a coarser program step, hence less time (DLV, specification 6.5).

use crate::disturb::Disturbances;
use crate::error::{CellError, require};
use crate::reliability::Reliability;

/// Blocks whose factors lie between two quantiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockClass {
    /// Share of all blocks that are in this class or a stronger one.
    pub quantile: f64,
    /// Largest factor of the class.
    pub factor: f64,
    /// Program step of the class.
    pub step: f64,
    /// Time of a program by that at the reference step.
    pub slowdown: f64,
}

impl Reliability {
    /// Classes of blocks by quantiles of the block factor, strongest first, and the largest program step with which
    /// each keeps, at the design age, the error rate of the weakest block programmed with step 0.
    ///
    /// # Errors
    /// Quantiles that do not rise from above 0 to below 1; an error rate at the design age for which there is no
    /// deviation or no step.
    pub fn classes(&self, cycles: u32, quantiles: &[f64]) -> Result<Vec<BlockClass>, CellError> {
        classes(self, cycles, self.design_days(), quantiles)
    }
}

fn classes(
    model: &Reliability,
    cycles: u32,
    design_days: f64,
    quantiles: &[f64],
) -> Result<Vec<BlockClass>, CellError> {
    let within = quantiles.iter().all(|share| *share > 0.0 && *share < 1.0);
    let rising = quantiles.windows(2).all(|pair| pair[0] < pair[1]);
    require(
        within && rising,
        "quantiles",
        format!("{quantiles:?}"),
        "shares between 0 and 1, strictly increasing",
    )?;
    let (reference, normal) = (model.reference_step(), model.steps()[0]);
    let weakest = model.variation().bounds().1;
    let design = model.nominal(f64::from(cycles), design_days, Disturbances::NONE);
    check_design(design * weakest)?;
    let family = model.given_family();
    // the largest step with which blocks of a factor keep the rate of the weakest one
    let step_of = |factor: f64| match model.shift() {
        Some(shift) => {
            let (cycles, age) = (f64::from(cycles), model.effective_age(design_days));
            let limit = weakest * shift.rates(cycles, age).average();
            shift.step_for_rber(cycles, age, limit / factor)
        }
        None => {
            let limit = family.at_step(design * weakest, reference, normal)?;
            let sigma = family.sigma_for_rber(reference, design * factor)?;
            family.step_for_rber(sigma, limit)
        }
    };
    let mut classes = Vec::with_capacity(quantiles.len() + 1);
    for quantile in quantiles {
        let factor = model.variation().quantile(*quantile)?;
        let step = step_of(factor)?;
        classes.push(BlockClass {
            quantile: *quantile,
            factor,
            step,
            slowdown: model.ispp().slowdown(step)?,
        });
    }
    classes.push(BlockClass {
        quantile: 1.0,
        factor: weakest,
        step: normal,
        slowdown: model.ispp().slowdown(normal)?,
    });
    Ok(classes)
}

fn check_design(rate: f64) -> Result<(), CellError> {
    require(
        rate > 0.0 && rate <= 0.5,
        "error rate of the weakest block at cell.design_age",
        rate,
        "rates above 0 up to 0.5",
    )
}
