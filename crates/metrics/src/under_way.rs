//! Bus and array steps that are under way: what a measurement that starts in the middle of a run takes over.

use wordline_ftl::Cause;
use wordline_units::SimTime;

use crate::probe::{Array, BusUse, CommandKind, IssuedCommand, Probe, ResumedArray, SuspendedArray};
use crate::timeline::{Activity, Serves, Span, Track};

/// Steps between two removals of those that are over.
const PRUNED: usize = 1024;

/// The bus and array steps of a run that are not over.
#[derive(Clone, Debug, Default)]
pub struct UnderWay {
    /// In the order in which they were reported; some are over.
    steps: Vec<Span>,
    /// Length of `steps` at which those that are over are removed.
    pruned_at: usize,
}

impl UnderWay {
    /// The steps that are not over at `now`, each whole.
    pub fn at(&self, now: SimTime) -> impl Iterator<Item = &Span> {
        self.steps.iter().filter(move |step| step.to > now)
    }

    fn add(
        &mut self,
        now: SimTime,
        track: Track,
        activity: Activity,
        cause: Cause,
        step: (SimTime, SimTime),
    ) {
        if self.steps.len() >= self.pruned_at {
            self.steps.retain(|step| step.to > now);
            self.pruned_at = 2 * self.steps.len() + PRUNED;
        }
        let (from, to) = step;
        self.steps.push(Span {
            track,
            activity,
            cause,
            serves: Serves::Buffer,
            from,
            to,
            address: 0,
            count: 1,
            mode: wordline_nand::Mode::NORMAL,
        });
    }

    fn array(&mut self, now: SimTime, kind: CommandKind, cause: Cause, array: &Array) {
        let activity = Activity::Command(kind);
        self.add(
            now,
            Track::Die(array.die),
            activity,
            cause,
            (array.from, array.to),
        );
    }
}

impl Probe for UnderWay {
    fn issued(&mut self, command: &IssuedCommand<'_>) {
        let now = command.bus_from;
        let cause = command
            .constituents
            .first()
            .map_or(Cause::Host, |page| page.cause);
        let bus = Track::Channel(command.channel);
        let activity = Activity::Command(command.kind);
        self.add(now, bus, activity, cause, (command.bus_from, command.bus_to));
        for array in command.arrays {
            self.array(now, command.kind, cause, array);
        }
    }

    fn bus(&mut self, use_: &BusUse) {
        let bus = Track::Channel(use_.channel);
        let activity = Activity::Data(CommandKind::Read);
        self.add(use_.from, bus, activity, Cause::Host, (use_.from, use_.to));
        if let Some(array) = &use_.array {
            self.array(use_.from, CommandKind::CopyBack, Cause::Gc, array);
        }
    }

    fn suspended(&mut self, array: &SuspendedArray) {
        let die = Track::Die(array.die);
        let left = self
            .steps
            .iter_mut()
            .rev()
            .find(|step| step.track == die && step.to == array.would_end);
        if let Some(step) = left {
            step.to = array.left;
        }
    }

    fn resumed(&mut self, array: &ResumedArray) {
        let ResumedArray {
            kind, die, at, to, ..
        } = *array;
        self.array(at, kind, Cause::Host, &Array { die, from: at, to });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_nand::{ChannelId, DieId, Ppn};

    /// A program on the bus for 10 ns and in the array for 100 ns, which is suspended for a while.
    #[test]
    fn steps_are_under_way_until_they_end_or_leave() {
        let mut all = UnderWay::default();
        let (die, channel) = (DieId(1), ChannelId(0));
        all.issued(&IssuedCommand {
            kind: CommandKind::Program,
            channel,
            constituents: &[],
            bus_from: SimTime(0),
            bus_to: SimTime(10),
            arrays: &[Array {
                die,
                from: SimTime(10),
                to: SimTime(110),
            }],
            cached: false,
            in_package: false,
        });
        let at = |all: &UnderWay, now| -> Vec<(Track, u64, u64)> {
            all.at(SimTime(now))
                .map(|step| (step.track, step.from.ns(), step.to.ns()))
                .collect()
        };
        let (bus, array) = (Track::Channel(channel), Track::Die(die));
        assert_eq!(at(&all, 5), [(bus, 0, 10), (array, 10, 110)]);
        assert_eq!(at(&all, 10), [(array, 10, 110)]);
        all.suspended(&SuspendedArray {
            kind: CommandKind::Program,
            die,
            page: Ppn(0),
            at: SimTime(40),
            left: SimTime(40),
            would_end: SimTime(110),
        });
        assert_eq!(at(&all, 40), []);
        all.resumed(&ResumedArray {
            kind: CommandKind::Program,
            die,
            page: Ppn(0),
            at: SimTime(60),
            to: SimTime(130),
        });
        assert_eq!(at(&all, 70), [(array, 60, 130)]);
        // what is over is removed in the end, and nothing else
        for step in 0..10_000 {
            all.resumed(&ResumedArray {
                kind: CommandKind::Program,
                die: DieId(2),
                page: Ppn(0),
                at: SimTime(80),
                to: SimTime(80 + step % 2),
            });
        }
        assert!(all.steps.len() < 10_000, "{}", all.steps.len());
        assert_eq!(at(&all, 81), [(array, 60, 130)]);
    }
}
