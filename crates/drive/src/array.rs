//! The flash array of the drive: channels, dies, the operations that wait for them, and the commands that they execute.
//!
//! A [`FlashArray`] knows neither the host nor the FTL. The kernel gives it operations ([`FlashArray::plan`]), puts them into queues, has it
//! make a command of some of them (`merge.rs`, `slots.rs`) and issue that (`issue.rs`); it tells the kernel which operations have ended
//! (`completion.rs`). What is suspended is in [`suspension`], how reliable pages are in [`reliability`].

mod chips;
mod choice;
pub(crate) mod classes;
mod command;
mod completion;
mod counting;
mod ending;
pub(crate) mod flash;
mod in_package;
mod issue;
mod load;
mod merge;
mod moving;
mod operation_times;
mod operations;
pub(crate) mod packages;
mod plane_reads;
mod queueing;
mod reading_planes;
pub(crate) mod reliability;
mod shared_reads;
mod sharing;
mod slots;
pub(crate) mod suspension;
mod unit_load;
mod watts;

pub(crate) use chips::in_reference;
pub(crate) use choice::Choice;
pub(crate) use completion::{Ended, Follows};
pub(crate) use operations::Planned;
pub(crate) use queueing::die_of_unit;
pub(crate) use reliability::reading::Decoding;
pub(crate) use unit_load::UnitState;

use wordline_config::{BusyGrain, Config};
use wordline_ftl::{DynamicOrder, FixedPrograms, Mapping, Planes};
use wordline_nand::{
    CommandsConfig, ConfigError, Geometry, PageTypes, RestrictionsConfig, Timing, Use, WordLines,
};

use crate::features::{Features, Optional};
use crate::operation::{Op, OpId};
use crate::table::Table;
use chips::Chips;
use command::Command;
use flash::Flash;
use load::Loads;
pub(crate) use operation_times::OperationTimes;
use packages::Packages;
use plane_reads::PlaneReads;
use reliability::Reliability;
use shared_reads::SharedReads;
use suspension::Suspension;

/// Channels and dies, the operations in the drive, and the commands in execution.
pub(crate) struct FlashArray<F: Features> {
    /// Channels, dies and units, and the queues of operations.
    flash: Flash,
    /// The operations in the drive.
    ops: Table<Op>,
    /// Programs whose page was fixed when they were planned: in which order those of a block start.
    fixed: FixedPrograms<OpId>,
    /// What the chips may be told, and how long it takes.
    chips: Chips,
    /// How long operations take, as schedulers of requests count on.
    operation_times: OperationTimes,
    /// Which pages of open blocks are on flash, where word lines are programmed as wholes.
    word_lines: Optional<WordLines, F::Options>,
    commands: CommandsConfig,
    restrictions: RestrictionsConfig,
    /// The command in the making.
    command: Command,
    /// Where programs go that may go anywhere.
    order: DynamicOrder,
    /// Whether the planes of a die work in step.
    in_step: bool,
    /// Whether moves of collection keep their channel until their array step has ended.
    moves_hold_channel: bool,
    /// What is suspended, if anything can be.
    suspension: Optional<Box<Suspension>, F::Options>,
    /// How reliable pages are and what reading them takes, if that is modelled.
    reliability: Optional<Box<Reliability>, F::Options>,
    /// Work of the host, where policies of modes see it.
    loads: Optional<Box<Loads>, F::Options>,
    /// The inside of packages, where these have controllers.
    packages: Optional<Box<Packages>, F::Options>,
    /// Which planes read, where they do so on their own.
    plane_reads: Optional<Box<PlaneReads>, F::Options>,
    /// Which reads share one of the same page, where pages hold several units.
    shared_reads: Option<Box<SharedReads>>,
}

