//! How busy the units are: whether they could begin with a request is known at all times, all else as far as a decision asks for it, and once.

use wordline_scheduler::{RequestGroup, RequestKind, UnitLoad, UnitShare};
use wordline_units::SimTime;

use crate::array::UnitState;

/// The units.
#[derive(Debug, Default)]
pub(crate) struct Units {
    loads: Vec<UnitLoad>,
    /// By unit, whether all is known of it at the present look.
    known: Vec<bool>,
    /// Units of which all is known.
    asked: Vec<u32>,
}

impl Units {
    pub(super) fn new(count: usize) -> Self {
        Self {
            loads: vec![UnitLoad::default(); count],
            known: vec![false; count],
            asked: Vec::new(),
        }
    }

    /// Their loads, as far as they are known.
    pub(super) fn loads(&self) -> &[UnitLoad] {
        &self.loads
    }

    /// A look begins: of all units nothing but their states is known.
    pub(super) fn begin_look(&mut self) {
        if self.asked.is_empty() {
            return;
        }
        for unit in self.asked.drain(..) {
            self.known[unit as usize] = false;
        }
    }

    /// A request for these shares goes into the flash: when their units are idle is no longer known.
    pub(super) fn forget(&mut self, shares: &[UnitShare]) {
        for share in shares {
            self.known[share.unit as usize] = false;
        }
    }

    /// A unit is in this state at a moment. Tells whether requests could begin now that could not before.
    pub(super) fn set_state(&mut self, unit: u32, now: SimTime, state: UnitState) -> bool {
        let load = &mut self.loads[unit as usize];
        let gave_way = load.is_collecting || load.reads_from.is_some();
        let gives_way = state.is_collecting || state.gives_way;
        let came_free = state.is_idle && !load.is_idle
            || gives_way && !gave_way
            || load.is_collecting && !state.is_collecting;
        load.is_idle = state.is_idle;
        load.is_collecting = state.is_collecting;
        load.reads_from = state.gives_way.then_some(now);
        self.known[unit as usize] = false;
        came_free
    }

    /// Asks for all of the units of these shares that is not known.
    pub(super) fn ask_all(&mut self, shares: &[UnitShare], load: impl Fn(usize) -> UnitLoad) {
        for share in shares {
            let unit = share.unit as usize;
            if !self.known[unit] {
                self.asked.push(share.unit);
                self.loads[unit] = load(unit);
                self.known[unit] = true;
            }
        }
    }

    /// Whether requests of a group could go: one of their units could begin with them and, of writes, none makes space.
    pub(super) fn could_go(&self, group: &RequestGroup) -> bool {
        self.could_begin(group) && !self.waits_for_space(group)
    }

    /// Whether one of their units could begin with requests of a group.
    pub(super) fn could_begin(&self, group: &RequestGroup) -> bool {
        let could = |share: &UnitShare| self.loads[share.unit as usize].could_begin(group.kind());
        group.shares().iter().any(could)
    }

    /// Whether a unit makes the space that requests of a group wait for.
    pub(super) fn waits_for_space(&self, group: &RequestGroup) -> bool {
        let collects = |share: &UnitShare| self.loads[share.unit as usize].is_collecting;
        group.kind() == RequestKind::Write && group.shares().iter().any(collects)
    }
}
