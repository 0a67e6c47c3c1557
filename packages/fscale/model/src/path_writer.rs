//! Writes paths, step by step, with the times of a drive.

use crate::drive::Drive;
use crate::hardware::transfer_ns;
use crate::local::LookUp;
use crate::paths::{Path, Step, Unit};
use crate::processor::LookUpWait;
use crate::tier::{LINK_OVERHEAD, Memory};

/// Writes paths.
pub(crate) struct Writer<'a> {
    pub(crate) drive: &'a Drive,
    pub(crate) steps: Path,
}

impl Writer<'_> {
    pub(crate) fn push(mut self, unit: Unit, ns: f64, cycles: u32) -> Self {
        self.steps.push(Step::Visit {
            unit,
            ns: ns.round() as u64,
            cycles,
        });
        self
    }

    pub(crate) fn core(self, cycles: u32) -> Self {
        let ns = self.drive.processor.ns(cycles);
        self.push(Unit::Processor, ns as f64, cycles)
    }

    /// A look-up of the table. Without tiers it begins in the controller's memory.
    pub(crate) fn entry(mut self, changes: bool) -> Self {
        if self.drive.has_hashed_places() {
            return self;
        }
        if self.drive.processor.look_up_wait == LookUpWait::Spin {
            let before = self.steps.iter().rposition(|step| *step != Step::Acknowledge);
            if let Some(core) = before
                && let Step::Visit {
                    unit: Unit::Processor,
                    ..
                } = self.steps[core]
            {
                self.steps.insert(core, Step::Keep);
            }
        }
        if self.drive.table.tiers.is_empty() {
            let ns = self.drive.dram.ns(self.drive.dram.look_up.0);
            self = self.push(Unit::Dram, ns as f64, 0);
        }
        self.steps.push(Step::Entry { changes });
        self
    }

    /// A look-up in a tier; none if the table has no such tier.
    pub(crate) fn tier(self, memory: Memory) -> Self {
        let drive = self.drive;
        let Some(tier) = drive.table.tiers.iter().find(|tier| tier.memory == memory) else {
            return self;
        };
        let bytes = drive.dram.look_up.0;
        let way = self.push(memory.unit(), tier.ns(bytes), 0);
        if memory == Memory::Host {
            way.host(bytes + LINK_OVERHEAD, false)
        } else {
            way
        }
    }

    pub(crate) fn acknowledge(mut self) -> Self {
        self.steps.push(Step::Acknowledge);
        self
    }

    /// What is done with a probability only.
    fn chance(mut self, probability: f64, then: impl FnOnce(Self) -> Self) -> Self {
        let at = self.steps.len();
        self = then(self);
        let steps = self.steps.len() - at;
        self.steps.insert(at, Step::Chance { probability, steps });
        self
    }

    /// The read of a page that a learned table named wrongly.
    pub(crate) fn mispredicted(self, bytes: u64) -> Self {
        let probability = self.drive.table.misprediction;
        if probability == 0.0 {
            return self;
        }
        self.chance(probability, |way| {
            way.read(bytes).package_bus(bytes).channel(bytes).ecc(bytes)
        })
    }

    /// The bus of the package, where it has one.
    pub(crate) fn package_bus(self, bytes: u64) -> Self {
        if self.drive.design.has_package_bus() {
            self.bus(bytes)
        } else {
            self
        }
    }

    pub(crate) fn command(self) -> Self {
        let ns = self.drive.channels.command.0 as f64;
        self.push(Unit::Channel, ns, 0)
    }

    pub(crate) fn data(self, bytes: u64) -> Self {
        let ns = transfer_ns(bytes as f64, self.drive.channel_rate());
        self.push(Unit::Channel, ns, 0).interconnect(bytes)
    }

    /// What crosses a channel crosses the interconnect too.
    fn interconnect(self, bytes: u64) -> Self {
        let drive = self.drive;
        let rate = drive
            .interconnect
            .bandwidth
            .unwrap_or_else(|| drive.all_channels_rate());
        self.push(Unit::Interconnect, transfer_ns(bytes as f64, rate), 0)
    }

    /// Command and data in one go.
    pub(crate) fn channel(self, bytes: u64) -> Self {
        let drive = self.drive;
        let ns = drive.channels.command.0 as f64 + transfer_ns(bytes as f64, drive.channel_rate());
        self.push(Unit::Channel, ns, 0).interconnect(bytes)
    }

    pub(crate) fn ecc(self, bytes: u64) -> Self {
        let drive = self.drive;
        let all = drive.ecc.bandwidth.unwrap_or_else(|| drive.all_channels_rate());
        let one = all / drive.ecc_lanes() as f64;
        self.push(
            Unit::Ecc,
            drive.ecc.codec.0 as f64 + transfer_ns(bytes as f64, one),
            0,
        )
    }

    pub(crate) fn die(self, ns: f64) -> Self {
        self.push(Unit::Die, ns, 0)
    }

    pub(crate) fn read(self, bytes: u64) -> Self {
        let nand = &self.drive.nand;
        let ns = nand.read.0 as f64 * f64::from(nand.operations(bytes));
        self.die(ns)
    }

    pub(crate) fn program(self, bytes: u64) -> Self {
        let ns = self.drive.program_ns(bytes);
        self.die(ns)
    }

    pub(crate) fn local(self, cycles: u32) -> Self {
        let ns = self.drive.local.ns(cycles);
        self.push(Unit::Local, ns as f64, cycles)
    }

    pub(crate) fn bus(self, bytes: u64) -> Self {
        let rate = self.drive.local.bus_rate.unwrap_or(self.drive.channels.rate);
        self.push(Unit::Bus, transfer_ns(bytes as f64, rate), 0)
    }

    pub(crate) fn mini(self, bytes: u64) -> Self {
        let mini = &self.drive.local.mini_ecc;
        let rate = mini.bandwidth.unwrap_or(self.drive.channels.rate);
        self.push(
            Unit::MiniEcc,
            mini.codec.0 as f64 + transfer_ns(bytes as f64, rate),
            0,
        )
    }

    pub(crate) fn host(self, bytes: u64, writes: bool) -> Self {
        let host = &self.drive.host;
        let unit = if writes && host.full_duplex {
            Unit::HostWrites
        } else {
            Unit::Host
        };
        let ns = transfer_ns(bytes as f64, host.rate);
        self.push(unit, ns, 0)
    }

    pub(crate) fn other_die(mut self) -> Self {
        self.steps.push(Step::OtherDie);
        self
    }

    /// Corrects `bytes` inside the package, or with the main codec, to and from which they cross the channel.
    pub(crate) fn correct_in_package(self, bytes: u64) -> Self {
        let mini = &self.drive.local.mini_ecc;
        if !mini.present {
            return self.channel(bytes).ecc(bytes).channel(bytes);
        }
        let (probability, parity) = (mini.escalation, mini.further_parity(bytes));
        self.mini(bytes).chance(probability, |way| {
            way.channel(bytes + parity).ecc(bytes).channel(bytes)
        })
    }

    /// Corrects `bytes` on their way to the controller, which then crosses the channel.
    pub(crate) fn correct_and_send(self, bytes: u64) -> Self {
        let mini = &self.drive.local.mini_ecc;
        if !mini.present {
            return self.data(bytes).ecc(bytes);
        }
        let (probability, parity) = (mini.escalation, mini.further_parity(bytes));
        self.mini(bytes)
            .data(bytes)
            .chance(probability, |way| way.data(parity).ecc(bytes))
    }

    pub(crate) fn nodes(mut self) -> Self {
        let local = &self.drive.local;
        for _ in 0..self.drive.node_reads() {
            self = self
                .read(local.node.0)
                .bus(local.node.0)
                .correct_in_package(local.node.0)
                .local(local.node_cycles);
        }
        self
    }
}

impl Drive {
    /// Bytes per second of all channels together.
    fn all_channels_rate(&self) -> f64 {
        f64::from(self.channels.count) * self.channel_rate()
    }

    /// Engines of the controller's codec.
    #[must_use]
    pub fn ecc_lanes(&self) -> u32 {
        self.ecc.lanes.unwrap_or(self.channels.count)
    }

    /// Nodes of a tree that a look-up of FScale reads.
    #[must_use]
    pub fn node_reads(&self) -> u32 {
        match self.local.look_up {
            LookUp::Min => 0,
            LookUp::Typ => 3,
            LookUp::Max => 7,
            LookUp::Hash => 1,
            LookUp::BTree => {
                let for_each = self.local.memory.0 / u64::from(self.nand.dies_per_package);
                self.tree().reads(for_each)
            }
        }
    }

    /// Nanoseconds that a die is occupied to program `bytes` of one logical page. Pages that share a program have each their part of it.
    #[must_use]
    pub fn program_ns(&self, bytes: u64) -> f64 {
        let nand = &self.nand;
        nand.program.0 as f64 * f64::from(nand.operations(bytes)) / f64::from(nand.logical_pages_per_program)
    }
}
