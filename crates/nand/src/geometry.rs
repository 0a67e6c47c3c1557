//! The organisation of the array: channel, chip, die, plane, block, page, sub-page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use wordline_units::{ByteSize, Divider, SECTOR_BYTES};

use crate::address::{BlockId, ChannelId, ChipId, DieId, PageAddress, PlaneId, Ppn};
use crate::cell_type::CellType;
use crate::page_layout::PageLayout;

/// `[geometry]`: how many of each level the next level holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GeometryConfig {
    /// Channels (command, address and data buses) of the drive.
    pub channels: u32,
    /// Chips (ONFI targets, each with its own chip enable) on a channel.
    pub chips_per_channel: u32,
    /// Packages on a channel; a package only stacks chips. Must divide `chips_per_channel`;
    /// 0 stands for one chip per package.
    pub packages_per_channel: u32,
    /// Dies (ONFI LUNs) in a chip.
    pub dies_per_chip: u32,
    /// Planes in a die.
    pub planes_per_die: u32,
    /// Blocks (erase units) in a plane.
    pub blocks_per_plane: u32,
    /// Pages (program and read units) in a block.
    pub pages_per_block: u32,
    /// Data bytes of a page: a multiple of 512 B, at most 64 sub-pages.
    pub page_size: ByteSize,
    /// Spare bytes of a page (ECC, owner, state).
    pub spare_size: ByteSize,
    /// Bits per cell, which is also the number of page types; each type can have its own latencies.
    pub cell_type: CellType,
    /// Which page of a block is which bit of its cells: `grouped`, `staircase`, or a list of page
    /// types (0 is the lower page) that is repeated over the block.
    pub page_layout: PageLayout,
}

impl Default for GeometryConfig {
    /// Hu et al. 2011, Table 2.
    fn default() -> Self {
        Self {
            channels: 4,
            chips_per_channel: 4,
            packages_per_channel: 0,
            dies_per_chip: 2,
            planes_per_die: 2,
            blocks_per_plane: 2048,
            pages_per_block: 64,
            page_size: ByteSize(2048),
            spare_size: ByteSize(64),
            cell_type: CellType::Slc,
            page_layout: PageLayout::Grouped,
        }
    }
}

/// A geometry that cannot be built: key, value found, what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("geometry.{key} = {found}: {accepted}")]
pub struct GeometryError {
    /// The offending key below `geometry`.
    pub key: &'static str,
    /// Its value.
    pub found: String,
    /// What would be accepted.
    pub accepted: String,
}

/// A checked geometry with its products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Channels of the drive.
    pub channels: u32,
    /// Chips on a channel.
    pub chips_per_channel: u32,
    /// Dies in a chip.
    pub dies_per_chip: u32,
    /// Planes in a die.
    pub planes_per_die: u32,
    /// Blocks in a plane.
    pub blocks_per_plane: u32,
    /// Pages in a block.
    pub pages_per_block: u32,
    /// Data bytes of a page.
    pub page_bytes: u32,
    /// Spare bytes of a page.
    pub spare_bytes: u32,
    /// Pages that are programmed together: 1, unless pages stand for parts of them ([`Self::divided`]).
    pub pages_per_program: u32,
    pages: u64,
    by: Dividers,
}

/// The dimensions that addresses are divided by: the commonest arithmetic of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dividers {
    pages_per_block: Divider,
    blocks_per_plane: Divider,
    planes_per_die: Divider,
    dies_per_chip: Divider,
    dies_per_channel: Divider,
}

