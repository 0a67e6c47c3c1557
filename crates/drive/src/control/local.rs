//! The controllers of packages (`[ftl.local]`): cores and a queue for each. What the host waits for, and collection without which it cannot go on, goes before
//! other collection; work that has begun is not interrupted.

use std::collections::VecDeque;

use wordline_ftl::LocalConfig;
use wordline_nand::ChipId;
use wordline_units::{Duration, Frequency, SimTime};

use crate::operation::{Level, OpId};

/// The controller of one package.
#[derive(Clone, Debug, Default)]
struct Controller {
    /// Cores that work.
    working: u32,
    /// What waits: first what goes first.
    waiting: [VecDeque<(OpId, Duration)>; 2],
    /// Work begun since counting began.
    busy: Duration,
}

/// All of them.
#[derive(Debug)]
pub(crate) struct LocalControllers {
    clock: Frequency,
    cores: u32,
    controllers: Vec<Controller>,
    since: SimTime,
}

impl LocalControllers {
    /// Those of so many packages; none where packages have none.
    pub(crate) fn new(config: &LocalConfig, packages: u32) -> Option<Self> {
        config.enabled.then(|| Self {
            clock: config.clock,
            cores: config.cores,
            controllers: vec![Controller::default(); packages as usize],
            since: SimTime::ZERO,
        })
    }

    /// Counts afresh from `now` on.
    pub(crate) fn restart_counts(&mut self, now: SimTime) {
        for controller in &mut self.controllers {
            controller.busy = Duration::ZERO;
        }
        self.since = now;
    }

    /// How long a core works on `cycles`.
    pub(crate) fn time_of(&self, cycles: u32) -> Duration {
        self.clock.cycles(u64::from(cycles))
    }

    /// Hands work to a controller: how long it takes where a core begins it now; otherwise it waits.
    pub(crate) fn give(&mut self, chip: ChipId, op: OpId, level: Level, cycles: u32) -> Option<Duration> {
        let work = self.time_of(cycles);
        let controller = &mut self.controllers[chip.index()];
        if controller.working < self.cores {
            controller.working += 1;
            controller.busy += work;
            return Some(work);
        }
        let goes_first = matches!(level, Level::Urgent | Level::Host);
        controller.waiting[usize::from(!goes_first)].push_back((op, work));
        None
    }

    /// A core of a controller has done its work: what it begins next, and how long that takes.
    pub(crate) fn end(&mut self, chip: ChipId) -> Option<(OpId, Duration)> {
        let controller = &mut self.controllers[chip.index()];
        let next = controller.waiting.iter_mut().find_map(VecDeque::pop_front);
        match next {
            Some((_, work)) => controller.busy += work,
            None => controller.working -= 1,
        }
        next
    }

    /// Mean and largest share of the time of its cores that a controller was busy up to `now`, since counting began.
    pub(crate) fn utilization(&self, now: SimTime) -> (f64, f64) {
        let available = now.since(self.since).ns() as f64 * f64::from(self.cores);
        let share = |controller: &Controller| {
            if available > 0.0 {
                (controller.busy.ns() as f64 / available).min(1.0)
            } else {
                0.0
            }
        };
        let shares = self.controllers.iter().map(share);
        let mean = shares.clone().sum::<f64>() / self.controllers.len() as f64;
        (mean, shares.fold(0.0, f64::max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> LocalControllers {
        let config = LocalConfig {
            enabled: true,
            clock: Frequency(100_000_000),
            ..LocalConfig::default()
        };
        LocalControllers::new(&config, 2).unwrap()
    }

    #[test]
    fn the_host_goes_before_collection_that_waits() {
        let mut local = one();
        let chip = ChipId(1);
        // 7,100 cycles of 100 MHz
        assert_eq!(local.give(chip, 1, Level::Normal, 7_100), Some(Duration(71_000)));
        assert_eq!(local.give(chip, 2, Level::Normal, 7_100), None);
        assert_eq!(local.give(chip, 3, Level::Host, 3_000), None);
        assert_eq!(local.give(chip, 4, Level::Urgent, 4_000), None);
        // another package is free
        assert_eq!(
            local.give(ChipId(0), 5, Level::Host, 3_000),
            Some(Duration(30_000))
        );
        assert_eq!(local.end(chip), Some((3, Duration(30_000))));
        assert_eq!(local.end(chip), Some((4, Duration(40_000))));
        assert_eq!(local.end(chip), Some((2, Duration(71_000))));
        assert_eq!(local.end(chip), None);
        assert_eq!(local.give(chip, 6, Level::Idle, 0), Some(Duration::ZERO));
        // 212 µs and 30 µs of 424 µs
        let (mean, most) = local.utilization(SimTime(424_000));
        assert!((mean - (0.5 + 30.0 / 424.0) / 2.0).abs() < 1e-12);
        assert!((most - 0.5).abs() < 1e-12);
        local.restart_counts(SimTime(424_000));
        assert_eq!(local.utilization(SimTime(500_000)), (0.0, 0.0));
    }

    #[test]
    fn a_drive_without_local_controllers_has_none() {
        assert!(LocalControllers::new(&LocalConfig::default(), 4).is_none());
    }
}
