//! The slowest requests, each with its story: where its time went and what stood in front of it.

use wordline_ftl::Cause;
use wordline_nand::{BlockId, ChannelId, DieId};
use wordline_units::SimTime;

use super::span::{Span, SpanColumns, Track};
use crate::attribution::{PARTS, Segment};
use crate::probe::{CommandKind, FinishedRequest};

/// Spans that are kept of what stood in front of a request: the longest.
const IN_FRONT: usize = 200;

/// The flash operation that a request waited for last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastOperation {
    /// Its kind.
    pub kind: CommandKind,
    /// Its cause.
    pub cause: Cause,
    /// Where.
    pub channel: ChannelId,
    /// Where.
    pub die: DieId,
    /// Where.
    pub block: BlockId,
    /// When its command was issued.
    pub issued: SimTime,
}

/// A slow request.
#[derive(Clone, Debug)]
pub(super) struct Story {
    /// The request.
    pub(super) request: FinishedRequest,
    /// Where its response time went; empty where that is not recorded.
    pub(super) parts: Vec<Segment>,
    /// The flash operation that it waited for last; `None` if memory served it.
    pub(super) last: Option<LastOperation>,
    /// What its die, the die's channel and background work did while it waited, in the order of
    /// their starts; where no die served it, the background work of all dies.
    pub(super) in_front: Vec<Span>,
    /// Spans of these that were left out, the shortest.
    pub(super) left_out: u64,
    /// `in_front` is complete.
    told: bool,
}

impl Story {
    /// Whether the request waited while the span lasted, where it could have been in its way.
    fn is_in_the_way(&self, span: &Span) -> bool {
        let until = self.last.map_or(self.request.completed, |last| last.issued);
        // what is on the bus when the data are ready is in the way too
        let until = match span.track {
            Track::Channel(_) => self.request.completed,
            _ => until,
        };
        span.overlaps(self.request.arrival, until)
            && span.serves.request() != Some(self.request.number)
            && match (span.track, self.last) {
                (Track::Die(die), Some(last)) => die == last.die,
                (Track::Background(die), Some(last)) => die == last.die,
                (Track::Background(_), None) => true,
                (Track::Channel(channel), Some(last)) => channel == last.channel,
                _ => false,
            }
    }

    fn add(&mut self, span: &Span) {
        self.in_front.push(*span);
        if self.in_front.len() >= 4 * IN_FRONT {
            self.shorten();
        }
    }

    fn shorten(&mut self) {
        if self.in_front.len() > IN_FRONT {
            self.in_front
                .sort_by_key(|span| std::cmp::Reverse((span.ns(), span.from)));
            self.left_out += (self.in_front.len() - IN_FRONT) as u64;
            self.in_front.truncate(IN_FRONT);
        }
    }
}

/// The slowest requests of a class, by latency from arrival to acknowledgement; of equally slow ones
/// those that were told earlier.
#[derive(Clone, Debug)]
pub(super) struct Slowest {
    keep: usize,
    /// Latency at or below which a request is not among the slowest, ns.
    bar: u64,
    stories: Vec<Story>,
}

impl Slowest {
    /// Keeps the `keep` slowest requests.
    pub(super) fn new(keep: u32) -> Self {
        Self {
            keep: keep as usize,
            bar: if keep == 0 { u64::MAX } else { 0 },
            stories: Vec::new(),
        }
    }

    /// Forgets all.
    pub(super) fn restart(&mut self) {
        *self = Self::new(self.keep as u32);
    }

    /// Whether a request is among the slowest so far.
    pub(super) fn wants(&self, request: &FinishedRequest) -> bool {
        self.stories.len() < self.keep || request.latency().ns() > self.bar
    }

    /// Takes a request in that is wanted; the least slow makes room for it.
    pub(super) fn enter(
        &mut self,
        request: &FinishedRequest,
        parts: &[Segment],
        last: Option<LastOperation>,
    ) {
        if self.stories.len() >= self.keep {
            let least = self.stories.iter().enumerate();
            let least = least.min_by_key(|(_, story)| rank(&story.request));
            if let Some((index, _)) = least {
                self.stories.swap_remove(index);
            }
        }
        self.stories.push(Story {
            request: *request,
            parts: parts.to_vec(),
            last,
            in_front: Vec::new(),
            left_out: 0,
            told: false,
        });
        if self.stories.len() == self.keep {
            let latencies = self.stories.iter().map(|story| story.request.latency().ns());
            self.bar = latencies.min().unwrap_or(0);
        }
    }

    /// The slowest of all.
    pub(super) fn first(&self) -> Option<&Story> {
        self.stories.iter().max_by_key(|story| rank(&story.request))
    }

