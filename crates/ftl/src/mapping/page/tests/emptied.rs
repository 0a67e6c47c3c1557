//! Blocks without a valid page are erased first, whatever the policy (FTL specification, 3.2).

use wordline_keys::Registered;

use super::{Parts, check};
use crate::contract::Ftl;
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::plan::{Cause, Lpn};
use crate::policy::victim::VictimRow;

/// The drive is overwritten in sequence: there is always a block whose pages were all written again, though most blocks, those that a
/// random draw or age alone would take too, are full (J7).
#[test]
fn every_policy_erases_empty_blocks_first() {
    for victim in VictimRow::table().names() {
        let mut parts = Parts::one_die(1, 40);
        parts.ftl.gc.victim = victim.into();
        let mut ftl = parts.build();
        let user = ftl.user_pages();
        let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
        for lpn in (0..6).flat_map(|_| 0..user) {
            run.write(Lpn(lpn)).unwrap();
        }
        let (erased, moved) = (
            run.counts().erased[Cause::Gc as usize],
            run.counts().programmed(Cause::Gc),
        );
        assert!(erased > 100 && moved == 0, "{victim}: {erased} {moved}");
        drop(run);
        check(&ftl);
    }
}
