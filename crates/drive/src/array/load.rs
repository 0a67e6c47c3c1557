//! Work of the host in every unit and in the drive, for policies of modes.

use std::collections::VecDeque;

use wordline_ftl::{HostWork, IdleInterval};
use wordline_metrics::Latency;
use wordline_units::{Duration, SimTime};

use crate::operation::Kind;

/// Operations of the host in a unit or in the drive.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    reads: u32,
    programs: u32,
    /// Waiting or in execution.
    inside: u32,
    /// When the last of them ended.
    idle_since: SimTime,
}

impl Count {
    /// An operation has come. Tells since when there was none, if it is the only one and there was none for a while.
    fn enter(&mut self, now: SimTime) -> Option<SimTime> {
        self.inside += 1;
        (self.inside == 1 && self.idle_since < now).then_some(self.idle_since)
    }

    fn leave(&mut self, now: SimTime) {
        self.inside -= 1;
        self.idle_since = now;
    }

    fn waiting(&mut self, kind: Kind) -> Option<&mut u32> {
        match kind {
            Kind::Read => Some(&mut self.reads),
            Kind::Program | Kind::CopyBack => Some(&mut self.programs),
            Kind::Erase => None,
        }
    }

    fn work(&self) -> HostWork {
        HostWork {
            reads: self.reads,
            programs: self.programs,
            idle_since: (self.inside == 0).then_some(self.idle_since),
        }
    }
}

/// The time with flash operations in the drive, whoever wants them.
#[derive(Clone, Copy, Debug, Default)]
struct Busy {
    /// Operations, waiting or in execution.
    inside: u32,
    /// Since when there has been one, or since when the time is counted; of no meaning where there is none.
    since: SimTime,
    /// Time with operations that is over.
    total: Duration,
}

impl Busy {
    fn enter(&mut self, now: SimTime) {
        if self.inside == 0 {
            self.since = now;
        }
        self.inside += 1;
    }

    fn leave(&mut self, now: SimTime) {
        self.inside = self.inside.saturating_sub(1);
        if self.inside == 0 {
            self.total += now.since(self.since);
        }
    }

    /// The time up to `now`.
    fn until(&self, now: SimTime) -> Duration {
        let open = (self.inside > 0).then(|| now.since(self.since));
        self.total + open.unwrap_or_default()
    }
}

/// Work of the host in every unit and in the drive.
#[derive(Debug)]
pub(super) struct Loads {
    units: Vec<Count>,
    drive: Count,
    flash: Busy,
    /// Times without work that have ended and were not told.
    ended: VecDeque<IdleInterval>,
    /// Lengths of those of units.
    lengths: Latency,
    /// Lengths of those of the drive.
    of_drive: Latency,
}

impl Loads {
    pub(super) fn new(units: usize) -> Self {
        Self {
            units: vec![Count::default(); units],
            drive: Count::default(),
            flash: Busy::default(),
            ended: VecDeque::new(),
            lengths: Latency::new(),
            of_drive: Latency::new(),
        }
    }

    pub(super) fn of_unit(&self, unit: usize) -> HostWork {
        self.units[unit].work()
    }

    pub(super) fn of_drive(&self) -> HostWork {
        self.drive.work()
    }

    /// Lengths of the times without work that have ended in units.
    pub(super) fn lengths(&self) -> &Latency {
        &self.lengths
    }

    /// The same of the drive.
    pub(super) fn lengths_of_drive(&self) -> &Latency {
        &self.of_drive
    }

    /// Time up to `now` in which there was any flash operation, of the host or not, waiting or in execution.
    pub(super) fn busy(&self, now: SimTime) -> Duration {
        self.flash.until(now)
    }

    /// Lengths and times are counted afresh.
    pub(super) fn restart_counts(&mut self, now: SimTime) {
        self.lengths = Latency::new();
        self.of_drive = Latency::new();
        self.flash = Busy {
            since: now,
            total: Duration::ZERO,
            ..self.flash
        };
    }

    /// A flash operation has come, of the host or not.
    pub(super) fn enter_flash(&mut self, now: SimTime) {
        self.flash.enter(now);
    }

    /// A flash operation has ended, of the host or not.
    pub(super) fn leave_flash(&mut self, now: SimTime) {
        self.flash.leave(now);
    }

    /// A time without work that has ended, the first that was not told.
    pub(super) fn take_ended(&mut self) -> Option<IdleInterval> {
        self.ended.pop_front()
    }

