//! What the flash holds, for probes that keep it: what programs bring, and which programs and erases have failed (`ftl.failures`).

use wordline_ftl::Written;
use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::Observer;
use crate::features::Features;
use crate::operation::{Kind, Op};

impl<F: Features> Observer<F> {
    /// The program that is issued next writes this beside the data of the host.
    pub(crate) fn page_written(&mut self, page: Ppn, written: &Written) {
        for probe in self.probes.iter_mut() {
            probe.page_written(page, written);
        }
    }

    /// A flash operation has failed. It is done all the same.
    #[cold]
    pub(crate) fn operation_failed(&mut self, now: SimTime, op: &Op, kind: Kind) {
        for probe in self.probes.iter_mut() {
            probe.operation_failed(now, kind.into(), &op.constituent());
        }
    }
}
