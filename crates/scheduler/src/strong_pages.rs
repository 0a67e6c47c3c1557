//! Which pages of a write go to strong blocks, where blocks have classes (J. Cui et al., DLV, IEEE TCAD 2018, section 4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::{Duration, SimTime};

use crate::requests::{RequestsView, StrongPages, UnitLoad};
use crate::waiting::{UnitShare, WaitingRequest};

/// When a write goes to normal blocks alone because nothing competes with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ExceptionB {
    /// When all its units have nothing to do and no other request waits for one of them.
    #[default]
    NoContention,
    /// When all its units have nothing to do.
    IdleOnly,
}

/// How many pages of a write go to strong blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrongUse {
    /// None.
    None,
    /// As few as let it end when it can; none where the exception holds.
    Fewest(ExceptionB),
    /// As many as there are; none where the exception holds.
    All(ExceptionB),
    /// As many as there are, of writes of up to so many pages.
    OfSmallWrites(u32),
}

/// How much time the most strong pages save that up to `pages` pages of a unit could go to, the fastest first.
#[inline]
pub(crate) fn most_saved(mut pages: u32, strong: &StrongPages, savings: &[Duration]) -> Duration {
    let mut saved = Duration::ZERO;
    for (there, saving) in strong.iter().zip(savings) {
        let used = pages.min(*there);
        saved += *saving * u64::from(used);
        pages -= used;
    }
    saved
}

/// When the pages of a request in a unit that begins with them `from` then on end at best.
#[inline]
pub(crate) fn best_end(
    (now, from): (SimTime, SimTime),
    unit: &UnitLoad,
    share: &UnitShare,
    savings: &[Duration],
) -> SimTime {
    let end = from.max(now) + share.time;
    if savings.is_empty() {
        return end;
    }
    SimTime(end.ns() - most_saved(share.pages, &unit.strong, savings).ns())
}

/// The pages that go to strong blocks: of the fastest class as many as there are, then of the next.
fn all_of(share: &UnitShare, there: &StrongPages, savings: &[Duration]) -> StrongPages {
    let mut used = StrongPages::default();
    let mut left = share.pages;
    for (class, there) in there.iter().enumerate().take(savings.len()) {
        used[class] = left.min(*there);
        left -= used[class];
    }
    used
}

/// The fewest strong pages that save so much time: as few of the fastest class as the slower ones leave to it, and so on. All that
/// there are, where they do not suffice.
fn fewest_of(
    share: &UnitShare,
    there: &StrongPages,
    savings: &[Duration],
    mut missing: Duration,
) -> StrongPages {
    let mut used = StrongPages::default();
    let mut left = share.pages;
    for class in 0..savings.len() {
        let mut slower = *there;
        slower[..=class].fill(0);
        let most = left.min(there[class]);
        let suffices = |of_class: &u32| {
            savings[class] * u64::from(*of_class) + most_saved(left - of_class, &slower, savings) >= missing
        };
        used[class] = (0..most).find(suffices).unwrap_or(most);
        left -= used[class];
        // not below zero
        missing = missing - savings[class] * u64::from(used[class]);
    }
    used
}

impl StrongUse {
    /// Whether nothing competes with a write.
    fn is_alone(view: &RequestsView<'_>, request: &WaitingRequest, exception: ExceptionB) -> bool {
        let mut shares = request.shares().iter();
        let all_idle = shares.all(|share| view.units[share.unit as usize].is_idle);
        // the request itself is one of those that name its units
        let is_contended = |share: &UnitShare| view.requests.count_of_unit(share.unit) > 1;
        all_idle && (exception == ExceptionB::IdleOnly || !request.shares().iter().any(is_contended))
    }

    /// Adds the strong pages of each share of a write, one of those of the view, to `strong`; none where all go to normal blocks.
    pub(crate) fn place(
        self,
        view: &RequestsView<'_>,
        request: &WaitingRequest,
        strong: &mut Vec<StrongPages>,
    ) {
        if view.savings.is_empty() {
            return;
        }
        let there = |share: &UnitShare| view.units[share.unit as usize].strong;
        match self {
            Self::None => {}
            Self::OfSmallWrites(most) if request.pages() > most => {}
            Self::All(exception) | Self::Fewest(exception) if Self::is_alone(view, request, exception) => {}
            Self::All(_) | Self::OfSmallWrites(_) => {
                let shares = request.shares().iter();
                strong.extend(shares.map(|share| all_of(share, &there(share), view.savings)));
            }
            Self::Fewest(_) => {
                let unit = |share: &UnitShare| &view.units[share.unit as usize];
                let ends = request.shares().iter().map(|share| {
                    let from = unit(share).idle_from;
                    best_end((view.now, from), unit(share), share, view.savings)
                });
                let end = ends.max().unwrap_or(view.now);
                strong.extend(request.shares().iter().map(|share| {
                    let normal = unit(share).idle_from.max(view.now) + share.time;
                    let missing = Duration(normal.ns().saturating_sub(end.ns()));
                    fewest_of(share, &there(share), view.savings, missing)
                }));
            }
        }
    }
}

#[cfg(test)]
mod tests;