    /// Completes the stories that are not complete out of the spans of the recent past.
    pub(super) fn tell<'a>(&mut self, spans: impl Iterator<Item = &'a Span>) {
        let mut untold: Vec<&mut Story> = self.stories.iter_mut().filter(|story| !story.told).collect();
        if untold.is_empty() {
            return;
        }
        for span in spans {
            for story in &mut untold {
                if story.is_in_the_way(span) {
                    story.add(span);
                }
            }
        }
        for story in untold {
            story.shorten();
            story.in_front.sort_by_key(|span| (span.from, span.to));
            story.told = true;
        }
    }
}

/// The stories of several classes of requests, of the slowest request first.
fn by_latency(classes: &[Slowest]) -> Vec<&Story> {
    let mut stories: Vec<&Story> = classes.iter().flat_map(|class| &class.stories).collect();
    stories.sort_by_key(|story| std::cmp::Reverse(rank(&story.request)));
    stories
}

/// The slowest request of all classes.
pub(super) fn slowest_of_all(classes: &[Slowest]) -> Option<&Story> {
    let first = classes.iter().filter_map(Slowest::first);
    first.max_by_key(|story| rank(&story.request))
}

/// Slower requests have a higher rank.
fn rank(request: &FinishedRequest) -> (u64, std::cmp::Reverse<u64>) {
    (request.latency().ns(), std::cmp::Reverse(request.number))
}

/// The slowest requests as a table, one vector per column, the slowest first; and what stood in front
/// of each, and where its time went, as two more.
#[derive(Clone, Debug, Default)]
pub struct StoryColumns {
    /// Running number in order of admission.
    pub number: Vec<u64>,
    /// Class: an index into `RequestClass::NAMES`.
    pub class: Vec<u8>,
    /// Arrival, ns since the start of the run.
    pub arrival_ns: Vec<u64>,
    /// Admission, ns since the start of the run.
    pub admitted_ns: Vec<u64>,
    /// Acknowledgement, ns since the start of the run.
    pub completed_ns: Vec<u64>,
    /// First 512-byte sector.
    pub sector: Vec<u64>,
    /// Number of 512-byte sectors.
    pub sectors: Vec<u32>,
    /// Submission queue.
    pub queue: Vec<u16>,
    /// Kind of the flash operation it waited for last: an index into `Activity::NAMES`, -1 for none.
    pub operation: Vec<i8>,
    /// Channel of that operation, -1 without.
    pub channel: Vec<i64>,
    /// Die of that operation, -1 without.
    pub die: Vec<i64>,
    /// Block of that operation, -1 without.
    pub block: Vec<i64>,
    /// When its command was issued, ns since the start of the run; -1 without.
    pub issued_ns: Vec<i64>,
    /// Spans in front that are not listed.
    pub left_out: Vec<u64>,
    /// Row of the request that a part belongs to.
    pub part_row: Vec<u32>,
    /// Part: its index.
    pub part: Vec<u8>,
    /// Its time, ns.
    pub part_ns: Vec<u64>,
    /// Row of the request that a span stood in front of.
    pub front_row: Vec<u32>,
    /// What stood in front.
    pub front: SpanColumns,
}

impl StoryColumns {
    /// The table of several classes of requests.
    pub(super) fn of(classes: &[Slowest]) -> Self {
        let mut columns = Self::default();
        for (row, story) in by_latency(classes).into_iter().enumerate() {
            columns.push(row as u32, story);
        }
        columns
    }