    /// An operation of the host has come into the drive.
    pub(super) fn enter_drive(&mut self, now: SimTime) {
        if let Some(from) = self.drive.enter(now) {
            self.of_drive.record(now.since(from));
            let unit = None;
            self.ended.push_back(IdleInterval { unit, from, to: now });
        }
    }

    /// It is known in which unit an operation of the host will be executed.
    pub(super) fn enter_unit(&mut self, unit: usize, now: SimTime) {
        if let Some(from) = self.units[unit].enter(now) {
            self.lengths.record(now.since(from));
            let unit = Some(unit as u32);
            self.ended.push_back(IdleInterval { unit, from, to: now });
        }
    }

    /// An operation of the host has ended, in a unit if it had come to one.
    pub(super) fn leave(&mut self, unit: Option<usize>, now: SimTime) {
        self.drive.leave(now);
        if let Some(unit) = unit {
            self.units[unit].leave(now);
        }
    }

    /// An operation has entered (1) or left (-1) a queue, of a unit or of several.
    pub(super) fn wait(&mut self, unit: Option<usize>, kind: Kind, change: i32) {
        let unit = unit.map(|unit| &mut self.units[unit]);
        for count in unit.into_iter().chain([&mut self.drive]) {
            if let Some(waiting) = count.waiting(kind) {
                *waiting = waiting.saturating_add_signed(change);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two units: a read comes to the first at 5 and ends at 9, a program that may go to either comes at 7, is bound to the
    /// second at 9 and ends at 12, and another read comes to the first at 20.
    #[test]
    fn idle_intervals_end_with_the_first_operation() {
        let at = SimTime;
        let mut loads = Loads::new(2);
        loads.wait(Some(0), Kind::Read, 1);
        loads.enter_drive(at(5));
        loads.enter_unit(0, at(5));
        loads.wait(Some(0), Kind::Read, -1);
        loads.wait(None, Kind::Program, 1);
        loads.enter_drive(at(7));
        let waits = HostWork {
            programs: 1,
            ..HostWork::default()
        };
        assert_eq!(loads.drive.work(), waits);
        assert_eq!(loads.units[0].work(), HostWork::default());
        let idle = loads.units[1].work().idle_since;
        assert_eq!(idle, Some(SimTime::ZERO));
        loads.leave(Some(0), at(9));
        loads.enter_unit(1, at(9));
        loads.wait(None, Kind::Program, -1);
        assert_eq!(loads.units[0].work().idle_since, Some(at(9)));
        loads.leave(Some(1), at(12));
        assert_eq!(loads.drive.work().idle_since, Some(at(12)));
        loads.enter_drive(at(20));
        loads.enter_unit(0, at(20));
        let told: Vec<_> = loads
            .ended
            .iter()
            .map(|idle| (idle.unit, idle.from.0, idle.to.0))
            .collect();
        let expected = [
            (None, 0, 5),
            (Some(0), 0, 5),
            (Some(1), 0, 9),
            (None, 12, 20),
            (Some(0), 9, 20),
        ];
        assert_eq!(told, expected);
        assert_eq!((loads.lengths().count(), loads.lengths().sum_ns()), (3, 25));
        let of_drive = loads.lengths_of_drive();
        assert_eq!((of_drive.count(), of_drive.sum_ns()), (2, 13));
        loads.restart_counts(at(20));
        assert_eq!(
            (loads.lengths().count(), loads.lengths_of_drive().count()),
            (0, 0)
        );
    }

    /// Operations from 5 to 9 and from 7 to 12, and one from 20 on; counted afresh at 22.
    #[test]
    fn the_time_with_flash_operations_counts_once() {
        let at = SimTime;
        let mut loads = Loads::new(1);
        for (now, comes) in [(5, true), (7, true), (9, false), (12, false), (20, true)] {
            if comes {
                loads.enter_flash(at(now));
            } else {
                loads.leave_flash(at(now));
            }
        }
        assert_eq!(loads.busy(at(20)), Duration(7));
        assert_eq!(loads.busy(at(21)), Duration(8));
        loads.restart_counts(at(22));
        assert_eq!(loads.busy(at(25)), Duration(3));
        loads.leave_flash(at(26));
        assert_eq!(loads.busy(at(40)), Duration(4));
    }

    /// An operation that comes at the moment at which the last one ends leaves no interval.
    #[test]
    fn no_interval_is_empty() {
        let mut loads = Loads::new(1);
        loads.enter_drive(SimTime::ZERO);
        loads.enter_unit(0, SimTime::ZERO);
        loads.leave(Some(0), SimTime(3));
        loads.enter_drive(SimTime(3));
        loads.enter_unit(0, SimTime(3));
        assert!(loads.ended.is_empty());
    }
}
