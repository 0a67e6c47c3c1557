//! Cutting of commands into page-sized pieces.

use wordline_config::Config;
use wordline_ftl::{AccessKind, HostAccess, Lpn, PageOp, PageRequest, ZoneAction};
use wordline_nand::Geometry;
use wordline_units::{Divider, SECTOR_BYTES};
use wordline_workload::{HostCommand, HostOp};

/// The pieces of a command, in the order of their addresses: a page each, but for the run of whole pages of a TRIM, which is
/// one piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pieces {
    op: PageOp,
    placement: u16,
    command_sectors: u32,
    per_page: u64,
    /// The next page, the sector in it, and the sectors that are left from there on.
    page: u64,
    first: u64,
    left: u64,
}

impl Iterator for Pieces {
    type Item = PageRequest;

    #[inline]
    fn next(&mut self) -> Option<PageRequest> {
        if self.left == 0 {
            return None;
        }
        let count = (self.per_page - self.first).min(self.left);
        let mut pages = 1;
        if self.op == PageOp::Trim && count == self.per_page {
            pages = self.left / self.per_page;
        }
        let piece = PageRequest {
            op: self.op,
            lpn: Lpn(self.page),
            pages,
            bitmap: (u64::MAX >> (64 - count)) << self.first,
            placement: self.placement,
            class: 0,
            command_sectors: self.command_sectors,
        };
        self.page += pages;
        self.first = 0;
        self.left -= count + (pages - 1) * self.per_page;
        Some(piece)
    }
}

/// How a drive divides commands: by its pages, within its sectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cutter {
    sectors_per_page: u64,
    per_page: Divider,
    /// Sectors that the drive exports.
    user_sectors: u64,
    /// Longest command, in sectors.
    longest: u32,
    /// Whether TRIM deallocates.
    trims: bool,
}

impl Cutter {
    /// That of a drive which exports `user_pages` pages of `geometry`.
    pub(crate) fn new(config: &Config, geometry: &Geometry, user_pages: u64) -> Self {
        let is_zoned = matches!(config.zone_layout(geometry), Ok(Some(_)));
        let sectors_per_page = geometry.sectors_per_page();
        let longest = config
            .host
            .max_transfer
            .map_or(u64::MAX, |size| size.bytes() / u64::from(SECTOR_BYTES));
        Self {
            sectors_per_page: u64::from(sectors_per_page),
            per_page: Divider::new(sectors_per_page),
            user_sectors: user_pages * u64::from(sectors_per_page),
            longest: u32::try_from(longest).unwrap_or(u32::MAX),
            // a zone holds what was written until it is reset: zeroes are written at its pointer
            trims: config.ftl.trim.enabled && !is_zoned,
        }
    }

    /// The logical page that a sector lies in.
    #[inline]
    pub(crate) fn page_of(&self, sector: u64) -> u64 {
        // within any drive there is; what lies beyond it is refused later
        if sector < 1 << 57 {
            self.per_page.divide(sector)
        } else {
            sector / self.sectors_per_page
        }
    }

    /// Pages of a request, in each of which it has a piece; a TRIM has three pieces at most.
    pub(super) fn pages_of(&self, command: &HostCommand) -> u64 {
        match self.op_of(command) {
            Some(PageOp::Read | PageOp::Write) => self.page_of(u64::from(command.sectors)) + 1,
            Some(PageOp::Trim | PageOp::Zone(_)) | None => 3,
        }
    }

    /// Whether a command touches several pages wherever it begins.
    #[inline]
    pub(super) fn has_several_pages(&self, command: &HostCommand) -> bool {
        u64::from(command.sectors) > self.sectors_per_page
    }

    /// Whether a command reaches beyond the last sector.
    #[inline]
    pub(crate) fn is_beyond(&self, command: &HostCommand) -> bool {
        let end = command.sector.saturating_add(u64::from(command.sectors));
        command.op != HostOp::Flush && end > self.user_sectors
            || command.op.manages_zone() && command.sector >= self.user_sectors
    }

