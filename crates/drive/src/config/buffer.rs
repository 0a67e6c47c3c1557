//! `[buffer]`: the data buffer in the controller's DRAM.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::{ByteSize, Duration};

/// `[buffer]`: the data buffer between host and FTL, kept in whole pages with a bitmap of the
/// sub-pages present.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BufferConfig {
    /// Which pages the buffer keeps, and which it evicts when it is full.
    pub policy: BufferPolicy,
    /// Size of the buffer.
    pub size: ByteSize,
    /// Time for a read or write of data in the buffer.
    pub access: Duration,
    /// Whether pages that were read from flash, or are written back, stay as clean pages. Without a
    /// read cache the buffer holds only pages that are not on flash yet.
    pub read_cache: bool,
    /// Whether a capacitor preserves the buffer in a power failure. If so, a flush, and a write
    /// with forced unit access, are acknowledged as soon as the buffer has the data.
    pub capacitor: bool,
    /// Share of the buffer above which dirty pages are written back in the background; if unset,
    /// they are written only when space is needed.
    #[serde(deserialize_with = "wordline_units::optional_share")]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub dirty_high: Option<f64>,
    /// Share of dirty pages at which writing back in the background stops; if unset: `dirty_high`.
    #[serde(deserialize_with = "wordline_units::optional_share")]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub dirty_low: Option<f64>,
    /// Largest number of pages that are written to flash at the same time in the background; if
    /// unset: one for each plane of the drive.
    pub background_limit: Option<u32>,
    /// `slru`: share of the buffer for pages that were used again. Assumed: the upper end of the
    /// usual 0.5 to 0.8.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub protected: f64,
    /// `cflru`: share of the buffer, from its least recently used end, in which clean pages leave
    /// first. Assumed: a third (Park et al. 2006 leave it to the workload).
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub window: f64,
    /// `pt_lru`: probability that a cold dirty page leaves before a hot clean one. Assumed: the
    /// source says only that it is the higher one.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub probability: f64,
    /// `fab`, `bplru`, `bpac`: logical pages of a group; left out: `geometry.pages_per_block`.
    pub group_pages: Option<u32>,
}

impl Default for BufferConfig {
    fn default() -> Self {
        Self {
            policy: BufferPolicy::None,
            size: ByteSize(32 << 20),
            access: Duration::from_us(1),
            read_cache: false,
            capacitor: false,
            dirty_high: None,
            dirty_low: None,
            background_limit: None,
            protected: 0.8,
            window: 1.0 / 3.0,
            probability: 0.8,
            group_pages: None,
        }
    }
}

/// A value that is not accepted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unacceptable {
    /// Its key.
    pub(super) key: &'static str,
    /// What it is.
    pub(super) found: String,
    /// What is accepted instead.
    pub(super) accepted: String,
}

/// Largest group: an evicted group is held as a list.
const MOST_GROUP_PAGES: u32 = 65_536;

impl BufferConfig {
    /// Checks the section by itself and against the page size of the array in bytes.
    ///
    /// # Errors
    /// The first value that makes no sense.
    pub(super) fn check(&self, page: ByteSize) -> Result<(), Unacceptable> {
        if self.policy == BufferPolicy::None {
            return Ok(());
        }
        let refuse = |key, found: String, accepted: &str| {
            Err(Unacceptable {
                key,
                found,
                accepted: accepted.to_owned(),
            })
        };
        if self.size.bytes() < page.bytes() {
            let accepted = format!("at least one page (geometry.page_size = \"{page}\")");
            return refuse("buffer.size", self.size.to_string(), &accepted);
        }
        let shares = [
            ("buffer.dirty_high", self.dirty_high),
            ("buffer.dirty_low", self.dirty_low),
            ("buffer.protected", Some(self.protected)),
            ("buffer.window", Some(self.window)),
            ("buffer.probability", Some(self.probability)),
        ];
        for (key, share) in shares {
            if let Some(share) = share
                && !(0.0..=1.0).contains(&share)
            {
                return refuse(key, share.to_string(), "from 0 to 1");
            }
        }
        if let (Some(high), Some(low)) = (self.dirty_high, self.dirty_low)
            && low > high
        {
            let accepted = format!("at most buffer.dirty_high = {high}");
            return refuse("buffer.dirty_low", low.to_string(), &accepted);
        }
        if self.background_limit == Some(0) {
            return refuse("buffer.background_limit", "0".to_owned(), "at least 1 page");
        }
        if let Some(pages) = self.group_pages
            && !(1..=MOST_GROUP_PAGES).contains(&pages)
        {
            return refuse("buffer.group_pages", pages.to_string(), "from 1 to 65536 pages");
        }
        if self.policy.needs_clean_pages() && !self.read_cache {
            return refuse(
                "buffer.read_cache",
                "false".to_owned(),
                "this buffer.policy chooses between clean and dirty pages, and without a read cache all pages are \
                 dirty; set buffer.read_cache = true",
            );
        }
        Ok(())
    }
}

/// Which pages the buffer keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BufferPolicy {
    /// No buffer: every request goes to the FTL.
    #[default]
    None,
    /// The page that entered first leaves first.
    Fifo,
    /// The least recently used page leaves first.
    Lru,
    /// Pages used once leave before pages used again.
    Slru,
    /// Among the least recently used pages clean ones leave first.
    Cflru,
    /// Least recently used, but a dirty page gets a second chance.
    LruWsr,
    /// Cold clean pages leave first, then cold dirty ones.
    CcfLru,
    /// Cold clean pages leave first, then by chance cold dirty or hot clean ones (a reconstruction).
    PtLru,
    /// The group with the most buffered pages leaves as a whole.
    Fab,
    /// The least recently used group leaves as a whole, padded to a full block.
    Bplru,
    /// Pages used again leave one by one, others in clusters; the split adapts (a reconstruction).
    Bpac,
}

impl BufferPolicy {
    /// Whether the policy tells clean pages from dirty ones by its very idea.
    fn needs_clean_pages(self) -> bool {
        matches!(self, Self::Cflru | Self::CcfLru | Self::PtLru)
    }
}
