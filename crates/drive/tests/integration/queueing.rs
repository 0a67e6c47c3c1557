//! Whole drives against closed forms: saturation of a die and a channel, and M/D/1 waiting.

use std::path::Path;

use crate::common::{command, drive, latencies, number, run};
use wordline_drive::{LiveDrive, RunOptions};
use wordline_ftl::Lpn;
use wordline_units::{Duration, Seed, SimTime};
use wordline_workload::{Admission, HostCommand, HostOp};

const PAGES: u64 = 512;

/// Writes of every page, in order, then `count` commands from `next`.
fn after_fill(count: u64, mut next: impl FnMut(u64) -> HostCommand) -> Vec<HostCommand> {
    (0..PAGES)
        .map(|page| command(0, HostOp::Write, page * 4, 4))
        .chain((0..count).map(&mut next))
        .collect()
}

fn page_of(seed: u64, index: u64) -> u64 {
    Seed(seed).draw("test.page", index) % PAGES
}

/// Saturated throughput of reads or writes in operations per second.
fn saturated(chips: u32, op: HostOp) -> f64 {
    let config = drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = {chips}\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = {}\n[ftl]\nover_provisioning = 1.0\n",
        64 / chips.min(16)
    ));
    let (count, start) = (20_000, 1_000_000_000);
    // all at once, long after the fill: the limit keeps the drive saturated
    let commands = after_fill(count, |index| command(start, op, page_of(1, index) * 4, 4));
    let output = run(&config, commands, Admission::OpenLoop { limit: Some(256) });
    let end = output
        .requests
        .completed_ns
        .iter()
        .max()
        .copied()
        .unwrap_or_default();
    count as f64 / ((end - start) as f64 / 1e9)
}

#[track_caller]
fn close(measured: f64, expected: f64, tolerance: f64) {
    assert!(
        (measured / expected - 1.0).abs() < tolerance,
        "measured {measured}, expected {expected}"
    );
}

#[test]
fn one_die_takes_commands_one_after_another() {
    close(saturated(1, HostOp::Read), 1e9 / 71_375.0, 0.005);
}

#[test]
fn one_channel_is_bound_by_its_bus() {
    // every page costs 7 cycles and 2048 bytes of bus, whatever its direction
    close(saturated(16, HostOp::Read), 1e9 / 51_375.0, 0.005);
}

#[test]
fn poisson_reads_on_one_die_wait_as_m_d_1_says() {
    let config = drive(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\n[ftl]\nover_provisioning = 0.6\n",
    );
    let service = 71_375.0;
    for load in [0.3, 0.6, 0.8] {
        let mut at = 1_000_000_000.0; // after the fill
        let commands = after_fill(400_000, |index| {
            let uniform = (Seed(7).draw("test.gap", index) >> 11) as f64 / (1_u64 << 53) as f64;
            at += -(1.0 - uniform).ln() * service / load;
            command(at as u64, HostOp::Read, page_of(3, index) * 4, 4)
        });
        let output = run(&config, commands, Admission::OpenLoop { limit: None });
        let waiting = number(&output, "host.read.latency.mean_us") * 1e3 - service;
        close(waiting, load * service / (2.0 * (1.0 - load)), 0.02);
    }
}

/// Writes of one page that find the drive idle go to the channels in turn; one of three pages moves the turn on by three.
#[test]
fn writes_to_an_idle_drive_go_around_the_channels() {
    let config = drive(
        "[geometry]\nchannels = 4\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 16\n\
         [ftl]\nover_provisioning = 0.6\n",
    );
    let mut live = LiveDrive::new(&config, Path::new("."), RunOptions::default()).unwrap();
    let mut page = 0;
    let mut now = SimTime::ZERO;
    for pages in [1, 1, 1, 1, 1, 3, 1, 1] {
        live.inject(command(now.ns(), HostOp::Write, page * 4, 4 * pages), 0)
            .unwrap();
        page += u64::from(pages);
        now += Duration(10_000_000);
        live.advance_until(now).unwrap();
    }
    let geometry = *live.ftl().geometry();
    let channel_of = |page: u64| {
        let place = live.ftl().lookup(Lpn(page)).unwrap();
        let die = geometry.die_of(geometry.plane_of(geometry.block_of(place)));
        geometry.channel_of(die).0
    };
    let found: Vec<u32> = (0..page).map(channel_of).collect();
    assert_eq!(found, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
}

/// More dies in a channel than a word has bits: each of them takes programs.
#[test]
fn a_channel_of_many_dies_programs_all_of_them() {
    let config = drive(
        "[geometry]\nchannels = 1\nchips_per_channel = 70\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 4\n\
         pages_per_block = 8\n[ftl]\nover_provisioning = 1.0\n[allocation]\nmode = \"dynamic\"\n",
    );
    let writes = (0..140).map(|page| command(0, HostOp::Write, page * 4, 4));
    let output = run(&config, writes.collect(), Admission::OpenLoop { limit: None });
    // the channel brings one page after the other, and the last one is programmed
    let last = latencies(&output).into_iter().max().unwrap();
    close(last as f64, 140.0 * 51_375.0 + 200_000.0, 0.005);
}
