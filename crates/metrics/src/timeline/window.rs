//! The stretch of the run that the report shows in full.

use wordline_units::SimTime;

use super::span::{Span, Track};
use super::story::Story;

/// The part of its latency that is shown before and after the slowest request, as a divisor.
const MARGIN: u64 = 10;

/// Spans of a stretch of time: the one that was asked for, or else around the slowest request.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// From.
    pub(super) from: SimTime,
    /// To.
    pub(super) to: SimTime,
    /// The stretch was asked for.
    chosen: bool,
    /// The request that it is shown for; `None` where the stretch was asked for.
    pub(super) request: Option<u64>,
    /// What lies in it, in the order of the starts once the run is over.
    pub(super) spans: Vec<Span>,
    /// Spans that were left out.
    pub(super) left_out: u64,
    most: usize,
}

impl Window {
    /// A stretch that was asked for, or none yet; with `most` spans at the most.
    pub(super) fn new(chosen: Option<(SimTime, SimTime)>, most: u32) -> Self {
        let (from, to) = chosen.unwrap_or_default();
        Self {
            from,
            to,
            chosen: chosen.is_some(),
            request: None,
            spans: Vec::new(),
            left_out: 0,
            most: most as usize,
        }
    }

    /// Forgets what it holds, unless the stretch was asked for.
    pub(super) fn restart(&mut self) {
        if !self.chosen {
            *self = Self::new(None, self.most as u32);
        }
    }

    /// Looks at a span as it comes.
    #[inline]
    pub(super) fn add(&mut self, span: &Span) {
        if span.overlaps(self.from, self.to) {
            // around a request room is made at the end: what matters most is known only then
            if self.chosen && self.spans.len() >= self.most {
                self.left_out += 1;
            } else {
                self.spans.push(*span);
            }
        }
    }

    /// Moves to the slowest request so far, unless the stretch was asked for or is there already.
    pub(super) fn move_to<'a>(&mut self, story: &Story, recent: impl Iterator<Item = &'a Span>) {
        let request = &story.request;
        if self.chosen || self.request == Some(request.number) {
            return;
        }
        self.request = Some(request.number);
        let margin = request.latency().ns() / MARGIN;
        self.from = SimTime(request.arrival.ns().saturating_sub(margin));
        self.to = SimTime(request.completed.ns().saturating_add(margin));
        self.spans.clear();
        for span in recent {
            self.add(span);
        }
    }

    /// The run is over: keeps what tells most, in the order of time.
    pub(super) fn finish(&mut self, slowest: Option<&Story>) {
        if self.spans.len() > self.most {
            let story = slowest.filter(|story| Some(story.request.number) == self.request);
            let last = story.and_then(|story| story.last);
            let tells = |span: &Span| match (span.track, last) {
                (Track::Die(die) | Track::Background(die), Some(last)) => die == last.die,
                (Track::Channel(channel), Some(last)) => channel == last.channel,
                _ => span.serves.request().is_some() && span.serves.request() == self.request,
            };
            let completed = story.map_or(self.to, |story| story.request.completed);
            // then what is nearest to the moment at which the request was served at last
            self.spans.sort_by_key(|span| {
                let away = completed.since(span.to).ns() + span.from.since(completed).ns();
                (!tells(span), away)
            });
            self.left_out += (self.spans.len() - self.most) as u64;
            self.spans.truncate(self.most);
        }
        self.spans
            .sort_by_key(|span| (span.from, span.track, span.to, span.address));
    }
}

#[cfg(test)]
mod tests {
    use wordline_ftl::Cause;
    use wordline_nand::{BlockId, ChannelId, DieId};

    use super::*;
    use crate::probe::{CommandKind, FinishedRequest, RequestClass, Status};
    use crate::timeline::span::{Activity, Serves};
    use crate::timeline::story::{LastOperation, Slowest};

    fn on(track: Track, from: u64, to: u64) -> Span {
        Span {
            track,
            activity: Activity::Command(CommandKind::Read),
            cause: Cause::Host,
            serves: Serves::Buffer,
            from: SimTime(from),
            to: SimTime(to),
            address: from,
            count: 1,
            mode: wordline_nand::Mode::NORMAL,
        }
    }

