//! What modes promise: programs take the time of their mode, and a page is read in the mode in which it was programmed.

use wordline_config::{Config, Reference};
use wordline_ftl::{Folding, Inspect, Subjects};
use wordline_metrics::{CommandKind, Constituent, IssuedCommand};
use wordline_nand::{
    BlockId, Geometry, Mode, PageTypes, PerPageType, Ppn, ProgramOrder, Timing, TimingModel,
};
use wordline_units::Duration;

use super::finding::Finding;
use super::pages::asks_before;

/// The longest wait between a command and the array's work (tWB) where the configuration does not set it.
const LONGEST_WAIT: Duration = Duration(200);

/// The modes of the pages of a block.
#[derive(Clone, Debug)]
enum OfBlock {
    /// It is erased.
    Erased,
    /// All have this one.
    Same(Mode),
    /// By page.
    Each(Box<[Mode]>),
}

/// Times of programs as the configuration gives them, and the modes of all pages.
#[derive(Debug)]
pub(super) struct Modes {
    geometry: Geometry,
    page_types: PageTypes,
    /// By mode.
    programs: Vec<PerPageType>,
    /// How much longer a program may take: the wait before the array, and the move of a cached page.
    wait: Duration,
    register_move: Duration,
    /// Where word lines are programmed as wholes: what bringing the data of a page that is not the last one takes, and of a word line a
    /// second time.
    word_line: Option<(Duration, Duration)>,
    /// Whether a copy-back may program its page in another mode than that of its source: out of an SLC cache.
    copies_fold: bool,
    /// By block; empty where there is one mode only.
    of_block: Vec<OfBlock>,
}

