//! Waiting and processing time in the table of requests, worked by hand.

use wordline_config::Config;
use wordline_drive::RunOutput;
use wordline_workload::{HostCommand, HostOp};

use crate::common::{command, drive, replay};

const US: u64 = 1_000;
/// Long after what came before.
const LATER: u64 = 10_000_000;

/// Two channels with a die each; commands cost nothing, a page of 4 KiB takes 40 us over the bus, sensing 25, a program 660.
fn two_dies(more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\npages_per_block = 8\npage_size = \"4 KiB\"\n\
         [timing]\nt_r = \"25 us\"\nt_prog = \"660 us\"\ntransfer_rate = \"102.4 MT/s\"\nt_cad = \"0 ns\"\n\
         [allocation]\nmode = \"static\"\n[ftl]\nover_provisioning = 1.0\n{more}"
    ))
}

fn pages(at: u64, op: HostOp, page: u64, count: u32) -> HostCommand {
    command(at, op, page * 8, count * 8)
}

/// Waiting and processing time of every request in us, in the order in which they were sent.
fn times(output: &RunOutput) -> Vec<(u64, u64)> {
    let log = &output.requests;
    let processing = log.processing_ns();
    let mut rows: Vec<_> = (0..log.number.len())
        .map(|row| {
            let (waiting, processing) = (log.waiting_ns[row], processing[row]);
            assert_eq!((waiting % US, processing % US), (0, 0));
            (log.number[row], (waiting / US, processing / US))
        })
        .collect();
    rows.sort_unstable();
    rows.into_iter().map(|(_, times)| times).collect()
}

/// Alone nothing waits; the second of two reads of a die waits for the whole first one.
#[test]
fn a_request_waits_until_its_flash_command_is_issued() {
    let commands = vec![
        pages(0, HostOp::Write, 0, 1),
        pages(LATER, HostOp::Read, 0, 1),
        pages(LATER, HostOp::Read, 0, 1),
    ];
    assert_eq!(
        times(&replay(&two_dies(""), commands)),
        [(0, 700), (0, 65), (65, 65)]
    );
}

/// Of two pages one is read at once; the other one's wait for its die is no longer that of the request.
#[test]
fn the_first_command_of_a_request_counts() {
    let commands = vec![
        pages(0, HostOp::Write, 0, 2),
        pages(LATER, HostOp::Read, 0, 1),
        pages(LATER, HostOp::Read, 0, 2),
    ];
    assert_eq!(
        times(&replay(&two_dies(""), commands)),
        [(0, 700), (0, 65), (0, 130)]
    );
}

/// The same where the two pages are commands of their own.
#[test]
fn the_first_command_of_a_request_that_is_cut_counts() {
    let cut = two_dies("[host]\nmax_transfer = \"4 KiB\"\n");
    let commands = vec![
        pages(0, HostOp::Write, 0, 2),
        pages(LATER, HostOp::Read, 0, 1),
        pages(LATER, HostOp::Read, 0, 2),
        pages(2 * LATER, HostOp::Read, 1, 1),
        pages(2 * LATER, HostOp::Read, 0, 2),
    ];
    assert_eq!(
        times(&replay(&cut, commands)),
        [(0, 700), (0, 65), (0, 130), (0, 65), (0, 130)]
    );
}

/// A write of half a page is served from the read of the other half on, which nothing but its program waits for.
#[test]
fn the_read_of_an_uncovered_update_serves_its_write() {
    let commands = vec![
        pages(0, HostOp::Write, 0, 1),
        pages(LATER, HostOp::Read, 0, 1),
        command(LATER, HostOp::Write, 0, 4),
    ];
    // half a page takes 20 us over the bus
    assert_eq!(
        times(&replay(&two_dies(""), commands)),
        [(0, 700), (0, 65), (65, 25 + 20 + 700)]
    );
}

/// What the controller does before the first command is waiting: its latency, and its firmware.
#[test]
fn the_controller_is_waited_for() {
    let latency = two_dies("[firmware]\nread_latency = \"15 us\"\nwrite_latency = \"6 us\"\n");
    let commands = || vec![pages(0, HostOp::Write, 0, 1), pages(LATER, HostOp::Read, 0, 1)];
    assert_eq!(times(&replay(&latency, commands())), [(6, 700), (15, 65)]);
}

/// A buffer of one page answers after its access of 1 us. The second write waits until the page of the first is on flash; a read of what waits
/// so is answered at once from the controller's memory.
#[test]
fn an_answer_of_the_buffer_serves_its_request() {
    let buffered = two_dies("[buffer]\npolicy = \"lru\"\nsize = \"4 KiB\"\n");
    let commands = vec![
        pages(0, HostOp::Write, 0, 1),
        pages(LATER, HostOp::Write, 2, 1),
        pages(LATER + 100 * US, HostOp::Read, 2, 1),
        pages(2 * LATER, HostOp::Read, 6, 1),
    ];
    let found = times(&replay(&buffered, commands));
    assert_eq!(found, [(0, 1), (700, 1), (0, 1), (0, 1)]);
}

/// What is refused is not served by anything, and waits for its admission alone.
#[test]
fn a_refused_command_waits_for_nothing() {
    let beyond = pages(5 * US, HostOp::Read, 1 << 30, 1);
    assert_eq!(times(&replay(&two_dies(""), vec![beyond])), [(0, 0)]);
}

/// Without the table nobody asks.
#[test]
fn without_the_table_there_are_no_times() {
    let mut config = two_dies("");
    config.output.request_log = 0;
    let output = replay(&config, vec![pages(0, HostOp::Write, 0, 1)]);
    assert!(output.requests.waiting_ns.is_empty());
}
