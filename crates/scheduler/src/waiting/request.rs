//! What waits: a request, and what it asks of the flash.

use wordline_units::{Duration, SimTime};

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// To read pages.
    Read,
    /// To write pages.
    Write,
    /// Anything else that has pages: a deallocation. It takes no time of the flash.
    Other,
}

/// The pages of a request that are in one unit, which serves them one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnitShare {
    /// The unit, by its place in [`RequestsView::units`](crate::RequestsView::units).
    pub unit: u32,
    /// How many there are.
    pub pages: u32,
    /// Transfers and array steps of all pages, as far as they can be known: no retries, no waiting for the channel. Writes go to
    /// normal blocks.
    pub time: Duration,
}

/// What a request asks of the flash: requests that ask for the same could begin, and would end, at the same moments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// What it asks for.
    pub kind: RequestKind,
    /// Its pages by unit, each unit once.
    pub shares: Vec<UnitShare>,
}

/// A request that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingRequest {
    /// What it asks of the flash.
    pub wanted: Wanted,
    /// When it arrived.
    pub arrival: SimTime,
    /// Time since its arrival after which it goes before all others, where the host has set one; else that of the scheduler holds.
    pub deadline: Option<Duration>,
    /// Requests before it that wait and have a page in common with it which one of the two changes: it must not overtake them.
    pub behind: u32,
}

impl WaitingRequest {
    /// What it asks for.
    #[must_use]
    pub const fn kind(&self) -> RequestKind {
        self.wanted.kind
    }

    /// Its pages by unit, each unit once.
    #[must_use]
    pub fn shares(&self) -> &[UnitShare] {
        &self.wanted.shares
    }

    /// Its pages.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.shares().iter().map(|share| share.pages).sum()
    }
}

/// A page in a unit, beside those that a request has. Tells whether it had none in that unit.
pub fn add_page(shares: &mut Vec<UnitShare>, unit: u32, time: Duration) -> bool {
    match shares.iter_mut().find(|share| share.unit == unit) {
        Some(share) => {
            share.time += time;
            share.pages += 1;
            false
        }
        None => {
            shares.push(UnitShare { unit, pages: 1, time });
            true
        }
    }
}
