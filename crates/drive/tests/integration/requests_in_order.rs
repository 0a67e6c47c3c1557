//! Requests that wait until a scheduler lets them into the flash, in whole drives.

use std::path::Path;

use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::{RunOptions, run};
use wordline_units::SimTime;
use wordline_workload::{HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay};

/// Two channels of one die each: even logical pages of 4 KiB are in the first, odd ones in the second.
fn config(scheduler: &str, rest: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\npages_per_block = 16\npage_size = \"4 KiB\"\n\
         [allocation]\nmode = \"static\"\norder = \"CWDP\"\n\
         [ftl]\nover_provisioning = 0.6\n[cell.process_variation]\nsd = 0.0\n\
         [scheduler]\n{scheduler}\n{rest}"
    ))
}

/// A write or read of so many pages from a page on.
fn pages(at: u64, op: HostOp, page: u64, count: u32) -> HostCommand {
    command(at, op, page * 8, count * 8)
}

const READ: HostOp = HostOp::Read;
const WRITE: HostOp = HostOp::Write;

/// Numbers of the requests in the order in which they end, where all arrive at once.
fn order_of_ends(latencies: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..latencies.len()).collect();
    order.sort_by_key(|number| latencies[*number]);
    order
}

/// Eight pages, four in each die, and then one page in each: the small writes go first, though they came last.
#[test]
fn small_writes_overtake_a_large_one() {
    let commands = || {
        vec![
            pages(0, WRITE, 0, 8),
            pages(0, WRITE, 8, 1),
            pages(0, WRITE, 9, 1),
        ]
    };
    let in_turn = latencies(&replay(&config("policy = \"out_of_order\"", ""), commands()));
    assert_eq!(order_of_ends(&in_turn), [0, 1, 2]);
    for policy in ["dlv", "woo"] {
        let output = replay(&config(&format!("policy = \"{policy}\""), ""), commands());
        let found = latencies(&output);
        assert_eq!(found[1], found[2], "each has a die and a channel of its own");
        // a program each is done before four of five are: the sums of both orders are known
        assert_eq!(found[1] * 5, in_turn[1], "{policy}");
        assert_eq!(found[0], in_turn[1], "{policy}");
        assert_eq!(number(&output, "scheduler.reordered.write"), 2.0 / 3.0);
        assert_eq!(number(&output, "scheduler.expired.write"), 0.0);
        assert!(output.summary.get("scheduler.reordered.read").is_some());
    }
    // with no time to wait they go as they came
    let impatient = replay(
        &config("policy = \"dlv\"\nwrite_deadline = \"0 ns\"", ""),
        commands(),
    );
    assert_eq!(latencies(&impatient), in_turn);
    assert_eq!(number(&impatient, "scheduler.expired.write"), 1.0);
    assert_eq!(number(&impatient, "scheduler.reordered.write"), 0.0);
}

/// Two programs for each die, one of which runs; then a write for both dies comes, and a read of a page of the first. The write
/// waits until a die has nothing to do, and the read goes before it: under `woo` it is in the queue of its die already.
#[test]
fn reads_go_before_writes() {
    let commands = || {
        vec![
            pages(0, WRITE, 0, 2),
            pages(10_000_000, WRITE, 2, 4),
            pages(10_000_010, WRITE, 10, 2),
            pages(10_000_020, READ, 0, 1),
        ]
    };
    for policy in ["dlv", "woo", "roo"] {
        let output = replay(&config(&format!("policy = \"{policy}\""), ""), commands());
        let found = latencies(&output);
        assert!(found[3] < found[2], "{policy}: {found:?}");
        assert_eq!(number(&output, "host.unmapped_reads"), 0.0);
    }
    let in_turn = latencies(&replay(&config("policy = \"out_of_order\"", ""), commands()));
    assert!(in_turn[3] > in_turn[2], "{in_turn:?}");
}

