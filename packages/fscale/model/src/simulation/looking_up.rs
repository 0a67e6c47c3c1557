//! Look-ups of the table, and the operations that wait for them.

use crate::mapping::Mapping;
use crate::paths::Kind;
use crate::simulation::engine::Engine;
use crate::simulation::operations::{NONE, Operation};
use crate::simulation::table_cache::Found;

impl<M: Mapping> Engine<'_, M> {
    /// Looks the entry of an operation up: whether the operation has to wait for it.
    pub(super) fn look_up(&mut self, number: u32, changes: bool) -> bool {
        let operation = &mut self.operations.all[number as usize];
        operation.next = NONE;
        let (page, die) = (operation.page, operation.die);
        match self.table.look_up(page, changes, number) {
            Found::Here => return false,
            Found::Tier(kind) => self.begin(Operation {
                waiting: number,
                ..Operation::new(kind, page, die, die, self.now)
            }),
            Found::Flash => {
                self.observer.misses += 1;
                self.free_kept(number);
                let die = self.table_die.below(self.dies) as u32;
                let page_in = self.operations.add(Operation {
                    waiting: number,
                    changes,
                    ..Operation::new(Kind::PageIn, page, die, die, self.now)
                });
                self.table.expect(page, page_in, number);
                self.advance(page_in);
            }
            Found::Coming { page_in, last } => {
                self.observer.misses += 1;
                self.free_kept(number);
                self.operations.all[page_in as usize].changes |= changes;
                self.operations.all[last as usize].next = number;
            }
        }
        true
    }

    /// Operations that waited for an entry go on.
    pub(super) fn wake(&mut self, mut first: u32) {
        while first != NONE {
            let next = self.operations.all[first as usize].next;
            self.advance(first);
            first = next;
        }
    }
}
