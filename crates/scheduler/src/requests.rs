//! What a scheduler of requests sees: the requests of the host that wait to be let into the flash, and how busy its units are.

use std::fmt;

use wordline_units::{Duration, SimTime};

/// Classes of blocks beside the normal one: the controller has up to two bits for each block (J. Cui et al., DLV, IEEE TCAD 2018).
pub const MOST_STRONG: usize = 3;

/// Numbers of pages in strong blocks by class, the fastest first.
pub type StrongPages = [u32; MOST_STRONG];

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// To read pages.
    Read,
    /// To write pages.
    Write,
    /// Anything else that has pages: a deallocation. It takes no time of the flash.
    Other,
}

/// The pages of a request that are in one unit, which serves them one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitShare {
    /// The unit, by its place in [`RequestsView::units`].
    pub unit: u32,
    /// How many there are.
    pub pages: u32,
    /// Transfers and array steps of all pages, as far as they can be known: no retries, no waiting for the channel. Writes go to
    /// normal blocks.
    pub time: Duration,
}

/// A request that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingRequest {
    /// What it asks for.
    pub kind: RequestKind,
    /// When it arrived.
    pub arrival: SimTime,
    /// Time since its arrival after which it goes before all others, where the host has set one; else that of the scheduler holds.
    pub deadline: Option<Duration>,
    /// Its pages by unit, each unit once.
    pub shares: Vec<UnitShare>,
    /// Requests before it that wait and have a page in common with it which one of the two changes: it must not overtake them.
    pub behind: u32,
}

impl WaitingRequest {
    /// Its pages.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.shares.iter().map(|share| share.pages).sum()
    }
}

/// How busy a unit is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnitLoad {
    /// When it will have done all that goes before a request which comes now; not after the present moment where that is nothing.
    pub idle_from: SimTime,
    /// Whether it has nothing to do for the host or for a blocking job.
    pub is_idle: bool,
    /// Whether steps of a blocking job wait for it or are executed in it: collection that makes the space which writes wait for.
    pub is_collecting: bool,
    /// Free pages in strong blocks that are promised to no program which waits.
    pub strong: StrongPages,
}

impl UnitLoad {
    /// Whether it could begin with a request of a kind at once. A read has its turn between two steps of a blocking job, which are programs
    /// and reads of single pages, so it need not wait for the end of the job, as a write must.
    #[must_use]
    pub const fn could_begin(&self, kind: RequestKind) -> bool {
        self.is_idle || (self.is_collecting && matches!(kind, RequestKind::Read))
    }
}

/// The requests that wait, and the units of the flash.
#[derive(Clone, Copy, Debug)]
pub struct RequestsView<'a> {
    /// The present moment.
    pub now: SimTime,
    /// The units of the drive, by number; those that no request names have their default.
    pub units: &'a [UnitLoad],
    /// The requests, in the order in which they came.
    pub requests: &'a [WaitingRequest],
    /// By how much a program in strong blocks of a class takes less time than in normal ones, the fastest class first, so none
    /// less than the next; empty where blocks are of one class. At most [`MOST_STRONG`].
    pub savings: &'a [Duration],
}

/// Chooses which waiting request is let into the flash.
pub trait RequestScheduler: Send + fmt::Debug {
    /// The place of one of `view.requests` that is behind none. It is asked again until it chooses none; then all others wait until
    /// a request arrives or something ends in the flash.
    fn pick(&mut self, view: &RequestsView<'_>) -> Option<usize>;

    /// Whether [`Self::pick`] asks for the ends only of requests that could begin at once. Of units that no such request names it is then not
    /// told when they will be idle ([`UnitLoad::idle_from`]), nor what strong pages they have: that costs more than all else of a decision.
    fn compares_what_could_begin(&self) -> bool {
        false
    }

    /// How many pages of a write that was picked go to strong blocks: an entry for each of its shares is added to `strong`, which is
    /// empty on entry. Left empty, all go to normal blocks. What there is not in the end goes to other blocks.
    fn place(&mut self, _view: &RequestsView<'_>, _place: usize, _strong: &mut Vec<StrongPages>) {}

    /// Whether a request is past its deadline.
    fn is_expired(&self, request: &WaitingRequest, now: SimTime) -> bool;
}
