//! The keys of the mapping of superblocks over several planes.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use wordline_nand::{Geometry, PlaneId};

use crate::allocation::Level;
use crate::config::FtlConfig;
use crate::error::FtlError;

/// Members of a superblock: all are erased by the steps of one plan.
const MOST_MEMBERS: u32 = 64;
/// Pages of a superblock: the table of blocks counts them in 15 bits.
const MOST_PAGES: u32 = (1 << 15) - 1;

/// The levels that a superblock extends over, the one over which successive pages are spread first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub(super) struct Span(Vec<Level>);

/// A text that is no list of levels.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "`{0}` names no levels of a superblock: write some of C (channel), W (chip), D (die), P (plane), each once, \
     fastest-varying first, for example \"CP\""
)]
pub(super) struct SpanError(String);

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Self, SpanError> {
        let mut levels = Vec::new();
        for letter in text.chars() {
            let level = Level::of_letter(letter).filter(|level| !levels.contains(level));
            levels.push(level.ok_or_else(|| SpanError(text.to_owned()))?);
        }
        if levels.is_empty() {
            return Err(SpanError(text.to_owned()));
        }
        Ok(Self(levels))
    }
}

impl TryFrom<String> for Span {
    type Error = SpanError;

    fn try_from(text: String) -> Result<Self, SpanError> {
        text.parse()
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|level| write!(f, "{}", level.letter()))
    }
}

impl From<Span> for String {
    fn from(span: Span) -> Self {
        span.to_string()
    }
}

/// How many of a level there are in the next.
const fn size(flash: &Geometry, level: Level) -> u32 {
    match level {
        Level::Channel => flash.channels,
        Level::Chip => flash.chips_per_channel,
        Level::Die => flash.dies_per_chip,
        Level::Plane => flash.planes_per_die,
    }
}

impl Span {
    /// Blocks of a superblock.
    pub(super) fn members(&self, flash: &Geometry) -> u32 {
        self.0.iter().map(|level| size(flash, *level)).product()
    }

    /// The group of a plane, and which member of it the plane is.
    pub(super) fn place(&self, flash: &Geometry, plane: PlaneId) -> (u32, u32) {
        let die = flash.die_of(plane);
        let chip = flash.chip_of(die);
        let index = |level: Level| match level {
            Level::Channel => flash.channel_of(die).0,
            Level::Chip => chip.0 % flash.chips_per_channel,
            Level::Die => die.0 % flash.dies_per_chip,
            Level::Plane => plane.0 % flash.planes_per_die,
        };
        let number = |levels: &[Level]| {
            let of_level = levels.iter().rev();
            of_level.fold(0, |number, level| number * size(flash, *level) + index(*level))
        };
        let all = [Level::Plane, Level::Die, Level::Chip, Level::Channel];
        let others: Vec<Level> = all.into_iter().filter(|level| !self.0.contains(level)).collect();
        (number(&others), number(&self.0))
    }

    /// Checks that superblocks of a drive are not too large, and have room for data beside their parity.
    fn check(&self, flash: &Geometry, parity: Parity) -> Result<(), FtlError> {
        let members = self.members(flash);
        if members < 2 && parity != Parity::None {
            let accepted = format!("\"none\" where a superblock has one block: ftl.span = \"{self}\"");
            return Err(FtlError::new(
                "ftl.parity",
                format!("\"{}\"", parity.name()),
                accepted,
            ));
        }
        let pages = u64::from(members) * u64::from(flash.pages_per_block);
        if members <= MOST_MEMBERS && pages <= u64::from(MOST_PAGES) {
            return Ok(());
        }
        let accepted = format!(
            "fewer levels: a superblock has at most {MOST_MEMBERS} blocks and {MOST_PAGES} pages, and here it had {members} blocks with {pages} \
             pages (geometry)"
        );
        Err(FtlError::new("ftl.span", format!("\"{self}\""), accepted))
    }
}

/// Which page of a superpage holds the exclusive or of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Parity {
    /// None.
    #[default]
    None,
    /// That of the last member.
    Fixed,
    /// That of member i modulo k, in superpage i of k members (RAID-5).
    Rotating,
}

impl Parity {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Fixed => "fixed",
            Self::Rotating => "rotating",
        }
    }

    /// The member with the parity of a superpage.
    pub(super) const fn member(self, superpage: u32, members: u32) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Fixed => Some(members - 1),
            Self::Rotating => Some(superpage % members),
        }
    }
}

/// What a flush does about the parity of superpages that are not complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Partial {
    /// Nothing: it stays in the controller, in memory that keeps it without power (assumed).
    #[default]
    Keep,
    /// Pages without data complete the superpage, and its parity is programmed.
    Pad,
}

/// What becomes of a superblock when something of one of its members has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum BadMember {
    /// None of its blocks is used any more.
    #[default]
    Retire,
    /// A spare block of the same plane stands for the bad one.
    Substitute,
    /// It goes on without the bad one.
    Degrade,
}

impl BadMember {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Retire => "retire",
            Self::Substitute => "substitute",
            Self::Degrade => "degrade",
        }
    }
}

