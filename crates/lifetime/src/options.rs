//! What is asked of a lifetime study.

use std::path::PathBuf;

use wordline_cell::CellConfig;
use wordline_cell::fence::{CellKind, RestAcceleration, Variation};
use wordline_config::ConfigError;
use wordline_drive::Phase;
use wordline_units::Duration;

use crate::fleet::FleetOptions;
use crate::report::BlockSnapshot;
use crate::timed::TimedOptions;

/// How time is simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fidelity {
    /// Every write is simulated.
    Exact,
    /// Wear is advanced analytically where the mapping is in a steady state.
    Skip {
        /// Relative error of retention that is aimed at, above 0, at most 0.2.
        tolerance: f64,
    },
}

/// What says how long blocks keep data.
#[derive(Clone, Debug, PartialEq)]
pub enum StudiedCells {
    /// The trapped charge of planar cells without a code (FENCE).
    Fence(CellKind),
    /// The errors of the drive's own cells (`[cell]`, `geometry.cell_type`), as many as its code (`[ecc]`) corrects.
    OfDrive,
    /// The errors of cells from a file of their own, as many as the drive's code corrects, or without one the default LDPC code.
    Errors(Box<CellConfig>),
}

/// A lifetime study of a drive under its workload.
#[derive(Clone, Debug)]
pub struct LifetimeOptions {
    /// The cells.
    pub cells: StudiedCells,
    /// Whether heat speeds the recovery of resting cells; of FENCE alone.
    pub rest_acceleration: RestAcceleration,
    /// Temperatures in turn: for how long, and degrees Celsius. Together they cover the horizon.
    pub temperature: Vec<(Duration, f64)>,
    /// Retention that data must have.
    pub required: Duration,
    /// Time that is studied.
    pub horizon: Duration,
    /// Time between two snapshots.
    pub every: Duration,
    /// How often a day the exported capacity is written; `None`: as the workload's arrivals say.
    pub writes_per_day: Option<f64>,
    /// How time is simulated.
    pub fidelity: Fidelity,
    /// Cells that vary from block to block in the drive itself, which refresh goes by; of FENCE alone.
    pub inside: Option<Variation>,
    /// Of how many of the last cycles the rests are that stand for a block, from 1.
    pub rest_cycles: u32,
    /// Drives whose cells vary from block to block, which are studied together with the mean one.
    pub fleet: Option<FleetOptions>,
    /// Samples with a clock; none where the workload's response times are not asked for.
    pub timed: Option<TimedOptions>,
    /// What is kept of a study under way; it has no influence on what is found.
    pub keep: Keep,
}

/// What is kept of a study under way.
#[derive(Clone, Debug, Default)]
pub struct Keep {
    /// Every so many snapshots the watcher is told of all blocks ([`LifetimeEvent::Blocks`]).
    pub blocks_every: Option<u64>,
    /// The file that the state is saved in from time to time, so that the study can be resumed.
    pub state: Option<PathBuf>,
    /// Go on from that state, where there is one.
    pub resume: bool,
}

/// Most cycles whose rests stand for a block: those further back than their number hardly count.
const MOST_REST_CYCLES: u32 = 16;
/// The longest sample with a clock.
const LONGEST_SAMPLE: Duration = Duration(86_400_000_000_000);
/// Bytes of snapshots of all blocks that may be held back until a skip is checked.
const MOST_HELD: u64 = 1 << 30;
/// Bytes of a block in such a snapshot, about.
const HELD_BLOCK: u64 = 64;

impl LifetimeOptions {
    /// Checks that the snapshots of all of so many blocks fit into memory while a skip is checked.
    ///
    /// # Errors
    /// They do not.
    pub(crate) fn check_held(&self, blocks: u32) -> Result<(), ConfigError> {
        let (Some(every), Fidelity::Skip { .. }) = (self.keep.blocks_every, self.fidelity) else {
            return Ok(());
        };
        let snapshots = self.horizon.ns() / self.every.ns();
        // a skip at most doubles wear, so that about half of all snapshots may fall into one
        let half = snapshots / every / 2;
        let most = MOST_HELD / (HELD_BLOCK * u64::from(blocks.max(1)));
        if half <= most {
            return Ok(());
        }
        let problem = format!(
            "{snapshots} snapshots, and {blocks} blocks, of which a skip may hold half: they would not fit into {} MB; accepted \
             are numbers from {}, a longer time between snapshots, or no skips",
            MOST_HELD / 1_000_000,
            snapshots / 2 / most.max(1) + 1
        );
        Err(ConfigError::key(None, format!("blocks_every = {every}"), problem))
    }
}

