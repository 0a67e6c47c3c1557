//! The keys of the delta mapping.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

use wordline_content::{CodecRow, RatioLaw, codec};
use wordline_keys::limits::{MANY, PAUSE, STEP};
use wordline_nand::{Geometry, Ppn};
use wordline_units::Duration;

use crate::contract::Codecs;
use crate::error::FtlError;

/// The codec of the source.
const LZF: &str = "lzf";

/// Which deltas share a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum PackingRule {
    /// A delta is in one page, with an entry of 8 bytes in its header.
    #[default]
    NoSplit,
    /// Bytes are counted, and a page is full when they fill it, as the formulas of the source charge them.
    Fractional,
}

/// Whether writes are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum GateMode {
    /// While the mean ratio of what was encoded is small enough for that not to slow writes down.
    #[default]
    Auto,
    /// Always.
    Open,
    /// Never.
    Closed,
}

/// How deltas grow while their base stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Drift {
    /// Not at all: what a write changes was changed by the writes before it.
    #[default]
    None,
    /// Each write changes its share of the page, wherever the writes before it have changed something: after n writes `1 - (1 - r)^n` of the page differ
    /// from the base (assumed).
    Independent,
}

impl Drift {
    /// The ratio of a delta to its page, where the base is `writes` writes old and each changes `ratio` of the page.
    pub(super) fn ratio(self, ratio: f64, writes: u32) -> f64 {
        match self {
            Self::None => ratio,
            Self::Independent => 1.0 - (1.0 - ratio).powi(i32::try_from(writes).unwrap_or(i32::MAX)),
        }
    }
}

/// Which codecs work on a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CodecScope {
    /// Any of the drive.
    #[default]
    Drive,
    /// Those of the channel of the page.
    Channel,
}

impl CodecScope {
    /// The codecs of a drive with so many channels, `each` of each group.
    const fn codecs(self, each: u32, channels: u32) -> Codecs {
        let groups = match self {
            Self::Drive => 1,
            Self::Channel => channels,
        };
        Codecs { groups, each }
    }

    /// The group that works on a page of flash.
    pub(super) fn group_of(self, geometry: &Geometry, page: u64) -> u16 {
        match self {
            Self::Drive => 0,
            Self::Channel => {
                let plane = geometry.plane_of(geometry.block_of(Ppn(page)));
                geometry.channel_of(geometry.die_of(plane)).0 as u16
            }
        }
    }
}

/// What collection gains from a page of deltas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum LogGain {
    /// The pages that are saved when the current deltas of successive pages are packed together.
    #[default]
    Packed,
    /// The bytes of deltas that are no longer current, as a part of a page, whether or not packing saves them.
    Bytes,
    /// Nothing, as long as one of its deltas is current.
    WholePages,
}

/// What collection does with pages of which no accesses are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Uncached {
    /// Page and delta become a page.
    #[default]
    Merge,
    /// They are moved as they are.
    Copy,
}

