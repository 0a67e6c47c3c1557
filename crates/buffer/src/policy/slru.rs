//! `slru`: pages enter a probationary list and leave from its old end; a page that is used again is
//! protected (Karedla, Love and Wherry, IEEE Computer 27(3), 1994).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;

use super::list::put;
use super::sized::{SizedLinks, SizedList};
use super::{Access, BufferPolicy, BufferRow, Eviction, Frame, check_share};

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
        Box::new(Slru::new(frame.share(protected), frame))
    },
)
.with_keys(Keys::of::<SlruKeys>(), |keys| {
    check_share("buffer.protected", keys.read::<SlruKeys>().protected)
});

/// Pages used once, and pages used again.
#[derive(Debug)]
pub(super) struct Slru {
    /// What protected pages may take of the buffer.
    limit: usize,
    links: SizedLinks,
    probationary: SizedList,
    protected: SizedList,
    is_protected: Vec<bool>,
}

impl Slru {
    pub(super) fn new(limit: usize, frame: &Frame) -> Self {
        Self {
            limit,
            links: SizedLinks::new(frame),
            probationary: SizedList::default(),
            protected: SizedList::default(),
            is_protected: Vec::new(),
        }
    }

    /// The list that a slot is in, and the links of both.
    fn list_of(&mut self, slot: u32) -> (&mut SizedList, &mut SizedLinks) {
        let list = if self.is_protected[slot as usize] {
            &mut self.protected
        } else {
            &mut self.probationary
        };
        (list, &mut self.links)
    }

    fn take_out(&mut self, slot: u32) {
        let (list, links) = self.list_of(slot);
        list.remove(links, slot);
    }

    fn enter(&mut self, slot: u32) {
        put(&mut self.is_protected, slot, false, false);
        self.probationary.push(&mut self.links, slot);
    }

    /// Puts protected pages back on probation that take more than their share.
    fn demote(&mut self) {
        while self.protected.size() > self.limit
            && let Some(oldest) = self.protected.pop_oldest(&mut self.links)
        {
            self.enter(oldest);
        }
    }
}

impl BufferPolicy for Slru {
    fn insert(&mut self, slot: u32, _lpn: u64, _access: Access) {
        self.links.enter(slot);
        self.enter(slot);
    }

    fn hit(&mut self, slot: u32, _access: Access) {
        self.take_out(slot);
        self.is_protected[slot as usize] = true;
        self.protected.push(&mut self.links, slot);
        self.demote();
    }

    fn resized(&mut self, slot: u32, sectors: u32) {
        let (list, links) = self.list_of(slot);
        list.resize(links, slot, sectors);
        self.demote();
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
