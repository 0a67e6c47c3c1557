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