/// `[ftl.delta]`: overwrites as compressed differences.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct DeltaConfig {
    /// Mean ratio of a delta to its page, above 0 up to 1; 1 is content that does not compress, as when it is encrypted.
    pub(super) ratio: f64,
    /// Deviation of the ratio, whose law is normal and cut off at 0.02 and 1. Unset: a quarter of `ratio`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sigma: Option<f64>,
    /// Share of the logical pages whose writes resemble what they replace, drawn for each page: writes of the others are not encoded, as the controller knows. 1: all.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub(super) encodable: f64,
    /// A delta above this share of its page is given up, and the page is written.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub(super) max_ratio: f64,
    /// How deltas grow while their base stays: not at all, or as if every write changed its share of the page anywhere.
    pub(super) drift: Drift,
    /// Where a page has a delta, a next one above this share of the page is given up, and the page is written and becomes the new base. Unset: only
    /// `max_ratio` holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rebase_ratio: Option<f64>,
    /// Measured ratios of deltas to their pages, as `wordline content` tells them, above 0 up to 1: every write has one of them, all as likely as the others, in
    /// place of the law of `ratio` and `sigma`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) measured_ratios: Vec<f64>,
    /// Directory whose files, in the order of their names, are versions of a real file: pages have content, every write of a page brings the next of its contents, and the ratio is
    /// that of the delta which `codec` makes. Unset: pages have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) versions: Option<PathBuf>,
    /// With `versions`: the codec of deltas, as those of `wordline content`. Unset: `"lzf"`. Its cycles are `compress_cycles` and `decompress_cycles`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) codec: Option<String>,
    /// Writes from which on a page is write-hot: only those are encoded.
    #[schemars(range(min = 1, max = MANY))]
    pub(super) hot_threshold: u32,
    /// Reads from which on a page is read-hot: those are not encoded.
    #[schemars(range(min = 1, max = MANY))]
    pub(super) read_hot_threshold: u32,
    /// Logical pages whose accesses are counted, those that were used last. Unset: a sixty-fourth of the exported ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2, max = MANY))]
    pub(super) counted_pages: Option<u32>,
    /// Which deltas share a page.
    pub(super) packing: PackingRule,
    /// Pages of deltas that are filled at a time.
    #[schemars(range(min = 1, max = 1024))]
    pub(super) temp_buffers: u32,
    /// Time after which a page of deltas is programmed as it is, counted from its first delta, so that these are on flash. Unset: not before it is full
    /// or the host flushes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = PAUSE))]
    pub(super) temp_max_age: Option<Duration>,
    /// Share of the spare space that pages of deltas may take.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub(super) log_share: f64,
    /// Whether writes are encoded: always, never, or while that does not slow them down.
    pub(super) gate: GateMode,
    /// With `gate = "auto"`: of so many writes that the closed gate turns away, one is encoded to see whether the ratio has changed.
    #[schemars(range(min = 1, max = MANY))]
    pub(super) probe_period: u32,
    /// With `gate = "auto"`: how long the array takes to read a page.
    #[schemars(extend("x-maximum" = STEP))]
    pub(super) read_time: Duration,
    /// With `gate = "auto"`: how long a page takes over the bus.
    #[schemars(extend("x-maximum" = STEP))]
    pub(super) bus_time: Duration,
    /// With `gate = "auto"`: how long a program takes.
    #[schemars(extend("x-maximum" = STEP))]
    pub(super) program_time: Duration,
    /// Clock of the processor that encodes and decodes, in MHz.
    #[schemars(range(min = 1, max = 100_000))]
    pub(super) cpu_mhz: u32,
    /// Cycles to encode 4 KiB; other pages take as many for each byte.
    #[schemars(range(max = MANY))]
    pub(super) compress_cycles: u32,
    /// Cycles to decode 4 KiB.
    #[schemars(range(max = MANY))]
    pub(super) decompress_cycles: u32,
    /// Such processors of the drive or of each channel (`codec_scope`), each of which works on one page at a time: on those that the host reads first, on others in the order of asking.
    #[schemars(range(min = 1, max = 1024))]
    pub(super) codecs: u32,
    /// Which processors work on a page.
    pub(super) codec_scope: CodecScope,
    /// Whether a page that has become read-hot is merged with its delta when it is read.
    pub(super) merge_on_read: bool,
    /// Whether a page whose accesses are no longer counted is merged with its delta.
    pub(super) merge_on_evict: bool,
    /// Pages that the host writes between two looks for pages that are no longer write-hot.
    #[schemars(range(min = 1, max = MANY))]
    pub(super) scan_interval_writes: u32,
    /// Most pages that one look has merged.
    #[schemars(range(max = MANY))]
    pub(super) scan_budget: u32,
    /// What collection gains from a page of deltas.
    pub(super) log_gain: LogGain,
    /// What collection does with pages whose accesses are not counted.
    pub(super) gc_uncached: Uncached,
}

