//! What the host asks, and how much collection writes for it.

use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;
use wordline_units::ByteSize;

use crate::error::{count, require, share};

/// Where the write amplification comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteAmplification {
    /// `workload.waf`; 1 when nothing is written.
    Given,
    /// The closed form for uniform random writes over the spare area ([`crate::given_spare`]).
    FromOp,
}

/// Requests of one logical page or less, at random places, so many at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Workload {
    /// Share of writes, 0 to 1.
    pub write_fraction: f64,
    /// Requests outstanding, 1 to 65536.
    pub queue_depth: u32,
    /// Bytes of a request; a logical page where it is missing. A smaller write rewrites its logical page.
    pub host_bytes: Option<ByteSize>,
    /// Where the write amplification comes from.
    pub waf_mode: WriteAmplification,
    /// Pages programmed for each page that the host writes, 1 to 1000.
    pub waf: f64,
    /// Pages moved by wear levelling for each page that the host writes.
    pub wear_moves: f64,
    /// Exponent of the Zipf law of addresses, 0 (uniform) to 3. Neighbouring pages have neighbouring ranks. The hit rate follows from it with
    /// `table.hit = "che"` and `"lru"`.
    pub zipf: f64,
    /// Share of pages that are hot; where it is not 0, addresses follow no Zipf law.
    pub hot_pages: f64,
    /// Share of accesses that go to hot pages.
    pub hot_accesses: f64,
    /// Share of accesses that go to pages that the first package holds at first; counted by the simulation.
    pub hot_package: f64,
    /// Logical pages whose parts gather in the write buffer before they are programmed; 0 to 4194304. Used with `host.ack = "buffer"` and writes
    /// smaller than a logical page.
    pub coalesce_window: u32,
}

impl Default for Workload {
    fn default() -> Self {
        Self {
            write_fraction: 0.0,
            queue_depth: 32,
            host_bytes: None,
            waf_mode: WriteAmplification::Given,
            waf: 5.0,
            wear_moves: 0.0,
            zipf: 0.0,
            hot_pages: 0.0,
            hot_accesses: 0.0,
            hot_package: 0.0,
            coalesce_window: 0,
        }
    }
}

impl Workload {
    pub(crate) fn check(&self, logical_page: ByteSize) -> Result<(), RefusedValue> {
        share("workload.write_fraction", self.write_fraction)?;
        count("workload.queue_depth", self.queue_depth, 1, 1 << 16)?;
        if let Some(bytes) = self.host_bytes {
            require(
                (1..=logical_page.0).contains(&bytes.0),
                "workload.host_bytes",
                bytes,
                &format!("accepted are 1 B to a logical page, {logical_page}"),
            )?;
        }
        require(
            (1.0..=1000.0).contains(&self.waf),
            "workload.waf",
            self.waf,
            "accepted are 1 to 1000",
        )?;
        require(
            (0.0..=1000.0).contains(&self.wear_moves),
            "workload.wear_moves",
            self.wear_moves,
            "accepted are 0 to 1000",
        )?;
        require(
            (0.0..=3.0).contains(&self.zipf),
            "workload.zipf",
            self.zipf,
            "accepted are 0 to 3",
        )?;
        share("workload.hot_pages", self.hot_pages)?;
        share("workload.hot_accesses", self.hot_accesses)?;
        share("workload.hot_package", self.hot_package)?;
        count("workload.coalesce_window", self.coalesce_window, 0, 1 << 22)
    }
}
