//! `batches`: a unit takes all that waits for it as a batch, and takes nothing else before the batch is done: its reads first, then its writes.
//!
//! So Microsoft's SSD extension of DiskSim (Agrawal et al., USENIX ATC 2008; `ssd_activate_elem`) serves the elements of a drive where several
//! requests are issued at once. It takes 100 reads or writes at most, here a batch has no limit.

use rustc_hash::FxHashMap;
use wordline_nand::DieId;
use wordline_units::SimTime;

use super::{Order, Scheduler, SchedulerRow};
use crate::view::{Action, Candidate, ChannelView, Level};

/// `scheduler.policy = "batches"`.
pub(crate) const BATCHES: SchedulerRow = SchedulerRow::new(
    "batches",
    "A die takes all that waits for it as a batch, and finishes that, its reads first, before it takes what came later (Microsoft's SSD extension of DiskSim). Steps of blocking jobs go between two batches.",
    Order::Scheduler(&|_, _| Box::new(Batches::default())),
);

/// The batches of all units.
#[derive(Debug, Default)]
struct Batches {
    /// By first die of a unit: when the batch that it works on was taken. What was ready by then belongs to it.
    taken: FxHashMap<DieId, SimTime>,
}

impl Scheduler for Batches {
    fn pick<'a>(&mut self, view: &ChannelView<'a>) -> Option<&'a Candidate> {
        let unit_of = |each: &Candidate| {
            let die = each.die?;
            let from = view.units.iter().map(|unit| unit.first_die);
            from.filter(|first| *first <= die).max()
        };
        let belongs = |each: &Candidate| {
            let taken = unit_of(each).and_then(|unit| self.taken.get(&unit));
            each.level == Level::Host && taken.is_some_and(|taken| each.ready <= *taken)
        };
        let place = |each: &&Candidate| {
            let is_later = (each.action != Action::DataOut, !belongs(each));
            let is_less_pressing = (each.level != Level::Urgent, each.level);
            (
                is_later,
                is_less_pressing,
                each.action != Action::Read,
                each.sequence,
            )
        };
        let chosen = view.candidates.iter().min_by_key(place)?;
        let begins = chosen.level == Level::Host && chosen.action != Action::DataOut && !belongs(chosen);
        if let Some(unit) = unit_of(chosen).filter(|_| begins) {
            self.taken.insert(unit, view.now);
        }
        Some(chosen)
    }
}

#[cfg(test)]
mod tests {
    use wordline_ftl::{Cause, Lpn};
    use wordline_nand::ChannelId;

    use super::*;
    use crate::view::UnitView;

    /// Something that could start in die 0, ready at its number.
    fn candidate(action: Action, level: Level, sequence: u64) -> Candidate {
        Candidate {
            action,
            level,
            cause: Cause::Host,
            die: Some(DieId(0)),
            page: None,
            lpn: Lpn(0),
            sequence,
            ready: SimTime(sequence),
            arrival: None,
            deadline: None,
        }
    }

    fn pick(batches: &mut Batches, now: u64, candidates: &[Candidate]) -> u64 {
        let unit = UnitView {
            first_die: DieId(0),
            is_idle: true,
            free_at: SimTime::ZERO,
            waiting: [[0; 4]; 3],
        };
        let view = ChannelView {
            channel: ChannelId(0),
            now: SimTime(now),
            units: &[unit],
            candidates,
        };
        batches.pick(&view).unwrap().sequence
    }

    /// Two writes and a read wait at 10. The read goes first, then both writes, although another read has come: it and the steps of a job wait
    /// for the end of the batch, and the job goes before the read.
    #[test]
    fn a_batch_is_finished_before_anything_else_begins() {
        use Action::{DataOut, Program, Read};
        let mut batches = Batches::default();
        let [first, second, third] = [(Program, 1), (Program, 2), (Read, 3)]
            .map(|(action, sequence)| candidate(action, Level::Host, sequence));
        assert_eq!(pick(&mut batches, 10, &[first, second, third]), 3);
        let late = candidate(Read, Level::Host, 11);
        let of_job = candidate(Read, Level::Urgent, 12);
        assert_eq!(pick(&mut batches, 20, &[first, second, late, of_job]), 1);
        // data that are ready to move belong to what is being finished
        let data = candidate(DataOut, Level::Idle, 13);
        assert_eq!(pick(&mut batches, 25, &[second, late, data]), 13);
        assert_eq!(pick(&mut batches, 30, &[second, late, of_job]), 2);
        assert_eq!(pick(&mut batches, 40, &[late, of_job]), 12);
        let write = candidate(Program, Level::Host, 4);
        let early = Candidate {
            ready: SimTime(45),
            ..write
        };
        assert_eq!(pick(&mut batches, 50, &[late, early]), 11);
        // they are the next batch
        let last = candidate(Read, Level::Host, 51);
        assert_eq!(pick(&mut batches, 60, &[early, last]), 4);
    }
}
