//! By the size of the command: what is written in small pieces is written often (Tai, Flash Memory Summit 2016: small hot
//! data against large cold data).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::{ByteSize, SECTOR_BYTES, SimTime};

use super::{Classifier, ClassifierRow};
use crate::error::FtlError;
use crate::request::PageRequest;
use wordline_keys::Keys;

/// Keys of `size_threshold`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct SizeThresholdKeys {
    /// `size_threshold`: the largest write command whose pages are hot, at least one sector. Pages of larger commands are
    /// cold. A write buffer forwards each page as a command of its own.
    threshold: ByteSize,
}

impl Default for SizeThresholdKeys {
    /// FTL specification, 5.1: requests of up to 4 KiB are hot.
    fn default() -> Self {
        Self {
            threshold: ByteSize(4096),
        }
    }
}

/// Pages of write commands up to a size are hot.
struct SizeThreshold {
    sectors: u32,
}

impl Classifier for SizeThreshold {
    fn temperature(&mut self, _now: SimTime, write: &PageRequest) -> u8 {
        u8::from(write.command_sectors > self.sectors)
    }
}

/// `ftl.hot.classifier = "size_threshold"`.
pub(crate) const SIZE_THRESHOLD: ClassifierRow = {
    let keys = Keys::of::<SizeThresholdKeys>();
    let mut row = ClassifierRow::new(
        "size_threshold",
        "Pages of small write commands are hot, those of large ones cold.",
        keys,
        &|keys, _| {
            let bytes = keys.read::<SizeThresholdKeys>().threshold.bytes();
            let sectors = u32::try_from(bytes / u64::from(SECTOR_BYTES)).unwrap_or(u32::MAX);
            Some(Box::new(SizeThreshold { sectors }))
        },
    );
    row.check = |keys| {
        let threshold = keys.read::<SizeThresholdKeys>().threshold;
        if threshold.bytes() < u64::from(SECTOR_BYTES) {
            let accepted = format!("at least one sector of {SECTOR_BYTES} bytes");
            return Err(FtlError::new("ftl.hot.threshold", threshold, accepted));
        }
        Ok(())
    };
    row
};