impl Default for DeltaConfig {
    /// Thresholds, times (table 4.3) and cycles of LZF as in the source. The clock is one of its three; the others are assumed as in the
    /// Delta-FTL specification (sections 3 to 7). Assumed: half of the spare space, so that the other half is left for collection.
    fn default() -> Self {
        Self {
            ratio: 0.35,
            sigma: None,
            encodable: 1.0,
            max_ratio: 0.8,
            drift: Drift::default(),
            rebase_ratio: None,
            measured_ratios: Vec::new(),
            versions: None,
            codec: None,
            hot_threshold: 2,
            read_hot_threshold: 2,
            counted_pages: None,
            packing: PackingRule::default(),
            temp_buffers: 1,
            temp_max_age: None,
            log_share: 0.5,
            gate: GateMode::default(),
            probe_period: 128,
            read_time: Duration::from_us(25),
            bus_time: Duration::from_us(40),
            program_time: Duration::from_us(200),
            cpu_mhz: 619,
            compress_cycles: 27_212,
            decompress_cycles: 6_737,
            codecs: 1,
            codec_scope: CodecScope::default(),
            merge_on_read: true,
            merge_on_evict: false,
            scan_interval_writes: 65_536,
            scan_budget: 256,
            log_gain: LogGain::default(),
            gc_uncached: Uncached::default(),
        }
    }
}

/// Keys of `delta`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct DeltaKeys {
    /// `delta`: overwrites as compressed differences.
    pub(super) delta: DeltaConfig,
}

impl DeltaConfig {
    /// Refuses values that make no sense (Delta-FTL specification, 16); the law of the ratios.
    ///
    /// # Errors
    /// A value out of range.
    pub(super) fn check(&self) -> Result<RatioLaw, FtlError> {
        let refuse =
            |key, found: &dyn ToString, accepted: &str| Err(FtlError::new(key, found.to_string(), accepted));
        let least = |key, found: u32, least: u32| {
            if found >= least {
                return Ok(());
            }
            Err(FtlError::new(key, found, format!("at least {least}")))
        };
        least("ftl.delta.hot_threshold", self.hot_threshold, 1)?;
        least("ftl.delta.read_hot_threshold", self.read_hot_threshold, 1)?;
        least("ftl.delta.temp_buffers", self.temp_buffers, 1)?;
        least("ftl.delta.probe_period", self.probe_period, 1)?;
        least("ftl.delta.cpu_mhz", self.cpu_mhz, 1)?;
        least("ftl.delta.codecs", self.codecs, 1)?;
        least("ftl.delta.scan_interval_writes", self.scan_interval_writes, 1)?;
        least("ftl.delta.counted_pages", self.counted_pages.unwrap_or(2), 2)?;
        if !(self.max_ratio > 0.0 && self.max_ratio <= 1.0) {
            return refuse("ftl.delta.max_ratio", &self.max_ratio, "above 0 up to 1");
        }
        if !(self.log_share > 0.0 && self.log_share <= 1.0) {
            return refuse("ftl.delta.log_share", &self.log_share, "above 0 up to 1");
        }
        if !(0.0..=1.0).contains(&self.encodable) {
            return refuse("ftl.delta.encodable", &self.encodable, "from 0 to 1");
        }
        if let Some(ratio) = self.rebase_ratio.filter(|ratio| !(*ratio > 0.0 && *ratio <= 1.0)) {
            return refuse("ftl.delta.rebase_ratio", &ratio, "above 0 up to 1");
        }
        if self.temp_max_age == Some(Duration::ZERO) {
            let accepted = "a time above 0, or none if left out";
            return refuse("ftl.delta.temp_max_age", &"0 ns", accepted);
        }
        if self.program_time == Duration::ZERO {
            return refuse("ftl.delta.program_time", &"0 ns", "a time above 0");
        }
        self.check_content()?;
        if !self.measured_ratios.is_empty() {
            return RatioLaw::measured(&self.measured_ratios).map_err(|refused| {
                FtlError::new("ftl.delta.measured_ratios", refused.found, refused.accepted)
            });
        }
        let sigma = self.sigma.unwrap_or(self.ratio / 4.0);
        RatioLaw::new(self.ratio, sigma).map_err(|refused| {
            let key = match refused.key {
                "sigma" => "ftl.delta.sigma",
                _ => "ftl.delta.ratio",
            };
            FtlError::new(key, refused.found, refused.accepted)
        })
    }

    /// Refuses what does not go with `ftl.recovery.kind`.
    pub(super) fn check_recovery(&self) -> Result<(), FtlError> {
        if self.packing == PackingRule::Fractional {
            let accepted = "\"no_split\" with a ftl.recovery.kind: pages of deltas have a header from which they are found";
            return Err(FtlError::new("ftl.delta.packing", "\"fractional\"", accepted));
        }
        if let Some(versions) = &self.versions {
            let accepted =
                "none with a ftl.recovery.kind: the bytes of pages are not found after a power cut";
            let found = format!("\"{}\"", versions.display());
            return Err(FtlError::new("ftl.delta.versions", found, accepted));
        }
        Ok(())
    }

