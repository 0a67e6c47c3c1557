//! From a configuration to the reliability of a drive.

use std::ops::Range;

use rustc_hash::FxHashSet;
use wordline_cell::{Disturbances, LaterPrograms, PageState, ProgramDisturb, RberModel};
use wordline_config::{Config, ReliabilityError};
use wordline_ecc::{Thresholds, needed_from};
use wordline_ftl::Inspect;
use wordline_nand::{BlockId, PageTypes, Use};
use wordline_units::{Seed, SimTime};

use super::disturbing_programs::DisturbingPrograms;
use super::learning::Learning;
use super::pages::{Features, Pages};
use super::{Decoder, Reliability};

impl Reliability {
    /// The reliability of a drive that has the past which `ftl` tells of, `now` being the time of its life at which
    /// the run starts; none without a code.
    ///
    /// # Errors
    /// A value that is refused.
    pub(crate) fn new(
        config: &Config,
        page_types: &PageTypes,
        ftl: &dyn Inspect,
        written: impl Fn(BlockId) -> SimTime,
    ) -> Result<Option<Box<Self>>, ReliabilityError> {
        let geometry = *ftl.geometry();
        let Some((cells, codes)) = config.reliability(&geometry)? else {
            return Ok(None);
        };
        let seed = Seed(config.seed);
        let features = Features {
            by_page_type: config.cell.rber.by_page_type,
            read_disturb: config.cell.rber.model == RberModel::PowerLaw
                && config.cell.rber.read_disturb.is_some(),
            copy_back: config.commands.copyback != Use::Off,
            redone: config.cell.rber.redone_phase.is_some(),
            slc: config.slc_mode()?.map(|slc| slc.mode),
        };
        let programs = program_disturb(config).map(|disturb| {
            DisturbingPrograms::new(geometry, page_types, config.nand.program, disturb.strings)
        });
        // the page of a full block that its programs have disturbed most; which one it is depends on neither cycles nor age
        let rate = |programs: &LaterPrograms| {
            let (reads, programs) = (0, *programs);
            cells.nominal(1.0, 0.0, Disturbances { reads, programs })
        };
        let of_full_block = programs.iter().flat_map(DisturbingPrograms::of_full_block);
        let most_disturbed = Disturbances {
            reads: 0,
            programs: of_full_block
                .max_by(|a, b| rate(a).total_cmp(&rate(b)))
                .unwrap_or_default(),
        };
        let weakest = config.weakest_factors(&cells)?;
        let initial = config.age.initial_cycles;
        let model = |thresholds: &Thresholds, class: u8, cycles: Range<u32>| {
            let at = if cycles.contains(&initial) {
                initial
            } else {
                cycles.start
            };
            needed_from(thresholds, |age_days| {
                // of the type of page that has most errors
                let of_type = |page| PageState {
                    factor: weakest[usize::from(class).min(weakest.len() - 1)] as f32,
                    cycles: at,
                    age_days,
                    disturbed: most_disturbed,
                    redone: 0,
                    step: class,
                    page,
                };
                let types = if features.by_page_type {
                    page_types.cell().bits() as u8
                } else {
                    1
                };
                (0..types)
                    .map(|page| cells.rber(&of_type(page)))
                    .fold(0.0, f64::max)
            })
        };
        let learning = Learning::new(codes.first(), config.block_classes(&geometry)?, &geometry, model)?;
        let mut pages = Pages::new(
            cells,
            geometry,
            page_types.clone(),
            &features,
            programs,
            |block| ftl.block_use(block).erase_count,
        );
        let units_per_page = ftl.unit_geometry().pages_per_program;
        for block in (0..geometry.blocks()).map(BlockId) {
            let programmed = geometry.pages_per_block - ftl.block_use(block).free / units_per_page;
            pages.set_programmed(block, written(block), programmed);
        }
        Ok(Some(Box::new(Self {
            pages,
            learning,
            codes,
            seed,
            reads: 0,
            decoders: vec![Decoder::default(); geometry.channels as usize],
            lost: FxHashSet::default(),
        })))
    }
}

/// Errors that programs bring to other pages, where they do.
fn program_disturb(config: &Config) -> Option<ProgramDisturb> {
    let rber = &config.cell.rber;
    rber.program_disturb.filter(|_| rber.model == RberModel::PowerLaw)
}
