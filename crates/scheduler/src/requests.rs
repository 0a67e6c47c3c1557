//! What a scheduler of requests sees: the requests of the host that wait to be let into the flash, and how busy its units are.

use std::fmt;

use wordline_units::{Duration, SimTime};

use crate::waiting::{RequestGroup, RequestKind, WaitingRequest, WaitingRequests};

/// Classes of blocks beside the normal one: the controller has up to two bits for each block (J. Cui et al., DLV, IEEE TCAD 2018).
pub const MOST_STRONG: usize = 3;

/// Numbers of pages in strong blocks by class, the fastest first.
pub type StrongPages = [u32; MOST_STRONG];

/// How busy a unit is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnitLoad {
    /// When it will have done all that goes before a request which comes now; not after the present moment where that is nothing.
    pub idle_from: SimTime,
    /// Whether it has nothing to do for the host or for a blocking job.
    pub is_idle: bool,
    /// Whether steps of a blocking job wait for it or are executed in it: collection that makes the space which writes wait for.
    pub is_collecting: bool,
    /// When a read which comes now begins, where that is earlier: what the unit executes is suspended for it.
    pub reads_from: Option<SimTime>,
    /// Free pages in strong blocks that are promised to no program which waits.
    pub strong: StrongPages,
}

impl UnitLoad {
    /// Whether it could begin with a request of a kind at once. A read has its turn between two steps of a blocking job, which are programs
    /// and reads of single pages, so it need not wait for the end of the job, as a write must, nor for what is suspended for it.
    #[must_use]
    pub const fn could_begin(&self, kind: RequestKind) -> bool {
        let gives_way = self.is_collecting || self.reads_from.is_some();
        self.is_idle || (gives_way && matches!(kind, RequestKind::Read))
    }

    /// When a request of a kind which comes now begins.
    #[must_use]
    pub fn begins(&self, kind: RequestKind) -> SimTime {
        match (kind, self.reads_from) {
            (RequestKind::Read, Some(from)) => from,
            _ => self.idle_from,
        }
    }
}

/// The requests that wait, and the units of the flash.
#[derive(Clone, Copy, Debug)]
pub struct RequestsView<'a> {
    /// The present moment.
    pub now: SimTime,
    /// The units of the drive, by number. When they are idle and what strong pages they have is told of those alone that candidates which could
    /// begin name, where [`RequestScheduler::compares_what_could_begin`].
    pub units: &'a [UnitLoad],
    /// The requests.
    pub requests: &'a WaitingRequests,
    /// The places of the groups of requests among which the choice is; each has a request. What is not among them must not be chosen now
    /// ([`RequestScheduler::waits_for_units`]).
    pub candidates: &'a [usize],
    /// By how much a program in strong blocks of a class takes less time than in normal ones, the fastest class first, so none
    /// less than the next; empty where blocks are of one class. At most [`MOST_STRONG`].
    pub savings: &'a [Duration],
}

impl<'a> RequestsView<'a> {
    /// The groups of requests among which the choice is.
    pub fn candidates(&self) -> impl Iterator<Item = &'a RequestGroup> {
        let groups = self.requests.groups();
        self.candidates.iter().map(move |place| &groups[*place])
    }
}

/// Chooses which waiting request is let into the flash.
pub trait RequestScheduler: Send + fmt::Debug {
    /// The place of a request of one of `view.candidates`, or of one that must go before it; it is behind none. It is asked again until it
    /// chooses none; then all others wait until a request arrives or something ends in the flash.
    fn pick(&mut self, view: &RequestsView<'_>) -> Option<usize>;

    /// Whether a request of a kind is chosen, until it is [due](Self::due), only while one of its units could begin with it and, if it is a write,
    /// none of them makes space ([`UnitLoad::is_collecting`]). It is then a candidate only in that case, and a decision costs nothing
    /// where none is one. By default requests are candidates at all times.
    fn waits_for_units(&self, _kind: RequestKind) -> bool {
        false
    }

    /// When a request goes before all others; by default never.
    fn due(&self, _request: &WaitingRequest) -> SimTime {
        SimTime::NEVER
    }

    /// Whether [`Self::pick`] asks for the ends only of requests that could begin at once. Of units that no such request names it is then not
    /// told when they will be idle ([`UnitLoad::idle_from`]), nor what strong pages they have: that costs more than all else of a decision.
    fn compares_what_could_begin(&self) -> bool {
        false
    }

    /// How many pages of a write that was picked go to strong blocks: an entry for each of its shares is added to `strong`, which is
    /// empty on entry. Left empty, all go to normal blocks. What there is not in the end goes to other blocks.
    fn place(&mut self, _view: &RequestsView<'_>, _place: usize, _strong: &mut Vec<StrongPages>) {}
}
