//! The temperature of the drive as time goes on, and commands that wait until it is low enough.

use super::Drive;
use crate::clock::Event;
use crate::error::RunError;
use crate::features::Features;

impl<F: Features> Drive<F> {
    /// A command enters the drive, unless that is asleep or too warm.
    #[inline]
    pub(super) fn take_up(&mut self, id: u32) {
        if !self.idle.is_some() || !self.waits_for_waking(id) {
            self.take_up_awake(id);
        }
    }

    /// A command enters the drive, which is awake, unless that is too warm.
    #[inline]
    pub(super) fn take_up_awake(&mut self, id: u32) {
        if !self.thermal.is_some() || !self.hold_back(id) {
            self.enter(id);
        }
    }

    /// Holds a command back where the drive is too warm. False where it is not.
    #[inline(never)]
    fn hold_back(&mut self, id: u32) -> bool {
        // nobody may have looked for long
        self.advance_temperature();
        self.schedule_look();
        let now = self.clock.now();
        let bytes = self.host.bytes_of(id);
        let Some(thermal) = self.thermal.as_mut().filter(|thermal| thermal.holds_back()) else {
            return false;
        };
        thermal.hold(now, id, bytes);
        self.release_held();
        true
    }

    /// Lets in what was held back and may enter now.
    fn release_held(&mut self) {
        let now = self.clock.now();
        while let Some((id, held)) = self.thermal.as_mut().and_then(|thermal| thermal.take_next(now)) {
            self.host.held_back(id, held);
            self.enter(id);
        }
        if let Some(at) = self.thermal.as_mut().and_then(|thermal| thermal.next_wake()) {
            self.clock.schedule(at, Event::HeldCommand);
        }
    }

    /// A command that was held back may enter.
    pub(super) fn held_command(&mut self) {
        let now = self.clock.now();
        if let Some(thermal) = self.thermal.as_mut() {
            thermal.woken(now);
        }
        self.release_held();
    }

    /// The temperature is looked at, and will be again while anything is to happen.
    pub(super) fn thermal_step(&mut self) {
        if let Some(thermal) = self.thermal.as_mut() {
            thermal.looked();
        }
        self.advance_temperature();
        self.release_held();
        self.stop_if_too_hot();
        // a drive that does nothing is looked at when its next command comes
        if self.host.requests_left() > 0 || !self.array.is_empty() {
            self.schedule_look();
        }
    }

    /// Ends the run where the drive holds commands back and will never be cold enough to take them up.
    fn stop_if_too_hot(&mut self) {
        let (is_busy, commands) = (!self.array.is_empty(), self.host.counts().commands);
        let Some(thermal) = self.thermal.as_mut() else {
            return;
        };
        if let Some((coldest, needed)) = thermal.never_cools(is_busy, commands) {
            self.failure = Some(RunError::TooHot {
                at: self.clock.now(),
                held: thermal.held(),
                coldest,
                needed,
            });
        }
    }

    /// Puts the next look at the temperature on the clock.
    pub(super) fn schedule_look(&mut self) {
        let now = self.clock.now();
        if let Some(at) = self.thermal.as_mut().and_then(|thermal| thermal.next_look(now)) {
            self.clock.schedule(at, Event::ThermalStep);
        }
    }

    /// The power has failed: what the drive does now it does at once, however warm it is and whatever waits, and commands that were held back it does not know any more.
    pub(crate) fn stop_throttling(&mut self) {
        self.thermal.take();
        self.limit.take();
        self.idle.take();
        self.door.take();
        self.host.stop_delaying();
    }

    /// Brings the temperature up to now.
    pub(crate) fn advance_temperature(&mut self) {
        if !self.thermal.is_some() {
            return;
        }
        self.count_sleep();
        let (now, energy) = (self.clock.now(), self.energy());
        if let Some(thermal) = self.thermal.as_mut() {
            thermal.advance(now, energy);
        }
    }

    /// The air around the drive has another temperature from now on, degC; false where the drive has none.
    pub(crate) fn set_ambient(&mut self, celsius: f64) -> bool {
        self.advance_temperature();
        let Some(thermal) = self.thermal.as_mut() else {
            return false;
        };
        thermal.set_ambient(celsius);
        true
    }

    /// Energy of the drive since counting began, J; a drive with a temperature counts it.
    pub(super) fn energy(&self) -> f64 {
        self.observe
            .recorder()
            .energy_up_to(self.clock.now())
            .unwrap_or(0.0)
    }
}
