//! By the writes of a page in a sliding window, each with a weight that falls linearly with its age: the reference that Bloom
//! filters approximate (WDAC of Park and Du, MSST 2011; FTL specification, 5.1).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::MANY;
use wordline_units::SimTime;

use super::{Classifier, ClassifierRow, check_at_least};
use crate::error::FtlError;
use crate::request::PageRequest;
use crate::state::archive::{Archive, ArchiveError};

/// Keys of `wdac`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct WindowKeys {
    /// `wdac`: writes of pages in the window (W). A write that k others followed weighs 2 (1 - k / W).
    #[schemars(range(max = MANY))]
    decay_window: u32,
    /// `wdac`: a page is hot from this sum of weights on.
    window_weight: f64,
}

impl Default for WindowKeys {
    /// The window of four filters of `multi_bloom`, and the same threshold.
    fn default() -> Self {
        Self {
            decay_window: 2048,
            window_weight: 4.0,
        }
    }
}

/// What is kept of the writes of a page in the window: how many, and the sum of their numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Writes {
    count: u64,
    numbers: u64,
}

/// An exact window.
struct Window {
    length: u64,
    hot_weight: f64,
    /// Pages, in the order in which they were written.
    pages: VecDeque<u64>,
    writes: FxHashMap<u64, Writes>,
    /// Number of the next write.
    next: u64,
}

impl Window {
    fn new(keys: &WindowKeys) -> Self {
        Self {
            length: u64::from(keys.decay_window),
            hot_weight: keys.window_weight,
            pages: VecDeque::new(),
            writes: FxHashMap::default(),
            next: 0,
        }
    }

    /// Records a write; the sum of the weights of its page.
    fn record(&mut self, lpn: u64) -> f64 {
        if self.pages.len() as u64 == self.length
            && let Some(oldest) = self.pages.pop_front()
            && let Some(writes) = self.writes.get_mut(&oldest)
        {
            writes.count -= 1;
            writes.numbers -= self.next - self.length;
            if writes.count == 0 {
                self.writes.remove(&oldest);
            }
        }
        let now = self.next;
        self.next += 1;
        self.pages.push_back(lpn);
        let writes = self.writes.entry(lpn).or_default();
        writes.count += 1;
        writes.numbers += now;
        let ages = (now * writes.count - writes.numbers) as f64;
        2.0 * (writes.count as f64 - ages / self.length as f64)
    }
}

impl Classifier for Window {
    fn temperature(&mut self, _now: SimTime, write: &PageRequest) -> u8 {
        u8::from(self.record(write.lpn.0) < self.hot_weight)
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let mut pages: Vec<u64> = self.pages.iter().copied().collect();
        archive.part(&mut pages)?;
        if archive.is_loading() {
            (self.pages, self.next) = (VecDeque::new(), 0);
            self.writes.clear();
            for lpn in pages {
                self.record(lpn);
            }
        }
        Ok(())
    }
}

/// `ftl.hot.classifier = "wdac"`.
pub(crate) const WDAC: ClassifierRow = {
    let help = "Pages that were written often in a sliding window are hot; recent writes weigh more.";
    let mut row = ClassifierRow::new("wdac", help, Keys::of::<WindowKeys>(), &|keys, _| {
        Some(Box::new(Window::new(&keys.read::<WindowKeys>())))
    });
    row.check = |keys| {
        let keys = keys.read::<WindowKeys>();
        if !(keys.window_weight.is_finite() && keys.window_weight > 0.0) {
            return Err(FtlError::new(
                "ftl.hot.window_weight",
                keys.window_weight,
                "above 0",
            ));
        }
        check_at_least("ftl.hot.decay_window", keys.decay_window, 1)
    };
    row
};

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of 4: the weights of a write are 2, 1.5, 1, 0.5, and nothing after that.
    #[test]
    fn weights_fall_with_age() {
        let keys = WindowKeys {
            decay_window: 4,
            window_weight: 4.0,
        };
        let mut window = Window::new(&keys);
        let weights: Vec<f64> = [7, 7, 8, 7, 7, 7, 8, 9, 8]
            .into_iter()
            .map(|lpn| window.record(lpn))
            .collect();
        assert_eq!(weights, [2.0, 3.5, 2.0, 3.5, 4.0, 4.5, 2.0, 2.0, 3.0]);
    }
}
