//! Invariants of the specification (section 15) beside those that hold of bytes: what holds of deltas and their pages at all times, what collection gains, what is encoded, what the
//! flash sees with the gate closed or with content that does not compress, and how many programs deltas take (K1 to K4, G2, G4 to G8, G10, G12).

use proptest::prelude::*;

use super::{Parts, Run, any_drive, check, counters, parts, programs, run, try_build};
use crate::contract::{Ftl, Inspect};
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::plan::{Cause, Lpn};

/// A command of the host.
#[derive(Clone, Copy, Debug)]
enum Command {
    Write(u64),
    Read(u64),
    Trim(u64),
    Flush,
}

fn any_commands(most: usize) -> impl Strategy<Value = Vec<Command>> {
    let page = prop_oneof![3 => 0_u64..12, 1 => 0_u64..10_000];
    let command = prop_oneof![
        12 => page.clone().prop_map(Command::Write),
        4 => page.clone().prop_map(Command::Read),
        1 => page.prop_map(Command::Trim),
        1 => Just(Command::Flush),
    ];
    proptest::collection::vec(command, 1..most)
}

/// Executes a command; pages beyond the drive fall back into it.
macro_rules! execute {
    ($run:expr, $command:expr) => {{
        let user = $run.ftl().user_pages();
        match $command {
            Command::Write(lpn) => drop($run.write(Lpn(lpn % user)).unwrap()),
            Command::Read(lpn) => drop($run.read(Lpn(lpn % user)).unwrap()),
            Command::Trim(lpn) => drop($run.trim(Lpn(lpn % user), 1).unwrap()),
            Command::Flush => $run.flush().unwrap(),
        }
    }};
}

