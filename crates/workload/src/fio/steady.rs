//! `steadystate` and the options beside it.

use wordline_units::Duration;

use super::error::Fault;
use super::layout::Copy;
use super::spec::JobSpec;
use super::values::Value;
use crate::{Collected, SteadyState};

const ACCEPTED: &str =
    "iops, iops_slope, bw or bw_slope with :limit or :percentage%, lat or lat_slope with :percentage%";
/// Values of a window at most.
const MOST_VALUES: u64 = 1 << 20;

/// The value of `steadystate`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Criterion {
    collected: Collected,
    is_slope: bool,
    limit: f64,
    is_percentage: bool,
    text: String,
}

impl Criterion {
    pub(crate) fn read(value: &Value<'_>) -> Result<Option<Self>, String> {
        let text = value.text()?;
        let refused = || ACCEPTED.to_owned();
        let (name, limit) = text.split_once(':').ok_or_else(refused)?;
        let name = name.trim();
        let (quantity, is_slope) = name
            .strip_suffix("_slope")
            .map_or((name, false), |quantity| (quantity, true));
        let collected = match quantity {
            "iops" => Collected::Iops,
            "bw" => Collected::Bandwidth,
            "lat" => Collected::Latency,
            _ => return Err(refused()),
        };
        let limit = limit.trim();
        let (limit, is_percentage) = limit
            .strip_suffix('%')
            .map_or((limit, false), |limit| (limit, true));
        if collected == Collected::Latency && !is_percentage {
            return Err(refused());
        }
        let limit = value.part(limit.trim()).number()?;
        if limit <= 0.0 {
            return Err("a limit above 0".to_owned());
        }
        Ok(Some(Self {
            collected,
            is_slope,
            limit,
            is_percentage,
            text: text.to_owned(),
        }))
    }
}

impl JobSpec {
    /// When the job ends because it is in a steady state; without `steadystate_duration` it does not, as in fio.
    pub(crate) fn steady_state(&self) -> Option<SteadyState> {
        let criterion = self.steadystate.clone()?;
        (self.steadystate_duration > Duration::ZERO).then_some(SteadyState {
            collected: criterion.collected,
            is_slope: criterion.is_slope,
            limit: criterion.limit,
            is_percentage: criterion.is_percentage,
            window: self.steadystate_duration,
            ramp: self.steadystate_ramp_time,
            interval: self.steadystate_check_interval,
            text: criterion.text,
        })
    }
}

impl Copy<'_> {
    /// Checks the options of the steady state together; the file has so many `jobs`, copies counted.
    ///
    /// # Errors
    /// A window that is not two intervals or more, jobs that fio would judge together.
    pub(crate) fn check_steady_state(&self, jobs: usize) -> Result<(), Fault> {
        let spec = self.spec;
        let Some(steady) = spec.steady_state() else {
            return Ok(());
        };
        let (window, interval) = (steady.window.ns(), steady.interval.ns());
        if interval == 0 {
            return Err(self.fault_as_written("steadystate_check_interval", "a time above 0"));
        }
        if window % interval != 0 || !(2..=MOST_VALUES).contains(&(window / interval)) {
            return Err(self.fault_as_written(
                "steadystate_duration",
                format!(
                    "a multiple of steadystate_check_interval ({}), from 2 to {MOST_VALUES} times",
                    steady.interval
                ),
            ));
        }
        if jobs > 1 && spec.is_written("group_reporting") {
            return Err(self.fault_as_written(
                "group_reporting",
                "0 beside steadystate: each job is judged alone, where fio would judge the group",
            ));
        }
        Ok(())
    }
}
