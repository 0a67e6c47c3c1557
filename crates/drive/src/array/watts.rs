//! What the arrays take at this moment, and until when they work.

use wordline_units::SimTime;

use super::FlashArray;
use super::flash::DieState;
use crate::features::Features;
use crate::operation::{Kind, NONE};
use crate::power_limit::{AtOnce, PlaneWatts};

impl<F: Features> FlashArray<F> {
    /// What the arrays take now. A die that programs or erases counts with all its planes (assumed), one that reads with a plane for each read.
    pub(crate) fn watts(&self, now: SimTime, planes: PlaneWatts) -> AtOnce {
        let all = f64::from(self.flash.geometry.planes_per_die);
        let mut at_once = AtOnce::default();
        for die in &self.flash.dies {
            if die.state != DieState::Array || die.array_end <= now {
                continue;
            }
            at_once.watts += match die.kind {
                Kind::Read => planes.read * self.reads_of(die.running).min(all),
                Kind::Program | Kind::CopyBack => planes.program * all,
                Kind::Erase => planes.erase * all,
            };
            let ends = at_once.ends.map_or(die.array_end, |ends| ends.min(die.array_end));
            at_once.ends = Some(ends);
        }
        at_once
    }

    /// Until when arrays and channels are at work, as far as is known; a moment that is past where none is.
    pub(crate) fn busy_until(&self) -> SimTime {
        let dies = self.flash.dies.iter().map(|die| die.array_end);
        let channels = self.flash.channels.iter().map(|channel| channel.free_at);
        dies.chain(channels).max().unwrap_or_default()
    }

    /// Reads of a command, by the first of them.
    fn reads_of(&self, first: u32) -> f64 {
        let next = |id: &u32| Some(self.ops[*id].next).filter(|next| *next != NONE);
        std::iter::successors(Some(first).filter(|id| *id != NONE), next).count() as f64
    }
}