/// A large write, a write of a further page, and a read of that page: the read ends first of all estimates, but not before
/// there is something to read; nor does a deallocation go before the read.
#[test]
fn no_request_overtakes_one_of_its_pages() {
    for policy in ["dlv", "woo", "roo"] {
        for dispatch in ["just_in_time", "all_at_once"] {
            let keys = format!("policy = \"{policy}\"\ndispatch = \"{dispatch}\"");
            let commands = vec![
                pages(0, WRITE, 0, 8),
                pages(0, WRITE, 4, 8),
                pages(0, READ, 11, 1),
                pages(0, HostOp::Trim, 11, 1),
            ];
            let output = replay(&config(&keys, ""), commands);
            assert_eq!(number(&output, "host.unmapped_reads"), 0.0, "{keys}");
            assert_eq!(number(&output, "host.requests"), 4.0);
        }
    }
}

/// Data of ten days are expected to need level 3, new ones level 1: of two reads that wait for a running one, the one of
/// the new data goes first under `dlv` and `roo`.
#[test]
fn young_data_are_read_first() {
    const DAY: u64 = 86_400_000_000_000;
    let ecc = "[cell.rber]\nmodel = \"fixed\"\nrate = 0.001\n[ecc]\nkind = \"ldpc\"\n[ecc.ldpc]\nstart = \"by_age\"\n\
               [ecc.ldpc.ages]\ninitial = [5, 5, 500, 500, 500, 500]\n";
    let commands = || {
        // a block of the first die, and ten days later one more
        let mut commands: Vec<HostCommand> = (0..16)
            .map(|page| pages(page * 10_000_000, WRITE, 2 * page, 1))
            .collect();
        let later = 10 * DAY;
        commands.extend((16..18).map(|page| pages(later + page * 10_000_000, WRITE, 2 * page, 1)));
        let reads = later + DAY / 2;
        commands.push(pages(reads, READ, 0, 1));
        commands.push(pages(reads + 10, READ, 2, 1));
        commands.push(pages(reads + 20, READ, 32, 1));
        commands
    };
    for (policy, is_young_first) in [
        ("dlv", true),
        ("roo", true),
        ("woo", false),
        ("out_of_order", false),
    ] {
        let output = replay(&config(&format!("policy = \"{policy}\""), ecc), commands());
        let found = latencies(&output);
        assert_eq!(
            found[20] + 20 < found[19] + 10,
            is_young_first,
            "{policy}: {found:?}"
        );
        assert_eq!(number(&output, "ecc.attempts.mean"), 1.0);
    }
}

const TINY: [(&str, &str); 4] = [
    ("allocation.mode", "static"),
    ("workload.requests", "3000"),
    ("workload.read_fraction", "0.4"),
    ("workload.queue_depth", "16"),
];

fn resolved(keys: &[(&str, &str)]) -> Result<Config, String> {
    let overrides: Vec<(String, String)> = keys
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    resolve(DriveSource::Named("tiny"), None, &overrides)
        .map(|resolved| resolved.config)
        .map_err(|error| error.to_string())
}

/// A buffer of two pages: of six writes at once four have a page written back, and all pages are in the first die. A read that misses
/// goes before those that still wait for their turn; a read of a page that waits to be written back finds it in the buffer.
#[test]
fn what_the_buffer_asks_for_waits_for_its_turn() {
    let buffer = "[buffer]\npolicy = \"lru\"\nsize = \"8 KiB\"\nread_cache = true\n";
    let commands = || {
        let mut commands: Vec<HostCommand> = (0..8)
            .map(|page| pages(page * 10_000_000, WRITE, page * 2, 1))
            .collect();
        let later = 200_000_000;
        commands.extend((8..14).map(|page| pages(later, WRITE, page * 2, 1)));
        commands.push(pages(later, READ, 0, 1));
        commands.push(pages(later, READ, 12, 1));
        commands
    };
    let of = |policy: &str| {
        let output = replay(&config(&format!("policy = \"{policy}\""), buffer), commands());
        let found = latencies(&output);
        assert_eq!(number(&output, "host.unmapped_reads"), 0.0);
        (found[14], found[15], output)
    };
    let (in_turn, hit, _) = of("out_of_order");
    for (policy, is_before) in [
        ("dlv", true),
        ("roo", true),
        ("woo", true),
        ("pv_allocation", false),
    ] {
        let (miss, hit_too, output) = of(policy);
        assert_eq!(miss < in_turn, is_before, "{policy}: {miss} {in_turn}");
        assert_eq!(hit_too, hit, "{policy}");
        assert_eq!(number(&output, "scheduler.expired.write"), 0.0);
    }
}