    fn on_die(die: u32, from: u64, to: u64) -> Span {
        on(Track::Die(DieId(die)), from, to)
    }

    /// Request 5, from 1,000 to 2,000, which waited for die 3 on channel 1 last.
    fn slow() -> Slowest {
        let request = FinishedRequest {
            other: None,
            number: 5,
            class: RequestClass::Read,
            status: Status::Good,
            arrival: SimTime(1_000),
            admitted: SimTime(1_000),
            served: SimTime(1_000),
            completed: SimTime(2_000),
            sector: 0,
            sectors: 8,
            queue: 0,
        };
        let last = LastOperation {
            kind: CommandKind::Read,
            cause: Cause::Host,
            channel: ChannelId(1),
            die: DieId(3),
            block: BlockId(7),
            issued: SimTime(1_900),
        };
        let mut slowest = Slowest::new(1);
        slowest.enter(&request, &[], Some(last));
        slowest
    }

    fn starts(window: &Window) -> Vec<u64> {
        window.spans.iter().map(|span| span.from.ns()).collect()
    }

    /// Two of the three spans that lie in the stretch fit; the one before it does not count.
    #[test]
    fn a_stretch_that_was_asked_for_keeps_what_comes_first() {
        let mut window = Window::new(Some((SimTime(100), SimTime(200))), 2);
        for (from, to) in [(0, 100), (190, 300), (150, 160), (120, 130)] {
            window.add(&on_die(0, from, to));
        }
        window.move_to(slow().first().unwrap(), std::iter::empty());
        assert_eq!((window.from, window.request), (SimTime(100), None));
        window.finish(None);
        assert_eq!((starts(&window), window.left_out), (vec![150, 190], 1));
    }

    /// A tenth of its latency before and after it: 900 to 2,100.
    #[test]
    fn a_window_moves_to_a_request_once() {
        let slow = slow();
        let story = slow.first().unwrap();
        let mut window = Window::new(None, 10);
        window.move_to(story, [on_die(0, 0, 900), on_die(0, 800, 901)].iter());
        assert_eq!((window.from, window.to), (SimTime(900), SimTime(2_100)));
        assert_eq!((starts(&window), window.request), (vec![800], Some(5)));
        // what came meanwhile stays
        window.add(&on_die(0, 1_500, 1_600));
        window.move_to(story, std::iter::empty());
        assert_eq!(starts(&window), [800, 1_500]);
    }

    /// Of seven spans three fit: first those of the die and the channel that served the request at last, then the one
    /// nearest to its end.
    #[test]
    fn what_tells_most_is_kept() {
        let slow = slow();
        let story = slow.first().unwrap();
        let mut window = Window::new(None, 3);
        window.move_to(story, std::iter::empty());
        for span in [
            on_die(0, 1_700, 1_800),
            on_die(3, 950, 1_000),
            on_die(1, 2_050, 2_090),
            on(Track::Channel(ChannelId(1)), 1_000, 1_100),
            on(Track::Channel(ChannelId(0)), 1_100, 1_200),
            on(Track::Background(DieId(2)), 1_300, 1_400),
            // another request
            Span {
                serves: Serves::Request(9),
                ..on(Track::Host(0), 1_150, 1_160)
            },
        ] {
            window.add(&span);
        }
        window.finish(Some(story));
        assert_eq!((starts(&window), window.left_out), (vec![950, 1_000, 2_050], 4));
    }

    #[test]
    fn a_window_that_begins_anew_is_empty_unless_it_was_asked_for() {
        let slow = slow();
        let mut window = Window::new(None, 3);
        window.move_to(slow.first().unwrap(), [on_die(0, 1_500, 1_600)].iter());
        window.restart();
        assert_eq!((window.spans.len(), window.request), (0, None));
        let mut asked_for = Window::new(Some((SimTime(0), SimTime(9))), 3);
        asked_for.add(&on_die(0, 1, 2));
        asked_for.restart();
        assert_eq!((asked_for.spans.len(), asked_for.to), (1, SimTime(9)));
    }
}
