//! Modes of pages: in which mode a page is programmed that the host writes. One file for each policy; their table is in
//! `registry`.

pub(crate) mod by_load;
pub(crate) mod by_temperature;
pub(crate) mod fixed;

use wordline_keys::{Entry, Keys, Parameters};
use wordline_nand::{Mode, Ppn};
use wordline_units::SimTime;

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
}

/// Decides on the modes of pages.
pub trait ModePolicy: Send {
    /// The mode in which a step for the host programs its page: asked when the program is about to start or, where its page is
    /// fixed, when it is planned.
    fn mode(&mut self, view: &ModeView<'_>) -> Mode;

    /// A time without operations of the host has ended, in a unit or in the whole drive. Told in the order of the ends, before the
    /// next call of [`Self::mode`]; not in functional mode.
    fn idle_ended(&mut self, _interval: &IdleInterval) {}

    /// Passes what it remembers to a state file, or takes it from one.
    ///
    /// # Errors
    /// As for `Archive::part`.
    fn archive(&mut self, _archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// The modes of a drive by name.
#[derive(Clone, Copy, Debug)]
pub struct ModeNames<'a> {
    /// Those beside the normal one.
    names: &'a [String],
}

impl<'a> ModeNames<'a> {
    /// The modes of these names, from number 1.
    pub(crate) const fn new(names: &'a [String]) -> Self {
        Self { names }
    }

    /// The mode of a name, which is the value of a key.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn find(&self, key: &'static str, name: &str) -> Result<Mode, FtlError> {
        if name == Mode::NORMAL_NAME {
            return Ok(Mode::NORMAL);
        }
        let place = self.names.iter().position(|known| known == name);
        place
            .and_then(|place| u8::try_from(place + 1).ok())
            .map(Mode)
            .ok_or_else(|| {
                let known: Vec<String> = self.names.iter().map(|name| format!("\"{name}\"")).collect();
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
pub type BuildModePolicy = fn(&Parameters<ModeRow>, &ModeNames<'_>) -> Result<Box<dyn ModePolicy>, FtlError>;

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
