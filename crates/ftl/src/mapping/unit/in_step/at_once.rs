//! Writes and relocation at once, for an executor without a clock.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::InStepFtl;
use crate::allocation::{KeptDies, RoundRobin};
use crate::contract::{Relocated, Run};
use crate::notice::JobId;
use crate::request::TimedRequest;

impl InStepFtl {
    /// As [`super::super::UnitFtl::write_units`]; the pages on flash.
    pub(super) fn write_rows(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        kept: KeptDies<'_>,
        turns: &mut RoundRobin,
        written: &mut Vec<Ppn>,
    ) -> usize {
        // a program after pages that were given up says so, which is left to plans
        if !self.given_up.is_empty() {
            return 0;
        }
        let first = written.len();
        let count = self.merged.write_units(now, requests, kept, turns, written);
        for page in &mut written[first..] {
            *page = self.layout.page_of_flash(*page);
        }
        count
    }

    /// As [`super::super::UnitFtl::relocate_units`]; the pages on flash, each in a run of its own.
    pub(super) fn relocate_rows(
        &mut self,
        now: SimTime,
        job: JobId,
        most: usize,
        turns: &mut RoundRobin,
        relocated: &mut Relocated,
    ) {
        if !self.given_up.is_empty() {
            return;
        }
        self.merged
            .relocate_units(now, (job.pool(), most), turns, relocated);
        for page in &mut relocated.read {
            *page = self.layout.page_of_flash(*page);
        }
        let runs = std::mem::take(&mut relocated.to);
        let pages = runs
            .iter()
            .flat_map(|run| (run.first.0..).take(run.pages as usize));
        relocated.to = pages
            .map(|page| Run {
                first: self.layout.page_of_flash(Ppn(page)),
                pages: 1,
                copied_back: false,
            })
            .collect();
    }
}
