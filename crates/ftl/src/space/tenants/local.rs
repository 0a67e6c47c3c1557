//! The work of the controllers of packages in plans, where packages have controllers.

use wordline_nand::{Geometry, Ppn};

use super::Tenants;
use crate::local::LocalWork;
use crate::plan::{Plan, Route, Step};

impl Tenants {
    /// Whether packages work on what is planned.
    pub(crate) const fn plans_more(&self) -> bool {
        self.local.is_some()
    }

    /// How pages are moved.
    pub(crate) fn route_of_moves(&self) -> Route {
        LocalWork::route_of_moves(self.local.as_ref())
    }

    /// Plans a read of the host.
    #[inline]
    pub(crate) fn plan_read(&self, geometry: &Geometry, read: Step, plan: &mut Plan) {
        match self.local {
            Some(local) => local.plan_read(geometry, read, plan),
            None => plan.push(read),
        }
    }

    /// Plans what has to be done before a move of `page`, which `read` begins; the bits of the steps.
    #[inline]
    pub(crate) fn plan_before_move(
        &self,
        geometry: &Geometry,
        page: Ppn,
        read: Step,
        plan: &mut Plan,
    ) -> u64 {
        self.local
            .map_or(0, |local| local.plan_move(geometry, page, read, plan))
    }

    /// Plans an erase.
    #[inline]
    pub(crate) fn plan_erase(&self, geometry: &Geometry, first: Ppn, erase: Step, plan: &mut Plan) {
        match self.local {
            Some(local) => local.plan_erase(geometry, first, erase, plan),
            None => plan.push(erase),
        }
    }

    /// Plans what follows a program of the host to `page`, which replaces another one.
    #[inline]
    pub(crate) fn plan_after_write(
        &self,
        geometry: &Geometry,
        program: &Step,
        page: (Ppn, Option<u64>),
        plan: &mut Plan,
    ) {
        if let Some(local) = self.local {
            local.after_write(geometry, program, page, plan);
        }
    }
}
