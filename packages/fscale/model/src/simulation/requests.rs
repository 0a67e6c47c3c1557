//! Requests of several pages that are under way.

/// Requests by number; numbers are used again.
#[derive(Default)]
pub(super) struct Requests {
    /// Pages that are not yet done.
    left: Vec<u64>,
    unused: Vec<u32>,
}

impl Requests {
    /// A request of so many pages: its number.
    pub(super) fn add(&mut self, pages: u64) -> u32 {
        if let Some(number) = self.unused.pop() {
            self.left[number as usize] = pages;
            return number;
        }
        self.left.push(pages);
        (self.left.len() - 1) as u32
    }

    /// A page of a request is done: whether it was the last.
    pub(super) fn page_done(&mut self, number: u32) -> bool {
        let left = &mut self.left[number as usize];
        *left -= 1;
        if *left == 0 {
            self.unused.push(number);
            return true;
        }
        false
    }
}
