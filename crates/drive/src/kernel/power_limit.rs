//! Programs and erases that wait for power.

use super::Drive;
use crate::clock::Event;
use crate::features::Features;
use crate::operation::Kind;
use crate::power_limit::{Answer, AtOnce};

impl<F: Features> Drive<F> {
    /// Whether a program or an erase may not start now, as it would take more power than the drive may.
    #[inline]
    pub(super) fn lacks_power(&mut self) -> bool {
        self.limit.is_some() && self.ask_for_power()
    }

    #[inline(never)]
    fn ask_for_power(&mut self) -> bool {
        let now = self.clock.now();
        let Some(limit) = self.limit.as_ref() else {
            return false;
        };
        if limit.holds(now) {
            return true;
        }
        let planes = limit.planes();
        let at_once = planes.map_or_else(AtOnce::default, |planes| self.array.watts(now, planes));
        let beside = self.energy_beside_writes();
        let Some(limit) = self.limit.as_mut() else {
            return false;
        };
        match limit.ask(now, beside, at_once) {
            Answer::Starts { was_held } => {
                if was_held {
                    self.observe.power_is_lacking(now, false);
                }
                false
            }
            Answer::Waits { until, begins } => {
                self.clock.schedule(until, Event::PowerIsBack);
                if begins {
                    self.observe.power_is_lacking(now, true);
                }
                true
            }
        }
    }

    /// Programs and erases may start, as far as was known: all channels are looked at.
    pub(super) fn power_is_back(&mut self) {
        for channel in 0..self.array.geometry().channels as usize {
            self.array.mark(channel);
        }
    }

    /// The command in the making takes its power.
    #[inline(never)]
    pub(super) fn charge_power(&mut self, kind: Kind) {
        let members = self.array.members().iter();
        let joules = members
            .map(|id| {
                let constituent = self.array.ops()[*id].constituent();
                self.observe.write_cost(kind, &constituent)
            })
            .sum();
        if let Some(limit) = self.limit.as_mut() {
            limit.charge(joules);
        }
    }

    /// Energy of the drive beside programs and erases since counting began, J.
    fn energy_beside_writes(&self) -> f64 {
        let recorder = self.observe.recorder();
        recorder.energy_beside_writes(self.clock.now()).unwrap_or(0.0)
    }

    /// Energies are counted anew from now on, `before` J having been counted: the budget stays as it is.
    pub(super) fn restart_limit(&mut self, before: f64) {
        let (now, beside) = (self.clock.now(), self.energy_beside_writes());
        if let Some(limit) = self.limit.as_mut() {
            limit.restart_counts(now, before, beside);
        }
    }

    /// Energy beside programs and erases up to now, where a limit goes by it.
    pub(super) fn energy_for_limit(&self) -> f64 {
        if self.limit.is_some() {
            self.energy_beside_writes()
        } else {
            0.0
        }
    }
}
