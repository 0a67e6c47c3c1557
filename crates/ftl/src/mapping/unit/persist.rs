//! What the mapping of units saves, loads and is aged by: that of the page-level mapping on the array of units, and what is in
//! the controller.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::UnitFtl;
use super::emptying::{Emptying, Following, Read};
use super::pages::{Change, Unit};
use crate::contract::{Ageable, AssignByRule, Identity, Persist};
use crate::error::FtlError;
use crate::map::OwnersByRule;
use crate::plan::HOST;
use crate::plan::{Frontier, Target};
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent, require};

/// Units of a page register.
#[derive(Serialize, Deserialize)]
struct SavedRegister {
    frontier: u8,
    /// Logical page, sub-pages that hold data, and whether the write was counted.
    units: Vec<(u64, u64, bool)>,
}

/// Units that were read and not programmed: logical page and place.
type SavedRead = Vec<(u64, u64)>;

/// What collection has read ahead in a pool.
#[derive(Serialize, Deserialize)]
struct SavedEmptying {
    read: SavedRead,
    /// Block, next unit, spare units, and what was read of it.
    following: Option<(u32, u32, u32, SavedRead)>,
}

impl UnitFtl {
    fn saved_registers(&self) -> Vec<SavedRegister> {
        let registers = self.pages.registers().map(|(register, token)| {
            let (frontier, _) = self.pages.frontier_and_scope(register);
            let units = self.pages.get(token).map_or(&[][..], |page| &page.units);
            let saved = |unit: &Unit| {
                let counted = matches!(unit.change, Change::Write { counted: true, .. });
                (unit.lpn, unit.sectors, counted)
            };
            SavedRegister {
                frontier,
                units: units.iter().map(saved).collect(),
            }
        });
        registers.collect()
    }

    /// Fills the registers; what belongs to a frontier that there is not goes to that of all host writes.
    fn load_registers(&mut self, registers: Vec<SavedRegister>) -> Result<(), ArchiveError> {
        let (count, most) = (self.units.space.frontiers.count(), self.units_of_register());
        for SavedRegister { frontier, units } in registers {
            let own = Frontier(frontier);
            let frontier = if frontier < count && self.units.space.frontiers.is_of_host(own) {
                own
            } else {
                HOST
            };
            for (lpn, sectors, counted) in units {
                let scope = self.units.placement.scope(crate::plan::Lpn(lpn));
                let identifier = self.units.space.tenants.identifier_of(frontier);
                let token = self.pages.open(frontier, scope, identifier);
                let page = self.pages.page_mut(token);
                let change = Change::Write {
                    here: sectors,
                    version: 0,
                    counted,
                    number: 0,
                };
                page.units.push(Unit { lpn, sectors, change });
                let has_room = page.units.len() < most && matches!(page.target, Target::Frontier { .. });
                require(has_room, "a page register with more than it holds")?;
            }
        }
        Ok(())
    }

    fn loaded_read(&self, saved: SavedRead) -> VecDeque<Read> {
        let read = saved.into_iter().map(|(lpn, source)| {
            let unit = Unit {
                lpn,
                sectors: crate::map::Relocate::sectors(&self.units.map, lpn),
                change: Change::Move(source),
            };
            Read { unit, step: 0 }
        });
        read.collect()
    }

    fn load_emptying(&mut self, saved: SavedEmptying) -> Emptying {
        let read = self.loaded_read(saved.read);
        let following = saved.following.map(|(block, next, spare, read)| {
            self.units.space.blocks.exclude_candidate(block);
            Following {
                block,
                next,
                spare,
                read: self.loaded_read(read),
            }
        });
        Emptying { read, following }
    }

    fn saved_emptying(&self) -> Vec<SavedEmptying> {
        let list = |read: &VecDeque<Read>| -> SavedRead {
            let source = |read: &Read| match read.unit.change {
                Change::Move(source) => (read.unit.lpn, source),
                Change::Write { .. } => (read.unit.lpn, 0),
            };
            read.iter().map(source).collect()
        };
        let saved = |emptying: &Emptying| SavedEmptying {
            read: list(&emptying.read),
            following: emptying.following.as_ref().map(|following| {
                let Following {
                    block, next, spare, ..
                } = *following;
                (block, next, spare, list(&following.read))
            }),
        };
        self.emptying.iter().map(saved).collect()
    }
}

impl Persist for UnitFtl {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        self.units.archive(now, extent, archive)?;
        let mut registers = self.saved_registers();
        archive.part(&mut registers)?;
        if archive.is_loading() {
            self.load_registers(registers)?;
        }
        if self.is_numbered {
            let mut numbers = self.register_numbers();
            archive.part(&mut numbers)?;
            if archive.is_loading() {
                self.set_register_numbers(&numbers);
            }
        }
        if extent == Extent::Everything {
            let mut saved = self.saved_emptying();
            archive.part(&mut saved)?;
            if archive.is_loading() {
                self.emptying = saved.into_iter().map(|saved| self.load_emptying(saved)).collect();
            }
        }
        Ok(())
    }

    fn latest(&self) -> SimTime {
        self.units.latest()
    }

    fn identity(&self) -> Identity {
        self.units.identity()
    }
}

impl Ageable for UnitFtl {
    fn expect_requests(&mut self, pages: u64) {
        self.units.expect_requests(pages);
    }

    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        self.units.set_erase_count(block, erases);
    }

    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        self.units.consume_block(&Filling {
            written: filling.written * self.per_page,
            ..*filling
        })
    }

    fn finish_fill(&mut self, now: SimTime) {
        self.units.finish_fill(now);
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        self.units.check_filled(pages)
    }

    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        self.units.by_rule()
    }

    fn owners_by_rule(&self) -> Option<OwnersByRule> {
        self.units.owners_by_rule()
    }
}
