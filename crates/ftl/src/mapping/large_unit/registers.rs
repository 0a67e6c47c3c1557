//! Unit registers: what the host has written of units that wait for the rest, and the writes of units that are under way.

use crate::contract::FlushMark;

/// Unit registers of the controller. Assumed: 1 MiB of units of 64 KiB, about as much as a page of every plane of a large drive.
pub(super) const MOST_REGISTERS: usize = 16;

/// What the host has written of a unit.
#[derive(Clone, Debug)]
pub(super) struct Register {
    pub(super) unit: u64,
    /// Per page: the sub-pages written.
    pub(super) new: Vec<u64>,
    /// Sectors of the command that came first.
    pub(super) command_sectors: u32,
    /// The number of the newest write among all of the host's, where these are numbered; else 0.
    pub(super) number: u64,
    /// The identifier of the placement handle of its first write; 0 without one.
    pub(super) placement: u16,
    /// How many units were closed before it and with it, where it waits for the end of an earlier write of its unit; otherwise 0, and
    /// it takes part in the turns.
    closed: u64,
}

/// All of them, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Registers {
    list: Vec<Register>,
    /// Units of host writes that were closed.
    closed: u64,
}

impl Registers {
    pub(super) fn list(&self) -> &[Register] {
        &self.list
    }

    /// The register of a unit.
    #[inline]
    pub(super) fn of(&self, unit: u64) -> Option<&Register> {
        self.list.iter().find(|register| register.unit == unit)
    }

    #[inline]
    pub(super) fn of_mut(&mut self, unit: u64) -> Option<&mut Register> {
        self.list.iter_mut().find(|register| register.unit == unit)
    }

    /// Opens a register with the write of a number.
    pub(super) fn open(&mut self, unit: u64, new: Vec<u64>, (command_sectors, number): (u32, u64)) {
        self.list.push(Register {
            unit,
            new,
            command_sectors,
            number,
            placement: 0,
            closed: 0,
        });
    }

    /// The units whose registers are open, oldest first.
    pub(super) fn open_units(&self) -> impl Iterator<Item = u64> {
        let open = self.list.iter().filter(|register| register.closed == 0);
        open.map(|register| register.unit)
    }

    /// The unit whose register gives way to another one, if there are as many as there may be.
    pub(super) fn in_turn(&self) -> Option<u64> {
        let is_full = self.open_units().count() >= MOST_REGISTERS;
        is_full.then(|| self.open_units().next()).flatten()
    }

    /// Takes a register out, which is programmed now; its number among those that were closed.
    pub(super) fn take(&mut self, unit: u64) -> Option<(Register, u64)> {
        let at = self.list.iter().position(|register| register.unit == unit)?;
        let register = self.list.remove(at);
        let number = match register.closed {
            0 => {
                self.closed += 1;
                self.closed
            }
            number => number,
        };
        Some((register, number))
    }

    /// A register is to be programmed once the earlier write of its unit is on flash.
    pub(super) fn postpone(&mut self, unit: u64) {
        let closed = self.closed + 1;
        if let Some(register) = self.of_mut(unit)
            && register.closed == 0
        {
            register.closed = closed;
            self.closed = closed;
        }
    }

    /// Whether the register of a unit waits for an earlier write.
    pub(super) fn is_postponed(&self, unit: u64) -> bool {
        self.of(unit).is_some_and(|register| register.closed > 0)
    }

    /// Forgets sub-pages of a page; a register without any is given up.
    pub(super) fn forget(&mut self, unit: u64, at: usize, sectors: u64) {
        if let Some(register) = self.of_mut(unit) {
            register.new[at] &= !sectors;
            if register.new.iter().all(|new| *new == 0) {
                self.list.retain(|register| register.unit != unit);
            }
        }
    }

    /// The placement identifiers, register by register.
    pub(super) fn placements(&self) -> Vec<u16> {
        self.list.iter().map(|register| register.placement).collect()
    }

    /// Sets them, as they were saved.
    pub(super) fn set_placements(&mut self, placements: &[u16]) {
        for (register, placement) in self.list.iter_mut().zip(placements) {
            register.placement = *placement;
        }
    }

    /// The numbers of the newest writes, register by register.
    pub(super) fn numbers(&self) -> Vec<u64> {
        self.list.iter().map(|register| register.number).collect()
    }

    /// Sets them, as they were saved.
    pub(super) fn set_numbers(&mut self, numbers: &[u64]) {
        for (register, number) in self.list.iter_mut().zip(numbers) {
            register.number = *number;
        }
    }

    /// How far closing has come.
    pub(super) const fn mark(&self) -> FlushMark {
        FlushMark(self.closed)
    }

    /// Whether every register that was closed up to a mark is being programmed.
    pub(super) fn is_closed(&self, mark: FlushMark) -> bool {
        let waits = |register: &Register| register.closed > 0 && register.closed <= mark.0;
        !self.list.iter().any(waits)
    }
}

/// The host writes of a unit that are under way.
#[derive(Clone, Debug)]
pub(super) struct UnitWrites {
    /// How many.
    pub(super) count: u32,
    /// Per page: the sub-pages that they brought.
    pub(super) brought: Vec<u64>,
}
