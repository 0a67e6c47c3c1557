//! Suspension as data sheets have it (`nand.suspend_style = "vendor"`): of word lines that are programmed as wholes, at safe points, with limits of programs
//! and erases apart, and not while writes wait for room in the buffer.

use std::path::Path;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use rustc_hash::FxHashMap;
use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::{LiveDrive, RunOptions, RunOutput};
use wordline_metrics::{CommandKind, Constituent, Probe, ResumedArray, SuspendedArray};
use wordline_nand::DieId;
use wordline_units::{Seed, SimTime};
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay, run};

const US: u64 = 1_000;
/// Long after what came before.
const LATER: u64 = 100_000 * US;

/// One die of four planes; commands cost nothing, a page of 4 KiB takes 20 us over the bus, sensing 60, the program of a page of TLC
/// 700, an erase 4,000. The buffer hands every page on at once; the array is free 30 us after a request to suspend.
fn four_planes(nand: &str, more: &str) -> Config {
    let part = match nand {
        "" => "program = \"one_shot\"\n",
        part => part,
    };
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 4\n\
         blocks_per_plane = 16\npages_per_block = 24\npage_size = \"4 KiB\"\ncell_type = \"tlc\"\n\
         [timing]\nt_r = \"60 us\"\nt_prog = \"700 us\"\nt_bers = \"4 ms\"\ntransfer_rate = \"204.8 MT/s\"\nt_cad = \"0 ns\"\n\
         [commands]\nmulti_plane_write = \"wise\"\n[allocation]\nmode = \"static\"\norder = \"PWDC\"\n\
         [buffer]\npolicy = \"fifo\"\nsize = \"256 KiB\"\ncapacitor = true\ndirty_high = 0.0\ndirty_low = 0.0\nread_cache = false\n\
         [ftl]\nover_provisioning = 0.5\n\
         [scheduler]\npolicy = \"pes\"\n[scheduler.suspension]\nprogram_suspend = \"vendor\"\n{more}\
         [nand]\nsuspend = \"program_erase\"\nsuspend_style = \"vendor\"\n{part}"
    ))
}

fn page(at: u64, op: HostOp, page: u64) -> HostCommand {
    command(at, op, page * 8, 8)
}

/// Twelve pages, the word lines of all four planes, and twelve others at `LATER`, whose last four are in the die 240 us later.
fn two_word_lines() -> Vec<HostCommand> {
    vec![
        command(0, HostOp::Write, 0, 96),
        command(LATER, HostOp::Write, 96, 96),
    ]
}

/// When the program of the second word line begins in the array, but for the time in which the pages before are taken up.
const BEGINS: u64 = LATER + 240 * US;

fn figure(output: &RunOutput, key: &str) -> f64 {
    number(output, &format!("suspension.program.{key}"))
}

/// The program of three pages of each of four planes, 2,100 us, is one operation. A read of another word line comes into it: it takes 30 us for
/// the array to be free, 60 to sense and 20 to move, and the program is resumed then.
#[test]
fn a_read_suspends_a_word_line_of_four_planes() {
    let mut commands = two_word_lines();
    commands.push(page(BEGINS + 500 * US, HostOp::Read, 0));
    let output = replay(&four_planes("", ""), commands.clone());
    assert_eq!(latencies(&output)[2], 110 * US);
    assert_eq!(figure(&output, "suspensions"), 1.0);
    assert_eq!(figure(&output, "added.mean_us"), 110.0);
    assert_eq!(figure(&output, "overhead.mean_us"), 30.0);
    assert_eq!(figure(&output, "added_share"), 110.0 / 2_100.0);
    assert_eq!(number(&output, "suspension.reads_suspending"), 1.0);
    assert_eq!(number(&output, "suspension.reads_suspending_share"), 1.0);
    // six programs of four pages, of which four only bring data
    assert_eq!(figure(&output, "share"), 1.0 / 6.0);
    // without suspension it waits for the rest of the program
    let mut config = four_planes("", "");
    config.scheduler.suspension.program_suspend = wordline_config::ProgramSuspend::None;
    assert!(latencies(&replay(&config, commands))[2] > 1_500 * US);
}

