//! Host interfaces: times by hand, links at their limit, arbitration between clients, clients that
//! start, pause and stop.

use wordline_config::Config;
use wordline_drive::{RunOptions, RunOutput, run_clients};

use crate::common::{self, Commands, command, drive, latencies, number};
use wordline_metrics::Status;
use wordline_units::{Duration, SimTime};
use wordline_workload::{Admission, Client, HostCommand, HostOp, Source, SourceError, Think};

/// The same command for ever.
struct Endless(HostCommand);

impl Source for Endless {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        Ok(Some(self.0))
    }

    fn len_hint(&self) -> Option<u64> {
        None
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

fn run(config: &Config, clients: Vec<Client>) -> RunOutput {
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    let output = run_clients(config, clients, options).unwrap_or_else(|error| panic!("{error}"));
    assert!(number(&output, "check.little_residual") < 1e-9);
    output
}

fn open(commands: Vec<HostCommand>) -> Client {
    Client::alone(
        Box::new(Commands::new(commands)),
        Admission::OpenLoop { limit: None },
    )
}

const SMALL: &str = "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
                     blocks_per_plane = 16\n";
const NVME: &str = "[host]\ninterface = \"nvme\"\npcie = { generation = 3, lanes = 1 }\n";
const SATA: &str = "[host]\ninterface = \"sata\"\n";
const UFS: &str = "[host]\ninterface = \"ufs\"\n";
const EMMC: &str = "[host]\ninterface = \"emmc\"\n";
/// Long after what came before.
const LATER: u64 = 10_000_000;

/// A request that reaches beyond the last sector is refused as a whole, by a buffer too, and touches nothing.
#[test]
fn requests_beyond_the_capacity_are_refused() {
    for more in ["", "[buffer]\npolicy = \"lru\"\n", NVME] {
        let config = drive(&format!("{SMALL}{more}"));
        let end = 4 * number(&run(&config, vec![open(Vec::new())]), "ftl.user_pages") as u64;
        let asked = [
            (HostOp::Write, end - 4, 4),
            (HostOp::Write, end - 4, 8),
            (HostOp::Read, end, 1),
            (HostOp::Trim, end - 8, 12),
            (HostOp::Write, u64::MAX, 4),
            (HostOp::Read, end - 4, 4),
        ];
        let commands = (0_u64..).zip(asked);
        let commands = commands.map(|(index, (op, sector, count))| command(index * LATER, op, sector, count));
        let output = run(&config, vec![open(commands.collect())]);
        let [good, refused] = [Status::Good, Status::Refused].map(|status| status.index() as u8);
        assert_eq!(
            output.requests.status,
            [good, refused, refused, refused, refused, good]
        );
        assert_eq!(number(&output, "host.refused"), 4.0);
        assert_eq!(number(&output, "host.requests"), 6.0);
        assert_eq!(number(&output, "host.write.bytes"), 2048.0);
        assert_eq!(number(&output, "host.read.bytes"), 2048.0);
        assert_eq!(number(&output, "ftl.trimmed_pages"), 0.0);
        let note = output.notes.iter().find(|note| note.key == "refused").unwrap();
        assert!(
            note.text.starts_with("4 of 6 requests were refused"),
            "{}",
            note.text
        );
    }
}

/// Doorbell 150, fetch 400; 2 KiB in eight packets of 280 bytes 2275; completion entry and
/// interrupt 69, host 500. The flash takes 251 375 for a program and 71 375 for a read.
#[test]
fn nvme_adds_its_times_to_an_unloaded_command() {
    let config = drive(&format!("{SMALL}{NVME}"));
    let commands = vec![
        command(0, HostOp::Write, 0, 4),
        command(LATER, HostOp::Read, 0, 4),
        // a page that holds no data: the controller's memory answers, 1 us
        command(2 * LATER, HostOp::Read, 8, 4),
        command(3 * LATER, HostOp::Flush, 0, 0),
    ];
    let ends = 150 + 400 + 69 + 500;
    let times = latencies(&run(&config, vec![open(commands)]));
    assert_eq!(times[0], ends + 2275 + 251_375);
    assert_eq!(times[1], ends + 71_375 + 2275);
    assert_eq!(times[2], ends + 1000 + 2275);
}

/// Two planes that are programmed together, and a request of a page for each.
const PAIR: &str = "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 2\n\
                    blocks_per_plane = 16\n[commands]\nmulti_plane_write = \"wise\"\n";

/// The latency of a write of two pages, and the commands of two planes that it took.
fn pair(more: &str) -> (u64, f64) {
    let config = drive(&format!("{PAIR}{more}"));
    let output = run(&config, vec![open(vec![command(0, HostOp::Write, 0, 8)])]);
    (
        latencies(&output)[0],
        number(&output, "nand.commands.multi_plane_program"),
    )
}

/// The pages of a command wait for each other on their way over the link: two planes take what they take without one, and
/// the link's time in addition: 2 x 2275 ns over PCI Express; two frames of 3640 ns, a setup of 267 ns, command and
/// completion over SATA.
#[test]
fn pages_of_a_command_are_programmed_together_over_a_link() {
    let (alone, commands) = pair("");
    assert_eq!(commands, 1.0);
    let one_page = 251_375;
    assert!(
        alone < one_page + 100_000,
        "{alone}: two planes in little more than one"
    );
    assert_eq!(pair(NVME), (alone + 150 + 400 + 2 * 2275 + 69 + 500, 1.0));
    assert_eq!(pair(SATA), (alone + 2 * 253 + 267 + 2 * 3640 + 233, 1.0));
    // the second page comes 2275 ns after the first: a wait of less is none, one of as much is enough
    let (apart, commands) = pair(&format!("{NVME}gather = \"2274 ns\"\n"));
    assert_eq!(commands, 0.0);
    assert!(apart > alone + 200_000, "{apart}: one program after the other");
    assert_eq!(pair(&format!("{NVME}gather = \"2275 ns\"\n")).1, 1.0);
    assert_eq!(pair(&format!("{NVME}gather = \"0 ns\"\n")), (apart, 0.0));
}

/// Eight pages are four pairs: no page waits for more than fill the planes, so that the first pair starts when the second
/// page is there.
#[test]
fn no_more_pages_are_waited_for_than_fill_the_planes() {
    let config = drive(&format!("{PAIR}{NVME}"));
    let output = run(&config, vec![open(vec![command(0, HostOp::Write, 0, 32)])]);
    assert_eq!(number(&output, "nand.commands.multi_plane_program"), 4.0);
    let ideal = run(&drive(PAIR), vec![open(vec![command(0, HostOp::Write, 0, 32)])]);
    // the other pairs come while the first is programmed
    let link = 150 + 400 + 2 * 2275 + 69 + 500;
    assert_eq!(latencies(&output)[0], latencies(&ideal)[0] + link);
}

/// The way of the request for write data to the host and back: each write takes it once, its pages together.
#[test]
fn requests_for_write_data_take_their_way() {
    let nvme = NVME.replace("lanes = 1", "lanes = 1, read_latency = \"600 ns\"");
    let commands = || {
        vec![
            command(0, HostOp::Write, 0, 8),
            command(LATER, HostOp::Read, 0, 8),
        ]
    };
    let [far, near] = [nvme.as_str(), NVME].map(|host| {
        let config = drive(&format!("{PAIR}{host}"));
        latencies(&run(&config, vec![open(commands())]))
    });
    assert_eq!(far, [near[0] + 600, near[1]]);
}

/// 200 us of a write are the array's: without them it is acknowledged as soon as the register has its data. A forced one
/// waits, and so does a read of the page.
#[test]
fn writes_can_be_acknowledged_at_the_transfer() {
    let config = drive(&format!("{SMALL}[host]\nwrite_acknowledge = \"transferred\"\n"));
    let forced = HostCommand {
        fua: true,
        ..command(LATER, HostOp::Write, 4, 4)
    };
    let commands = vec![
        command(0, HostOp::Write, 0, 4),
        forced,
        command(2 * LATER, HostOp::Write, 8, 4),
        // the die programs until 251 375
        command(2 * LATER + 60_000, HostOp::Read, 0, 4),
    ];
    let output = common::replay(&config, commands);
    let rest = 251_375 - 60_000;
    assert_eq!(latencies(&output), [51_375, 251_375, 51_375, rest + 71_375]);
    // transfer and nothing else for two of three; the parts of each sum to its latency
    let array = number(&output, "attribution.write.array_us");
    assert!((array - 200.0 / 3.0).abs() < 1e-9, "{array}");
    assert_eq!(number(&output, "ftl.pages_programmed"), 3.0);
}

/// In a command of two dies the program of the first, 200 us, is over before the transfer of the second, 410 us: each
/// write is acknowledged when its own data are in their register.
#[test]
fn a_die_whose_program_ends_before_the_bus_is_acknowledged_at_its_own_transfer() {
    let config = drive(
        r#"
            [geometry]
            channels = 1
            chips_per_channel = 1
            dies_per_chip = 2
            planes_per_die = 1
            blocks_per_plane = 12
            pages_per_block = 12
            page_size = "16 KiB"
            [ftl]
            over_provisioning = 1.0
            [age]
            method = "fresh"
            [commands]
            interleave = true
            [scheduler]
            busy_grain = "chip"
            [host]
            write_acknowledge = "transferred"
        "#,
    );
    let commands = (0..8)
        .map(|page| command(0, HostOp::Write, 32 * page, 32))
        .collect();
    let output = common::replay(&config, commands);
    let latencies = latencies(&output);
    assert_eq!(latencies.len(), 8);
    assert!(latencies[1] > latencies[0] + 400_000, "{latencies:?}");
    assert_eq!(number(&output, "ftl.pages_programmed"), 8.0);
}

/// A read 10 us after the write of its page: the memory answers within 1 us, or the die after the program.
#[test]
fn reads_of_a_page_in_flight_wait_where_no_memory_has_it() {
    for (key, wanted) in [
        ("", 1_000),
        ("[scheduler]\nread_in_flight = \"memory\"\n", 1_000),
        (
            "[scheduler]\nread_in_flight = \"after_program\"\n",
            251_375 - 10_000 + 71_375,
        ),
    ] {
        let config = drive(&format!("{SMALL}{key}"));
        let commands = vec![
            command(0, HostOp::Write, 0, 4),
            command(10_000, HostOp::Read, 0, 4),
        ];
        let output = common::replay(&config, commands);
        assert_eq!(latencies(&output), [251_375, wanted], "{key}");
    }
}

/// A page lies on flash; one of its four sub-pages is written 10 ms later, and 100 us after that, while the page is being programmed, all of it is read: the controller has
/// that sub-page, and the others are read from the old page. The die of the program is the other one. With no memory for it, the read waits for the program and takes
/// its page from there.
#[test]
fn a_read_of_a_page_partly_in_flight_is_merged_in_the_controller() {
    let two_dies = SMALL.replace("chips_per_channel = 1", "chips_per_channel = 2");
    let times = |key: &str, first: u64, sectors: u32| {
        let config = drive(&format!("{two_dies}[scheduler]\nread_in_flight = \"{key}\"\n"));
        let commands = vec![
            command(0, HostOp::Write, 0, 4),
            command(LATER, HostOp::Write, 0, 1),
            command(LATER + 100_000, HostOp::Read, first, sectors),
        ];
        let output = common::replay(&config, commands);
        assert_eq!(number(&output, "ftl.uncovered_updates"), 1.0);
        latencies(&output)
    };
    // a read of three sub-pages alone
    let rest = times("memory", 1, 3)[2];
    assert!(rest < 71_375, "{rest}");
    assert_eq!(times("memory", 0, 4)[2], rest);
    let after = times("after_program", 0, 4);
    assert_eq!(after[2], after[1] - 100_000 + 71_375);
    assert!(after[2] > 2 * rest);
}

/// A command and its release 253 each; setup 267; 2 KiB in a frame of 2064 bytes 3440 + 200;
/// completion 20 bytes 33 + 200.
#[test]
fn sata_adds_its_times_to_an_unloaded_command() {
    let config = drive(&format!("{SMALL}{SATA}"));
    let commands = vec![
        command(0, HostOp::Write, 0, 4),
        command(LATER, HostOp::Read, 0, 4),
    ];
    let ends = 2 * 253 + 267 + 3640 + 233;
    let times = latencies(&run(&config, vec![open(commands)]));
    assert_eq!(times, [ends + 251_375, ends + 71_375]);
}

/// UFS: a packet of 32 bytes 14, 2 KiB and a header 892; a write asks for its data first, over the other direction. eMMC: three commands
/// of 480 and one at the end; 2 KiB in four blocks of 530 bytes 5300.
#[test]
fn ufs_and_emmc_add_their_times_to_an_unloaded_command() {
    for (host, ends) in [(UFS, 14 + 892 + 14), (EMMC, 3 * 480 + 5300 + 480)] {
        let config = drive(&format!("{SMALL}{host}"));
        let commands = vec![
            command(0, HostOp::Write, 0, 4),
            command(LATER, HostOp::Read, 0, 4),
        ];
        let times = latencies(&run(&config, vec![open(commands)]));
        assert_eq!(times, [ends + 251_375, ends + 71_375], "{host}");
    }
}

/// Reads of pages without data cost no flash: the link is the limit. 64 KiB are 256 packets of 280
/// bytes, and a completion and its interrupt 68 bytes, at 250 MB/s.
#[test]
fn a_saturated_link_moves_what_its_packets_leave() {
    let text = format!("{SMALL}[host]\ninterface = \"nvme\"\npcie = {{ generation = 1, lanes = 1 }}\n");
    let config = drive(&text);
    let reads = (0..2000).map(|_| command(0, HostOp::Read, 0, 128)).collect();
    let output = run(&config, vec![open(reads)]);
    let expected = 250.0 * 65_536.0 / (256.0 * 280.0 + 68.0);
    let found = number(&output, "host.bandwidth_mb_s");
    assert!((found / expected - 1.0).abs() < 0.005, "{found} {expected}");
    assert!(number(&output, "host.link.to_host_utilization") > 0.995);
}

/// PCI Express carries reads and writes at once, SATA one after the other.
#[test]
fn duplex_links_carry_both_directions_at_once() {
    let both = |text: &str| {
        let buffer = "[buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"\n";
        let config = drive(&format!("{SMALL}{buffer}{text}"));
        let limit = |op, sector| Client {
            time_limit: Some(Duration::from_ms(20)),
            ..Client::alone(
                Box::new(Endless(command(0, op, sector, 64))),
                Admission::ClosedLoop { depth: 8 },
            )
        };
        // a write that always hits the buffer, a read without data
        let output = run(&config, vec![limit(HostOp::Write, 0), limit(HostOp::Read, 128)]);
        number(&output, "host.link.to_drive_utilization") + number(&output, "host.link.to_host_utilization")
    };
    let duplex = both("[host]\ninterface = \"nvme\"\npcie = { generation = 1, lanes = 1 }\n");
    assert!(duplex > 1.9, "{duplex}");
    // slow enough that the link is the limit; ends of writes wait behind data of reads
    let duplex = both("[host]\ninterface = \"ufs\"\nufs = { gear = 1, lanes = 1 }\n");
    assert!(duplex > 1.8, "{duplex}");
    for host in [SATA, EMMC] {
        let half = both(host);
        assert!((0.97..=1.0).contains(&half), "{host}: {half}");
    }
}

#[test]
fn long_requests_are_cut_into_commands_and_complete_together() {
    for host in ["[host]\n", NVME, SATA, UFS, EMMC] {
        let config = drive(&format!("{SMALL}{host}max_transfer = \"2 KiB\"\n"));
        let commands = vec![
            command(0, HostOp::Write, 0, 16),
            command(LATER, HostOp::Read, 1, 13),
            command(2 * LATER, HostOp::Trim, 0, 16),
        ];
        let output = run(&config, vec![open(commands)]);
        assert_eq!(number(&output, "host.requests"), 3.0);
        assert_eq!(number(&output, "host.commands"), 4.0 + 4.0 + 1.0);
        assert_eq!(number(&output, "host.read.bytes"), 13.0 * 512.0);
    }
}

#[test]
fn tags_bound_the_commands_in_the_drive() {
    let config = drive(&format!("{SMALL}{SATA}"));
    let writes = |queue: u64| open((0..200).map(|_| command(0, HostOp::Write, queue, 4)).collect());
    let output = run(&config, vec![writes(0), writes(4)]);
    assert_eq!(number(&output, "host.queue.max_depth"), 32.0);
    let config = drive(&format!(
        "{SMALL}{NVME}nvme = {{ queue_depth = 5, command_slots = 100 }}\n"
    ));
    let output = run(&config, vec![writes(0), writes(4)]);
    assert_eq!(number(&output, "host.queue.max_depth"), 10.0);
}

/// Requests of two tenants over 50 ms, the second with `priority`, on a drive of one command slot.
fn shares(priority: &str, arbitration: &str) -> [f64; 2] {
    let tenant = |name: &str, priority: &str| {
        format!(
            "[tenants.{name}]\npriority = \"{priority}\"\n[tenants.{name}.workload]\nread_fraction = 1.0\n\
             queue_depth = 16\nrequests = 1500\n"
        )
    };
    let config = drive(&format!(
        "{SMALL}[host]\ninterface = \"nvme\"\nnvme = {{ arbitration = \"{arbitration}\", burst = 1, command_slots = 1, \
         weight_high = 3, weight_medium = 1 }}\n{}{}",
        tenant("a", "medium"),
        tenant("b", priority)
    ));
    let output = wordline_drive::run(
        &config,
        std::path::Path::new("."),
        RunOptions::default(),
        &mut |_| true,
    )
    .unwrap_or_else(|error| panic!("{error}"));
    // while both still send: until the first of them is done
    let log = &output.requests;
    let last = |queue| {
        (0..log.number.len())
            .filter(|row| log.queue[*row] == queue)
            .map(|row| log.completed_ns[row])
            .max()
            .unwrap_or_default()
    };
    let end = last(0).min(last(1));
    let count = |queue| {
        (0..log.number.len())
            .filter(|row| log.queue[*row] == queue && log.completed_ns[*row] <= end)
            .count() as f64
    };
    [count(0), count(1)]
}

#[test]
fn two_tenants_get_the_shares_they_ask_for() {
    let [a, b] = shares("high", "weighted_round_robin");
    assert!((b / a - 3.0).abs() < 0.05, "{a} {b}");
    let [a, b] = shares("medium", "weighted_round_robin");
    assert!((b / a - 1.0).abs() < 0.02, "{a} {b}");
    let [a, b] = shares("high", "round_robin");
    assert!((b / a - 1.0).abs() < 0.02, "{a} {b}");
    // what is urgent goes first: the other gets what it sent before, and the gaps
    let [a, b] = shares("urgent", "weighted_round_robin");
    assert!(a < 0.03 * b, "{a} {b}");
}

#[test]
fn tenants_keep_to_their_part_of_the_drive_and_have_results_of_their_own() {
    let config = drive(&format!(
        "{SMALL}[tenants.left]\nspace = 0.5\n[tenants.left.workload]\nrequests = 300\nread_fraction = 0.0\n\
         request_size = \"2 KiB\"\n[tenants.right]\nspace = [0.5, 1.0]\n[tenants.right.workload]\nrequests = 100\n\
         request_size = \"2 KiB\"\n"
    ));
    let output = wordline_drive::run(
        &config,
        std::path::Path::new("."),
        RunOptions::default(),
        &mut |_| true,
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let half = number(&output, "ftl.user_pages") as u64 * 4 / 2;
    let log = &output.requests;
    for row in 0..log.number.len() {
        assert_eq!(log.queue[row] == 0, log.sector[row] < half);
    }
    assert_eq!(number(&output, "tenants.left.write.count"), 300.0);
    assert_eq!(number(&output, "tenants.right.all.count"), 100.0);
    assert_eq!(number(&output, "host.requests"), 400.0);
    let [left, right] = ["left", "right"].map(|name| number(&output, &format!("tenants.{name}.iops")));
    let jain = (left + right).powi(2) / (2.0 * (left * left + right * right));
    assert!((number(&output, "host.fairness.iops") - jain).abs() < 1e-12);
    assert!(jain < 0.999, "they do not get the same: {left} {right}");
}

/// Start, pause, pace, stop: times of sending by hand; a page without data takes 1 us.
#[test]
fn clients_start_pause_and_stop_when_they_say() {
    let config = drive(SMALL);
    let reads = |gap: u64, count: u64| {
        let commands = (0..count).map(|index| command(index * gap, HostOp::Read, 0, 4));
        Box::new(Commands::new(commands.collect()))
    };
    let us = Duration::from_us;
    let first = Client {
        // pairs one after the other, 1 us each, then 10 us of thought
        delay: us(5),
        ..Client::alone(
            reads(0, 5),
            Admission::Paced {
                depth: 1,
                think: Some(Think {
                    commands: 2,
                    time: us(10),
                }),
            },
        )
    };
    let second = Client {
        // every 3 us, until 10 us after its start
        group: 1,
        time_limit: Some(us(10)),
        ..Client::alone(
            reads(3_000, 1000),
            Admission::Paced {
                depth: 4,
                think: None,
            },
        )
    };
    let output = run(&config, vec![first, second]);
    let log = &output.requests;
    let mut sent: Vec<(u64, u16)> = (0..log.number.len())
        .map(|row| (log.arrival_ns[row] / 1000, log.queue[row]))
        .collect();
    sent.sort_unstable();
    // 5, 6 | 7 + 10 = 17, 18 | 29, done at 30; then 30, 33, 36, 39
    let expected = [5, 6, 17, 18, 29].map(|at| (at, 0));
    assert_eq!(sent[..5], expected);
    assert_eq!(sent[5..], [30, 33, 36, 39].map(|at| (at, 1)));
    assert_eq!(
        SimTime(log.completed_ns.iter().copied().max().unwrap_or(0)),
        SimTime(40_000)
    );
}

/// A page that was written, zeroed and read: without TRIM the zeroes are a program like any other.
#[test]
fn zeroes_are_written_where_nothing_is_deallocated() {
    for (trims, programs, unmapped) in [(true, 1.0, 1.0), (false, 2.0, 0.0)] {
        let config = drive(&format!("{SMALL}[ftl]\ntrim = {{ enabled = {trims} }}\n"));
        let commands = vec![
            command(0, HostOp::Write, 0, 4),
            command(LATER, HostOp::WriteZeroes, 0, 4),
            command(2 * LATER, HostOp::Read, 0, 4),
        ];
        let output = run(&config, vec![open(commands)]);
        assert_eq!(number(&output, "ftl.pages_programmed"), programs);
        assert_eq!(number(&output, "host.unmapped_reads"), unmapped);
    }
}

/// Breaks off after its commands.
struct Broken(Commands);

impl Source for Broken {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        match self.0.next_command()? {
            Some(command) => Ok(Some(command)),
            None => Err(SourceError("the rest is missing".to_owned())),
        }
    }

    fn len_hint(&self) -> Option<u64> {
        None
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A large drive knows more commands of a closed loop ahead than a small one: all else is the same.
#[test]
fn commands_that_are_known_ahead_change_nothing() {
    let of = |blocks: u32| {
        let text = "channels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\npages_per_block = 64";
        let mut config = drive(&format!("[geometry]\n{text}\nblocks_per_plane = {blocks}\n"));
        config.output.timeline = None;
        config
    };
    let drives = [of(64), of(1 << 15)];
    let commands: Vec<_> = (0..300)
        .map(|index| {
            let op = if index % 3 == 0 {
                HostOp::Read
            } else {
                HostOp::Write
            };
            command(0, op, index * 37 % 500 * 4, 4)
        })
        .collect();
    for time_limit in [None, Some(Duration::from_ms(5))] {
        let client = || Client {
            time_limit,
            ..Client::alone(
                Box::new(Commands::new(commands.clone())),
                Admission::ClosedLoop { depth: 4 },
            )
        };
        let [small, large] = drives
            .each_ref()
            .map(|drive| run_clients(drive, vec![client()], RunOptions::default()).unwrap());
        assert_eq!(latencies(&small), latencies(&large));
        assert_eq!(latencies(&small).len() < 300, time_limit.is_some());
    }
    for drive in &drives {
        let broken = Box::new(Broken(Commands::new(commands.clone())));
        let client = Client::alone(broken, Admission::ClosedLoop { depth: 4 });
        let error = run_clients(drive, vec![client], RunOptions::default())
            .err()
            .map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("the rest is missing")));
    }
}
