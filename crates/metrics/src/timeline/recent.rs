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