/// Executes the same commands on the delta mapping and on page mapping; what both did.
fn beside_page_mapping(
    own: &Parts,
    commands: &[Command],
    compare: impl Fn(&Run<'_>, &crate::exec::functional::Counts),
) {
    let mut ftl = try_build(own).unwrap();
    let mut one = run(&mut ftl, own);
    let mut other = own.clone();
    other.ftl.mapping = "page".into();
    let mut page = other
        .try_build(crate::mapping::page::PageFtl::from_input)
        .unwrap();
    let mut two = Functional::observed(&mut page, FunctionalOptions::default(), other.medium());
    for command in commands {
        execute!(one, *command);
        execute!(two, *command);
    }
    compare(&one, two.counts());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// K1 to K4, G2, G4 and G5 after every command: a logical page has a delta in one page of deltas and a base that counts as valid, or neither; counts of deltas and their
    /// bytes are right, and nothing is left of a delta that was merged, replaced or trimmed.
    #[test]
    fn deltas_and_pages_agree_after_every_command(own in any_drive(&["no_split", "fractional"]), commands in any_commands(250)) {
        let mut ftl = try_build(&own).unwrap();
        let mut run = run(&mut ftl, &own);
        let (user, ppb) = (run.ftl().user_pages(), u64::from(own.geometry.pages_per_block));
        for command in commands {
            execute!(run, command);
            check(run.ftl());
            for lpn in 0..user {
                let log = &run.ftl().log;
                let pages = (0..log.pages()).filter(|page| log.current(*page).iter().any(|(owner, _)| *owner == lpn));
                // K2, G5
                prop_assert_eq!(pages.count(), usize::from(log.get(lpn).is_some()));
                if log.get(lpn).is_some() {
                    // K3: the base is the page of the map, and its block counts it
                    let base = run.ftl().lookup(Lpn(lpn)).unwrap();
                    prop_assert_eq!(run.ftl().owner(base), Some(Lpn(lpn)));
                    prop_assert!(run.ftl().block(wordline_nand::BlockId((base.0 / ppb) as u32)).valid > 0);
                }
            }
        }
    }

    /// G6: what collection programs, packs and merges for a block is less than it has pages, and no merge of a page leaves its delta.
    #[test]
    fn every_collection_gains(own in any_drive(&["no_split", "fractional"]), commands in any_commands(2_000)) {
        let mut ftl = try_build(&own).unwrap();
        let mut run = run(&mut ftl, &own);
        let ppb = u64::from(own.geometry.pages_per_block);
        for command in commands {
            execute!(run, command);
            run.finish_jobs().unwrap();
            let found = counters(&run);
            let merges = found.merge_programs - found.merged_reads - found.merged_cold;
            prop_assert_eq!(merges, found.merged_pages + found.merged_logs);
            let (programmed, erased) = (&run.counts().programmed, &run.counts().erased);
            prop_assert!(programmed[Cause::Gc as usize] + merges <= erased[Cause::Gc as usize] * (ppb - 1));
        }
    }

    /// G8: with the gate closed the flash sees what it would see of a page mapping.
    #[test]
    fn a_closed_gate_is_page_mapping_under_any_commands(commands in any_commands(3_000), buffers in 1_u32..4) {
        let own = parts(24, &format!("gate = \"closed\"\ntemp_buffers = {buffers}"));
        beside_page_mapping(&own, &commands, |one, two| assert_eq!(one.counts(), two));
    }

    /// G8: with the gate open and content that does not compress the programs are those of a page mapping, and what is encoded costs a read of its base
    /// more.
    #[test]
    fn what_does_not_compress_costs_a_read_more(commands in any_commands(1_000)) {
        let own = parts(60, "gate = \"open\"\nratio = 1.0\nsigma = 0.0");
        beside_page_mapping(&own, &commands, |one, two| {
            let (found, expected) = (one.counts(), two);
            assert_eq!(found.programmed, expected.programmed);
            assert_eq!(found.erased, expected.erased);
            let reads = |read: &[u64]| read.iter().sum::<u64>();
            assert_eq!(reads(&found.read), reads(&expected.read) + counters(one).encoded);
            assert_eq!(counters(one).deltas, 0);
        });
    }

    /// G7: what the host has written too seldom, or reads too often, is not encoded. All accesses are counted, and no scan halves them.
    #[test]
    fn only_what_is_written_often_and_read_seldom_is_encoded(
        commands in any_commands(600),
        (hot, read_hot) in (1_u32..5, 1_u32..5),
        ratio in prop::sample::select(&[0.1, 0.5][..]),
    ) {
        let own = parts(
            60,
            &format!(
                "gate = \"open\"\nratio = {ratio}\ncounted_pages = 20000\nhot_threshold = {hot}\nread_hot_threshold = {read_hot}\n\
                 scan_interval_writes = 1000000"
            ),
        );
        let mut ftl = try_build(&own).unwrap();
        let mut run = run(&mut ftl, &own);
        let user = run.ftl().user_pages();
        let (mut writes, mut reads) = (vec![0; user as usize], vec![0; user as usize]);
        for command in commands {
            match command {
                // what is not there is not counted
                Command::Read(lpn) if run.ftl().lookup(Lpn(lpn % user)).is_none() => continue,
                Command::Read(lpn) => reads[(lpn % user) as usize] += 1,
                Command::Write(lpn) => writes[(lpn % user) as usize] += 1,
                // counts outlive a deallocation or not, which nothing says
                Command::Trim(_) => continue,
                Command::Flush => {}
            }
            let before = counters(&run).encoded;
            execute!(run, command);
            if let Command::Write(lpn) = command {
                let lpn = lpn % user;
                let (writes, reads) = (writes[lpn as usize], reads[lpn as usize]);
                if writes < hot || reads >= read_hot {
                    prop_assert_eq!(counters(&run).encoded, before, "{} writes, {} reads", writes, reads);
                    prop_assert!(run.ftl().log.get(lpn).is_none());
                }
            }
        }
        drop(run);
        check(&ftl);
    }

    /// G10: with bytes counted, the host's programs are the pages that are not kept as deltas, and as many pages as the deltas have bytes, but for the pages
    /// that are being filled. No delta is replaced before it is on flash, and nothing is collected.
    #[test]
    fn deltas_take_as_many_programs_as_they_have_bytes(
        ratio in 0.05_f64..0.7,
        buffers in 1_u32..4,
        rounds in 2_u64..6,
        pages in 100_u64..200,
    ) {
        let own = parts(
            60,
            &format!("gate = \"open\"\npacking = \"fractional\"\nratio = {ratio}\ntemp_buffers = {buffers}\nread_hot_threshold = 9\ncounted_pages = 20000"),
        );
        let mut ftl = try_build(&own).unwrap();
        let mut run = run(&mut ftl, &own);
        for _ in 0..rounds {
            for lpn in 0..pages {
                run.write(Lpn(lpn)).unwrap();
            }
        }
        prop_assert_eq!(run.counts().erased.iter().sum::<u64>(), 0);
        let found = counters(&run);
        let (host, log) = programs(&run);
        prop_assert_eq!(host, rounds * pages - found.deltas);
        let full = found.delta_bytes.div_ceil(2048);
        prop_assert!(log <= full && full <= log + u64::from(buffers), "{} for {}", log, full);
        prop_assert!(found.deltas > 0);
    }

    /// G12: the same drive under the same commands does the same.
    #[test]
    fn the_same_commands_have_the_same_end(own in any_drive(&["no_split", "fractional"]), commands in any_commands(1_500)) {
        let end = || {
            let mut ftl = try_build(&own).unwrap();
            let mut run = run(&mut ftl, &own);
            for command in &commands {
                execute!(run, *command);
            }
            let counts = (run.counts().clone(), counters(&run));
            let user = run.ftl().user_pages();
            let places: Vec<_> = (0..user).map(|lpn| run.ftl().lookup(Lpn(lpn))).collect();
            (counts, places)
        };
        prop_assert_eq!(end(), end());
    }
}

/// With content that compresses the programs are others: the comparisons above say something.
#[test]
fn an_open_gate_is_not_page_mapping() {
    let own = parts(60, "gate = \"open\"\nratio = 0.2");
    let commands: Vec<Command> = (0..80).map(|number| Command::Write(number % 20)).collect();
    beside_page_mapping(&own, &commands, |one, two| {
        assert_ne!(one.counts().programmed, two.programmed);
        assert!(one.counts().programmed[Cause::Delta as usize] > 0);
    });
}
