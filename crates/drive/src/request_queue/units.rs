//! How busy the units are that waiting requests name: told as far as a decision asks for it, and once.

use wordline_scheduler::{UnitLoad, UnitShare, WaitingRequest};

/// What is known of a unit at the present look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Known {
    #[default]
    Nothing,
    /// Whether it is idle, and whether it makes space.
    State,
    All,
}

/// The units at the present look.
#[derive(Debug, Default)]
pub(crate) struct Units {
    loads: Vec<UnitLoad>,
    known: Vec<Known>,
}

impl Units {
    /// Their loads, as far as they are known.
    pub(super) fn loads(&self) -> &[UnitLoad] {
        &self.loads
    }

    /// Nothing is known of `count` units.
    pub(super) fn forget(&mut self, count: usize) {
        self.loads.resize(count, UnitLoad::default());
        self.known.clear();
        self.known.resize(count, Known::Nothing);
    }

    /// Asks for the state of all units that requests name.
    pub(super) fn ask_states(&mut self, requests: &[WaitingRequest], state: impl Fn(usize) -> UnitLoad) {
        for request in requests {
            for share in &request.shares {
                let unit = share.unit as usize;
                if self.known[unit] == Known::Nothing {
                    self.loads[unit] = state(unit);
                    self.known[unit] = Known::State;
                }
            }
        }
    }

    /// Asks for all of the units of these shares that is not known.
    pub(super) fn ask_all(&mut self, shares: &[UnitShare], load: impl Fn(usize) -> UnitLoad) {
        for share in shares {
            let unit = share.unit as usize;
            if self.known[unit] != Known::All {
                self.loads[unit] = load(unit);
                self.known[unit] = Known::All;
            }
        }
    }

    /// The units of these shares have changed: what is known of them is all told again.
    pub(super) fn ask_again(&mut self, shares: &[UnitShare], load: impl Fn(usize) -> UnitLoad) {
        for share in shares {
            self.known[share.unit as usize] = Known::Nothing;
        }
        self.ask_all(shares, load);
    }

    /// Whether one of its units could begin with a request, as far as is known.
    pub(super) fn could_begin(&self, request: &WaitingRequest) -> bool {
        let could = |share: &UnitShare| self.loads[share.unit as usize].could_begin(request.kind);
        request.shares.iter().any(could)
    }
}
