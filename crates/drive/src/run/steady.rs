//! Where a run comes into its steady state, by simulating it once before it is measured.

use std::path::Path;

use wordline_config::Config;
use wordline_metrics::{OutputConfig, SteadyFrom};

use super::aged_drive::build;
use super::prepare;
use super::simulation::fill_buffer;
use crate::error::RunError;
use crate::features::Full;
use crate::progress::{Phase, Progress};

/// Simulates the run of a configuration as a whole and tells where its steady state begins. The second run is the same,
/// since nothing in it is left to chance.
///
/// # Errors
/// Those of the run; `RunError::Interrupted` where `progress` stops it.
pub(super) fn find(
    config: &Config,
    base_dir: &Path,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<SteadyFrom, RunError> {
    let lean = Config {
        output: OutputConfig {
            request_log: 0,
            attribution: Some(false),
            timeline: None,
            recovery_every: 0,
            ..config.output.clone()
        },
        ..config.clone()
    };
    let mut first = |state: Progress| {
        progress(Progress {
            phase: match state.phase {
                Phase::Simulating => Phase::FindingWarmUp,
                before => before,
            },
            ..state
        })
    };
    let (aged, tenants) = prepare(&lean, base_dir, &mut first)?;
    let traffic = aged.traffic;
    let mut drive = build::<Full>(&lean, aged, tenants)?;
    fill_buffer(&lean, &mut drive, traffic);
    drive.observe_mut().record_fine_series();
    drive.run(&mut first)?;
    if drive.host().is_stopped() {
        return Err(RunError::Interrupted);
    }
    let now = drive.now();
    drive.observe_mut().finish_figures(now);
    Ok(SteadyFrom::of(
        &drive.observe().recorder().time_series(),
        drive.host().clients().any_open_loop(),
    ))
}
