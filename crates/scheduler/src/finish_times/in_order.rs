//! Which earlier requests share units with one, and with one another.

use std::collections::BinaryHeap;

use crate::requests::RequestsView;
use crate::waiting::{RequestGroup, UnitShare};

/// What is looked at for one choice.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// By unit, whether a request that counts wants it.
    units: Vec<bool>,
    /// By group, whether it was found to share a unit.
    is_found: Vec<bool>,
    /// Groups that share units, by the number of the latest of their requests that came before what they share them with.
    found: BinaryHeap<(u64, usize)>,
}

impl Shared {
    /// The place of the earliest request of a chain that ends with the request of a number in a group: each of the chain may go and shares a
    /// unit with the one after it. None where none is earlier.
    pub(super) fn first_before(
        &mut self,
        (number, group): (u64, usize),
        view: &RequestsView<'_>,
        may_go: impl Fn(&RequestGroup) -> bool,
    ) -> Option<usize> {
        let groups = view.requests.groups();
        self.units.clear();
        self.units.resize(view.units.len(), false);
        self.is_found.clear();
        self.is_found.resize(groups.len(), false);
        self.is_found[group] = true;
        self.found.clear();
        self.found.push((number, group));
        let mut first = (number, None);
        // what comes later comes first, so that each group is found by the latest request that it shares a unit with
        while let Some((latest, group)) = self.found.pop() {
            if let Some((oldest, place)) = groups[group].oldest()
                && oldest < first.0
            {
                first = (oldest, Some(place));
            }
            for UnitShare { unit, .. } in groups[group].shares() {
                if std::mem::replace(&mut self.units[*unit as usize], true) {
                    continue;
                }
                for other in view.requests.groups_of_unit(*unit) {
                    if !std::mem::replace(&mut self.is_found[*other], true)
                        && may_go(&groups[*other])
                        && let Some((earlier, _)) = groups[*other].last_before(latest)
                    {
                        self.found.push((earlier, *other));
                    }
                }
            }
        }
        first.1
    }
}