impl Modes {
    /// The modes of a drive; none in the ideal references, whose programs take other times than the configuration says.
    ///
    /// `watch` is told the share that was looked at, and ends it by returning false.
    pub(super) fn new(
        config: &Config,
        page_types: &PageTypes,
        ftl: &dyn Inspect,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Option<Self> {
        if config.scheduler.reference != Reference::None {
            return None;
        }
        let of_modes = config.modes.iter().map(|mode| config.program_time_of_mode(mode));
        let programs: Result<Vec<_>, _> = std::iter::once(Ok(config.timing.t_prog.clone()))
            .chain(of_modes)
            .collect();
        let geometry = *ftl.geometry();
        let blocks = if config.modes.is_empty() {
            0
        } else {
            geometry.blocks()
        };
        let pages = geometry.pages_per_block;
        let goes_on = |block: &u32| {
            let share = || f64::from(*block) / f64::from(blocks);
            !asks_before(*block, pages) || watch(share())
        };
        let of_block = (0..blocks)
            .take_while(goes_on)
            .map(|block| OfBlock::new(&geometry, BlockId(block), ftl));
        Some(Self {
            geometry,
            page_types: page_types.clone(),
            programs: programs.ok()?,
            wait: match config.timing.model {
                TimingModel::Onfi => config.timing.t_wb.unwrap_or(LONGEST_WAIT),
                TimingModel::TwoStep => Duration::ZERO,
            },
            register_move: config.timing.t_cbsy,
            word_line: word_line(config, &geometry, page_types),
            copies_fold: config.ftl.slc_cache.folding == Folding::CopyBack,
            of_block: of_block.collect(),
        })
    }

    /// A command has been issued: its pages are in the modes that they should be in, and its array steps are as long.
    pub(super) fn check(&mut self, command: &IssuedCommand<'_>) -> Finding {
        for page in command.constituents {
            self.check_page(command.kind, page)?;
        }
        if command.kind != CommandKind::Program {
            return Ok(());
        }
        let moved = if command.cached {
            self.register_move
        } else {
            Duration::ZERO
        };
        for array in command.arrays {
            let pages = command.constituents.iter().filter(|page| page.die == array.die);
            let least = pages
                .map(|page| self.program_time(page))
                .max()
                .unwrap_or_default();
            let length = array.to.since(array.from);
            let most = least + self.wait + moved;
            if length < least || length > most {
                return Err(format!(
                    "a program in {} takes {length}; its pages and modes ask for {least} to {most}",
                    array.die
                ));
            }
        }
        Ok(())
    }

    fn check_page(&mut self, kind: CommandKind, page: &Constituent) -> Finding {
        if self.of_block.is_empty() {
            return Ok(());
        }
        let expected = match kind {
            CommandKind::Erase => {
                self.of_block[page.block.index()] = OfBlock::Erased;
                return Ok(());
            }
            CommandKind::Program => page.mode,
            CommandKind::CopyBack => {
                let source = page.source.unwrap_or(page.page);
                let of_source = self.of(source);
                if page.read_mode != of_source {
                    return Err(format!(
                        "a copy-back reads {} in mode {}, while its data are in mode {}",
                        self.geometry.address(source),
                        page.read_mode.0,
                        of_source.0
                    ));
                }
                if self.copies_fold && page.mode == Mode::NORMAL {
                    page.mode
                } else {
                    of_source
                }
            }
            CommandKind::Read => self.of(page.page),
        };
        let (of_block, at) = (
            &mut self.of_block[page.block.index()],
            self.geometry.page_of_block(page.page, page.block),
        );
        of_block.set(at, page.mode, self.geometry.pages_per_block);
        if page.mode == expected {
            return Ok(());
        }
        Err(format!(
            "{kind:?} of {} in mode {}, while its data are in mode {}",
            self.geometry.address(page.page),
            page.mode.0,
            expected.0
        ))
    }

    /// The mode of a page.
    fn of(&self, page: Ppn) -> Mode {
        let block = self.geometry.block_of(page);
        match &self.of_block[block.index()] {
            OfBlock::Erased => Mode::NORMAL,
            OfBlock::Same(mode) => *mode,
            OfBlock::Each(modes) => modes[self.geometry.page_of_block(page, block) as usize],
        }
    }

    fn program_time(&self, page: &Constituent) -> Duration {
        let of_block = self.geometry.page_of_block(page.page, page.block);
        let place = self.page_types.of(of_block).index();
        let of_type = |place: usize| match &self.programs[page.mode.index()] {
            PerPageType::All(time) => *time,
            PerPageType::Each(times) => times[place],
        };
        let last = self.page_types.cell().bits() as usize - 1;
        // pages in other modes are programmed one by one
        match self.word_line.filter(|_| page.mode == Mode::NORMAL) {
            None => of_type(place),
            Some((load, _)) if place < last => load,
            Some((_, again)) => (0..=last).map(of_type).fold(again, |sum, time| sum + time),
        }
    }
}

impl OfBlock {
    /// As an FTL tells.
    fn new(geometry: &Geometry, block: BlockId, ftl: &dyn Inspect) -> Self {
        if ftl.block_use(block).free == ftl.unit_geometry().pages_per_block {
            return Self::Erased;
        }
        if let Some(mode) = ftl.page_modes().and_then(|modes| modes.block_mode(block)) {
            return Self::Same(mode);
        }
        let modes: Vec<Mode> = (0..geometry.pages_per_block)
            .map(|page| ftl.mode_of(geometry.page(block, page)))
            .collect();
        match modes.first() {
            Some(first) if modes.iter().all(|mode| mode == first) => Self::Same(*first),
            _ => Self::Each(modes.into()),
        }
    }

    /// A page is in a mode from now on.
    fn set(&mut self, page: u32, mode: Mode, pages: u32) {
        match self {
            Self::Erased => *self = Self::Same(mode),
            Self::Same(same) if *same == mode => {}
            Self::Same(same) => {
                let mut modes = vec![*same; pages as usize];
                modes[page as usize] = mode;
                *self = Self::Each(modes.into());
            }
            Self::Each(modes) => modes[page as usize] = mode,
        }
    }
}

/// See [`Modes::word_line`].
fn word_line(config: &Config, geometry: &Geometry, page_types: &PageTypes) -> Option<(Duration, Duration)> {
    let again = match config.nand.program {
        ProgramOrder::Page => return None,
        ProgramOrder::OneShot => Duration::ZERO,
        ProgramOrder::TwoStep => {
            let timing = Timing::new(&config.timing, geometry, page_types).ok()?;
            let page = timing.program_setup(timing.bytes(geometry.sectors_per_page()));
            page * u64::from(page_types.cell().bits())
        }
    };
    Some((config.timing.t_dbsy, again))
}