/// Writes wait at the door with all their data: the small one, whose data come later over the link, goes first.
#[test]
fn data_of_a_write_come_before_its_turn() {
    let commands = || {
        vec![
            pages(0, WRITE, 0, 2),
            pages(1_000, WRITE, 4, 8),
            pages(2_000, WRITE, 12, 1),
        ]
    };
    let of = |policy: &str, rest: &str| {
        let output = replay(&config(&format!("policy = \"{policy}\""), rest), commands());
        (
            output.summary.number("scheduler.reordered.write"),
            latencies(&output),
        )
    };
    for rest in ["[host]\ninterface = \"nvme\"\n", "[host]\ninterface = \"sata\"\n"] {
        let (none, in_turn) = of("out_of_order", rest);
        let (reordered, found) = of("dlv", rest);
        assert_eq!((none, reordered), (None, Some(1.0 / 3.0)), "{rest}");
        assert!(
            found[2] < in_turn[2] && found[1] >= in_turn[1],
            "{found:?} {in_turn:?}"
        );
    }
}

/// Every buffer policy, link and firmware, with flushes, forced accesses and deallocations, audited.
#[test]
fn any_buffer_runs_audited() {
    let others: [&[(&str, &str)]; 9] = [
        &[("buffer.policy", "lru"), ("buffer.read_cache", "true")],
        &[("buffer.policy", "cflru"), ("buffer.read_cache", "true")],
        &[("buffer.policy", "lru_wsr"), ("buffer.read_cache", "true")],
        &[("buffer.policy", "ccf_lru"), ("buffer.read_cache", "true")],
        &[
            ("buffer.policy", "pt_lru"),
            ("buffer.read_cache", "true"),
            ("host.interface", "sata"),
        ],
        &[("buffer.policy", "bplru"), ("buffer.size", "64 KiB")],
        &[
            ("buffer.policy", "fab"),
            ("buffer.dirty_high", "0.5"),
            ("buffer.dirty_low", "0.2"),
        ],
        &[("host.interface", "nvme")],
        &[
            ("firmware.enabled", "true"),
            ("host.interface", "sata"),
            ("ecc.kind", "ldpc"),
        ],
    ];
    let policies = ["dlv", "woo", "roo", "pv_allocation", "pv_reorder"];
    for (number_of, other) in others.iter().enumerate() {
        for policy in ["dlv", policies[1 + number_of % 4]] {
            let mut keys = TINY.to_vec();
            keys.extend([
                ("scheduler.policy", policy),
                (
                    "modes",
                    "[{name = \"strong\", quantile = 0.25, t_prog = \"120 us\"}]",
                ),
                ("workload.request_size", "[\"2 KiB\", \"4 KiB\", \"48 KiB\"]"),
                ("workload.trim_fraction", "0.05"),
                ("buffer.size", "128 KiB"),
            ]);
            if !other.iter().any(|(key, _)| *key == "buffer.policy") {
                keys.pop();
            }
            keys.extend(*other);
            keys.push(("workload.requests", "600"));
            let config = resolved(&keys).unwrap();
            let options = RunOptions {
                audit: true,
                ..RunOptions::default()
            };
            let output = run(&config, Path::new("."), options, &mut |_| true)
                .unwrap_or_else(|error| panic!("{policy} {other:?}: {error}"));
            assert_eq!(number(&output, "host.requests"), 600.0, "{policy} {other:?}");
        }
    }
}

