//! Rationed collection (`ftl.gc.mode = "partial"`): host writes earn page moves.

use wordline_units::SimTime;

use super::{Activity, FlashSpace};
use crate::config::GcMode;
use crate::notice::Urgency;

impl FlashSpace {
    /// Credit that one page move costs and one host write brings (FTL specification, 3.3: c >=
    /// v/(b-v) moves per write; one more page in v pays for the erase).
    fn move_price(&self, pool: u32) -> (u64, u64) {
        let b = self.geometry.pages_per_block;
        let valid = match self.pools[pool as usize].activity {
            Activity::Moving { victim, .. } => self.blocks.valid(victim),
            Activity::Idle | Activity::Merging | Activity::Erasing { .. } => {
                self.blocks.least_valid(pool).unwrap_or(0)
            }
        };
        (u64::from(b - valid.min(b - 1)), u64::from(valid + 1))
    }

    pub(crate) fn has_credit(&self, pool: u32) -> bool {
        self.pools[pool as usize].credit >= self.move_price(pool).0
    }

    /// A host write earns its share of page moves.
    pub(crate) fn earn_credit(&mut self, pool: u32, now: SimTime) {
        let (price, gain) = self.move_price(pool);
        let state = &mut self.pools[pool as usize];
        if state.urgency(GcMode::Partial) == Some(Urgency::Normal) {
            state.credit = (state.credit + gain).min(price.saturating_mul(64));
            self.update_urgency(pool, now);
        }
    }

    /// Takes back the credit of moves that were planned.
    pub(crate) fn spend_credit(&mut self, pool: u32, moves: u32) {
        let price = self.move_price(pool).0;
        let state = &mut self.pools[pool as usize];
        state.credit = state.credit.saturating_sub(price * u64::from(moves));
    }
}