/// Keys of `striped`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct StripedKeys {
    /// `striped`: the levels that a superblock extends over: C channel, W chip, D die, P plane. It has one block of each plane that differs from the others in
    /// these levels alone, all of one index. Successive pages go over the level that is named first, then over the next: `"CP"` goes
    /// over the channels and then to the next plane of their dies. With P, the planes of a die are in step and take one command.
    pub(super) span: Span,
    /// `striped`: which page of a superpage holds the parity of the others. It is programmed as soon as they all have their pages; that of a superpage that is not complete stays in the controller.
    pub(super) parity: Parity,
    /// `striped`: what a flush does about superpages of host writes that are not complete: `"keep"` leaves their parity in the controller, in memory that keeps it without power (assumed; given up when a drive with `ftl.recovery.kind` is built anew after a power cut, with which superpages that are not complete have none); `"pad"` completes them with pages without data,
    /// with the cause `padding`, and waits for their parity.
    pub(super) partial_superpages: Partial,
    /// `striped`: what becomes of a superblock when something of one of its blocks has failed, once its current pages have been moved: `"retire"`: none of its blocks is used any more; `"substitute"`: a spare block of the
    /// same plane (`ftl.spare_blocks`) stands for the bad one, and where there is none the superblock is retired; `"degrade"`: its superpages have a page less from then on, and with a second bad block it is retired.
    pub(super) bad_member: BadMember,
    /// `striped`: blocks of each plane that belong to no superblock until they stand for a bad one; with `ftl.bad_member = "substitute"`, which needs at least 1. They take their space from the spare one: `ftl.over_provisioning` stays a share of all pages.
    #[schemars(range(max = wordline_keys::limits::MANY))]
    pub(super) spare_blocks: u32,
    /// `striped`: so many pages of a block that could not be read make it a bad one, which is not read any more: its data are computed from the others of their superpages at once, and with `ftl.bad_member = "substitute"` they are
    /// programmed anew on a spare block. At least 1; needs parity and `ftl.gc.reserve_blocks` of 2. Without it blocks are bad by failed programs and erases alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = wordline_keys::limits::MANY))]
    pub(super) unreadable_pages: Option<u32>,
    /// `striped`: whether a page that the host has read as a whole, and whose data had to be computed from the others of its superpage, is programmed anew at once (cause `repair`); needs parity. Otherwise it stays where it is until it is
    /// written or moved.
    pub(super) rewrite_recovered: bool,
}

impl Default for StripedKeys {
    /// VIA (Tai, Flash Memory Summit 2016) has superblocks over the channels, and the planes of a die with them for full width (FTL specification, 2.8).
    fn default() -> Self {
        Self {
            span: Span(vec![Level::Channel, Level::Plane]),
            parity: Parity::None,
            partial_superpages: Partial::Keep,
            bad_member: BadMember::Retire,
            spare_blocks: 0,
            unreadable_pages: None,
            rewrite_recovered: false,
        }
    }
}

impl StripedKeys {
    /// Those of a configuration.
    ///
    /// # Errors
    /// Superblocks of more than 64 blocks or 32767 pages; parity of superblocks of one block; padding, or what is done about unreadable pages, without parity; blocks that are not read any more with a reserve of one; spare blocks without use, or too many.
    pub(super) fn of(config: &FtlConfig, flash: &Geometry) -> Result<Self, FtlError> {
        let keys = config.keys.read::<Self>();
        keys.span.check(flash, keys.parity)?;
        let has_parity = keys.parity != Parity::None;
        if keys.partial_superpages == Partial::Pad && !has_parity {
            let accepted =
                "\"keep\" without parity (ftl.parity): there is nothing to complete a superpage for";
            return Err(FtlError::new("ftl.partial_superpages", "\"pad\"", accepted));
        }
        keys.check_spares(flash)?;
        match keys.unreadable_pages {
            Some(0) => Err(FtlError::new("ftl.unreadable_pages", 0, "at least 1")),
            Some(pages) if !has_parity => {
                let accepted =
                    "none without parity (ftl.parity): nothing else has the data of a block that is not read";
                Err(FtlError::new("ftl.unreadable_pages", pages, accepted))
            }
            Some(_) if config.gc.reserve_blocks < 2 => {
                let accepted = "at least 2 with ftl.unreadable_pages: collection may lose the superblock that it empties, and needs another one to go on";
                Err(FtlError::new(
                    "ftl.gc.reserve_blocks",
                    config.gc.reserve_blocks,
                    accepted,
                ))
            }
            _ if keys.rewrite_recovered && !has_parity => {
                let accepted = "false without parity (ftl.parity): no page is computed";
                Err(FtlError::new("ftl.rewrite_recovered", true, accepted))
            }
            _ => Ok(keys),
        }
    }

    fn check_spares(&self, flash: &Geometry) -> Result<(), FtlError> {
        let spare = self.spare_blocks;
        if self.bad_member == BadMember::Substitute && spare == 0 {
            let accepted = "at least 1 with ftl.bad_member = \"substitute\"";
            return Err(FtlError::new("ftl.spare_blocks", spare, accepted));
        }
        if self.bad_member != BadMember::Substitute && spare > 0 {
            let accepted = format!(
                "0 with ftl.bad_member = \"{}\": nothing would take them",
                self.bad_member.name()
            );
            return Err(FtlError::new("ftl.spare_blocks", spare, accepted));
        }
        if spare >= flash.blocks_per_plane {
            let accepted = format!(
                "less than the {} blocks of a plane (geometry)",
                flash.blocks_per_plane
            );
            return Err(FtlError::new("ftl.spare_blocks", spare, accepted));
        }
        if self.bad_member == BadMember::Degrade
            && self.span.members(flash) < 2 + u32::from(self.parity != Parity::None)
        {
            let accepted = format!(
                "\"retire\" or \"substitute\": a superblock without one of its {} blocks (ftl.span = \"{}\") has none for data",
                self.span.members(flash),
                self.span
            );
            return Err(FtlError::new("ftl.bad_member", "\"degrade\"", accepted));
        }
        Ok(())
    }
}
