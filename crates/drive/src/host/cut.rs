//! Cutting of commands into page-sized pieces.

use wordline_ftl::{Lpn, PageOp, PageRequest};
use wordline_units::SimTime;
use wordline_workload::HostCommand;

use super::Host;
use crate::features::Features;

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

impl<F: Features> Host<F> {
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
            left: u64::from(command.sectors),
        }
    }

    /// Whether a page whose data are in the drive at `moved` may wait for others.
    #[inline]
    pub(crate) fn gathers(&self, now: SimTime, moved: SimTime) -> bool {
        moved > now
            && self
                .interface
                .as_ref()
                .is_some_and(|interface| interface.gather.is_some())
    }

    /// Adds a page whose data are in the drive at `moved` to the group that is being made, which is to be released before if
    /// `moved` is too late for it: then false.
    pub(crate) fn gather(&mut self, page: PageRequest, moved: SimTime) -> bool {
        let interface = self.interface.as_mut();
        let Some(gather) = interface.and_then(|interface| interface.gather.as_mut()) else {
            return false;
        };
        let fits = !gather.is_over(moved);
        if fits {
            gather.add(page, moved);
        }
        fits
    }

    /// The pages that waited for each other, which go on when the data of the last are there.
    #[inline]
    pub(crate) fn take_group(&mut self) -> Option<Vec<(PageRequest, SimTime)>> {
        let gather = self.interface.as_mut()?.gather.as_mut()?;
        gather.take()
    }

    /// Takes the place of a group back, so that nothing is allocated for the next.
    pub(crate) fn give_back_group(&mut self, group: Vec<(PageRequest, SimTime)>) {
        let interface = self.interface.as_mut();
        if let Some(gather) = interface.and_then(|interface| interface.gather.as_mut()) {
            gather.give_back(group);
        }
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
