//! Notifies the FTL of the load of the host, by which it chooses the modes of pages.

use wordline_ftl::{HostLoad, HostWork, IdleInterval, Subjects};
use wordline_units::Duration;

use super::Control;
use crate::features::Features;

impl<F: Features> Control<F> {
    /// What the host wants of the drive; see `LoadObserver::observe_load`.
    pub(crate) fn observe_load(&mut self, load: &HostLoad) {
        let shifted = |work: HostWork| HostWork {
            idle_since: work.idle_since.map(|since| since + self.epoch),
            ..work
        };
        let Some(observer) = self.ftl.load_observer_mut() else {
            return;
        };
        observer.observe_load(&HostLoad {
            of_unit: shifted(load.of_unit),
            of_drive: shifted(load.of_drive),
            free_at: load.free_at + self.epoch,
            ..*load
        });
    }

    /// A time without operations of the host has ended; see `LoadObserver::observe_idle`.
    pub(crate) fn observe_idle(&mut self, interval: &IdleInterval) {
        if let Some(observer) = self.ftl.load_observer_mut() {
            observer.observe_idle(&IdleInterval {
                from: interval.from + self.epoch,
                to: interval.to + self.epoch,
                ..*interval
            });
        }
    }

    /// The idle time that was expected when a mode was decided on; see `LoadObserver::take_expected_idle`.
    pub(crate) fn take_expected_idle(&mut self) -> Option<Duration> {
        self.ftl.load_observer_mut()?.take_expected_idle()
    }
}
