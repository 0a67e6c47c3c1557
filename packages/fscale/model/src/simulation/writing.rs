//! Writes of the host, and the collection that they make necessary.

use crate::local::StaleCopies;
use crate::mapping::{Job, Mapping, Target};
use crate::paths::Kind;
use crate::simulation::admission::PageWrite;
use crate::simulation::engine::Engine;
use crate::simulation::operations::Operation;
use crate::simulation::settings::Placement;

impl<M: Mapping> Engine<'_, M> {
    fn target(&mut self) -> Target {
        if self.stays_on_die() {
            return Target::Same;
        }
        match self.settings.placement {
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

    /// A write of the host begins. Where parts of pages gather, what is programmed is the page that has to leave for this one, if any.
    pub(super) fn write(&mut self, mut asked: PageWrite) {
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
                return self.begin_write(of(Kind::MergedWrite, &asked, die, die));
            };
            (asked.page, asked.parts) = (page, parts);
        }
        self.program(&asked, asked.parts == whole);
    }

    fn program(&mut self, asked: &PageWrite, is_whole: bool) {
        let target = self.target();
        let mut due = std::mem::take(&mut self.due);
        let written = self.mapping.write(asked.page, target, &mut due);
        self.begin_write(if is_whole {
            of(Kind::HostWrite, asked, written.die, written.old)
        } else {
            // the old copy is read first, on its die
            of(Kind::PartialWrite, asked, written.old, written.die)
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
                    self.admission.moves += 1;
                    self.begin(Operation::new(Kind::Move, page, from, to, self.now));
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
fn of(kind: Kind, asked: &PageWrite, first: u32, then: u32) -> Operation {
    Operation {
        request: asked.request,
        is_hot: asked.is_hot,
        ..Operation::new(kind, asked.page, first, then, asked.sent)
    }
}
