//! Modes of pages: in which mode a page is programmed that the host writes. One file for each policy; their table is in
//! `registry`.

pub(crate) mod by_load;
pub(crate) mod by_temperature;
pub(crate) mod diffecc;
pub(crate) mod fixed;

use wordline_keys::{Entry, Keys, Parameters};
use wordline_nand::{Mode, Ppn};
use wordline_units::{Duration, SimTime};

use crate::error::FtlError;
use crate::host_work::{HostLoad, IdleInterval};
use crate::plan::Step;
use crate::state::archive::{Archive, ArchiveError};

/// What a policy sees of a program whose mode it decides.
#[derive(Clone, Copy, Debug)]
pub struct ModeView<'a> {
    /// The present moment.
    pub now: SimTime,
    /// The program, a step for the host.
    pub program: &'a Step,
    /// Its page, which has just been chosen.
    pub page: Ppn,
    /// What else the host wants of the drive. `None` where the page was fixed when the program was planned, since it is not known
    /// then what waits when the program starts, and where nothing has a clock (functional mode).
    pub load: Option<&'a HostLoad>,
    /// Programs of the same command that were given their modes before; `load` still counts them as waiting.
    pub bound_before: u32,
}

/// Decides on the modes of pages.
pub trait ModePolicy: Send {
    /// The mode in which a step for the host programs its page: asked when the program is about to start or, where its page is
    /// fixed, when it is planned.
    fn mode(&mut self, view: &ModeView<'_>) -> Mode;

    /// A time without operations of the host has ended, in a unit or in the whole drive. Told in the order of the ends, before the
    /// next call of [`Self::mode`]; not in functional mode.
    fn idle_ended(&mut self, _interval: &IdleInterval) {}

    /// How long an idle interval was expected to be when the mode was decided on last, asked at most once for each decision; none where
    /// the policy expects nothing.
    fn take_expected_idle(&mut self) -> Option<Duration> {
        None
    }

    /// Passes what it remembers to a state file, or takes it from one.
    ///
    /// # Errors
    /// As for `Archive::part`.
    fn archive(&mut self, _archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// What a drive says of one of its modes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedMode {
    /// Its name.
    pub name: String,
    /// Array time of a program (tPROG), the mean over page types.
    pub program_time: Duration,
}

/// The modes of a drive.
#[derive(Clone, Copy, Debug)]
pub struct Modes<'a> {
    /// By number, the normal one first.
    described: &'a [DescribedMode],
}

impl<'a> Modes<'a> {
    /// These modes, the normal one first.
    pub(crate) const fn new(described: &'a [DescribedMode]) -> Self {
        Self { described }
    }

    /// All modes, the normal one first.
    pub fn all(&self) -> impl Iterator<Item = Mode> {
        (0..self.described.len()).map(|number| Mode(number as u8))
    }

    /// What the drive says of a mode that [`Self::all`] or [`Self::find`] gave.
    #[must_use]
    pub fn describe(&self, mode: Mode) -> &'a DescribedMode {
        &self.described[mode.index()]
    }

    /// The mode of a name, which is the value of a key.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn find(&self, key: &'static str, name: &str) -> Result<Mode, FtlError> {
        self.all()
            .find(|mode| self.describe(*mode).name == name)
            .ok_or_else(|| {
                let others = self.described.iter().skip(1);
                let known: Vec<String> = others.map(|mode| format!("\"{}\"", mode.name)).collect();
                let of_drive = if known.is_empty() {
                    "(the drive has no [[modes]])".to_owned()
                } else {
                    format!("or {}", known.join(" or "))
                };
                let accepted = format!("\"{}\" {of_drive}", Mode::NORMAL_NAME);
                FtlError::new(key, format!("\"{name}\""), accepted)
            })
    }
}

/// What makes a policy.
pub type BuildModePolicy = fn(&Parameters<ModeRow>, &Modes<'_>) -> Result<Box<dyn ModePolicy>, FtlError>;

/// A policy of modes in its table.
#[derive(Clone, Copy)]
pub struct ModeRow {
    /// What it says of itself.
    pub entry: Entry,
    /// Makes it, and refuses names of modes that the drive does not have.
    pub build: BuildModePolicy,
}

impl ModeRow {
    /// A policy with these keys in `[ftl.modes]`.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, keys: Keys, build: BuildModePolicy) -> Self {
        Self {
            entry: Entry {
                name,
                help,
                keys,
                reads: &[],
            },
            build,
        }
    }
}

/// `ftl.modes.policy = "normal"`.
pub(crate) const NORMAL: ModeRow = ModeRow::new(
    "normal",
    "Every page that the host writes is programmed in the normal mode.",
    Keys::NONE,
    |_, _| Ok(Box::new(fixed::Fixed(Mode::NORMAL))),
);
