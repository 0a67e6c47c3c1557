//! `[workload.store]`: a log-structured store.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;
use wordline_units::{ByteSize, SECTOR_BYTES};

use super::Sizes;

/// Tables of a tier that are compacted together at most, and tiers at most.
const MOST: u32 = 64;

/// Which placement handle the writes of a store carry (Kang et al., HotStorage 2014).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StorePlacement {
    /// None.
    #[default]
    Normal,
    /// 1 for all of the store; none for system data.
    Single,
    /// 1 for the commit log, 2 for tables.
    MultiLog,
    /// 1 for the commit log, 2 for flushed tables, 3 for those of the first compaction, 4 for those of later ones.
    MultiData,
}

/// `[workload.store]`: a log-structured store, with `kind = "log_structured"`. Every update goes to a commit log and to a table in memory; when that is full it is flushed as a
/// sorted table, and the log of its updates is deleted. Tables of about the same size are merged into one of the next tier (size-tiered compaction), and deleted then.
/// Updates are uniform over the data, so that the size of a table follows from the updates in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StoreConfig {
    /// Distinct data of the store as a share of the region, above 0 and below 1; files being merged need room beside them.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub data: f64,
    /// Bytes of updates that are flushed as a table, a multiple of `workload.request_size`.
    pub memtable: ByteSize,
    /// Bytes of a file of the commit log, a multiple of `workload.request_size`.
    pub segment: ByteSize,
    /// Bytes that files are allocated by, where the lowest free address is, a multiple of `workload.request_size`.
    pub extent: ByteSize,
    /// Tables of a tier that are merged, 2 to 64.
    #[schemars(range(min = 2, max = 64))]
    pub fan: u32,
    /// Tiers of tables, flushed ones included, 2 to 64. Tables of the last are merged among each other.
    #[schemars(range(min = 2, max = 64))]
    pub tiers: u32,
    /// Share of the writes that are system data, small and overwritten in place, 0 to below 1.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub system: f64,
    /// Which placement handles writes carry.
    pub placement: StorePlacement,
    /// Whether files that are deleted are deallocated (TRIM).
    pub trim: bool,
}

impl Default for StoreConfig {
    /// Kang et al., HotStorage 2014, Table 1: three tiers of tables, 1.0 % of the writes for system data. Cassandra's defaults: four tables are merged
    /// (`min_threshold`). Assumed: data of a fifth of the region, so that merges have room; the sizes of files, those of
    /// Cassandra (32 MiB segments) divided by 32 as small drives are simulated.
    fn default() -> Self {
        Self {
            data: 0.2,
            memtable: ByteSize(4 << 20),
            segment: ByteSize(1 << 20),
            extent: ByteSize(256 << 10),
            fan: 4,
            tiers: 3,
            system: 0.01,
            placement: StorePlacement::Normal,
            trim: true,
        }
    }
}

impl StoreConfig {
    /// # Errors
    /// A value out of its range; sizes that are no multiples of that of a request, of which there must be one.
    pub(super) fn check(&self, sizes: &Sizes) -> Result<(), RefusedValue> {
        let share = |key, value: f64, from_zero: bool| {
            let holds = value < 1.0 && (value > 0.0 || (from_zero && value == 0.0));
            let least = if from_zero { "from 0" } else { "above 0" };
            if holds {
                Ok(())
            } else {
                Err(RefusedValue::new(
                    key,
                    value,
                    format!("a share {least} and below 1"),
                ))
            }
        };
        share("workload.store.data", self.data, false)?;
        share("workload.store.system", self.system, true)?;
        for (key, count) in [
            ("workload.store.fan", self.fan),
            ("workload.store.tiers", self.tiers),
        ] {
            if !(2..=MOST).contains(&count) {
                return Err(RefusedValue::new(key, count, format!("2 to {MOST}")));
            }
        }
        let &[size] = sizes.as_slice() else {
            let accepted = "one size with workload.kind = \"log_structured\"";
            return Err(RefusedValue::new("workload.request_size", "a list", accepted));
        };
        let request = size.bytes().max(u64::from(SECTOR_BYTES));
        for (key, bytes) in [
            ("workload.store.memtable", self.memtable),
            ("workload.store.segment", self.segment),
            ("workload.store.extent", self.extent),
        ] {
            if bytes.bytes() == 0 || !bytes.bytes().is_multiple_of(request) {
                let accepted = format!("a multiple of {request} B (workload.request_size), at least one");
                return Err(RefusedValue::new(key, bytes, accepted));
            }
        }
        Ok(())
    }
}
