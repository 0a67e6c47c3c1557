//! Suspension: what may leave the array of a die, over what, and in which order it comes back.

use wordline_metrics::{CommandKind, Constituent, ResumedArray, SuspendedArray};
use wordline_nand::{DieId, Mode};

use super::finding::Finding;
use super::{Audit, DieUse};

/// A command starts in a die: what is suspended there must allow it.
pub(super) fn check_start(die: &DieUse, id: DieId, kind: CommandKind) -> Finding {
    let below = die.suspended.iter().flatten().map(|operation| operation.kind);
    for below in below {
        let fits = match kind {
            CommandKind::Read => true,
            CommandKind::Program | CommandKind::CopyBack => below == CommandKind::Erase,
            CommandKind::Erase => false,
        };
        if !fits {
            return Err(format!(
                "a {kind:?} starts in {id}, where a {below:?} is suspended"
            ));
        }
    }
    Ok(())
}

impl Audit {
    /// A read starts, perhaps over a program that is suspended: that must not work on the cells of the page. Pages in another mode than the normal one
    /// are programmed one by one.
    pub(super) fn check_cells(&self, read: &Constituent) -> Finding {
        let Some(lines) = self.word_lines.filter(|_| read.mode == Mode::NORMAL) else {
            return Ok(());
        };
        let place = |page| self.geometry.page_in_block(page);
        let is_cut = self.dies[read.die.index()]
            .suspended
            .iter()
            .flatten()
            .any(|other| {
                other.kind == CommandKind::Program
                    && self.geometry.block_of(other.page) == read.block
                    && lines.works_on(place(other.page), place(read.page))
            });
        if is_cut {
            return Err("the program of its word line is suspended".to_owned());
        }
        Ok(())
    }

    pub(super) fn check_suspended(&mut self, array: &SuspendedArray) -> Finding {
        self.check_clock(array.at)?;
        let Some(die) = self.dies.get_mut(array.die.index()) else {
            return Err(format!("no {}", array.die));
        };
        if array.kind == CommandKind::Read {
            return Err(format!("a {:?} is suspended in {}", array.kind, array.die));
        }
        let runs = |operation: &super::Outstanding| operation.kind == array.kind;
        if die.outstanding.is_empty() || !die.outstanding.iter().all(runs) {
            return Err(format!(
                "a {:?} is suspended in {}, where none runs",
                array.kind, array.die
            ));
        }
        check_start(die, array.die, array.kind)?;
        let mut leaving = std::mem::take(&mut die.outstanding);
        for operation in &mut leaving {
            // its data may be sent again
            operation.ready = array.at;
        }
        die.suspended.push(leaving);
        if die.suspended.len() > 2 {
            return Err(format!("three operations are suspended in {}", array.die));
        }
        die.array_to = array.at;
        Ok(())
    }

    pub(super) fn check_resumed(&mut self, array: &ResumedArray) -> Finding {
        self.check_clock(array.at)?;
        let Some(die) = self.dies.get_mut(array.die.index()) else {
            return Err(format!("no {}", array.die));
        };
        if let Some(operation) = die.outstanding.first() {
            return Err(format!(
                "a {:?} is resumed in {} before a {:?} is done",
                array.kind, array.die, operation.kind
            ));
        }
        let top = die.suspended.pop().unwrap_or_default();
        if top.first().map(|operation| (operation.kind, operation.page)) != Some((array.kind, array.page)) {
            return Err(format!(
                "a {:?} is resumed in {} that was not suspended there last",
                array.kind, array.die
            ));
        }
        die.array_to = array.to;
        die.cached = None;
        die.outstanding = top;
        for operation in &mut die.outstanding {
            operation.ready = array.to;
        }
        Ok(())
    }
}
