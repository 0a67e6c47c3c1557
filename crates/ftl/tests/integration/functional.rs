//! Random drives under random commands in the functional mode, with the medium's rules enforced
//! and the sub-pages compared with the reference.

use crate::common::audit;
use crate::common::reference::Reference;
use crate::common::setup::Setup;
use crate::common::work::Commands;
use proptest::prelude::*;
use wordline_ftl::functional::{Functional, FunctionalError, FunctionalOptions};
use wordline_ftl::{Answer, Cause, Ftl, Inspect, Lpn, PageOp};
use wordline_nand::Medium;

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_drive_keeps_its_promises(seed: u64, background_plans in 0_u32..4) {
        let setup = Setup::random(seed);
        let mut ftl = setup.build().unwrap();
        let geometry = setup.geometry();
        let (user, full) = (ftl.user_pages(), geometry.full_bitmap());
        let mut reference = Reference::new(geometry.sectors_per_page());
        let options = FunctionalOptions { background_plans, order: setup.allocation.order, ..Default::default() };
        let medium = Medium::new(&geometry, &setup.restrictions);
        let mut functional = Functional::observed(&mut ftl, options, medium);
        let count = 200 + 4 * geometry.pages() as usize;
        for (number, request) in Commands::new(seed, user, full).take(count).enumerate() {
            let lpn = request.lpn.0;
            let wanted = reference.valid(lpn) & request.bitmap;
            let reads = functional.counts().pages_read();
            let answer = match functional.submit(&request) {
                // drawn at random, full blocks may use up what a tiny drive has to spare
                Err(FunctionalError::NoReclaimableSpace) if setup.ftl.gc.victim == "random".into() => {
                    return Err(TestCaseError::reject("stuck by random victims"));
                }
                other => other.unwrap(),
            };
            match request.op {
                PageOp::Read => {
                    let expected = if wanted == 0 { Answer::Unmapped } else { Answer::Accepted };
                    prop_assert_eq!(answer, expected);
                    if background_plans == 0 && setup.ftl.gc.mode == wordline_ftl::GcMode::Foreground {
                        let own = functional.counts().read[Cause::Host as usize];
                        prop_assert!(own <= functional.counts().pages_read());
                        prop_assert!(functional.counts().pages_read() >= reads + u64::from(wanted != 0));
                    }
                }
                PageOp::Write => {
                    prop_assert_eq!(answer, Answer::Accepted);
                    reference.write(lpn, request.bitmap);
                }
                PageOp::Zone(_) => prop_assert!(matches!(answer, Answer::Refused(_))),
                PageOp::Trim => {
                    prop_assert_eq!(answer, Answer::Accepted);
                    if setup.ftl.trim.enabled {
                        for lpn in lpn..lpn + request.pages {
                            reference.trim(lpn, request.bitmap);
                        }
                    }
                }
            }
            if number % 500 == 0 {
                let erases = functional.counts().blocks_erased();
                audit::check(functional.ftl(), functional.observer(), erases);
            }
        }
        functional.finish_jobs().unwrap();
        let counts = functional.counts().clone();
        prop_assert_eq!(counts.programmed(Cause::Host), counts.host_writes);
        prop_assert!(counts.write_amplification().is_none_or(|wa| wa >= 1.0));
        audit::check(functional.ftl(), functional.observer(), counts.blocks_erased());
        let census = functional.ftl().census();
        let facts = functional.ftl().counters();
        // Conservation: what was programmed or given up is there or was erased.
        let passed = counts.pages_programmed() + facts.skipped_copy_back + facts.skipped_multi_plane;
        let there = census.valid + census.invalid + census.skipped;
        let erased = counts.blocks_erased() * u64::from(geometry.pages_per_block);
        prop_assert!(passed - there == erased || (setup.closes_early() && passed - there < erased));
        prop_assert!(functional.ftl().is_quiescent());
        for lpn in 0..user {
            prop_assert_eq!(functional.ftl().valid_sectors(Lpn(lpn)), reference.valid(lpn), "J4, J17: page {}", lpn);
        }
    }
}
