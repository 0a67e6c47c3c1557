//! Closed forms.

use pyo3::prelude::*;
use statrs::distribution::{ContinuousCDF, StudentsT};
use wordline_exceptions::{guarded, refused};
use wordline_ftl::analytic::{Cleaning, utilisation};

/// Write amplification under uniform random writes by the closed form of a cleaning policy
/// (`greedy`, `d_choices`, `fifo`, `random`); `over_provisioning` is (physical - user) / user.
#[pyfunction]
#[pyo3(signature = (policy, over_provisioning, pages_per_block, d = None))]
pub(crate) fn write_amplification(
    policy: &str,
    over_provisioning: f64,
    pages_per_block: i64,
    d: Option<i64>,
) -> PyResult<f64> {
    guarded(|| {
        let count = |key: &str, value: i64| {
            u32::try_from(value)
                .map_err(|_| refused(format!("{key} = {value}: accepted are 1 to {}", u32::MAX)))
        };
        let pages_per_block = count("pages_per_block", pages_per_block)?;
        let cleaning = match policy {
            "greedy" => Cleaning::Greedy,
            "d_choices" => Cleaning::DChoices(match d {
                Some(d) => count("d", d)?,
                None => {
                    return Err(refused(
                        "d: not given; \"d_choices\" needs how many blocks it chooses from".to_owned(),
                    ));
                }
            }),
            "fifo" => Cleaning::Fifo,
            "random" => Cleaning::Random,
            other => {
                return Err(refused(format!(
                    "policy = {other:?}: there is a closed form for \"greedy\", \"d_choices\", \"fifo\" and \"random\""
                )));
            }
        };
        utilisation(over_provisioning)
            .and_then(|rho| cleaning.write_amplification(pages_per_block, rho))
            .map_err(refused)
    })
}

/// The magnitude that a variate of Student's t distribution stays below with probability `confidence`.
#[pyfunction]
pub(crate) fn student_t(confidence: f64, degrees: f64) -> PyResult<f64> {
    guarded(|| {
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(refused(format!(
                "confidence = {confidence}: accepted are numbers between 0 and 1, neither included"
            )));
        }
        // beyond, the series of statrs may not end; there the law is the normal one to six digits
        if !(degrees > 0.0 && degrees <= 1e6) {
            return Err(refused(format!(
                "degrees = {degrees}: accepted are numbers above 0 up to 1000000"
            )));
        }
        let law = StudentsT::new(0.0, 1.0, degrees).map_err(refused)?;
        Ok(-law.inverse_cdf(0.5 * (1.0 - confidence)))
    })
}
