//! The controller's CPU: a few cores, served in order of asking, a cost per step.
//!
//! Model of Hu et al. 2011, section 3.1: instructions per step at one instruction per cycle.

use wordline_ftl::{Cause, Step, Work};
use wordline_metrics::RequestClass;
use wordline_units::{Duration, Frequency, SECTOR_BYTES, SimTime};

use wordline_config::FirmwareConfig;

/// What the firmware added to the response times of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    service: u128,
    response: u128,
    largest: f64,
}

/// The controller's CPU.
#[derive(Debug)]
pub(crate) struct Firmware {
    enabled: bool,
    clock: Frequency,
    /// When each core has worked off what it was given.
    free_at: Vec<SimTime>,
    /// Work given to the cores since `since`, and what they had not done of earlier work then.
    busy: Duration,
    since: SimTime,
    shares: [Share; RequestClass::ALL.len()],
    /// Cycles per step.
    pub(crate) cost: FirmwareConfig,
}

impl Firmware {
    pub(crate) fn new(config: &FirmwareConfig) -> Self {
        Self {
            enabled: config.enabled,
            clock: config.clock,
            free_at: vec![SimTime::ZERO; config.cores.max(1) as usize],
            busy: Duration::ZERO,
            since: SimTime::ZERO,
            shares: [Share::default(); RequestClass::ALL.len()],
            cost: config.clone(),
        }
    }

    pub(crate) fn enabled(&self) -> bool {
        self.enabled
    }

    /// Counts afresh from `now` on.
    pub(crate) fn restart_counts(&mut self, now: SimTime) {
        let left = self.free_at.iter().map(|free_at| free_at.since(now).ns());
        self.busy = Duration(left.sum());
        self.since = now;
        self.shares = Default::default();
    }

    /// Notes the cycles that a completed request took, out of its response time.
    pub(crate) fn attribute(&mut self, class: RequestClass, cycles: u32, response: Duration) {
        let service = self.clock.cycles(u64::from(cycles)).ns();
        let share = &mut self.shares[class.index()];
        share.service += u128::from(service);
        share.response += u128::from(response.ns());
        if response > Duration::ZERO {
            share.largest = share.largest.max(service as f64 / response.ns() as f64);
        }
    }

    /// Mean and largest share of the firmware in the response times of a class.
    pub(crate) fn share(&self, class: RequestClass) -> Option<(f64, f64)> {
        let share = &self.shares[class.index()];
        (share.response > 0).then(|| (share.service as f64 / share.response as f64, share.largest))
    }

    /// Cycles that the firmware spends on a step: issuing the flash command, and what belongs to
    /// it (choosing a victim, moving a page, merging an un-covered update).
    pub(crate) fn cycles_of(&self, step: &Step) -> u32 {
        let cost = &self.cost;
        let more = match step.work {
            Work::Erase { .. } => cost.gc_victim,
            Work::Program { .. } | Work::CopyBack { .. } if step.cause != Cause::Host => cost.gc_per_page,
            // a host read that no one is answered with: the old part of an un-covered update
            Work::Read { bitmap, .. } if step.cause == Cause::Host && !step.acknowledges => {
                let merged = f64::from(bitmap.count_ones() * SECTOR_BYTES) * cost.merge_per_byte;
                cost.merge + merged.ceil() as u32
            }
            _ => 0,
        };
        cost.flash_command + more
    }

    /// Cycles that the firmware spends on a command of the host before its pages.
    pub(crate) fn cycles_of_command(&self, is_write: bool) -> u32 {
        let of_write = if is_write { self.cost.write_command } else { 0 };
        self.cost.fetch_and_split + of_write
    }

    /// How long a core works on `cycles`.
    pub(crate) fn time_of(&self, cycles: u32) -> Duration {
        self.clock.cycles(u64::from(cycles))
    }

    /// Hands `cycles` of work to the core that is free first; tells when they are done.
    pub(crate) fn charge(&mut self, now: SimTime, cycles: u32) -> SimTime {
        if !self.enabled {
            return now;
        }
        let service = self.clock.cycles(u64::from(cycles));
        self.busy += service;
        let mut core = 0;
        for index in 1..self.free_at.len() {
            if self.free_at[index] < self.free_at[core] {
                core = index;
            }
        }
        self.free_at[core] = self.free_at[core].max(now) + service;
        self.free_at[core]
    }

    /// Share of the cores' time that was used up to `now`, since counting began.
    pub(crate) fn utilization(&self, now: SimTime) -> f64 {
        let available = now.since(self.since).ns() as f64 * self.free_at.len() as f64;
        if available > 0.0 {
            self.busy.ns() as f64 / available
        } else {
            0.0
        }
    }
}
