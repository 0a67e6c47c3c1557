//! Reads behind their die: in the decoder, and waiting for a further attempt.

use wordline_metrics::{CommandKind, Constituent};
use wordline_units::SimTime;

use super::finding::Finding;
use super::{Audit, Outstanding};

impl Audit {
    /// The data of a read have left its die: they must have been moved there.
    pub(super) fn check_decoding(&mut self, at: SimTime, constituent: &Constituent) -> Finding {
        self.check_clock(at)?;
        let die = &mut self.dies[constituent.die.index()];
        let Some(read) = take(&mut die.outstanding, CommandKind::Read, constituent) else {
            let what = "its data are decoded, and it was never issued";
            return Err(self.describe(CommandKind::Read, constituent, what));
        };
        if at < read.ready {
            let what = format!("its data are decoded before they can be, at {}", read.ready);
            return Err(self.describe(CommandKind::Read, constituent, &what));
        }
        die.decoding.push(read);
        Ok(())
    }

    /// The data of a read were not decoded: it must be issued again before it is done.
    pub(super) fn check_retried(&mut self, at: SimTime, constituent: &Constituent) -> Finding {
        self.check_clock(at)?;
        let die = &mut self.dies[constituent.die.index()];
        if take(&mut die.decoding, CommandKind::Read, constituent).is_none() {
            let what = "it is tried again, and its data were never decoded";
            return Err(self.describe(CommandKind::Read, constituent, what));
        }
        die.to_be_retried.push(constituent.page);
        self.pages.end(constituent);
        Ok(())
    }

    /// A read is issued: if one of its page is to be tried again, this is it.
    pub(super) fn retry(&mut self, constituent: &Constituent) {
        let waiting = &mut self.dies[constituent.die.index()].to_be_retried;
        if let Some(index) = waiting.iter().position(|page| *page == constituent.page) {
            waiting.remove(index);
        }
    }
}

/// Takes an operation of a page out of a list. The spare area of a page may be read while its data are decoded.
pub(super) fn take(
    operations: &mut Vec<Outstanding>,
    kind: CommandKind,
    constituent: &Constituent,
) -> Option<Outstanding> {
    let index = operations.iter().position(|operation| {
        operation.kind == kind
            && operation.page == constituent.page
            && operation.brings_data == constituent.brings_data
    })?;
    Some(operations.remove(index))
}
