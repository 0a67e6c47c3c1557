//! Where response times went, worked by hand.

use wordline_config::Config;
use wordline_drive::RunOutput;
use wordline_metrics::Part;
use wordline_workload::HostOp;

use crate::common::{command, drive, latencies, number, replay};

/// Two pages for the two dies of a chip, as one interleaved command: 175 ns of cycles and 51.2 us of data each, 10 us of
/// array. The first of them is done while the bus moves the data of the second.
#[test]
fn a_die_of_an_interleaved_program_may_be_done_before_the_bus() {
    let config = drive(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 2\nplanes_per_die = 1\n\
         blocks_per_plane = 16\n[timing]\nt_prog = \"10 us\"\n[commands]\ninterleave = true\n\
         [scheduler]\nbusy_grain = \"chip\"\n[ftl]\nover_provisioning = 0.6\n",
    );
    let output = replay(
        &config,
        [0, 4].map(|sector| command(0, HostOp::Write, sector, 4)).into(),
    );

    assert_eq!(number(&output, "nand.commands"), 1.0);
    assert_eq!(latencies(&output), [61_375, 112_750]);
    for (part, [first, second]) in [("transfer", [51.375, 102.75]), ("array", [10.0, 10.0])] {
        let mean = number(&output, &format!("attribution.write.{part}_us"));
        assert!((mean - (first + second) / 2.0).abs() < 1e-9, "{part}: {mean}");
    }
}

/// The same where writes are acknowledged when their data are in the page registers: those of the second die are there when the bus is done.
#[test]
fn each_die_of_an_interleaved_program_has_its_data_at_a_time_of_its_own() {
    let config = drive(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 2\nplanes_per_die = 1\n\
         blocks_per_plane = 16\n[commands]\ninterleave = true\n[host]\nwrite_acknowledge = \"transferred\"\n\
         [scheduler]\nbusy_grain = \"chip\"\n[ftl]\nover_provisioning = 0.6\n",
    );
    let writes = [0, 4].map(|sector| command(0, HostOp::Write, sector, 4));
    assert_eq!(latencies(&replay(&config, writes.into())), [51_375, 102_750]);
}

/// Writes the first pages of a channel of dies with a plane each, one after the other, and then reads some of them, each request so many from one
/// on, all at once. A read takes 175 ns of cycles, 20 us of array and 51.2 us of data.
fn read_at_once(dies: u32, pages: u64, reads: &[(u64, u32)]) -> RunOutput {
    const LATER: u64 = 10_000_000;
    let config: Config = drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = {dies}\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\n[ftl]\nover_provisioning = 0.6\n"
    ));
    let writes = (0..pages).map(|page| command(page * LATER, HostOp::Write, page * 4, 4));
    let reads = reads
        .iter()
        .map(|(page, count)| command(pages * LATER, HostOp::Read, page * 4, count * 4));
    replay(&config, writes.chain(reads).collect())
}

/// The mean parts of the response times of reads in nanoseconds, those that are not 0.
fn parts_of_reads(output: &RunOutput) -> Vec<(&'static str, u64)> {
    // parts that no request has are not told
    let mean = |part: &Part| {
        let key = format!("attribution.read.{}_us", part.name());
        output.summary.number(&key).unwrap_or(0.0)
    };
    Part::all()
        .iter()
        .map(|part| (part.name(), (mean(part) * 1e3).round() as u64))
        .filter(|(_, ns)| *ns > 0)
        .collect()
}

/// Of two dies, the second waits for the cycles of the first, and then for its data.
#[test]
fn a_read_waits_for_the_channel_while_the_data_of_another_move() {
    let output = read_at_once(2, 2, &[(0, 1), (1, 1)]);
    assert_eq!(latencies(&output)[2..], [71_375, 122_575]);
    assert_eq!(
        parts_of_reads(&output),
        [
            ("channel_host_read", 51_200 / 2),
            ("transfer", 51_375),
            ("array", 20_000),
        ]
    );
}

/// Of two pages of a die, the second waits for the first, which is of the same request, and for that of the request before.
#[test]
fn a_read_waits_for_the_die_that_another_request_and_its_own_hold() {
    let output = read_at_once(1, 3, &[(0, 1), (1, 2)]);
    assert_eq!(latencies(&output)[3..], [71_375, 3 * 71_375]);
    assert_eq!(
        parts_of_reads(&output),
        [
            ("die_host_read", 71_375_u64.div_ceil(2)),
            ("die_sibling", 71_375_u64.div_ceil(2)),
            ("transfer", 51_375),
            ("array", 20_000),
        ]
    );
}

/// A buffer of one page and three writes at once; a program takes 51.375 us of transfer and 200 us of array. The second write waits for the program of the first. The third waits for two
/// programs one after the other, of which the second makes its room: what happened before that one began is not recorded. On a die that a read of another page keeps
/// for 71.375 us the program waits for the host first.
#[test]
fn a_wait_for_the_buffer_is_that_of_the_page_that_makes_room() {
    const PROGRAM: f64 = 251.375;
    let config = drive(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 16\n\
         [ftl]\nover_provisioning = 0.6\n[buffer]\npolicy = \"lru\"\nsize = \"2 KiB\"\n",
    );
    let mean = |output: &RunOutput, part: &str| {
        let key = format!("attribution.write.{part}_us");
        output.summary.get(&key).map_or(0.0, |_| number(output, &key))
    };
    let writes = |pages: u64| (0..pages).map(|page| command(0, HostOp::Write, page * 4, 4));
    let two = replay(&config, writes(2).collect());
    assert_eq!(mean(&two, "buffer_program"), PROGRAM / 2.0);
    let three = replay(&config, writes(3).collect());
    assert!((mean(&three, "buffer_program") - 2.0 * PROGRAM / 3.0).abs() < 1e-9);
    assert!((mean(&three, "buffer_wait") - PROGRAM / 3.0).abs() < 1e-9);

    let after = |at: u64| move |page: u64| command(at, HostOp::Write, page * 4, 4);
    let mut commands: Vec<_> = [0, 1].into_iter().map(after(0)).collect();
    commands.push(command(10_000_000, HostOp::Read, 0, 4));
    commands.push(after(10_000_000)(2));
    let beside = replay(&config, commands);
    // the second write as above, and the third behind the read
    assert!((3.0 * mean(&beside, "buffer_program") - 2.0 * PROGRAM).abs() < 1e-9);
    assert!((3.0 * mean(&beside, "buffer_host") - 71.375).abs() < 1e-9);
}
