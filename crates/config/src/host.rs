//! `[host]`: how host commands reach the drive.

mod emmc;
mod nvme;
mod pcie;
mod sata;
mod ufs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::{Is, IsNot, On, Set, Unset};
use wordline_keys::limits::{OUTSTANDING, STEP};
use wordline_keys::{RefusedValue, Rule, Section};
use wordline_units::{ByteSize, Duration, SECTOR_BYTES};

pub use emmc::{EmmcBus, EmmcConfig};
pub(crate) use nvme::ATOMIC;
pub use nvme::{Arbitration, NvmeConfig};
pub use pcie::PcieConfig;
pub use sata::SataConfig;
pub use ufs::UfsConfig;

/// `[host]`: how host commands reach the drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostConfig {
    /// Queues and link between host and drive.
    pub interface: InterfaceKind,
    /// Commands sent and not completed at once with an open-loop workload (each tenant's own);
    /// later ones wait at the host, and the wait is part of their latency. Unset: 65,536, the size
    /// of NVMe's largest queue, which limits the memory of an overloaded run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = OUTSTANDING))]
    pub queue_limit: Option<u32>,
    /// Largest transfer of one command, a multiple of 512 B: longer reads and writes are divided
    /// into several commands and complete with the last one. Unset: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_transfer: Option<ByteSize>,
    /// Longest time that a page of a write waits for further pages of the same command that are on their way over the
    /// link, so that they are programmed together: no more pages are waited for than fill the planes of the dies that
    /// `allocation.order` spreads them over, and none longer than the link takes. `"0 ns"`: none waits (assumed: 100 µs,
    /// a fifth of a program or less).
    #[schemars(extend("x-maximum" = STEP))]
    pub gather: Duration,
    /// When a write without forced unit access is acknowledged, if there is no write buffer.
    pub write_acknowledge: Acknowledge,
    /// Queues of `interface = "nvme"`.
    pub nvme: NvmeConfig,
    /// Link of `interface = "nvme"`.
    pub pcie: PcieConfig,
    /// Queue and link of `interface = "sata"`.
    pub sata: SataConfig,
    /// Queue and link of `interface = "ufs"`.
    pub ufs: UfsConfig,
    /// Queue and bus of `interface = "emmc"`.
    pub emmc: EmmcConfig,
}

impl Default for HostConfig {
    fn default() -> Self {
        Self {
            interface: InterfaceKind::default(),
            queue_limit: None,
            max_transfer: None,
            gather: Duration::from_us(100),
            write_acknowledge: Acknowledge::default(),
            nvme: NvmeConfig::default(),
            pcie: PcieConfig::default(),
            sata: SataConfig::default(),
            ufs: UfsConfig::default(),
            emmc: EmmcConfig::default(),
        }
    }
}

impl Section for HostConfig {
    const RULES: &'static [Rule] = &[
        // pages are waited for to be joined in one command, of planes or, where the chip is busy as one, of dies
        Rule::only(&["gather"], &[IsNot("host.interface", &["ideal"])]),
        Rule::only(
            &["gather"],
            &[
                IsNot("commands.multi_plane_write", &["off"]),
                Is("scheduler.busy_grain", &["chip"]),
            ],
        ),
        Rule::only(
            &["gather"],
            &[
                IsNot("commands.multi_plane_write", &["off"]),
                On("commands.interleave"),
            ],
        ),
        Rule::only(
            &["gather", "write_acknowledge"],
            &[Is("buffer.policy", &["none"])],
        ),
        Rule::only(
            &["queue_limit"],
            &[
                Set("workload.interarrival"),
                Is("workload.kind", &["trace", "profile"]),
            ],
        ),
        Rule::only(
            &["queue_limit"],
            &[
                IsNot("workload.kind", &["profile"]),
                Unset("workload.queue_depth"),
            ],
        ),
        Rule::only(
            &["queue_limit"],
            &[
                IsNot("workload.kind", &["trace"]),
                Is("workload.replay", &["recorded"]),
            ],
        ),
        Rule::only(&["nvme", "pcie"], &[Is("host.interface", &["nvme"])]),
        Rule::only(
            &["nvme.weight_high", "nvme.weight_medium", "nvme.weight_low"],
            &[Is("host.nvme.arbitration", &["weighted_round_robin"])],
        ),
        Rule::only(
            &["nvme.atomic_write_unit_power_fail"],
            &[IsNot("ftl.recovery.kind", &["none"])],
        ),
        Rule::only(&["sata"], &[Is("host.interface", &["sata"])]),
        Rule::only(&["ufs"], &[Is("host.interface", &["ufs"])]),
        Rule::only(&["emmc"], &[Is("host.interface", &["emmc"])]),
    ];
}

/// When a write is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Acknowledge {
    /// When its pages have been programmed.
    #[default]
    Programmed,
    /// When its data are in the page registers of the dies, before the array programs them: the die is trusted to finish,
    /// power failure or not. A copy-back with new data is acknowledged when it has been programmed.
    Transferred,
}

/// Queues and link between host and drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterfaceKind {
    /// No queues and no link: a command is in the drive immediately, and data transfer takes no
    /// time.
    #[default]
    Ideal,
    /// A queue pair for each tenant, arbitration between them, PCI Express.
    Nvme,
    /// One native command queue for all tenants, a half-duplex serial link.
    Sata,
    /// One command queue for all tenants, a full-duplex serial link.
    Ufs,
    /// One command queue for all tenants, a half-duplex parallel bus with a command line of its own.
    Emmc,
}

impl HostConfig {
    /// Checks every value.
    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        if self.queue_limit == Some(0) {
            let accepted = "at least 1 command, or no limit if left out";
            return Err(RefusedValue::new("host.queue_limit", 0, accepted));
        }
        if let Some(size) = self.max_transfer
            && (size.bytes() == 0 || !size.bytes().is_multiple_of(u64::from(SECTOR_BYTES)))
        {
            let accepted = "a multiple of 512 B, or no limit if left out";
            return Err(RefusedValue::new("host.max_transfer", size, accepted));
        }
        self.nvme.check()?;
        self.ufs.check()?;
        self.pcie.check()
    }
}
