//! WHAT flash operations serve a command: mapping, allocation, garbage collection, wear levelling.
//!
//! An FTL answers with plans (`plan`); the drive, or the functional mode, executes them. The FTL
//! is told what time it is, never how long an operation takes.

pub mod ageing;
mod allocation;
pub mod analytic;
mod block;
mod block_classes;
mod blocks;
mod config;
mod contract;
mod counters;
mod error;
mod exec;
mod failing;
mod host;
mod host_work;
mod inflight;
mod jobs;
mod local;
mod map;
mod mapping;
mod moded;
mod notice;
mod plan;
mod policy;
mod rebuild;
mod recorded;
mod recovery;
mod refresh;
mod registry;
mod request;
mod scanning;
mod slc_mode;
pub mod snapshot;
mod space;
mod state;
mod table_cost;
mod wrapped;
mod zone;

pub use ageing::{
    AgeConfig, AgeError, AgeMethod, Aged, Load, PlaceReads, PlacedPage, Pressure, Reclaim, age, age_watched,
    place,
};
pub use allocation::{
    ActiveBlock, AllocationConfig, AllocationMode, ChannelTurns, DynamicMode, DynamicOrder, KeptDies, Level,
    Order, OrderError, Planes, RoundRobin, StaticOrder,
};
pub use block::{BlockFacts, BlockRole, BlockUse, Census, CleanSpace};
pub use block_classes::BlockClasses;
pub use blocks::Recording;
pub use config::{
    DynamicWear, FailuresConfig, FlashRules, Folding, FtlConfig, GcConfig, GcFrontier, GcMode, HotConfig,
    LocalConfig, MappingInput, Mappings, OverProvisioningBasis, PageModesConfig, PlacementConfig, Pool,
    RecoveryConfig, RecoveryKind, RefreshConfig, RefreshMode, SlcCacheConfig, TrimConfig, WatermarkBasis,
    WearConfig, WhenFull,
};
pub use contract::{
    Ageable, Ahead, AssignByRule, Batches, CachedWrites, ClassedBlocks, Codecs, CollectedSpace, DeltaPages,
    Facts, FlushMark, Flushing, Ftl, Identity, Inspect, LookupTable, Mapping, PageModes, Part, PartMut,
    Persist, ProgramTimes, ReadRepair, Recoverable, Relocated, Run, Subject, Subjects, WriteProtection,
    ZonedHost, count_usable_pages,
};
pub use counters::{
    DeltaCounters, FtlCounters, MergeCounts, ParityCounters, PlacementCounters, SlcCounters, TableCounters,
};
pub use error::FtlError;
pub use exec::{EraseGate, FixedPrograms, JobSlot, JobTable, PlanError, PlanProgress, check_plan};
pub use exec::{any_order, functional};
pub use failing::with_failures;
pub use host_work::{HostLoad, HostWork, IdleInterval, LoadObserver};
pub use map::{OwnersByRule, Share};
pub use mapping::page::PageFtl;
pub use mapping::{BuildMapping, FindZones, KnownFeature, MappingRow};
pub use moded::{check_modes, with_modes};
pub use notice::{JobId, JobNotice, JobState, Urgency};
pub use plan::{
    Bind, Bound, Cause, Frontier, Lpn, MemoryAccess, Outcome, Plan, Route, Scope, Step, Target, Unit, Work,
    count_sectors,
};
pub use policy::refresh::{Admission, HeldData, RefreshRow, RefreshRule};
pub use policy::wear::Swap;
pub use policy::{hot_cold, mode, placement, victim, wear};
pub use rebuild::rebuild;
pub use recovery::{
    DeltaEntry, FoundBlock, FoundFlash, MapRecord, OwnPage, Recovery, RecoveryError, RecoveryRead, Repair,
    SpareArea, Unsettled, Written,
};
pub use refresh::{BlockReport, RefreshTotals, Refreshing};
pub use registry::{
    build, check_filled, exported_pages, mappings, policies, unit_geometry, uses_host_memory, zone_layout,
};
pub use request::{Answer, PageOp, PageRequest, Refusal, TimedRequest};
pub use scanning::{ReadsOver, with_recovery};
pub use slc_mode::SlcMode;
pub use space::{
    CollectionLevels, FillError, Filling, FlashSpace, Ground, GroupCounters, HandleCounters, PlacedWrites,
};
pub use state::archive::Extent;
pub use state::{archive, container};
pub use table_cost::{TableCost, address_bytes};
pub use zone::{AccessKind, HostAccess, ZoneAction, ZoneFacts, ZoneLayout, ZoneState, ZoneTotals};
