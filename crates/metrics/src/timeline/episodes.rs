//! Episodes: a background job of the FTL empties a block and erases it.

use wordline_ftl::Cause;
use wordline_nand::DieId;
use wordline_units::SimTime;

use super::span::{Activity, Serves, Span, Track};
use crate::probe::{CommandKind, Constituent};

/// The block that a job is emptying.
#[derive(Clone, Copy, Debug)]
struct Open {
    from: SimTime,
    die: DieId,
    cause: Cause,
    /// First page read, then first page of the block erased.
    address: u64,
    moved: u32,
}

/// The episodes of a run, by job: each lasts from the first command of the job to the end of its
/// erase.
#[derive(Debug, Default)]
pub(super) struct Episodes {
    open: Vec<Option<Open>>,
}

impl Episodes {
    /// A command of a job was issued.
    pub(super) fn issued(&mut self, job: u32, kind: CommandKind, page: &Constituent, at: SimTime) {
        let index = job as usize;
        if index >= self.open.len() {
            self.open.resize(index + 1, None);
        }
        let open = self.open[index].get_or_insert(Open {
            from: at,
            die: page.die,
            cause: page.cause,
            address: page.source.unwrap_or(page.page).0,
            moved: 0,
        });
        match kind {
            CommandKind::Program | CommandKind::CopyBack => open.moved += 1,
            CommandKind::Erase => open.address = page.page.0,
            CommandKind::Read => {}
        }
    }

    /// An erase of a job is done: the episode, unless another block of the same command ended it.
    pub(super) fn erased(&mut self, job: u32, at: SimTime) -> Option<Span> {
        let open = self.open.get_mut(job as usize)?.take()?;
        Some(span(&open, job, at))
    }

    /// The episodes that go on, as if they ended now.
    pub(super) fn going_on(&self, now: SimTime) -> impl Iterator<Item = Span> {
        let open = self.open.iter().enumerate();
        open.filter_map(move |(job, open)| Some(span(open.as_ref()?, job as u32, now)))
    }
}

fn span(open: &Open, job: u32, to: SimTime) -> Span {
    Span {
        track: Track::Background(open.die),
        activity: Activity::Reclaim,
        cause: open.cause,
        serves: Serves::Job(job),
        from: open.from,
        to,
        address: open.address,
        count: open.moved,
        mode: wordline_nand::Mode::NORMAL,
    }
}
