//! The processor of the controller.

use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;
use wordline_units::Frequency;

use crate::cycles::CycleTable;
use crate::error::{count, require, share};

/// The frequency at which the share of cycles that waits for memory was counted.
const COUNTED_AT: f64 = 400e6;

/// How the work of the FTL is divided among cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shard {
    /// Any core does any work, from one queue; what cores share costs `processor.serial` and `processor.coherence`.
    None,
    /// Each core has channels of its own. Nothing is shared, and more cores than channels are idle.
    Channel,
    /// Each core has logical pages of its own. Nothing is shared.
    LbaHash,
}

/// What a core does while the memory looks an entry of the table up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LookUpWait {
    /// It takes other work, and the operation queues for a core again, as in the source.
    Switch,
    /// It waits for the memory, and goes on with the operation. A page of the table that has to be read from flash frees the core all the same.
    Spin,
}

/// The processor of the controller: identical cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Processor {
    /// Cores, 1 to 4096.
    pub cores: u32,
    /// Frequency of a core.
    pub frequency: Frequency,
    /// Share of cycles that waits for memory and does not shrink with the frequency, counted at 400 MHz.
    pub memory_fraction: f64,
    /// Serial share of the work of many cores (Amdahl; Gunther's sigma), 0 to 1.
    pub serial: f64,
    /// Coherence term of many cores (Gunther's kappa), 0 to 1.
    pub coherence: f64,
    /// How the work is divided among cores.
    pub shard: Shard,
    /// What a core does while the memory looks an entry up.
    pub look_up_wait: LookUpWait,
    /// Cycles of each operation.
    pub cycles: CycleTable,
}

impl Default for Processor {
    fn default() -> Self {
        Self {
            cores: 2,
            frequency: Frequency(400_000_000),
            memory_fraction: 0.0,
            serial: 0.0,
            coherence: 0.0,
            shard: Shard::None,
            look_up_wait: LookUpWait::Switch,
            cycles: CycleTable::default(),
        }
    }
}

impl Processor {
    /// Nanoseconds that a core takes for `cycles`, with what sharing among cores costs: the speed-up of `n` cores is
    /// `n / (1 + serial (n - 1) + coherence n (n - 1))`.
    #[must_use]
    pub fn ns(&self, cycles: u32) -> u64 {
        let seconds = f64::from(cycles)
            * ((1.0 - self.memory_fraction) / self.frequency.0 as f64 + self.memory_fraction / COUNTED_AT);
        let n = f64::from(self.cores);
        let shared = match self.shard {
            Shard::None => 1.0 + self.serial * (n - 1.0) + self.coherence * n * (n - 1.0),
            Shard::Channel | Shard::LbaHash => 1.0,
        };
        (seconds * shared * 1e9).round() as u64
    }

    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        count("processor.cores", self.cores, 1, 4096)?;
        require(
            (1_000_000..=100_000_000_000).contains(&self.frequency.0),
            "processor.frequency",
            self.frequency,
            "accepted are 1 MHz to 100 GHz",
        )?;
        share("processor.memory_fraction", self.memory_fraction)?;
        share("processor.serial", self.serial)?;
        share("processor.coherence", self.coherence)?;
        self.cycles.check()
    }
}
