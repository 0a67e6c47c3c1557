//! The end of steps: a unit takes effect when its last page is on flash, and is programmed anew elsewhere where one failed.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::LargeUnitFtl;
use super::programs::{Data, Program};
use crate::contract::Ftl;
use crate::inflight::NO_TOKEN;
use crate::plan::{Outcome, Plan, Step, Work};

impl LargeUnitFtl {
    /// Notes how a step ended.
    pub(super) fn complete_step(&mut self, now: SimTime, step: &Step, outcome: Outcome, plan: &mut Plan) {
        match step.work {
            Work::Program { .. } if step.token != NO_TOKEN => {
                if let Some(program) = self.programs.end_page(step.token, outcome) {
                    self.end_program(now, program, plan);
                }
            }
            Work::Erase { block } => {
                self.given_up.remove(&block.0);
                self.units.done(now, step, None, outcome, plan);
            }
            _ => self.units.done(now, step, None, outcome, plan),
        }
    }

    /// All pages of a unit were programmed, or given up.
    fn end_program(&mut self, now: SimTime, program: Program, plan: &mut Plan) {
        let Program {
            step,
            data,
            place,
            begun,
            outcome,
            ..
        } = program;
        let mut steps = std::mem::take(&mut self.steps);
        let page = place.map(Ppn);
        if let Some(place) = place.filter(|_| begun < self.per_unit) {
            let block = self.units.space.blocks.block_of(place);
            *self.given_up.entry(block).or_default() += self.per_unit - begun;
        }
        self.units.done(now, &step, page, outcome, &mut steps);
        match data {
            Some(data) if outcome == Outcome::Good => self.end_write(now, step.lpn.0, place, &data, plan),
            // what the host wrote is still in the controller
            data => self.expand(&steps, 0, data, plan),
        }
        steps.clear();
        self.steps = steps;
    }

    /// A host write of a unit is on flash. A register that has waited for that is programmed next.
    fn end_write(&mut self, now: SimTime, unit: u64, place: Option<u64>, data: &Data, plan: &mut Plan) {
        // a newer one may have taken effect before
        if self.place_of(unit) == place {
            let full = self.flash.full_bitmap();
            for (lpn, after) in (self.first_of(unit)..).zip(&data.after) {
                if *after == 0 || *after == full {
                    self.partial.remove(&lpn);
                } else {
                    self.partial.insert(lpn, *after);
                }
            }
        }
        if let Some(writes) = self.writes.get_mut(&unit) {
            writes.count -= 1;
            if writes.count == 0 {
                self.writes.remove(&unit);
                if self.registers.is_postponed(unit) {
                    self.close(now, unit, plan);
                }
            }
        }
    }
}
