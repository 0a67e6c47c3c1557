//! The section `[buffer]`: the data buffer in the controller's DRAM.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::{IsNot, On, Set};
use wordline_keys::limits::{MANY, PAUSE, STEP};
use wordline_keys::{Parameters, RefusedValue, Rule, Section, Selected};
use wordline_units::{ByteSize, Duration};

use crate::policy::{BufferRow, check_share};

/// What the size of the buffer counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BufferUnit {
    /// Pages: each takes a whole page, however little of it is held.
    #[default]
    Page,
    /// Sectors of 512 B: a page takes those that are held.
    Sector,
}

/// How commands stand to writes that wait for room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// Reads and TRIMs pass them.
    #[default]
    Pass,
    /// Reads and TRIMs that come later wait behind them.
    InOrder,
}

/// Which writes wait for the programs of the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteBack {
    /// Those that find no room.
    #[default]
    Behind,
    /// Those with which a program begins, too: the command that fills a page programs it.
    Inline,
}

/// `[buffer]`: the data buffer between host and FTL, kept in pages with a bitmap of the
/// sub-pages present.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct BufferConfig {
    /// Which pages the buffer keeps, and which it evicts when it is full.
    pub policy: Selected<BufferRow>,
    /// Size of the buffer: pages that are not on flash, those that are being programmed included, and the pages of a read cache.
    pub size: ByteSize,
    /// What the size counts: pages, of which each takes a whole one (`"page"`), or the sectors held
    /// (`"sector"`), as in SSDsim (Hu et al. 2011). With sectors, shares of the buffer are shares of them too.
    pub unit: BufferUnit,
    /// Time for a read or write of data in the buffer.
    #[schemars(extend("x-maximum" = STEP))]
    pub access: Duration,
    /// Whether pages that were read from flash, or are written back, stay as clean pages. Without a
    /// read cache the buffer holds only pages that are not on flash yet.
    pub read_cache: bool,
    /// Whether a capacitor preserves the buffer in a power failure. If so, a flush, and a write
    /// with forced unit access, are acknowledged as soon as the buffer has the data.
    pub capacitor: bool,
    /// How long the capacitor keeps the drive at work after the power has failed. It must be long enough for the longest operation of an array and then the programs of a full buffer on all dies. Unset: for as long as it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = PAUSE))]
    pub hold_up: Option<Duration>,
    /// Energy in mJ that the capacitor holds. It must be enough for all dies to end what they are at work on, for the programs of a full buffer with the energies of `power.chip`, and for
    /// `power.controller`, `power.dram` and `power.channel_io` over the time that these take. Unset: as much as it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_up_energy_mj: Option<f64>,
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
    #[schemars(range(max = MANY))]
    pub background_limit: Option<u32>,
    /// Which writes wait for programs: those that find no room, so that the host is braked at the limit of the drive only (`"behind"`), or also those with which a program begins
    /// (`"inline"`), so that single writes take as long as a program, and as the page moves that it owes, at any load.
    pub write_back: WriteBack,
    /// What reads and TRIMs do that come while writes wait for room: they pass these writes (`"pass"`), or wait behind them (`"in_order"`), as in drives whose reads are as slow as their
    /// writes once the host writes more than they take. Writes to pages that the buffer has need no room, and pass.
    pub when_full: WhenFull,
    /// The keys of policies.
    #[serde(flatten)]
    pub keys: Parameters<BufferRow>,
}

impl Default for BufferConfig {
    fn default() -> Self {
        Self {
            policy: Selected::default(),
            size: ByteSize(32 << 20),
            unit: BufferUnit::Page,
            access: Duration::from_us(1),
            read_cache: false,
            capacitor: false,
            hold_up: None,
            hold_up_energy_mj: None,
            dirty_high: None,
            dirty_low: None,
            background_limit: None,
            write_back: WriteBack::default(),
            when_full: WhenFull::default(),
            keys: Parameters::default(),
        }
    }
}

impl Section for BufferConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(
            &[
                "size",
                "unit",
                "access",
                "capacitor",
                "dirty_high",
                "write_back",
                "when_full",
            ],
            &[IsNot("buffer.policy", &["none"])],
        ),
        Rule::only(&["hold_up"], &[On("buffer.capacitor")]),
        Rule::only(&["hold_up_energy_mj"], &[On("buffer.capacitor")]),
        Rule::only(&["hold_up_energy_mj"], &[Set("power.chip")]),
        Rule::only(&["dirty_low", "background_limit"], &[Set("buffer.dirty_high")]),
    ];
}

impl BufferConfig {
    /// Whether there is a buffer.
    #[must_use]
    pub fn is_present(&self) -> bool {
        self.policy.row().is_ok_and(|row| row.build.is_some())
    }

    /// Checks the section by itself and against the size of a page of the array.
    ///
    /// # Errors
    /// The first value that makes no sense.
    pub fn check(&self, page: ByteSize) -> Result<(), RefusedValue> {
        let row = self.policy.row()?;
        if row.build.is_none() {
            return Ok(());
        }
        if self.size.bytes() < page.bytes() {
            let accepted = format!("at least one page (geometry.page_size = \"{page}\")");
            return Err(RefusedValue::new("buffer.size", self.size, accepted));
        }
        let shares = [
            ("buffer.dirty_high", self.dirty_high),
            ("buffer.dirty_low", self.dirty_low),
        ];
        for (key, share) in shares {
            share.map_or(Ok(()), |share| check_share(key, share))?;
        }
        if let (Some(high), Some(low)) = (self.dirty_high, self.dirty_low)
            && low > high
        {
            let accepted = format!("at most buffer.dirty_high = {high}");
            return Err(RefusedValue::new("buffer.dirty_low", low, accepted));
        }
        if self.background_limit == Some(0) {
            return Err(RefusedValue::new("buffer.background_limit", 0, "at least 1 page"));
        }
        (row.check)(&self.keys)?;
        if row.needs_clean_pages && !self.read_cache {
            return Err(RefusedValue::new(
                "buffer.read_cache",
                false,
                "this buffer.policy chooses between clean and dirty pages, and without a read cache all pages are \
                 dirty; set buffer.read_cache = true",
            ));
        }
        Ok(())
    }
}