/// Pages of the word line that is being programmed, whichever is read, come from the controller: neither is the program suspended for them nor do
/// they wait for it. In two steps that holds of the word line before, too, whose fine program is part of it.
#[test]
fn pages_of_a_word_line_under_way_come_from_the_controller() {
    let read_from_flash = |nand: &str, pages: &[u64]| {
        let mut commands = two_word_lines();
        let reads = (0..).zip(pages);
        commands
            .extend(reads.map(|(nth, number)| page(BEGINS + (500 + 200 * nth) * US, HostOp::Read, *number)));
        let output = replay(&four_planes(nand, ""), commands);
        let from_flash = number(&output, "ftl.pages_read.host");
        assert_eq!(figure(&output, "suspensions"), from_flash, "{nand}, {pages:?}");
        for taken in &latencies(&output)[2..] {
            assert!(*taken < 200 * US, "{taken}");
        }
        from_flash
    };
    assert_eq!(read_from_flash("", &[12, 17, 23]), 0.0);
    assert_eq!(read_from_flash("", &[0, 12, 5, 11, 20]), 3.0);
    let two_step = "program = \"two_step\"\n";
    assert_eq!(read_from_flash(two_step, &[0, 12, 5, 11, 20]), 0.0);
    // a read while the program is suspended, too
    let mut commands = two_word_lines();
    commands.extend([(500, 0), (540, 12)].map(|(at, number)| page(BEGINS + at * US, HostOp::Read, number)));
    let output = replay(&four_planes("", ""), commands);
    assert_eq!(latencies(&output)[2], 110 * US);
    assert!(latencies(&output)[3] < 10 * US);
    assert_eq!(number(&output, "ftl.pages_read.host"), 1.0);
}

/// Eight reads, each 200 us after the one before: programs have a limit of their own, and so have erases.
#[test]
fn programs_and_erases_have_limits_of_their_own() {
    let suspensions = |nand: &str, more: &str| {
        let mut commands = two_word_lines();
        commands.extend((0..8).map(|nth| page(BEGINS + (100 + 200 * nth) * US, HostOp::Read, 0)));
        let part = format!("program = \"one_shot\"\nvendor = {{ interval = \"0 ns\"{nand} }}\n");
        figure(&replay(&four_planes(&part, more), commands), "suspensions")
    };
    assert_eq!(suspensions("", ""), 8.0);
    assert_eq!(suspensions(", limit = 5", ""), 5.0);
    assert_eq!(suspensions(", limit = 5, program_limit = 3", ""), 3.0);
    assert_eq!(suspensions(", limit = 5, program_limit = 0", ""), 8.0);
    assert_eq!(suspensions(", limit = 5, erase_limit = 1", ""), 5.0);
    assert_eq!(
        suspensions(", program_limit = 3", "max_suspends_per_op = 2\n"),
        2.0
    );
}

/// A safe point every 350 us of array time: a read waits for the next one. That at 350 us is past, the one at 700 us is 200 us away.
#[test]
fn a_read_waits_for_the_next_safe_point() {
    let wait = |vendor: &str| {
        let mut commands = two_word_lines();
        commands.push(page(BEGINS + 500 * US, HostOp::Read, 0));
        let part = format!("program = \"one_shot\"\n{vendor}");
        let output = replay(&four_planes(&part, ""), commands);
        assert_eq!(figure(&output, "overhead.mean_us"), 30.0);
        latencies(&output)[2]
    };
    let at_once = wait("");
    let waited = wait("vendor = { program_safe_points = \"350 us\" }\n") - at_once;
    // the program begins some tDBSY after `BEGINS`
    assert!((200 * US..210 * US).contains(&waited), "{waited}");
    assert_eq!(wait("vendor = { erase_safe_points = \"350 us\" }\n"), at_once);
}

/// Random writes and a read after every seven of them.
fn crowd(gap: u64) -> Vec<HostCommand> {
    let draw = |what: &str, index: u64, below: u64| Seed(3).draw(what, index) % below;
    (0..4_000)
        .map(|index| {
            let op = if index % 8 == 7 {
                HostOp::Read
            } else {
                HostOp::Write
            };
            page(
                index * gap + draw("test.gap", index, gap),
                op,
                draw("test.page", index, 400),
            )
        })
        .collect()
}

/// While writes wait for room in the buffer programs are not suspended, and erases are; a drive that keeps up with its writes suspends as ever.
#[test]
fn programs_are_not_suspended_while_writes_wait_for_the_buffer() {
    let keys = "program_under_writes = \"not_saturated\"\n";
    // twice as many as it takes
    let full = |more: &str| replay(&four_planes("", more), crowd(100 * US));
    let (always, not) = (full(""), full(keys));
    assert!(number(&always, "buffer.writes_waited") > 2_000.0);
    let suspensions = [&always, &not].map(|output| figure(output, "suspensions"));
    assert!(suspensions[0] > 50.0 && suspensions[1] < 10.0, "{suspensions:?}");
    assert!(number(&not, "suspension.erase.suspensions") > 0.0);
    let mean = |output: &RunOutput| number(output, "host.read.latency.mean_us");
    assert!(mean(&not) > 3.0 * mean(&always));
    let rare = |more: &str| replay(&four_planes("", more), crowd(4_000 * US));
    let (always, not) = (rare(""), rare(keys));
    assert_eq!(number(&always, "buffer.writes_waited"), 0.0);
    assert!(figure(&always, "suspensions") > 10.0);
    assert_eq!(
        always.summary.reproducible().to_json(),
        not.summary.reproducible().to_json()
    );
}

