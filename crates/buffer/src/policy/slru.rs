//! `slru`: pages enter a probationary list and leave from its old end; a page that is used again is
//! protected (Karedla, Love and Wherry, IEEE Computer 27(3), 1994).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;

use super::list::put;
use super::{Access, BufferPolicy, BufferRow, Eviction, Links, List, check_share};

/// Keys of `slru`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct SlruKeys {
    /// `slru`: share of the buffer for pages that were used again. Assumed: the upper end of the
    /// usual 0.5 to 0.8.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    protected: f64,
}

impl Default for SlruKeys {
    fn default() -> Self {
        Self { protected: 0.8 }
    }
}

/// `buffer.policy = "slru"`.
pub(crate) const SLRU: BufferRow = BufferRow::new(
    "slru",
    "Pages used once leave before pages used again.",
    |keys, frame| {
        let protected = keys.read::<SlruKeys>().protected;
        Box::new(Slru::new(frame.pages(protected)))
    },
)
.with_keys(Keys::of::<SlruKeys>(), |keys| {
    check_share("buffer.protected", keys.read::<SlruKeys>().protected)
});

/// Pages used once, and pages used again.
#[derive(Debug)]
pub(super) struct Slru {
    /// Pages that may be protected.
    limit: usize,
    links: Links,
    probationary: List,
    protected: List,
    is_protected: Vec<bool>,
}

impl Slru {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            links: Links::default(),
            probationary: List::default(),
            protected: List::default(),
            is_protected: Vec::new(),
        }
    }

    fn list_of(&mut self, slot: u32) -> &mut List {
        if self.is_protected[slot as usize] {
            &mut self.protected
        } else {
            &mut self.probationary
        }
    }

    fn take_out(&mut self, slot: u32) {
        let mut links = std::mem::take(&mut self.links);
        self.list_of(slot).remove(&mut links, slot);
        self.links = links;
    }

    fn enter(&mut self, slot: u32) {
        put(&mut self.is_protected, slot, false, false);
        self.probationary.push(&mut self.links, slot);
    }
}

impl BufferPolicy for Slru {
    fn insert(&mut self, slot: u32, _lpn: u64, _access: Access) {
        self.enter(slot);
    }

    fn hit(&mut self, slot: u32, _access: Access) {
        self.take_out(slot);
        self.is_protected[slot as usize] = true;
        self.protected.push(&mut self.links, slot);
        if self.protected.len() > self.limit
            && let Some(oldest) = self.protected.pop_oldest(&mut self.links)
        {
            self.enter(oldest);
        }
    }

    fn remove(&mut self, slot: u32) {
        self.take_out(slot);
    }

    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction> {
        let victim = self
            .probationary
            .pop_oldest(&mut self.links)
            .or_else(|| self.protected.pop_oldest(&mut self.links))?;
        victims.push(victim);
        Some(Eviction::Page)
    }

    fn listed(&self) -> Vec<u32> {
        let probationary = self.probationary.iter(&self.links);
        probationary.chain(self.protected.iter(&self.links)).collect()
    }
}
