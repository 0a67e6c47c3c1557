//! What the host writes, what is programmed, and what blocks have lost and hold are one account (invariants 1 and 2 of
//! the specification).

use wordline_ftl::AgeMethod;

use super::{small, study};
use crate::Fidelity;

const DAYS: u64 = 2;
const PAGES_PER_BLOCK: u64 = 16;

#[test]
#[ignore = "slow: several seconds"]
fn pages_are_neither_lost_nor_invented() {
    for wear in ["off", "swap", "dual_pool", "hot_cold_swap"] {
        for victim in ["greedy", "fifo"] {
            let mut config = small();
            config.age.method = AgeMethod::Fresh;
            config.ftl.wear.static_ = wear.into();
            config.ftl.gc.victim = victim.into();
            let found = study(&config, DAYS, Fidelity::Exact);
            let case = format!("{wear:?} {victim:?}");
            let sum = |of: &[u32]| of.iter().map(|count| u64::from(*count)).sum::<u64>();
            let erased = sum(&found.blocks.erase_count) * PAGES_PER_BLOCK;
            let held = found.blocks.erase_count.len() as u64 * PAGES_PER_BLOCK;
            assert!(
                (erased..=erased + held).contains(&found.programmed),
                "{case}: {erased} pages erased, {} programmed",
                found.programmed
            );
            // every logical page was written by then; the host writes at a constant rate
            let user_pages = sum(&found.blocks.valid_pages);
            let written = found.programmed as f64 / found.write_amplification;
            let asked = (DAYS * 200 * user_pages) as f64;
            assert!((written - asked).abs() <= 1.0, "{case}: {written} {asked}");
            assert!(found.write_amplification >= 1.0, "{case}");
            // what the snapshots say is what the blocks say
            let mean = sum(&found.blocks.erase_count) as f64 / found.blocks.erase_count.len() as f64;
            assert!(
                found
                    .snapshots
                    .last()
                    .is_some_and(|last| (last.erases.0 - mean).abs() < 1e-9),
                "{case}"
            );
            assert!(
                found
                    .snapshots
                    .is_sorted_by(|one, other| one.erases.0 < other.erases.0),
                "{case}"
            );
        }
    }
}