/// Collection, several dies and planes, requests of several pages, audited.
#[test]
fn any_drive_runs_audited() {
    for policy in ["dlv", "woo", "roo"] {
        for dispatch in ["just_in_time", "all_at_once"] {
            let mut keys = TINY.to_vec();
            keys.extend([
                ("scheduler.policy", policy),
                ("scheduler.dispatch", dispatch),
                ("workload.request_size", "[\"2 KiB\", \"4 KiB\", \"48 KiB\"]"),
                ("workload.trim_fraction", "0.05"),
            ]);
            let config = resolved(&keys).unwrap();
            let options = RunOptions {
                audit: true,
                ..RunOptions::default()
            };
            let output = run(&config, Path::new("."), options, &mut |_| true).unwrap();
            assert_eq!(number(&output, "host.requests"), 3000.0, "{policy} {dispatch}");
            assert!(number(&output, "ftl.gc.victims") > 0.0);
        }
    }
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let cases: [(&[(&str, &str)], &str); 3] = [
        (&[("allocation.mode", "dynamic")], "allocation.mode"),
        (&[("ftl.mapping", "dftl")], "ftl.mapping"),
        (&[("ftl.mapping_unit", "2 KiB")], "ftl.mapping_unit"),
    ];
    for (keys, key) in cases {
        let mut all = TINY.to_vec();
        all.push(("scheduler.policy", "woo"));
        all.extend(keys);
        let error = resolved(&all).unwrap_err();
        assert!(error.contains(key) && error.contains("not accepted"), "{error}");
    }
    let mut all = TINY.to_vec();
    all.extend([("scheduler.policy", "woo"), ("scheduler.read_deadline", "1 s")]);
    let error = resolved(&all).unwrap_err();
    assert!(
        error.contains("scheduler.read_deadline") && error.contains("no effect"),
        "{error}"
    );
}

/// Two hosts, of which one wants its commands done within a time: those go first then, and only those are past a deadline.
#[test]
fn a_host_sets_deadlines() {
    let with = |deadline: &str, rest: &str| {
        let tenant = |name: &str, deadline: &str, seed: u32| {
            format!(
                "[tenants.{name}]\n{deadline}\n[tenants.{name}.workload]\nkind = \"random\"\nread_fraction = 0.0\n\
                 request_size = \"16 KiB\"\nqueue_depth = 8\nrequests = 400\nseed = {seed}\n"
            )
        };
        let tenants = tenant("a", deadline, 1) + &tenant("b", "", 2);
        config("policy = \"dlv\"", &(rest.to_owned() + &tenants))
    };
    let latency = |config: &Config| {
        let output = run(config, Path::new("."), RunOptions::default(), &mut |_| true).unwrap();
        let expired = number(&output, "scheduler.expired.write");
        let of = |tenant: &str| number(&output, &format!("tenants.{tenant}.write.latency.p95_us"));
        (of("a") / of("b"), expired)
    };
    let (alike, none) = latency(&with("", ""));
    let (favoured, half) = latency(&with("deadline = \"0 ns\"", ""));
    let (over_sata, _) = latency(&with("deadline = \"0 ns\"", "[host]\ninterface = \"sata\"\n"));
    assert_eq!(none, 0.0);
    assert!((0.4..0.6).contains(&half), "{half}");
    assert!(favoured < 0.8 * alike, "{favoured} {alike}");
    assert!(over_sata < 0.9 * alike, "{over_sata} {alike}");
}

#[test]
fn deadlines_of_the_host_need_a_field_and_a_scheduler() {
    let tenant = ("tenants.a.deadline", "10 ms");
    let cases: [(&[(&str, &str)], &str); 3] = [
        (
            &[("scheduler.policy", "dlv"), ("host.interface", "nvme")],
            "host.interface",
        ),
        (&[("scheduler.policy", "out_of_order")], "scheduler.policy"),
        (
            &[("scheduler.policy", "dlv"), ("tenants.a.deadline", "-1 s")],
            "-1 s",
        ),
    ];
    for (keys, word) in cases {
        let text = "base = \"tiny\"\nallocation.mode = \"static\"\n[tenants.a]\n[tenants.a.workload]\nkind = \"random\"\n";
        let overrides: Vec<(String, String)> = [tenant]
            .iter()
            .chain(keys)
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let source = DriveSource::Text(text);
        let error = resolve(source, None, &overrides).unwrap_err().to_string();
        assert!(
            error.contains("tenants.a.deadline") && error.contains(word),
            "{error}"
        );
    }
}

