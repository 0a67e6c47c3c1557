//! Closed forms.

use pyo3::prelude::*;
use wordline_ftl::analytic::{Cleaning, utilisation};

use crate::errors::ConfigError;
use crate::guard::guarded;

/// Write amplification under uniform random writes by the closed form of a cleaning policy
/// (`greedy`, `d_choices`, `fifo`, `random`); `over_provisioning` is (physical - user) / user.
#[pyfunction]
#[pyo3(signature = (policy, over_provisioning, pages_per_block, d))]
pub(crate) fn write_amplification(
    policy: &str,
    over_provisioning: f64,
    pages_per_block: u32,
    d: u32,
) -> PyResult<f64> {
    guarded(|| {
        let cleaning = match policy {
            "greedy" => Cleaning::Greedy,
            "d_choices" => Cleaning::DChoices(d),
            "fifo" => Cleaning::Fifo,
            "random" => Cleaning::Random,
            other => {
                return Err(ConfigError::new_err(format!(
                    "policy = {other:?}: there is a closed form for \"greedy\", \"d_choices\", \"fifo\" and \"random\""
                )));
            }
        };
        utilisation(over_provisioning)
            .and_then(|rho| cleaning.write_amplification(pages_per_block, rho))
            .map_err(|error| ConfigError::new_err(error.to_string()))
    })
}