    fn push(&mut self, row: u32, story: &Story) {
        let request = &story.request;
        self.number.push(request.number);
        self.class.push(request.class.index() as u8);
        self.arrival_ns.push(request.arrival.ns());
        self.admitted_ns.push(request.admitted.ns());
        self.completed_ns.push(request.completed.ns());
        self.sector.push(request.sector);
        self.sectors.push(request.sectors);
        self.queue.push(request.queue);
        let last = story.last;
        self.operation.push(last.map_or(-1, |last| last.kind as i8));
        self.channel
            .push(last.map_or(-1, |last| i64::from(last.channel.0)));
        self.die.push(last.map_or(-1, |last| i64::from(last.die.0)));
        self.block.push(last.map_or(-1, |last| i64::from(last.block.0)));
        self.issued_ns
            .push(last.map_or(-1, |last| i64::try_from(last.issued.ns()).unwrap_or(i64::MAX)));
        self.left_out.push(story.left_out);
        let mut sums = [0; PARTS];
        for segment in &story.parts {
            sums[segment.part.index()] += segment.ns;
        }
        for (part, ns) in sums.into_iter().enumerate().filter(|(_, ns)| *ns > 0) {
            self.part_row.push(row);
            self.part.push(part as u8);
            self.part_ns.push(ns);
        }
        for span in &story.in_front {
            self.front_row.push(row);
            self.front.push(span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::RequestClass;
    use crate::probe::Status;
    use crate::timeline::span::{Activity, Serves};
    use proptest::prelude::*;
    use std::cmp::Reverse;

    fn request(number: u64, latency: u64) -> FinishedRequest {
        FinishedRequest {
            other: None,
            number,
            class: RequestClass::Read,
            status: Status::Good,
            arrival: SimTime(1_000),
            admitted: SimTime(1_000),
            served: SimTime(1_000),
            completed: SimTime(1_000 + latency),
            sector: 0,
            sectors: 8,
            queue: 0,
        }
    }

    fn last(die: u32, issued: u64) -> LastOperation {
        LastOperation {
            kind: CommandKind::Read,
            cause: Cause::Host,
            channel: ChannelId(0),
            die: DieId(die),
            block: BlockId(7),
            issued: SimTime(issued),
        }
    }

    fn erase(die: u32, from: u64, to: u64) -> Span {
        Span {
            track: Track::Die(DieId(die)),
            activity: Activity::Command(CommandKind::Erase),
            cause: Cause::Gc,
            serves: Serves::Job(0),
            from: SimTime(from),
            to: SimTime(to),
            address: 0,
            count: 1,
            mode: wordline_nand::Mode::NORMAL,
        }
    }

    #[test]
    fn only_what_the_die_did_meanwhile_stands_in_front() {
        let mut slowest = Slowest::new(1);
        slowest.enter(&request(4, 10_000), &[], Some(last(3, 9_000)));
        let mut own = erase(3, 2_000, 3_000);
        own.serves = Serves::Request(4);
        let spans = [
            erase(3, 0, 1_000),
            erase(3, 500, 5_000),
            erase(2, 1_000, 9_000),
            own,
            erase(3, 5_000, 9_000),
            erase(3, 9_000, 9_500),
        ];
        slowest.tell(spans.iter());
        assert_eq!(slowest.stories[0].in_front, [spans[1], spans[4]]);
        // a story is told once
        slowest.tell(spans.iter());
        assert_eq!(slowest.stories[0].in_front.len(), 2);
    }

    #[test]
    fn the_longest_are_kept_and_the_others_counted() {
        let mut slowest = Slowest::new(1);
        slowest.enter(&request(0, 1_000_000), &[], Some(last(0, 1_000_000)));
        let spans: Vec<Span> = (0..5_000)
            .map(|at| erase(0, 1_000 + at, 1_002 + 2 * at))
            .collect();
        slowest.tell(spans.iter());
        let story = &slowest.stories[0];
        assert_eq!(story.in_front, spans[5_000 - IN_FRONT..]);
        assert_eq!(story.left_out, (5_000 - IN_FRONT) as u64);
    }

    proptest! {
        #[test]
        fn the_slowest_are_the_slowest(
            latencies in proptest::collection::vec(0_u64..50, 0..200), keep in 0_u32..20
        ) {
            let mut slowest = Slowest::new(keep);
            for (number, latency) in latencies.iter().enumerate() {
                let request = request(number as u64, *latency);
                if slowest.wants(&request) {
                    slowest.enter(&request, &[], None);
                }
            }
            let mut wanted: Vec<(u64, u64)> =
                latencies.iter().enumerate().map(|(number, latency)| (*latency, number as u64)).collect();
            wanted.sort_by_key(|(latency, number)| (Reverse(*latency), *number));
            wanted.truncate(keep as usize);
            let slowest = [slowest];
            let stories = by_latency(&slowest);
            let found: Vec<(u64, u64)> =
                stories.iter().map(|story| (story.request.latency().ns(), story.request.number)).collect();
            prop_assert_eq!(slowest_of_all(&slowest).map(|story| story.request.number), found.first().map(|slow| slow.1));
            prop_assert_eq!(found, wanted);
        }
    }

    /// What is on its channel is in the way until the data are out, on another one never.
    #[test]
    fn the_bus_stands_in_front_until_the_end() {
        let mut slowest = Slowest::new(1);
        slowest.enter(&request(4, 10_000), &[], Some(last(3, 9_000)));
        let on_channel = |channel| Span {
            track: Track::Channel(ChannelId(channel)),
            ..erase(0, 9_500, 10_000)
        };
        let spans = [on_channel(1), on_channel(0), erase(3, 9_500, 10_000)];
        slowest.tell(spans.iter());
        assert_eq!(slowest.first().unwrap().in_front, [on_channel(0)]);
    }

    #[test]
    fn what_memory_served_names_no_operation() {
        let mut slowest = [Slowest::new(1), Slowest::new(1), Slowest::new(1)];
        slowest[0].enter(&request(4, 10_000), &[], None);
        let columns = StoryColumns::of(&slowest);
        assert_eq!((columns.operation[0], columns.channel[0]), (-1, -1));
        assert_eq!(
            (columns.die[0], columns.block[0], columns.issued_ns[0]),
            (-1, -1, -1)
        );
    }
}