/// A program in each die, and 100 us later a read of a page of the first, which was written before: it suspends the program, with vendor suspension after
/// 30 us, and without waits for its end. A further write waits for the end of the program either way.
#[test]
fn reads_suspend_what_their_unit_does() {
    let chips = "[nand]\nsuspend = \"program_erase\"\nsuspend_style = \"vendor\"\n";
    let keys = "policy = \"dlv_pes\"\nread_in_flight = \"after_program\"\n[scheduler.suspension]\nprogram_suspend = \"vendor\"\n";
    let commands = || {
        vec![
            pages(0, WRITE, 0, 2),
            pages(10_000_000, WRITE, 2, 2),
            pages(10_100_000, WRITE, 4, 1),
            pages(10_100_000, READ, 0, 1),
        ]
    };
    let run = |keys: &str, chips: &str| latencies(&replay(&config(keys, chips), commands()));
    let plain = run("policy = \"dlv\"\nread_in_flight = \"after_program\"", "");
    let suspended = run(keys, chips);
    // the array reads for 25 us, and the program ends 200 us after it began: the read waited for the rest of it before
    assert!(suspended[3] + 30_000 < plain[3], "{suspended:?} {plain:?}");
    assert!(
        suspended[1] > plain[1],
        "the program takes the time of the read longer"
    );
    assert!(suspended[2] >= plain[2]);
}

/// Everything that a run tells but what the queue of requests says of itself, and the latency of every request.
fn told(config: &Config, commands: Vec<HostCommand>) -> (Vec<(String, String)>, Vec<u64>) {
    let output = replay(config, commands);
    let own = ["scheduler.", "ecc.read_days."];
    let rows = output.summary.reproducible();
    let rows = rows
        .iter()
        .filter(|(key, _)| !own.iter().any(|own| key.starts_with(own)))
        .map(|(key, value)| (key.to_owned(), format!("{value:?}")))
        .collect();
    (rows, latencies(&output))
}

/// Reads and writes of up to five of twenty pages that come faster than they are served; all have been written before.
fn crowd() -> Vec<HostCommand> {
    let of = |number: u64| {
        let op = if number % 4 == 3 { READ } else { WRITE };
        pages(0, op, number * 7 % 20, 1 + (number * 3 % 5) as u32)
    };
    let first = (0..20).map(|page| pages(page * 1_000_000, WRITE, page, 1));
    let then = (0..150).map(|number| HostCommand {
        arrival: SimTime(30_000_000 + number * 90_000),
        ..of(number)
    });
    first.chain(then).collect()
}

/// With no time to wait, requests go as they come, and the drive is the baseline to the nanosecond, though its requests compete; with time it is not.
#[test]
fn without_patience_a_drive_is_the_baseline() {
    let baseline = told(&config("policy = \"out_of_order\"", ""), crowd());
    assert!(baseline.0.len() > 50);
    let none = "write_deadline = \"0 ns\"";
    for scheduler in [
        format!("policy = \"dlv\"\n{none}\nread_deadline = \"0 ns\""),
        format!("policy = \"woo\"\n{none}"),
    ] {
        assert_eq!(told(&config(&scheduler, ""), crowd()), baseline, "{scheduler}");
    }
    let patient = told(&config("policy = \"dlv\"", ""), crowd());
    assert_ne!(patient, baseline);
}

/// Where one reference is enough for every page there is nothing to learn: start levels by age and by page are the search from one reference upward, to the
/// nanosecond.
#[test]
fn without_anything_to_learn_start_levels_are_the_search() {
    let of = |start: &str| {
        let rest = format!(
            "[cell.rber]\nmodel = \"fixed\"\nrate = 0.001\n[ecc]\nkind = \"ldpc\"\n[ecc.ldpc]\nstart = {start}"
        );
        // pages are read from flash, not while they are on their way there
        let scheduler = "policy = \"out_of_order\"\nread_in_flight = \"after_program\"";
        told(&config(scheduler, &rest), crowd())
    };
    let search = of("1");
    for start in ["\"by_age\"", "\"last_level\""] {
        assert_eq!(of(start), search, "{start}");
    }
    assert_ne!(of("7"), search);
}
