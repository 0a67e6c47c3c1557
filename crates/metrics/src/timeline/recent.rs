//! The spans of the recent past.

use std::collections::VecDeque;

use super::span::Span;

/// Spans that are remembered: some 9 MB.
const CAPACITY: usize = 1 << 17;

/// The latest spans, in the order in which they were told.
#[derive(Debug, Default)]
pub(super) struct Recent {
    spans: VecDeque<Span>,
    /// Spans told since the last look at what must not be forgotten.
    unseen: usize,
}

impl Recent {
    /// Remembers a span; whether it is time to save what is soon forgotten.
    pub(super) fn push(&mut self, span: Span) -> bool {
        if self.spans.len() == CAPACITY {
            self.spans.pop_front();
        }
        self.spans.push_back(span);
        self.unseen += 1;
        self.unseen >= CAPACITY / 2
    }

    /// Everything was looked at.
    pub(super) fn seen(&mut self) {
        self.unseen = 0;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Span> {
        self.spans.iter()
    }
}

#[cfg(test)]
mod tests {
    use wordline_ftl::Cause;
    use wordline_nand::DieId;
    use wordline_units::SimTime;

    use super::*;
    use crate::probe::CommandKind;
    use crate::timeline::span::{Activity, Serves, Track};

    /// One more than fit: the first is forgotten, and it was time to look at them after half of them.
    #[test]
    fn the_latest_are_remembered() {
        let mut recent = Recent::default();
        for number in 0..=CAPACITY as u64 {
            let full = recent.push(Span {
                track: Track::Die(DieId(0)),
                activity: Activity::Command(CommandKind::Read),
                cause: Cause::Host,
                serves: Serves::Buffer,
                from: SimTime(number),
                to: SimTime(number + 1),
                address: number,
                count: 1,
                mode: wordline_nand::Mode::NORMAL,
            });
            assert_eq!(full, number + 1 >= CAPACITY as u64 / 2);
        }
        // once they were looked at it takes half as many again
        recent.seen();
        assert!(!recent.push(*recent.spans.back().unwrap()));
        let kept: Vec<u64> = recent.iter().map(|span| span.address).collect();
        assert_eq!((kept.len(), kept[0]), (CAPACITY, 2));
        assert_eq!(kept.last(), Some(&(CAPACITY as u64)));
    }
}
