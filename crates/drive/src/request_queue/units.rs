//! How busy the units are: whether they could begin with a request is known at all times, all else as far as a decision asks for it, and once.

use wordline_scheduler::{RequestKind, UnitLoad, UnitShare, WaitingRequest};

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

    /// A unit is in this state now. Tells whether that is another one than before, as far as it matters to whether requests could begin.
    pub(super) fn set_state(&mut self, unit: u32, state: UnitLoad) -> bool {
        let load = &mut self.loads[unit as usize];
        let of = |load: &UnitLoad| (load.is_idle, load.is_collecting, load.reads_from.is_some());
        let changed = of(load) != of(&state);
        *load = state;
        self.known[unit as usize] = false;
        changed
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

    /// Whether a request is a write of which a unit makes space, for which it has to wait.
    pub(super) fn holds_up(&self, request: &WaitingRequest) -> bool {
        let makes_space = |share: &UnitShare| self.loads[share.unit as usize].is_collecting;
        request.kind == RequestKind::Write && request.shares.iter().any(makes_space)
    }

    /// Whether one of its units could begin with a request.
    pub(super) fn could_begin(&self, request: &WaitingRequest) -> bool {
        let could = |share: &UnitShare| self.loads[share.unit as usize].could_begin(request.kind);
        request.shares.iter().any(could)
    }
}