/// Every mapping works with it, collects and merges, and the auditor finds nothing.
#[test]
fn every_mapping_suspends_word_lines() {
    let mappings = ["page", "striped", "dftl", "block", "fast", "superblock"];
    for mapping in mappings {
        for program in ["one_shot", "two_step"] {
            let config = drive(&format!(
                "seed = 7\n[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
                 blocks_per_plane = 64\npages_per_block = 24\npage_size = \"4 KiB\"\nspare_size = \"128 B\"\ncell_type = \"tlc\"\n\
                 [nand]\nprogram = \"{program}\"\nsuspend = \"program_erase\"\nsuspend_style = \"vendor\"\n\
                 vendor = {{ program_limit = 3, program_safe_points = \"100 us\", erase_safe_points = \"500 us\" }}\n\
                 [scheduler]\npolicy = \"pes\"\n[scheduler.suspension]\nprogram_suspend = \"vendor\"\n\
                 [ftl]\nmapping = \"{mapping}\"\nover_provisioning = 0.6\n\
                 [buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"\ncapacitor = true\n"
            ));
            let draw = |what: &str, number: u64| Seed(11).draw(what, number);
            let commands: Vec<_> = (0..4_000)
                .map(|number| {
                    let is_read = !draw("test.op", number).is_multiple_of(3);
                    let op = if is_read { HostOp::Read } else { HostOp::Write };
                    page(0, op, draw("test.page", number) % 1_000)
                })
                .collect();
            let output = run(&config, commands, Admission::ClosedLoop { depth: 8 });
            assert!(figure(&output, "suspensions") > 20.0, "{mapping}, {program}");
            assert!(figure(&output, "most") <= 3.0, "{mapping}, {program}");
        }
    }
}

#[test]
fn keys_without_effect_are_refused() {
    let of = |suspension: &str, vendor: &str| {
        format!(
            "base = \"tiny\"\n[nand]\nsuspend = \"program_erase\"\nsuspend_style = \"vendor\"\nvendor = {{ {vendor} }}\n\
             [scheduler]\npolicy = \"pes\"\n[scheduler.suspension]\n{suspension}"
        )
    };
    let vendor = "program_suspend = \"vendor\"\n";
    let only_erases = "program_suspend = \"none\"\n";
    let only_programs = format!("{vendor}erase_suspend = false\n");
    let under_writes = "program_under_writes = \"not_saturated\"\n";
    for accepted in [
        of(vendor, "limit = 4, program_limit = 2"),
        of(only_erases, "erase_limit = 2, erase_safe_points = \"1 ms\""),
        of(
            &only_programs,
            "program_limit = 2, program_safe_points = \"1 ms\"",
        ),
        of(&format!("{vendor}{under_writes}[buffer]\npolicy = \"lru\"\n"), ""),
    ] {
        resolve(DriveSource::Text(&accepted), None, &[]).unwrap_or_else(|error| panic!("{error}"));
    }
    for (text, words) in [
        (
            of(vendor, "limit = 4, program_limit = 2, erase_limit = 2"),
            ["nand.vendor.limit", "without nand.vendor.program_limit"],
        ),
        (
            of(only_erases, "program_limit = 2"),
            ["nand.vendor.program_limit", "program_suspend"],
        ),
        (
            of(&only_programs, "erase_safe_points = \"1 ms\""),
            ["nand.vendor.erase_safe_points", "erase_suspend = true"],
        ),
        (
            of(vendor, "program_safe_points = \"0 ns\""),
            ["nand.vendor.program_safe_points", "above 0 ns"],
        ),
        (
            of(&format!("{vendor}{under_writes}"), ""),
            ["program_under_writes", "buffer.policy"],
        ),
        (
            of(
                &format!("{only_erases}{under_writes}[buffer]\npolicy = \"lru\"\n"),
                "",
            ),
            ["program_under_writes", "program_suspend"],
        ),
    ] {
        let error = resolve(DriveSource::Text(&text), None, &[]).err();
        let error = error.unwrap_or_else(|| panic!("accepted:\n{text}")).to_string();
        for word in words {
            assert!(error.contains(word), "{word} is not in: {error}");
        }
    }
}