impl Geometry {
    /// Checks a configured geometry.
    ///
    /// # Errors
    /// A dimension of zero, a page that is not a whole number of sectors or has more than 64 of
    /// them, packages that do not divide the chips, more than 2^48 pages or 2^32 blocks.
    pub fn new(config: &GeometryConfig) -> Result<Self, GeometryError> {
        let refuse = |key, found: &dyn ToString, accepted: &str| {
            Err(GeometryError {
                key,
                found: found.to_string(),
                accepted: accepted.to_owned(),
            })
        };
        let dimensions = [
            ("channels", config.channels),
            ("chips_per_channel", config.chips_per_channel),
            ("dies_per_chip", config.dies_per_chip),
            ("planes_per_die", config.planes_per_die),
            ("blocks_per_plane", config.blocks_per_plane),
            ("pages_per_block", config.pages_per_block),
        ];
        for (key, value) in dimensions {
            if value == 0 {
                return refuse(key, &value, "must be at least 1");
            }
        }
        let blocks: u128 = dimensions[..5].iter().map(|(_, n)| u128::from(*n)).product();
        let pages = blocks * u128::from(config.pages_per_block);
        if pages > 1 << 48 {
            return refuse(
                "channels x ... x pages_per_block",
                &pages,
                "at most 2^48 pages in the drive",
            );
        }
        if blocks >= u128::from(u32::MAX) {
            return refuse(
                "channels x ... x blocks_per_plane",
                &blocks,
                "fewer than 2^32 - 1 blocks in the drive",
            );
        }
        if config.pages_per_block > 1 << 15 {
            return refuse("pages_per_block", &config.pages_per_block, "at most 32768");
        }
        let sector = u64::from(SECTOR_BYTES);
        let page = config.page_size.bytes();
        if page == 0 || !page.is_multiple_of(sector) || page / sector > 64 {
            return refuse(
                "page_size",
                &config.page_size,
                "a multiple of 512 B from 512 B to 32 KiB",
            );
        }
        if config.spare_size.bytes() > page {
            return refuse("spare_size", &config.spare_size, "at most the page size");
        }
        if config.packages_per_channel != 0
            && !config
                .chips_per_channel
                .is_multiple_of(config.packages_per_channel)
        {
            return refuse(
                "packages_per_channel",
                &config.packages_per_channel,
                "a divisor of chips_per_channel",
            );
        }
        let by = Dividers {
            pages_per_block: Divider::new(config.pages_per_block),
            blocks_per_plane: Divider::new(config.blocks_per_plane),
            planes_per_die: Divider::new(config.planes_per_die),
            dies_per_chip: Divider::new(config.dies_per_chip),
            dies_per_channel: Divider::new(config.chips_per_channel * config.dies_per_chip),
        };
        Ok(Self {
            pages: pages as u64,
            by,
            channels: config.channels,
            chips_per_channel: config.chips_per_channel,
            dies_per_chip: config.dies_per_chip,
            planes_per_die: config.planes_per_die,
            blocks_per_plane: config.blocks_per_plane,
            pages_per_block: config.pages_per_block,
            page_bytes: page as u32,
            spare_bytes: config.spare_size.bytes() as u32,
            pages_per_program: 1,
        })
    }

    /// The same array with planes that work independently: each is a die of one plane. Pages, blocks
    /// and planes keep their numbers.
    #[must_use]
    pub const fn with_independent_planes(mut self) -> Self {
        self.dies_per_chip *= self.planes_per_die;
        self.planes_per_die = 1;
        self.by.planes_per_die = Divider::new(self.planes_per_die);
        self.by.dies_per_chip = Divider::new(self.dies_per_chip);
        self.by.dies_per_channel = Divider::new(self.dies_per_channel());
        self
    }

    /// The same array with so many blocks in a plane, at least 1.
    #[must_use]
    pub const fn with_blocks_per_plane(mut self, blocks: u32) -> Self {
        self.blocks_per_plane = blocks;
        self.by.blocks_per_plane = Divider::new(blocks);
        self.pages = self.planes() as u64 * self.pages_per_plane();
        self
    }

    /// The same array with so many pages in a block, at least 1.
    #[must_use]
    pub const fn with_pages_per_block(mut self, pages: u32) -> Self {
        self.pages_per_block = pages;
        self.by.pages_per_block = Divider::new(pages);
        self.pages = self.planes() as u64 * self.pages_per_plane();
        self
    }

    /// The same array with each page divided into `parts` equal ones, which are programmed together: part i of page p is
    /// page `p * parts + i`. `parts` is at least 1 and divides the sectors of a page.
    #[must_use]
    pub const fn divided(mut self, parts: u32) -> Self {
        self.pages_per_block *= parts;
        self.page_bytes /= parts;
        self.spare_bytes /= parts;
        self.pages *= parts as u64;
        self.pages_per_program *= parts;
        self.by.pages_per_block = Divider::new(self.pages_per_block);
        self
    }

    /// The same array with `count` successive pages of a block taken for one: page p stands for the pages from `p * count` on,
    /// and sub-page i of it for the whole page i of these. `count` is from 1 to 64 and divides the pages of a block. Blocks keep
    /// their numbers; bytes are not those of the array.
    #[must_use]
    pub const fn grouped(mut self, count: u32) -> Self {
        self.pages_per_block /= count;
        self.page_bytes = count * SECTOR_BYTES;
        self.pages /= count as u64;
        self.by.pages_per_block = Divider::new(self.pages_per_block);
        self
    }

    /// The array as superblocks: blocks of `pages_per_block` pages, each of which stands for one block of each of `members` planes.
    /// The planes are taken for one die, whose planes are the groups of planes with superblocks of their own. `members` divides the
    /// planes of the drive.
    #[must_use]
    pub const fn striped(mut self, members: u32, pages_per_block: u32) -> Self {
        self.planes_per_die = self.planes() / members;
        (self.channels, self.chips_per_channel, self.dies_per_chip) = (1, 1, 1);
        self.pages_per_block = pages_per_block;
        self.pages = self.planes() as u64 * self.pages_per_plane();
        self.by.pages_per_block = Divider::new(self.pages_per_block);
        self.by.planes_per_die = Divider::new(self.planes_per_die);
        self.by.dies_per_chip = Divider::new(1);
        self.by.dies_per_channel = Divider::new(1);
        self
    }

    /// The same array with the planes of each die taken for one: its block i stands for block i of every plane of the die, and page
    /// `r * planes_per_die + p` of it for page r of the block in plane p.
    #[must_use]
    pub const fn with_merged_planes(mut self) -> Self {
        self.pages_per_block *= self.planes_per_die;
        self.planes_per_die = 1;
        self.by.pages_per_block = Divider::new(self.pages_per_block);
        self.by.planes_per_die = Divider::new(1);
        self
    }

