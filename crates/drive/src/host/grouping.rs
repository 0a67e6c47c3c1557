//! Pages of a write that wait for each other on the link.

use wordline_ftl::PageRequest;
use wordline_units::SimTime;

use super::Host;
use crate::features::Features;

impl<F: Features> Host<F> {
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
