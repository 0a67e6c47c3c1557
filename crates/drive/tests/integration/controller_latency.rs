//! Time that commands spend in the controller beside its cores (`firmware.read_latency`, `firmware.write_latency`), worked by hand.

use std::path::Path;

use proptest::prelude::*;
use wordline_config::Config;
use wordline_drive::{LiveDrive, RunOptions, RunOutput};
use wordline_units::{Seed, SimTime};
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay, run};

const US: u64 = 1_000;
/// Long after what came before.
const LATER: u64 = 10_000_000;
const LATENCIES: &str = "[firmware]\nread_latency = \"15 us\"\nwrite_latency = \"6 us\"\n";
const NVME: &str = "[host]\ninterface = \"nvme\"\npcie = { generation = 3, lanes = 1 }\n";
const BUFFER: &str = "[buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"\n";

/// Two channels with a die each; commands cost nothing, a page of 4 KiB takes 40 us over the bus, sensing 25, a program 660.
fn two_dies(more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\npages_per_block = 8\npage_size = \"4 KiB\"\n\
         [timing]\nt_r = \"25 us\"\nt_prog = \"660 us\"\ntransfer_rate = \"102.4 MT/s\"\nt_cad = \"0 ns\"\n\
         [allocation]\nmode = \"static\"\n[ftl]\nover_provisioning = 1.0\n{more}"
    ))
}

fn page(at: u64, op: HostOp, page: u64) -> HostCommand {
    command(at, op, page * 8, 8)
}

/// A part of the response times of a class, in ns.
fn part(output: &RunOutput, class: &str, name: &str) -> f64 {
    let key = format!("attribution.{class}.{name}_us");
    output.summary.number(&key).unwrap_or(0.0) * 1e3
}

/// A lone write takes 6 + 40 + 660 us, a lone read 15 + 25 + 40 us; two reads at once of different dies take no longer.
#[test]
fn commands_take_their_time_side_by_side() {
    let mut commands = vec![page(0, HostOp::Write, 0), page(LATER, HostOp::Write, 1)];
    commands.push(page(2 * LATER, HostOp::Read, 0));
    commands.extend([0, 1].map(|number| page(3 * LATER, HostOp::Read, number)));
    let output = replay(&two_dies(LATENCIES), commands);
    assert_eq!(latencies(&output), [706, 706, 80, 80, 80].map(|taken| taken * US));
    assert_eq!(part(&output, "read", "controller"), 15e3);
    assert_eq!(part(&output, "write", "controller"), 6e3);
    assert_eq!(part(&output, "read", "array"), 25e3);
    // they are in the drive meanwhile
    assert_eq!(output.requests.admitted_ns, output.requests.arrival_ns);
}

/// Two reads of one die: the second waits for the first, but not for the time of that in the controller.
#[test]
fn reads_of_one_die_wait_for_the_die_alone() {
    let commands = vec![
        page(0, HostOp::Write, 0),
        page(LATER, HostOp::Read, 0),
        page(LATER, HostOp::Read, 0),
    ];
    let taken = latencies(&replay(&two_dies(LATENCIES), commands));
    assert_eq!(taken[1..], [80, 80 + 65].map(|taken| taken * US));
}

/// Reads, buffered writes, deallocations and flushes, each alone, with and without a link: each takes so much longer, in the controller.
#[test]
fn every_command_takes_so_much_longer() {
    let hosts = ["", NVME].map(|host| ["", BUFFER].map(|buffer| format!("{host}{buffer}")));
    for more in hosts.as_flattened() {
        let commands: Vec<_> = [
            page(0, HostOp::Write, 0),
            page(0, HostOp::Read, 0),
            page(0, HostOp::Flush, 0),
            page(0, HostOp::Read, 7),
            page(0, HostOp::Trim, 0),
            page(0, HostOp::Write, 3),
        ]
        .into_iter()
        .zip(0..)
        .map(|(command, index)| HostCommand {
            arrival: SimTime(index * LATER),
            ..command
        })
        .collect();
        let of = |keys: &str| replay(&two_dies(&format!("{more}{keys}")), commands.clone());
        let (without, with) = (of(""), of(LATENCIES));
        let more_by = |command: &HostCommand| {
            if command.op == HostOp::Read {
                15 * US
            } else {
                6 * US
            }
        };
        let expected: Vec<u64> = latencies(&without)
            .into_iter()
            .zip(&commands)
            .map(|(taken, command)| taken + more_by(command))
            .collect();
        assert_eq!(latencies(&with), expected, "{more}");
        for (class, time) in [("read", 15e3), ("write", 6e3)] {
            assert_eq!(part(&with, class, "controller"), time, "{more}");
            assert_eq!(part(&without, class, "controller"), 0.0, "{more}");
        }
    }
}

