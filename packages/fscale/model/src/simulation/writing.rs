//! Writes of the host, and the collection that they make necessary.

use crate::local::StaleCopies;
use crate::mapping::{Job, Mapping, Target};
use crate::paths::Kind;
use crate::placement::Placement;
use crate::simulation::admission::{PageWrite, Program};
use crate::simulation::engine::Engine;
use crate::simulation::operations::Operation;

impl<M: Mapping> Engine<'_, M> {
    fn target(&mut self, page: u64) -> Target {
        if self.stays_on_die() {
            return Target::Same(self.mapping.locate(page));
        }
        match self.drive.placement {
            Placement::LeastLoaded => {
                let die = self.admission.least_loaded(self.turn);
                self.turn = u64::from(die) + 1;
                Target::Die(die)
            }
            Placement::Uniform => Target::Die(self.die.below(self.dies) as u32),
            Placement::RoundRobin => {
                let (in_package, packages) =
                    (u64::from(self.drive.nand.dies_per_package), self.drive.packages());
                loop {
                    let turn = self.turn;
                    self.turn += 1;
                    let die = turn % packages * in_package + turn / packages % in_package;
                    // the last package may have fewer dies
                    if die < self.dies {
                        return Target::Die(die as u32);
                    }
                }
            }
        }
    }

    /// A write of the host has its place in the buffer. Where parts of pages gather, what is programmed is the page that has to leave for this one, if any.
    pub(super) fn write(&mut self, mut asked: PageWrite) {
        asked.admitted = self.now;
        let whole = self.whole_page();
        if let Some(window) = &mut self.window {
            let leaves = match window.touch(asked.page) {
                Some(parts) => {
                    *parts |= asked.parts;
                    None
                }
                None if asked.parts == whole => Some((asked.page, whole)),
                None => window.insert(asked.page, asked.parts),
            };
            let Some((page, parts)) = leaves else {
                let die = self.mapping.locate(asked.page);
                return self.begin(of(Kind::MergedWrite, &asked, die, die, die));
            };
            (asked.page, asked.parts) = (page, parts);
        }
        let target = self.target(asked.page);
        let (Target::Die(die) | Target::Same(die)) = target;
        let program = Program {
            asked,
            is_whole: asked.parts == whole,
            target,
        };
        if self.admission.programs(die, program) {
            self.program(program);
        }
    }

    /// A move begins, and takes a place of the package of its die.
    pub(super) fn begin_move(&mut self, operation: Operation) {
        self.begin(Operation {
            admitted: self.now,
            ..operation
        });
    }

    /// A page is programmed for the host, and what has to be collected for it is moved.
    pub(super) fn program(&mut self, program: Program) {
        let Program {
            asked,
            is_whole,
            target,
        } = program;
        let (Target::Die(placed) | Target::Same(placed)) = target;
        let mut due = std::mem::take(&mut self.due);
        let written = self.mapping.write(asked.page, target, &mut due);
        self.begin(if is_whole {
            of(Kind::HostWrite, &asked, written.die, written.old, placed)
        } else {
            // the old copy is read first, on its die
            of(Kind::PartialWrite, &asked, written.old, written.die, placed)
        });
        let local = &self.drive.local;
        if self.is_fscale() {
            let moved = due.iter().filter(|job| matches!(job, Job::Move { .. })).count();
            self.nodes += 1.0 / f64::from(local.flush_entries);
            if local.stale == StaleCopies::Lazy {
                self.checks += 1.0 + moved as f64;
            }
        }
        for job in due.drain(..) {
            match job {
                Job::Move { page, from, to } => {
                    let operation = Operation::new(Kind::Move, page, from, to, self.now);
                    if self.admission.moves(operation) {
                        self.begin_move(operation);
                    }
                }
                Job::Erase { die } => {
                    self.begin(Operation::new(Kind::Erase, asked.page, die, die, self.now));
                }
            }
        }
        self.due = due;
        while self.nodes >= 1.0 {
            self.nodes -= 1.0;
            let die = written.die;
            self.begin(Operation::new(Kind::NodeProgram, asked.page, die, die, self.now));
        }
        while self.checks >= 1.0 {
            self.checks -= 1.0;
            let page = self.checked.below(self.drive.logical_pages());
            let die = written.old;
            self.begin(Operation::new(Kind::DirectoryCheck, page, die, die, self.now));
        }
    }
}

/// The operation that writes a page: its dies in the order in which it needs them.
fn of(kind: Kind, asked: &PageWrite, first: u32, then: u32, placed: u32) -> Operation {
    Operation {
        from: placed,
        request: asked.request,
        admitted: asked.admitted,
        is_hot: asked.is_hot,
        ..Operation::new(kind, asked.page, first, then, asked.sent)
    }
}
