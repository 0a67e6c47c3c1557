//! Rows in the order of time, with bounded memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::reader::Rows;
use super::row::TraceRow;
use crate::SourceError;

/// Rows that wait to be sorted at once.
pub(crate) const WINDOW: usize = 65_536;

/// A row in the window: earliest first, rows of one time in the order of the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    arrival: u64,
    sequence: u64,
    slot: u32,
}

/// Sorts rows by time within a window. A row that is later than the window reaches arrives with
/// the row before it.
pub(crate) struct Ordered {
    rows: Rows,
    /// `None` for a trace that is sorted already.
    window: Option<Window>,
}

#[derive(Default)]
struct Window {
    heap: BinaryHeap<Reverse<Waiting>>,
    slots: Vec<TraceRow>,
    free: Vec<u32>,
    sequence: u64,
    ended: bool,
    last: u64,
    late: u64,
}

impl Ordered {
    /// Sorts `rows`, unless they are `sorted` already.
    pub(crate) fn new(rows: Rows, sorted: bool) -> Self {
        Self {
            rows,
            window: (!sorted).then(Window::default),
        }
    }

    /// The next request in the order of time.
    ///
    /// # Errors
    /// As `Rows::next_row`.
    #[inline]
    pub(crate) fn next_row(&mut self) -> Result<Option<TraceRow>, SourceError> {
        match &mut self.window {
            None => self.rows.next_row(),
            Some(window) => window.next_row(&mut self.rows),
        }
    }

    /// The rows below.
    pub(crate) const fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Rows that came too late to be sorted in.
    pub(crate) fn late(&self) -> u64 {
        self.window.as_ref().map_or(0, |window| window.late)
    }
}

impl Window {
    fn next_row(&mut self, rows: &mut Rows) -> Result<Option<TraceRow>, SourceError> {
        while !self.ended && self.heap.len() < WINDOW {
            match rows.next_row()? {
                Some(row) => self.push(row),
                None => self.ended = true,
            }
        }
        let Some(Reverse(first)) = self.heap.pop() else {
            return Ok(None);
        };
        let mut row = self.slots[first.slot as usize];
        self.free.push(first.slot);
        if row.arrival < self.last {
            self.late += 1;
            row.arrival = self.last;
        }
        self.last = row.arrival;
        Ok(Some(row))
    }

    fn push(&mut self, row: TraceRow) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(row);
            self.slots.len() as u32 - 1
        });
        self.slots[slot as usize] = row;
        self.heap.push(Reverse(Waiting {
            arrival: row.arrival,
            sequence: self.sequence,
            slot,
        }));
        self.sequence += 1;
    }
}