/// What is no read keeps its order: a page that is written and deallocated at once is gone.
#[test]
fn deallocations_do_not_overtake_writes() {
    for more in ["", BUFFER] {
        let commands = vec![
            page(0, HostOp::Write, 0),
            page(0, HostOp::Trim, 0),
            page(LATER, HostOp::Read, 0),
        ];
        let output = replay(&two_dies(&format!("{more}{LATENCIES}")), commands);
        assert_eq!(number(&output, "ftl.pages_read.host"), 0.0, "{more}");
    }
}

/// Reads one at a time follow each other after 15 + 65 us, and with the cores of the firmware after their work, too.
#[test]
fn a_closed_loop_goes_slower_by_it() {
    for (cores, cycles) in [("", 0), ("enabled = true\n", 650 * 10)] {
        let commands = (0..10).map(|_| page(0, HostOp::Read, 0));
        let commands = std::iter::once(page(0, HostOp::Write, 0)).chain(commands);
        let output = run(
            &two_dies(&format!("{LATENCIES}{cores}")),
            commands.collect(),
            Admission::ClosedLoop { depth: 1 },
        );
        assert_eq!(latencies(&output)[1..], [80 * US + cycles; 10]);
    }
}

/// A live drive answers after it; one whose power fails is not held up by it.
#[test]
fn a_live_drive_takes_it_too() {
    let of = |keys: &str| {
        let more = format!("{BUFFER}capacitor = true\n{keys}");
        let mut live = LiveDrive::new(&two_dies(&more), Path::new("."), RunOptions::default()).unwrap();
        live.inject(page(0, HostOp::Write, 0), 7).unwrap();
        live.advance_until(SimTime(LATER)).unwrap();
        let done = live.completions()[0];
        (
            done.completed.since(done.arrival).ns(),
            live.hold_up().unwrap().time,
        )
    };
    let ((without, time), (with, delayed)) = (of(""), of(LATENCIES));
    assert_eq!(with, without + 6 * US);
    assert_eq!(delayed, time);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// On a drive that comes to rest between commands each takes longer by its own time, whatever that is; and where commands
    /// crowd no read is faster than that time, and the parts add up, as the auditor sees to.
    #[test]
    fn latency_is_added_and_occupies_nothing(seed in any::<u64>(), read in 0_u64..50_000, write in 0_u64..50_000, more in prop::sample::select(&["", NVME, BUFFER][..])) {
        let draw = |what: &str, index: u64, below: u64| Seed(seed).draw(what, index) % below;
        let commands = |gap: u64| -> Vec<HostCommand> {
            (0..40)
                .map(|index| {
                    let op = [HostOp::Read, HostOp::Write, HostOp::Write, HostOp::Trim][draw("test.op", index, 4) as usize];
                    page(index * gap, op, draw("test.page", index, 40))
                })
                .collect()
        };
        let keys = format!("[firmware]\nread_latency = \"{read} ns\"\nwrite_latency = \"{write} ns\"\n");
        let of = |keys: &str, gap: u64| replay(&two_dies(&format!("{more}{keys}")), commands(gap));
        let own = |command: &HostCommand| if command.op == HostOp::Read { read } else { write };
        let (without, with) = (latencies(&of("", 4 * LATER)), latencies(&of(&keys, 4 * LATER)));
        for ((command, without), with) in commands(1).iter().zip(without).zip(with) {
            prop_assert_eq!(with, without + own(command));
        }
        let crowded = of(&keys, 5_000);
        for (command, taken) in commands(1).iter().zip(latencies(&crowded)) {
            prop_assert!(taken >= own(command));
        }
    }
}