    /// Chips in the drive.
    #[must_use]
    pub const fn chips(&self) -> u32 {
        self.channels * self.chips_per_channel
    }

    /// Dies in the drive.
    #[must_use]
    pub const fn dies(&self) -> u32 {
        self.chips() * self.dies_per_chip
    }

    /// Dies on one channel.
    #[must_use]
    pub const fn dies_per_channel(&self) -> u32 {
        self.chips_per_channel * self.dies_per_chip
    }

    /// Planes in the drive.
    #[must_use]
    pub const fn planes(&self) -> u32 {
        self.dies() * self.planes_per_die
    }

    /// Blocks in the drive.
    #[must_use]
    pub const fn blocks(&self) -> u32 {
        self.planes() * self.blocks_per_plane
    }

    /// Pages in the drive.
    #[must_use]
    pub const fn pages(&self) -> u64 {
        self.pages
    }

    /// Pages in a plane.
    #[must_use]
    pub const fn pages_per_plane(&self) -> u64 {
        self.blocks_per_plane as u64 * self.pages_per_block as u64
    }

    /// Sub-pages (512-byte sectors) of a page, 1 to 64.
    #[must_use]
    pub const fn sectors_per_page(&self) -> u32 {
        self.page_bytes / SECTOR_BYTES
    }

    /// Bitmap with one set bit for every sub-page of a page.
    #[must_use]
    pub const fn full_bitmap(&self) -> u64 {
        u64::MAX >> (64 - self.sectors_per_page())
    }

    /// Raw data bytes of the drive, spare areas aside.
    #[must_use]
    pub const fn raw_bytes(&self) -> u64 {
        self.pages() * self.page_bytes as u64
    }

    /// The channel that a die hangs on.
    #[must_use]
    #[inline]
    pub const fn channel_of(&self, die: DieId) -> ChannelId {
        ChannelId(self.by.dies_per_channel.divide(die.0 as u64) as u32)
    }

    /// The chip that holds a die.
    #[must_use]
    #[inline]
    pub const fn chip_of(&self, die: DieId) -> ChipId {
        ChipId(self.by.dies_per_chip.divide(die.0 as u64) as u32)
    }

    /// The die that holds a plane.
    #[must_use]
    #[inline]
    pub const fn die_of(&self, plane: PlaneId) -> DieId {
        DieId(self.by.planes_per_die.divide(plane.0 as u64) as u32)
    }

    /// The plane that holds a block.
    #[must_use]
    #[inline]
    pub const fn plane_of(&self, block: BlockId) -> PlaneId {
        PlaneId(self.by.blocks_per_plane.divide(block.0 as u64) as u32)
    }

    /// The block that holds a page.
    #[must_use]
    #[inline]
    pub const fn block_of(&self, page: Ppn) -> BlockId {
        BlockId(self.by.pages_per_block.divide(page.0) as u32)
    }

    /// Index of a page in its block.
    #[must_use]
    #[inline]
    pub const fn page_in_block(&self, page: Ppn) -> u32 {
        self.page_of_block(page, self.block_of(page))
    }

    /// Index in its block of a page whose block is known.
    #[must_use]
    #[inline]
    pub const fn page_of_block(&self, page: Ppn, block: BlockId) -> u32 {
        (page.0 - block.0 as u64 * self.pages_per_block as u64) as u32
    }

    /// Index of a block in its plane.
    #[must_use]
    #[inline]
    pub const fn block_in_plane(&self, block: BlockId) -> u32 {
        block.0 % self.blocks_per_plane
    }

    /// The page of index `page` in `block`.
    #[must_use]
    #[inline]
    pub const fn page(&self, block: BlockId, page: u32) -> Ppn {
        Ppn(block.0 as u64 * self.pages_per_block as u64 + page as u64)
    }

    /// The block of index `block` in `plane`.
    #[must_use]
    #[inline]
    pub const fn block(&self, plane: PlaneId, block: u32) -> BlockId {
        BlockId(plane.0 * self.blocks_per_plane + block)
    }

    /// Spells a page out by level.
    #[must_use]
    pub const fn address(&self, page: Ppn) -> PageAddress {
        let block = self.block_of(page);
        let plane = self.plane_of(block);
        let die = self.die_of(plane);
        let chip = self.chip_of(die);
        PageAddress {
            channel: self.channel_of(die).0,
            chip: chip.0 % self.chips_per_channel,
            die: die.0 % self.dies_per_chip,
            plane: plane.0 % self.planes_per_die,
            block: self.block_in_plane(block),
            page: self.page_in_block(page),
        }
    }

    /// The flat plane of a (channel, chip, die, plane) coordinate.
    #[must_use]
    pub const fn plane_at(&self, channel: u32, chip: u32, die: u32, plane: u32) -> PlaneId {
        PlaneId(
            ((channel * self.chips_per_channel + chip) * self.dies_per_chip + die) * self.planes_per_die
                + plane,
        )
    }
}