impl Default for LifetimeOptions {
    /// Five years of MLC at 30 degC and one drive write a day, a snapshot every 15 days.
    fn default() -> Self {
        const DAY: Duration = Duration(86_400_000_000_000);
        Self {
            cells: StudiedCells::Fence(CellKind::Mlc2),
            rest_acceleration: RestAcceleration::Off,
            temperature: vec![(Duration(u64::MAX), 30.0)],
            required: DAY * 365,
            horizon: DAY * 5 * 365,
            every: DAY * 15,
            writes_per_day: Some(1.0),
            fidelity: Fidelity::Skip { tolerance: 0.02 },
            inside: None,
            rest_cycles: 1,
            fleet: None,
            timed: None,
            keep: Keep::default(),
        }
    }
}

impl LifetimeOptions {
    /// # Errors
    /// A time of zero, snapshots further apart than the horizon, or more than 100,000 of them; a rate or a tolerance out
    /// of range.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let refuse = |holds: bool, subject: String, problem: &str| {
            if holds {
                Ok(())
            } else {
                Err(ConfigError::key(None, subject, problem))
            }
        };
        for (name, time) in [
            ("required", self.required),
            ("horizon", self.horizon),
            ("every", self.every),
        ] {
            refuse(
                time > Duration::ZERO,
                format!("{name} = {time}"),
                "accepted are times above 0 s",
            )?;
        }
        refuse(
            self.every <= self.horizon,
            format!("every = {}", self.every),
            "accepted are times up to the horizon",
        )?;
        refuse(
            self.horizon.ns() / self.every.ns() <= 100_000,
            format!("every = {}", self.every),
            "more than 100,000 snapshots; accepted are longer times",
        )?;
        let covered = self
            .temperature
            .iter()
            .fold(0, |sum: u64, (time, _)| sum.saturating_add(time.ns()));
        refuse(
            covered >= self.horizon.ns() && self.temperature.iter().all(|(time, _)| *time > Duration::ZERO),
            format!("temperature for {}", Duration(covered)),
            &format!(
                "the horizon is {}; accepted are times above 0 s that cover it together",
                self.horizon
            ),
        )?;
        refuse(
            self.keep.blocks_every != Some(0),
            "blocks_every = 0".to_owned(),
            "accepted are numbers of 1 or more",
        )?;
        refuse(
            self.keep.state.is_some() || !self.keep.resume,
            "resume".to_owned(),
            "it needs the file that the state is saved in; accepted is `state` with it",
        )?;
        refuse(
            (1..=MOST_REST_CYCLES).contains(&self.rest_cycles),
            format!("rest_cycles = {}", self.rest_cycles),
            "accepted are numbers from 1 to 16",
        )?;
        if let Some(rate) = self.writes_per_day {
            refuse(
                rate > 0.0 && rate <= 1e5,
                format!("writes_per_day = {rate}"),
                "accepted are numbers above 0, up to 100,000",
            )?;
        }
        if let Some(timed) = self.timed {
            refuse(
                timed.every > 0,
                "samples every 0 snapshots".to_owned(),
                "accepted are numbers of 1 or more",
            )?;
            refuse(
                timed.length > Duration::ZERO && timed.length <= LONGEST_SAMPLE,
                format!("sample length = {}", timed.length),
                "accepted are times above 0 s, up to a day",
            )?;
            refuse(
                timed.end_ratio > 1.0 && timed.end_ratio <= 1e6,
                format!("end ratio = {}", timed.end_ratio),
                "accepted are numbers above 1, up to 1,000,000",
            )?;
        }
        if let Fidelity::Skip { tolerance } = self.fidelity {
            refuse(
                tolerance > 0.0 && tolerance <= 0.2,
                format!("tolerance = {tolerance}"),
                "accepted are numbers above 0, up to 0.2",
            )?;
        }
        Ok(())
    }
}

/// What the watcher of a study is told.
#[derive(Clone, Copy, Debug)]
pub enum LifetimeEvent<'a> {
    /// What is done before the study begins, and the share of it that is done.
    Before(Phase, f64),
    /// How far it has come: after every 65,536 pages written, and at every snapshot.
    Progress(LifetimeProgress),
    /// All blocks at a snapshot, once it cannot be undone any more.
    Blocks(&'a BlockSnapshot),
}

/// How far a study has come.
#[derive(Clone, Copy, Debug)]
pub struct LifetimeProgress {
    /// Share of the horizon.
    pub share: f64,
    /// Pages programmed.
    pub programmed: u64,
}
