//! What limits a drive whose capacity grows from 8 TB to 1 PB: the work of the FTL as processor cycles, tables that
//! no longer fit the controller's memory, and small controllers inside the packages that take over (FScale).
//!
//! After V. Mohan, "Towards Building Energy Efficient, Reliable, and Scalable NAND Flash Based Storage Systems",
//! PhD dissertation, University of Virginia, 2015, chapter 5. The crate knows nothing of the detailed drive: a
//! [`Drive`] here is a set of units with rates, and an operation is a [`Path`] through them. Throughput
//! follows from the demand of all operations on each unit ([`Drive::outlook`]), or from a simulation of their queues ([`Drive::simulate`]).

mod area;
mod cycles;
mod demand;
mod designs;
mod doubts;
mod drive;
mod energies;
mod energy;
mod error;
mod hardware;
mod hit;
mod latency;
mod local;
mod mapping;
mod named;
mod nand_energy;
mod path_writer;
mod paths;
mod placement;
mod processor;
mod rates;
mod recovery;
mod rivals;
mod second_level;
mod silicon;
mod simulation;
mod table;
mod tables;
mod throughput;
mod tier;
mod today;
mod tree_shape;
mod waf;
mod workload;

pub use area::Area;
pub use cycles::{CycleTable, Phases};
pub use demand::{CycleClass, CycleDemand, Demand};
pub use drive::{Design, Drive};
pub use energies::Energies;
pub use energy::EnergyReport;
pub use hardware::{Acknowledge, Channels, Derating, Dram, Ecc, HostInterface, Interconnect, Nand};
pub use hit::{Popularity, che};
pub use latency::Latency;
pub use local::{LocalController, LookUp, MiniEcc, StaleCopies};
pub use named::{CAPACITIES, DESIGNS, NoSuchDrive, TODAY, named, names};
pub use nand_energy::ArrayOperations;
pub use paths::{Kind, Path, Paths, Step, Unit};
pub use placement::Placement;
pub use processor::{LookUpWait, Processor, Shard};
pub use rates::Rates;
pub use recovery::Recovery;
pub use rivals::{BreakEven, Budget, SameBudget, Share, cores_to_match, cores_to_reach, same_budget};
pub use second_level::{Found, SecondLevelTable};
pub use simulation::{
    Arrivals, Backend, ClassLatency, Operations, ReplayError, RunSettings, Scheduling, Simulated, UnitUse,
};
pub use table::{DirectoryEntry, DirectorySize, EntryWidth, HitRate, Table};
pub use tables::TableSizes;
pub use throughput::{Limit, Outlook};
pub use tier::{Memory, Tier};
pub use tree_shape::TreeShape;
pub use waf::{given_spare, unit_amplification};
pub use workload::{Workload, WriteAmplification};