    /// Refuses what does not go with content, and what has an effect only with it.
    fn check_content(&self) -> Result<(), FtlError> {
        let with = "none with ftl.delta.versions, which has the ratios measured";
        match (&self.versions, &self.codec) {
            (None, Some(codec)) => {
                let accepted = "none without ftl.delta.versions: pages have no content";
                return Err(FtlError::new("ftl.delta.codec", format!("\"{codec}\""), accepted));
            }
            (None, None) => return Ok(()),
            (Some(_), codec) => {
                let name = codec.as_deref().unwrap_or(LZF);
                codec_of(name)?;
            }
        }
        if self.packing == PackingRule::Fractional {
            let accepted = "\"no_split\" with ftl.delta.versions: pages of deltas have a layout";
            return Err(FtlError::new("ftl.delta.packing", "\"fractional\"", accepted));
        }
        if self.drift != Drift::None {
            return Err(FtlError::new("ftl.delta.drift", "\"independent\"", with));
        }
        if let Some(sigma) = self.sigma {
            return Err(FtlError::new("ftl.delta.sigma", sigma, with));
        }
        if !self.measured_ratios.is_empty() {
            let found = format!("{} ratios", self.measured_ratios.len());
            return Err(FtlError::new("ftl.delta.measured_ratios", found, with));
        }
        Ok(())
    }

    /// The codec that makes deltas where pages have content.
    ///
    /// # Errors
    /// There is none of the name.
    pub(super) fn codec_row(&self) -> Result<&'static CodecRow, FtlError> {
        codec_of(self.codec.as_deref().unwrap_or(LZF))
    }

    /// The codecs of a drive with so many channels.
    pub(super) const fn codecs_of(&self, channels: u32) -> Codecs {
        self.codec_scope.codecs(self.codecs, channels)
    }

    /// Time to encode a page.
    pub(super) fn encode_ns(&self, page_bytes: u32) -> u32 {
        codec_ns(self.compress_cycles, page_bytes, self.cpu_mhz)
    }

    /// Time to decode a page.
    pub(super) fn decode_ns(&self, page_bytes: u32) -> u32 {
        codec_ns(self.decompress_cycles, page_bytes, self.cpu_mhz)
    }
}

/// The codec of a name.
fn codec_of(name: &str) -> Result<&'static CodecRow, FtlError> {
    codec(name).map_err(|refused| FtlError::new("ftl.delta.codec", refused.found, refused.accepted))
}

/// Cycles for 4 KiB as the time for a page, rounded to nanoseconds.
fn codec_ns(cycles: u32, page_bytes: u32, mhz: u32) -> u32 {
    let of_page = u128::from(cycles) * u128::from(page_bytes) * 1000;
    let divisor = u128::from(mhz.max(1)) * 4096;
    u32::try_from((of_page + divisor / 2) / divisor).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of a page, then half of the other half, and so on; nothing grows without drift.
    #[test]
    fn deltas_grow_with_the_writes_since_their_base() {
        let grown = [1, 2, 3].map(|writes| Drift::Independent.ratio(0.5, writes));
        assert_eq!(grown, [0.5, 0.75, 0.875]);
        assert_eq!(Drift::Independent.ratio(0.5, u32::MAX), 1.0);
        assert_eq!(Drift::None.ratio(0.5, 3), 0.5);
    }

    /// Cycles over the clock, in nanoseconds (Delta-FTL specification, section 6).
    #[test]
    fn times_are_cycles_over_the_clock() {
        for (mhz, encode, decode) in [(304, 89_513, 22_161), (619, 43_961, 10_884), (934, 29_135, 7_213)] {
            let keys = DeltaConfig {
                cpu_mhz: mhz,
                ..DeltaConfig::default()
            };
            assert_eq!((keys.encode_ns(4096), keys.decode_ns(4096)), (encode, decode));
            assert_eq!(
                keys.encode_ns(8192).abs_diff(2 * encode),
                0,
                "{mhz}: twice the page"
            );
        }
    }
}
