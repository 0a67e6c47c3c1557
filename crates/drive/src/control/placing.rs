//! Pages for programs: bound when they start, or placed when they are ready.

use wordline_ftl::{Bind, Bound, Ftl, Step};
use wordline_nand::PlaneId;
use wordline_units::SimTime;

use super::unplaced::Unplaced;
use super::{Aligned, Control};
use crate::features::Features;

impl<F: Features> Control<F> {
    /// Binds a step to a page of a plane.
    #[inline]
    pub(crate) fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        self.is_called = true;
        self.ftl.bind(now + self.epoch, step, plane)
    }

    /// Has the FTL choose the page of a program that is ready; it may make a plan of further steps.
    pub(crate) fn place(&mut self, now: SimTime, step: &Step) -> Bind {
        self.is_called = true;
        self.ftl.place(now + self.epoch, step, &mut self.plan)
    }

    /// Whether programs whose pages are known form commands of several planes.
    pub(crate) fn joins_placed_programs(&self) -> bool {
        self.facts.joins_placed_programs
    }

    /// The programs that wait for a page.
    pub(crate) fn unplaced(&self) -> &Unplaced {
        &self.unplaced
    }

    #[inline]
    pub(crate) fn unplaced_mut(&mut self) -> &mut Unplaced {
        &mut self.unplaced
    }

    /// Binds steps to pages of several planes that one command may program: the page of each, if the FTL has such pages.
    pub(crate) fn bind_aligned(
        &mut self,
        now: SimTime,
        steps: impl Iterator<Item = (Step, PlaneId)>,
    ) -> Option<&[Option<Bound>]> {
        self.is_called = true;
        let Aligned { steps: of, bound } = &mut self.aligned;
        of.clear();
        of.extend(steps);
        bound.clear();
        let is_aligned = self.ftl.bind_aligned(now + self.epoch, of, bound);
        is_aligned.then_some(&bound[..])
    }
}
