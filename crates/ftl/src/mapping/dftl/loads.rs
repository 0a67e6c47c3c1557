//! Reads of translation pages under way that bring entries.

/// The read of a translation page that brings entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// The first of the successive keys that it brings.
    pub(super) first: u64,
    /// How many.
    pub(super) keys: u64,
}

/// The reads of translation pages under way that bring entries, by the tokens of their steps.
#[derive(Default)]
pub(super) struct Loads {
    loads: Vec<Option<Load>>,
    vacant: Vec<u32>,
}

impl Loads {
    /// Whether none is under way.
    pub(super) fn is_empty(&self) -> bool {
        self.loads.len() == self.vacant.len()
    }

    /// A read begins; the token of its step.
    pub(super) fn begin(&mut self, load: Load) -> u32 {
        if let Some(token) = self.vacant.pop() {
            self.loads[token as usize] = Some(load);
            token
        } else {
            self.loads.push(Some(load));
            (self.loads.len() - 1) as u32
        }
    }

    /// A read brings so many keys.
    pub(super) fn extend(&mut self, token: u32, keys: u64) {
        if let Some(load) = &mut self.loads[token as usize] {
            load.keys = keys;
        }
    }

    /// A read has ended; none where the token is not of one.
    pub(super) fn end(&mut self, token: u32) -> Option<Load> {
        let load = self.loads.get_mut(token as usize)?.take()?;
        self.vacant.push(token);
        Some(load)
    }
}