/// Follows each operation of a die from suspension to suspension.
#[derive(Clone, Default)]
struct Distances(Arc<Mutex<Watched>>);

#[derive(Default)]
struct Watched {
    /// By die, kind and page: suspensions, and the last resumption.
    open: FxHashMap<(DieId, CommandKind, u64), (u32, SimTime)>,
    most: [u32; 2],
    /// Least time from a resumption to a suspension, ns.
    closest: Option<u64>,
    suspensions: u64,
}

impl Probe for Distances {
    fn suspended(&mut self, array: &SuspendedArray) {
        let mut watched = self.0.lock().unwrap();
        watched.suspensions += 1;
        let entry = watched
            .open
            .entry((array.die, array.kind, array.page.0))
            .or_insert((0, SimTime::NEVER));
        entry.0 += 1;
        let (count, resumed) = *entry;
        let kind = usize::from(array.kind == CommandKind::Erase);
        watched.most[kind] = watched.most[kind].max(count);
        if count > 1 {
            let apart = array.left.since(resumed).ns();
            watched.closest = Some(watched.closest.map_or(apart, |closest| closest.min(apart)));
        }
    }

    fn resumed(&mut self, array: &ResumedArray) {
        let key = (array.die, array.kind, array.page.0);
        if let Some(entry) = self.0.lock().unwrap().open.get_mut(&key) {
            entry.1 = array.at;
        }
    }

    fn operation_done(&mut self, _: SimTime, kind: CommandKind, constituent: &Constituent) {
        let key = (constituent.die, kind, constituent.page.0);
        self.0.lock().unwrap().open.remove(&key);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever the load: no operation is suspended more often than its limit, two suspensions of it are the interval and the latency apart, a read
    /// has one operation suspended at most, and none waits for longer than an operation takes that may not be suspended any more.
    #[test]
    fn suspensions_keep_their_limits_and_reads_wait_for_few(
        seed in any::<u64>(),
        gap in 20_u64..3_000,
        interval in prop::sample::select(&[0_u64, 50, 400][..]),
        program_limit in 1_u32..5,
        erase_limit in 1_u32..5,
        step in prop::sample::select(&["", ", program_safe_points = \"150 us\"", ", erase_safe_points = \"700 us\""][..]),
        under in prop::sample::select(&["always", "not_saturated"][..]),
        program in prop::sample::select(&["page", "one_shot", "two_step"][..]),
    ) {
        let part = format!(
            "program = \"{program}\"\nvendor = {{ interval = \"{interval} us\", program_limit = {program_limit}, erase_limit = {erase_limit}{step} }}\n"
        );
        let config = four_planes(&part, &format!("program_under_writes = \"{under}\"\n"));
        let options = RunOptions { audit: true, ..RunOptions::default() };
        let mut live = LiveDrive::new(&config, Path::new("."), options).unwrap();
        let watched = Distances::default();
        live.add_probe(Box::new(watched.clone()));
        let draw = |what: &str, index: u64, below: u64| Seed(seed).draw(what, index) % below;
        let mut now = 0;
        let mut longest = 0;
        for index in 0..1_500 {
            let op = if draw("test.op", index, 3) == 0 { HostOp::Read } else { HostOp::Write };
            // a read is alone among reads
            live.inject(page(now, op, draw("test.page", index, 900)), index).unwrap();
            if op == HostOp::Read {
                let mut done = None;
                while done.is_none() && live.step().unwrap() {
                    done = live.completions().into_iter().find(|answer| answer.token == index);
                }
                let taken = done.unwrap().completed.since(SimTime(now)).ns();
                longest = longest.max(taken);
            }
            now = live.now().ns().max(now) + draw("test.gap", index, gap) * US;
            live.advance_until(SimTime(now)).unwrap();
        }
        let output = live.finish().unwrap();
        let watched = watched.0.lock().unwrap();
        prop_assert!(watched.most[0] <= program_limit && watched.most[1] <= erase_limit);
        prop_assert!(watched.closest.is_none_or(|closest| closest >= (interval + 30) * US));
        let suspending = number(&output, "suspension.reads_suspending");
        prop_assert_eq!(suspending, watched.suspensions as f64);
        prop_assert!(suspending <= number(&output, "host.read.count"));
        // an erase, which is longer than the program of a word line; four pages that go in; the read itself
        let bound = 4_000 + 400 + 30 + 4 * 20 + 60 + 20 + 10;
        prop_assert!(longest <= bound * US, "{}", longest);
    }
}
