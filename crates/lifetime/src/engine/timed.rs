//! Takes samples with a clock when they are due. A sample works on a copy of the FTL, so that the study does not notice it.

use std::sync::Arc;

use wordline_config::{Config, ConfigError};
use wordline_drive::{AgedFtl, BlockHealth, KnownWear, Moment, interval};
use wordline_ftl::{Extent, Mapping, RefreshConfig, Subject};
use wordline_units::Duration;

use super::Engine;
use crate::block_wear::BlockWear;
use crate::copied_ftl::CopiedFtl;
use crate::error::LifetimeError;
use crate::host_writes::HostWrites;
use crate::options::LifetimeEvent;
use crate::report::TENTH;
use crate::simulation::{Simulation, functional_options};
use crate::timed::TimedSample;

/// Overwrites in which blocks that are out of service leave it: each block is erased in them.
const OVERWRITES_WITHOUT_WEAK: u64 = 2;
/// Longer than these take.
const LONG: Duration = Duration(100 * 365 * 86_400_000_000_000);

impl Engine<'_> {
    /// Takes the samples that are due.
    pub(super) fn sample_if_due(&mut self) -> Result<(), LifetimeError> {
        let Some(timed) = &self.timed else { return Ok(()) };
        let period = self.options.every.ns().saturating_mul(timed.asked.every);
        let now = self.now();
        if self.snapshots.timed_due(period) <= now {
            let config = Arc::clone(&timed.config);
            let wear = known_wear(self.simulation.wear());
            let copied = self.simulation.copy(Extent::Everything)?;
            let sample = self.sample(&config, &copied, wear, false)?;
            self.snapshots.push_timed(sample, now / period + 1);
        }
        let tenth = self.snapshots.as_slice().last().map(|last| last.left[TENTH]);
        let has_faded = tenth.is_some_and(|tenth| tenth < self.options.required.as_secs());
        if has_faded
            && self.simulation.ftl().part(Subject::Refresh).is_none()
            && !self.snapshots.has_timed_without_weak()
        {
            let sample = self.sample_without_weak()?;
            self.snapshots.push_timed_without_weak(sample);
        }
        Ok(())
    }

    /// The drive of a copy under the workload with a clock.
    fn sample(
        &mut self,
        config: &Config,
        copied: &CopiedFtl,
        wear: Option<KnownWear>,
        without_weak: bool,
    ) -> Result<TimedSample, LifetimeError> {
        let time = Duration(self.now()).as_secs();
        let progress = self.progress();
        let (Some(timed), watch) = (&self.timed, &mut *self.watch) else {
            return Err(LifetimeError::Interrupted);
        };
        let moment = Moment {
            now: copied.now,
            jobs: copied.jobs.clone(),
            wear,
        };
        let length = timed.asked.length;
        let load = |ftl: &mut dyn Mapping| -> Result<(), LifetimeError> { Ok(copied.load(ftl)?) };
        let mut goes_on = || watch(LifetimeEvent::Progress(progress));
        let found = interval(config, timed.base_dir, moment, length, load, &mut goes_on)?;
        TimedSample::of(time, without_weak, copied.blocks, &found, length).ok_or_else(|| {
            let problem = "no request comes within it; accepted are longer times";
            ConfigError::key(None, format!("sample length = {length}"), problem).into()
        })
    }

    /// The same with the blocks out of service that keep data for less than required: retired when they are next erased, while their pools can spare
    /// them, as those are that keep data for less than `ftl.refresh.retire_below`.
    fn sample_without_weak(&mut self) -> Result<Option<TimedSample>, LifetimeError> {
        // a drive that refreshes nothing cannot say how long blocks keep data
        let Some(timed) = self.timed.as_ref().filter(|timed| timed.config.can_refresh()) else {
            return Ok(None);
        };
        let required = self.options.required;
        let mut config = Config::clone(&timed.config);
        config.ftl.refresh = RefreshConfig {
            policy: "last_moment".into(),
            requirement: Some(required),
            retire_below: required,
            ..RefreshConfig::default()
        };
        config.ftl.refresh.interval = config.ftl.refresh.interval.min(required);
        let base_dir = timed.base_dir;
        let mut fresh = AgedFtl::new(&config, base_dir, &mut |_| true)?;
        let copied = self.simulation.copy(Extent::Content)?;
        copied.load(&mut *fresh.ftl)?;
        let sectors = fresh.ftl.user_pages() * u64::from(fresh.ftl.unit_geometry().sectors_per_page());
        let writes = HostWrites::new(
            &config.workload,
            base_dir,
            sectors,
            fresh.ftl.unit_geometry().sectors_per_page(),
            self.options.writes_per_day,
            copied.now,
            &mut |_| true,
        )?;
        let states = self.states().to_vec();
        let factor = self.temperature.retention_factor();
        let groups = self.simulation.wear().erases.len() as u32;
        let lookup = Arc::clone(&self.lookup);
        let rest_factor = self.temperature.rest_factor();
        let mut wear = BlockWear::new(lookup, rest_factor, &fresh.geometry, groups, true, states);
        wear.varied.clone_from(&self.simulation.wear().varied);
        let keeps = |block| wear.keeps(block);
        let health = BlockHealth::new(&mut *fresh.ftl, &wear.states, keeps, factor, copied.now);
        wear.health = Some(health);
        let mut simulation = Simulation::new(&mut *fresh.ftl, functional_options(&config), wear, writes);
        let pages = OVERWRITES_WITHOUT_WEAK * simulation.user_pages();
        simulation.simulate_pages(pages, LONG.ns())?;
        let wear = known_wear(simulation.wear());
        let copied = simulation.copy(Extent::Everything)?;
        self.sample(&config, &copied, wear, true).map(Some)
    }
}

/// The wear of blocks, where they are refreshed.
fn known_wear(wear: &BlockWear) -> Option<KnownWear> {
    wear.health.as_ref().map(|health| KnownWear {
        lookup: wear.lookup(),
        states: wear.states.clone(),
        health: health.clone(),
        varied: wear.varied.clone(),
        rest_factor: wear.rest_factor,
    })
}