/// The turns of a drive that nothing was written to yet.
pub(crate) fn dynamic_order(config: &Config, geometry: Geometry) -> DynamicOrder {
    let (commands, _) = config.commands.resolve(&geometry);
    DynamicOrder::new(
        geometry,
        config.array_allocation().order,
        commands.interleave || config.nand.independent_planes,
        commands.multi_plane_write != Use::Off,
    )
}

impl<F: Features> FlashArray<F> {
    /// The array of a configuration, whose pages hold what `ftl` tells.
    ///
    /// # Errors
    /// Suspension that cannot be built.
    pub(crate) fn new(
        config: &Config,
        ftl: &dyn Mapping,
        (page_types, timing): (PageTypes, Timing),
        reliability: Option<Box<Reliability>>,
    ) -> Result<Self, ConfigError> {
        let geometry = *ftl.geometry();
        let (commands, _) = config.commands.resolve(&geometry);
        let flash = Flash::new(geometry, chip_is_unit(config, &commands));
        let suspension = Suspension::new(config, &timing, &page_types, &flash)?;
        let order = dynamic_order(config, geometry);
        let has_modes = !config.modes.is_empty();
        let loads = has_modes.then(|| Box::new(Loads::new(flash.units.len())));
        let packages = Packages::new(config, &geometry, &page_types)?;
        let chips = Chips::new(config, ftl, page_types, timing);
        let operation_times = OperationTimes::new(
            &chips.timing,
            &chips.page_types,
            config.modes.len() as u8,
            geometry.pages_per_block,
            geometry.sectors_per_page(),
        );
        Ok(Self {
            flash,
            ops: Table::new(),
            fixed: FixedPrograms::default(),
            chips,
            operation_times,
            word_lines: Optional::new(WordLines::new(config.nand.program, config.geometry.cell_type)),
            restrictions: config.restrictions.clone(),
            commands,
            command: Command::default(),
            order,
            in_step: config.allocation.planes == Planes::InStep,
            moves_hold_channel: config.scheduler.collection_holds_channel,
            suspension: Optional::new(suspension),
            reliability: Optional::new(reliability),
            loads: Optional::new(loads),
            packages: Optional::new(packages.map(Box::new)),
            plane_reads: Optional::new(PlaneReads::new(config, &geometry).map(Box::new)),
            shared_reads: (ftl.unit_geometry().pages_per_program > 1).then(Box::default),
        })
    }

    /// Channels, dies and units, and the queues of operations.
    #[inline]
    pub(crate) fn flash(&self) -> &Flash {
        &self.flash
    }

    /// The operations in the drive.
    #[inline]
    pub(crate) fn ops(&self) -> &Table<Op> {
        &self.ops
    }

    #[inline]
    pub(crate) fn geometry(&self) -> &Geometry {
        &self.flash.geometry
    }

    /// How long commands take.
    #[inline]
    pub(crate) fn timing(&self) -> &Timing {
        &self.chips.timing
    }

    #[inline]
    pub(crate) fn page_types(&self) -> &PageTypes {
        &self.chips.page_types
    }

    /// How reliable pages are, if that is modelled.
    pub(crate) fn reliability(&self) -> Option<&Reliability> {
        self.reliability.as_ref().map(|reliability| &**reliability)
    }

    /// What is left of the reliability of pages when a run is over; the next one starts at time zero.
    pub(crate) fn into_reliability(mut self) -> Option<Box<Reliability>> {
        let mut reliability = self.reliability.take()?;
        reliability.idle();
        Some(reliability)
    }

    /// Whether programs, and erases, can be suspended; `None` where nothing can.
    pub(crate) fn suspendable(&self) -> Option<(bool, bool)> {
        self.suspension.as_ref().map(|suspension| suspension.suspends())
    }
}

/// Whether the dies of a chip become busy as one.
pub(crate) fn chip_is_unit(config: &Config, commands: &CommandsConfig) -> bool {
    let one_by_one = config.scheduler.busy_grain == BusyGrain::Chip || !commands.interleave;
    one_by_one && !config.nand.independent_planes
}
