//! The controller's encoders and decoders: as many as the mapping asks for, in groups that have work of their own. Each works on one page at a time. What the host
//! reads goes before everything else; what a codec has begun is not interrupted.

use std::collections::VecDeque;

use wordline_ftl::Codecs;
use wordline_units::{Duration, SimTime};

use crate::operation::OpId;

/// A page that is to be encoded or decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coding {
    pub(crate) op: OpId,
    pub(crate) work: Duration,
    /// Whether the host reads it.
    pub(crate) is_read: bool,
}

/// What becomes of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A codec works on it, until then.
    Begins(SimTime),
    /// It waits until a codec of the group has ended, and [`Codec::ended`] answers with it.
    Waits,
    /// There is no codec.
    Nobody,
}

/// Codecs that share their work.
#[derive(Clone, Debug, Default)]
struct Group {
    /// What each works on, and until when.
    working: Vec<Option<(OpId, SimTime)>>,
    /// What the host reads, and the rest, in the order of asking.
    waiting: [VecDeque<Coding>; 2],
}

/// All of them; a drive whose mapping asks for none has none.
#[derive(Debug)]
pub(crate) struct Codec {
    groups: Vec<Group>,
    /// Work that was begun since `since`, and what was left of earlier work then.
    busy: Duration,
    since: SimTime,
}

impl Codec {
    pub(crate) fn new(codecs: Codecs) -> Self {
        let group = Group {
            working: vec![None; codecs.each as usize],
            ..Group::default()
        };
        Self {
            groups: vec![group; codecs.groups as usize],
            busy: Duration::ZERO,
            since: SimTime::ZERO,
        }
    }

    /// Counts afresh from `now` on.
    pub(crate) fn restart_counts(&mut self, now: SimTime) {
        self.busy = Duration(self.left(now));
        self.since = now;
    }

    /// Hands a page to a codec of a group, if one is free.
    pub(crate) fn ask(&mut self, now: SimTime, group: u16, coding: Coding) -> Asked {
        let Some(group) = self.groups.get_mut(usize::from(group)) else {
            return Asked::Nobody;
        };
        match group.working.iter_mut().find(|working| working.is_none()) {
            Some(free) => {
                let done = now + coding.work;
                *free = Some((coding.op, done));
                self.busy += coding.work;
                Asked::Begins(done)
            }
            None => {
                group.waiting[usize::from(!coding.is_read)].push_back(coding);
                Asked::Waits
            }
        }
    }

    /// The codec of a group that worked on an operation has done so; what it begins now, and until when.
    pub(crate) fn ended(&mut self, now: SimTime, group: u16, op: OpId) -> Option<(Coding, SimTime)> {
        let group = self.groups.get_mut(usize::from(group))?;
        let of_op = |working: &&mut Option<(OpId, SimTime)>| working.is_some_and(|(other, _)| other == op);
        let free = group.working.iter_mut().find(of_op)?;
        *free = None;
        let next = group.waiting.iter_mut().find_map(VecDeque::pop_front)?;
        let done = now + next.work;
        *free = Some((next.op, done));
        self.busy += next.work;
        Some((next, done))
    }

    /// What is left of the work that was begun, in nanoseconds.
    fn left(&self, now: SimTime) -> u64 {
        let working = self.groups.iter().flat_map(|group| &group.working).flatten();
        working.map(|(_, done)| done.since(now).ns()).sum()
    }

    /// Share of their time that was used up to `now`, since counting began; none where there are none.
    pub(crate) fn utilization(&self, now: SimTime) -> Option<f64> {
        let codecs: usize = self.groups.iter().map(|group| group.working.len()).sum();
        let available = now.since(self.since).ns() as f64 * codecs as f64;
        (available > 0.0).then(|| (self.busy.ns() - self.left(now)) as f64 / available)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coding(op: OpId, work: u64, is_read: bool) -> Coding {
        Coding {
            op,
            work: Duration(work),
            is_read,
        }
    }

    /// Two codecs: the third page waits for the first that is free, and the fourth, which the host reads, goes before it.
    #[test]
    fn reads_go_first_and_the_rest_in_the_order_of_asking() {
        let mut codec = Codec::new(Codecs { groups: 1, each: 2 });
        let now = SimTime(0);
        assert_eq!(
            codec.ask(now, 0, coding(1, 10, false)),
            Asked::Begins(SimTime(10))
        );
        assert_eq!(
            codec.ask(now, 0, coding(2, 30, false)),
            Asked::Begins(SimTime(30))
        );
        assert_eq!(codec.ask(now, 0, coding(3, 10, false)), Asked::Waits);
        assert_eq!(codec.ask(now, 0, coding(4, 5, true)), Asked::Waits);
        let next = codec.ended(SimTime(10), 0, 1);
        assert_eq!(next, Some((coding(4, 5, true), SimTime(15))));
        let next = codec.ended(SimTime(15), 0, 4);
        assert_eq!(next, Some((coding(3, 10, false), SimTime(25))));
        // both have worked from the start, and have 10 and 5 left
        assert_eq!(codec.utilization(SimTime(20)), Some(1.0));
        codec.restart_counts(SimTime(20));
        assert_eq!(codec.ended(SimTime(25), 0, 3), None);
        assert_eq!(codec.ended(SimTime(30), 0, 2), None);
        assert_eq!(codec.utilization(SimTime(30)), Some(0.75));
    }

    /// A page waits for the codecs of its own group only.
    #[test]
    fn groups_have_work_of_their_own() {
        let mut codec = Codec::new(Codecs { groups: 2, each: 1 });
        let now = SimTime(0);
        assert_eq!(
            codec.ask(now, 0, coding(1, 10, false)),
            Asked::Begins(SimTime(10))
        );
        assert_eq!(
            codec.ask(now, 1, coding(2, 10, false)),
            Asked::Begins(SimTime(10))
        );
        assert_eq!(codec.ask(now, 1, coding(3, 10, false)), Asked::Waits);
        assert_eq!(codec.ended(SimTime(10), 0, 1), None);
        let next = codec.ended(SimTime(10), 1, 2);
        assert_eq!(next, Some((coding(3, 10, false), SimTime(20))));
        let mut none = Codec::new(Codecs::default());
        assert_eq!(none.ask(now, 0, coding(1, 1, true)), Asked::Nobody);
        assert_eq!(none.utilization(SimTime(9)), None);
    }
}
