//! `[ftl.local]`: a controller in each package.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::On;
use wordline_keys::limits::{CYCLES, STEP};
use wordline_keys::{RefusedValue, Rule, Section};
use wordline_units::{Duration, Frequency, TransferRate};

/// Cores of a local controller: far more than any package has room for.
const MOST_CORES: u32 = 64;
/// Nodes of a look-up: the bound that the source of the design names.
const MOST_NODES: u32 = 7;

/// `[ftl.local]`: a controller in each package (`geometry.chips_per_channel`), which collects the blocks of its package and looks places of pages up, with a bus and a codec of
/// the package (FScale: V. Mohan, PhD dissertation, University of Virginia, 2015, chapter 5). Pages that are moved do not use the channel. For `ftl.mapping = "page"`.
/// The source does not print cycles; those here are assumed, as those of `wordline fscale`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct LocalConfig {
    /// Whether packages have controllers of their own.
    pub enabled: bool,
    /// Cores of each, 1 to 64.
    pub cores: u32,
    /// Clock of a core.
    pub clock: Frequency,
    /// Cycles for a page that the host reads or writes.
    #[schemars(range(max = CYCLES))]
    pub host_command: u32,
    /// Cycles to search a node of the table of a die.
    #[schemars(range(max = CYCLES))]
    pub node_search: u32,
    /// Nodes of that table that are read from flash before a page that the host reads, at most 7; 3 is a tree of which nothing is in memory. Each takes a read of the die of the
    /// page, and 4 KiB on the bus of the package. Where nodes lie is not modelled: the block of the page stands for it.
    pub node_reads: u32,
    /// Cycles to move a page.
    #[schemars(range(max = CYCLES))]
    pub page_move: u32,
    /// Cycles to erase a block.
    #[schemars(range(max = CYCLES))]
    pub erase: u32,
    /// Cycles to note that a page was written to another package.
    #[schemars(range(max = CYCLES))]
    pub stale_copy: u32,
    /// Cycles of the controller's CPU (`[firmware]`) for each block that is collected, all that is left there of collection.
    #[schemars(range(max = CYCLES))]
    pub collection: u32,
    /// Data rate of the bus of a package. Unset: that of the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus_rate: Option<TransferRate>,
    /// Time of the codec of a package for a page that it corrects.
    #[schemars(extend("x-maximum" = STEP))]
    pub decode: Duration,
    /// Data rate of that codec, on top of `decode`. Unset: that of the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decode_rate: Option<TransferRate>,
    /// Share of the pages read inside a package that its codec cannot correct. A page that is moved goes over the channel and the controller then.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub escalation: f64,
}

impl Default for LocalConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            cores: 1,
            clock: Frequency(100_000_000),
            host_command: 3_000,
            node_search: 2_500,
            node_reads: 3,
            page_move: 7_100,
            erase: 4_000,
            stale_copy: 1_000,
            collection: 2_000,
            bus_rate: None,
            decode: Duration(2_000),
            decode_rate: None,
            escalation: 1e-3,
        }
    }
}

impl Section for LocalConfig {
    const RULES: &'static [Rule] = &[
        Rule::all_but(&["enabled"], &[On("ftl.local.enabled")]),
        Rule::only(&["collection"], &[On("firmware.enabled")]),
    ];
}

impl LocalConfig {
    /// Whether nothing of it is set.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Checks the values.
    ///
    /// # Errors
    /// No core, or too many; a clock or a rate of zero; more nodes than a look-up reads; no share.
    pub fn check(&self) -> Result<(), RefusedValue> {
        if !(1..=MOST_CORES).contains(&self.cores) {
            return Err(RefusedValue::new(
                "ftl.local.cores",
                self.cores,
                "from 1 to 64 cores",
            ));
        }
        if self.clock.0 == 0 {
            return Err(RefusedValue::new("ftl.local.clock", "0 Hz", "a clock above 0 Hz"));
        }
        if self.node_reads > MOST_NODES {
            let accepted = "from 0 to 7 nodes";
            return Err(RefusedValue::new(
                "ftl.local.node_reads",
                self.node_reads,
                accepted,
            ));
        }
        let rates = [
            ("ftl.local.bus_rate", self.bus_rate),
            ("ftl.local.decode_rate", self.decode_rate),
        ];
        for (key, rate) in rates {
            if rate.is_some_and(|rate| rate.0 == 0) {
                return Err(RefusedValue::new(key, "0 MT/s", "a rate above 0 MT/s"));
            }
        }
        if !(0.0..=1.0).contains(&self.escalation) {
            let accepted = "a share from 0 to 1";
            return Err(RefusedValue::new(
                "ftl.local.escalation",
                self.escalation,
                accepted,
            ));
        }
        Ok(())
    }
}
