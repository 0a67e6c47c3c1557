//! Whole commands: how long they hold the bus, and when the array of each die starts.

use wordline_units::Duration;

use super::{Timing, TimingModel, per_pair};
use crate::address::DieId;
use crate::mode::Mode;
use crate::page_types::PageType;

/// What the constituents of a command do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Page read; the data leave later (`Timing::data_out`).
    Read,
    /// Page program.
    Program,
    /// Block erase.
    Erase,
    /// First half of a copy-back: page to register.
    CopyBackRead,
    /// Second half: register, with the new data of each part, to page.
    CopyBackProgram,
}

/// One constituent of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its die. Parts of one die are planes of one multi-plane command and stand together.
    pub die: DieId,
    /// Bytes moved in with the command: of a program, or the new bytes of a copy-back.
    pub bytes: u64,
    /// Type of the page.
    pub page_type: PageType,
    /// Mode of the page.
    pub mode: Mode,
}

/// The array step of a command in one die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayStep {
    /// Which die.
    pub die: DieId,
    /// Its start, counted from the start of the command's bus step.
    pub from: Duration,
    /// Its length.
    pub length: Duration,
}

impl Timing {
    /// Lays out a command: basic (one part), multi-plane (parts of one die), interleaved (parts of
    /// several dies of a chip), or both. Returns how long the bus is held, in one piece, and puts
    /// into `arrays` (cleared first) one array step for each die, in the order of the parts; it
    /// starts at the end of the bus step of the die's last part. Only in `two_step` the reads and
    /// erases of an interleaved command are one indivisible step, as its cycle counts are (array
    /// specification, section 2.1): all arrays start at its end.
    pub fn issue(&self, operation: Operation, parts: &[Part], arrays: &mut Vec<ArrayStep>) -> Duration {
        arrays.clear();
        if let [part] = parts {
            let (bus, array) = self.issue_one(operation, part);
            arrays.push(array);
            return bus;
        }
        let dies = parts.chunk_by(|a, b| a.die == b.die);
        let several_dies = parts.first().map(|part| part.die) != parts.last().map(|part| part.die);
        let combined = self.combined_bus
            && operation == Operation::Program
            && several_dies
            && parts
                .chunk_by(|a, b| a.die == b.die)
                .any(|planes| planes.len() > 1);
        let mut bus = Duration::ZERO;
        if combined {
            let longest = parts.iter().map(|part| part.bytes).max().unwrap_or(0);
            bus = self.program_setup(longest);
        }
        for (index, planes) in dies.enumerate() {
            if !combined {
                bus += self.bus_of_die(operation, planes, index == 0, several_dies);
            }
            arrays.push(ArrayStep {
                die: planes[0].die,
                from: bus,
                length: self.array_of_die(operation, planes),
            });
        }
        if self.model == TimingModel::TwoStep && matches!(operation, Operation::Read | Operation::Erase) {
            for array in arrays {
                array.from = bus;
            }
        }
        bus
    }

    /// As [`Self::issue`], for a basic command: how long the bus is held, and the array step.
    #[must_use]
    #[inline]
    pub fn issue_one(&self, operation: Operation, part: &Part) -> (Duration, ArrayStep) {
        let parts = std::slice::from_ref(part);
        let bus = self.bus_of_die(operation, parts, true, false);
        let array = ArrayStep {
            die: part.die,
            from: bus,
            length: self.array_of_die(operation, parts),
        };
        (bus, array)
    }

    /// Bus time of the parts of one die.
    #[inline]
    fn bus_of_die(&self, operation: Operation, planes: &[Part], first: bool, several_dies: bool) -> Duration {
        let count = planes.len() as u64;
        let gaps = count - 1;
        match operation {
            Operation::Read => {
                let start = if first {
                    self.read_setup()
                } else {
                    self.read_setup_more(false)
                };
                start + self.read_setup_more(true) * gaps
            }
            Operation::CopyBackRead => self.copyback_first() * count + self.plane_gap_onfi() * gaps,
            Operation::Program => planes.iter().fold(self.between_planes() * gaps, |time, part| {
                time + self.program_setup(part.bytes)
            }),
            Operation::CopyBackProgram => planes.iter().fold(self.between_planes() * gaps, |time, part| {
                time + self.copyback_second(part.bytes)
            }),
            Operation::Erase if !several_dies => self.erase_setup(planes.len() as u32),
            // half of the command for two dies each; beyond two planes in proportion (ours)
            Operation::Erase if count == 1 => self.command_cycles(self.cycles.interleave_erase2.div_ceil(2)),
            Operation::Erase => {
                let per_die = self.cycles.interleave_multi_plane_erase2.div_ceil(2);
                self.command_cycles(per_pair(per_die, count)) + self.plane_gap_onfi() * gaps
            }
        }
    }

    /// Array time of the parts of one die: planes run together, the slowest decides.
    #[inline]
    fn array_of_die(&self, operation: Operation, planes: &[Part]) -> Duration {
        match operation {
            Operation::Erase => self.erase_array(),
            Operation::Read | Operation::CopyBackRead => {
                longest(planes, |part| self.read_array(part.mode, part.page_type))
            }
            Operation::Program | Operation::CopyBackProgram => {
                longest(planes, |part| self.program_array(part.mode, part.page_type))
            }
        }
    }
}

fn longest(planes: &[Part], time: impl Fn(&Part) -> Duration) -> Duration {
    planes.iter().map(time).max().unwrap_or(Duration::ZERO)
}