    /// What a command asks of pages; `None` of a flush.
    #[inline]
    pub(crate) fn op_of(&self, command: &HostCommand) -> Option<PageOp> {
        match command.op {
            HostOp::Read => Some(PageOp::Read),
            HostOp::Write | HostOp::ZoneAppend => Some(PageOp::Write),
            // zeroes must be written where nothing is deallocated
            HostOp::WriteZeroes if !self.trims => Some(PageOp::Write),
            // pages that are not mapped read as zeroes
            HostOp::Trim | HostOp::WriteZeroes => Some(PageOp::Trim),
            HostOp::Flush => None,
            HostOp::ZoneOpen => Some(PageOp::Zone(ZoneAction::Open)),
            HostOp::ZoneClose => Some(PageOp::Zone(ZoneAction::Close)),
            HostOp::ZoneFinish => Some(PageOp::Zone(ZoneAction::Finish)),
            HostOp::ZoneReset => Some(PageOp::Zone(ZoneAction::Reset)),
        }
    }

    /// As how many commands a request is sent: several where it moves more data than one may.
    #[inline]
    pub(crate) fn commands_in(&self, request: &HostCommand) -> u32 {
        let moves_data = matches!(request.op, HostOp::Read | HostOp::Write);
        if moves_data && request.sectors > self.longest {
            request.sectors.div_ceil(self.longest)
        } else {
            1
        }
    }

    /// One of several commands of a request, counted from 0.
    pub(crate) fn part(&self, request: HostCommand, index: u32) -> HostCommand {
        let done = index * self.longest;
        HostCommand {
            sector: request.sector + u64::from(done),
            sectors: (request.sectors - done).min(self.longest),
            ..request
        }
    }

    /// Cuts a command into the pages that it touches.
    #[inline]
    pub(crate) fn pieces(&self, command: &HostCommand, op: PageOp) -> Pieces {
        let page = self.page_of(command.sector);
        Pieces {
            op,
            placement: command.placement,
            command_sectors: command.sectors,
            per_page: self.sectors_per_page,
            page,
            first: command.sector - page * self.sectors_per_page,
            left: match op {
                // a zone as a whole is one piece, at its first page
                PageOp::Zone(_) => self.sectors_per_page,
                _ => u64::from(command.sectors),
            },
        }
    }

    /// A command as it is admitted where commands are admitted as a whole.
    pub(crate) fn access(&self, command: &HostCommand, op: PageOp) -> HostAccess {
        let kind = match op {
            PageOp::Read => AccessKind::Read,
            PageOp::Write if command.op == HostOp::ZoneAppend => AccessKind::Append,
            PageOp::Write => AccessKind::Write,
            PageOp::Trim => AccessKind::Deallocate,
            PageOp::Zone(action) => AccessKind::Manage(action),
        };
        let end = command.sector + u64::from(command.sectors);
        let first = self.page_of(command.sector);
        let within = |sector: u64| (sector - self.page_of(sector) * self.sectors_per_page) as u32;
        let behind = within(end);
        HostAccess {
            kind,
            lpn: Lpn(first),
            pages: if end > command.sector {
                self.page_of(end - 1) + 1 - first
            } else {
                1
            },
            head: within(command.sector),
            tail: if behind > 0 {
                self.sectors_per_page as u32 - behind
            } else {
                0
            },
        }
    }

    /// The first sector of a page.
    pub(crate) fn sector_of(&self, page: Lpn) -> u64 {
        page.0 * self.sectors_per_page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of 8 sectors, worked by hand.
    #[test]
    fn pieces_by_hand() {
        let pieces = |op, page, first, left| {
            let pieces = Pieces {
                op,
                placement: 0,
                command_sectors: left as u32,
                per_page: 8,
                page,
                first,
                left,
            };
            pieces
                .map(|piece| (piece.lpn.0, piece.pages, piece.bitmap))
                .collect::<Vec<_>>()
        };
        let ends = [(2, 1, 0b1110_0000), (3, 1, 0xff), (4, 1, 0xff), (5, 1, 0b11)];
        assert_eq!(pieces(PageOp::Write, 2, 5, 21), ends);
        let trimmed = [(2, 1, 0b1110_0000), (3, 2, 0xff), (5, 1, 0b11)];
        assert_eq!(pieces(PageOp::Trim, 2, 5, 21), trimmed);
        assert_eq!(pieces(PageOp::Trim, 7, 0, 24), [(7, 3, 0xff)]);
        assert_eq!(pieces(PageOp::Read, 7, 2, 3), [(7, 1, 0b11100)]);
        assert!(pieces(PageOp::Read, 7, 2, 0).is_empty());
    }
}
