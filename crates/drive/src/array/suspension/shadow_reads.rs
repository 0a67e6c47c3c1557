//! Reads of what is being programmed, from the shadow buffer.

use wordline_ftl::Lpn;
use wordline_nand::{Ppn, Suspendable};
use wordline_units::Duration;

use crate::array::FlashArray;
use crate::features::Features;
use crate::operation::NONE;

impl<F: Features> FlashArray<F> {
    /// The page to which the newest data of a logical page are being programmed, where they can be read from the die.
    #[inline]
    pub(crate) fn shadow_page(&self, lpn: Lpn) -> Option<Ppn> {
        let shadow = self.suspension.as_ref()?.shadow.as_ref()?;
        Some(self.ops[shadow.in_array(lpn)?].page)
    }

    /// The time that a read of `page` takes from the shadow buffer, if it is there: no sensing.
    pub(super) fn shadow_time(&self, unit: usize, page: Ppn) -> Option<Duration> {
        let suspension = self.suspension.as_ref()?;
        suspension.shadow.as_ref()?;
        let (Suspendable::Program, frame) = suspension.units[unit].stack.top()? else {
            return None;
        };
        frame.parts.iter().find_map(|part| {
            let mut id = part.first;
            while id != NONE {
                let op = &self.ops[id];
                if op.page == page {
                    return Some(suspension.rules.shadow);
                }
                id = op.next;
            }
            None
        })
    }
}
