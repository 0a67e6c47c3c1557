//! The controller's CPU, worked by hand.

use crate::common::{command, drive, latencies, replay};
use wordline_workload::HostOp;

/// Four reads of unmapped pages at once: 200 cycles of 10 ns to fetch each, 1 us of memory, and completions without cycles,
/// which wait for a core as everything else does. Two cores have fetched all after 4 us: the first two requests, which
/// were ready at 3 us, are completed then, the others when memory has answered them, at 5 us.
#[test]
fn every_core_works() {
    for (cores, wanted) in [
        (1, [8_000, 8_000, 8_000, 9_000]),
        (2, [4_000, 4_000, 5_000, 5_000]),
        (4, [3_000; 4]),
    ] {
        let config = drive(&format!(
            "[geometry]\nblocks_per_plane = 16\n[firmware]\nenabled = true\ncores = {cores}\nclock = \"100 MHz\"\n\
             fetch_and_split = 200\nmap_lookup = 0\nallocation = 0\nbuffer = 0\nflash_command = 0\ncompletion = 0\n\
             [ftl]\nover_provisioning = 0.6\n"
        ));
        let reads = [0, 4, 8, 12].map(|sector| command(0, HostOp::Read, sector, 4));

        assert_eq!(latencies(&replay(&config, reads.into())), wanted, "{cores} cores");
    }
}

/// A write command of four pages takes its 1,000 cycles of 10 ns once, a read none of them.
#[test]
fn a_write_command_costs_the_same_for_any_length() {
    let config = |cycles| {
        drive(&format!(
            "[geometry]\nblocks_per_plane = 16\n[firmware]\nenabled = true\nclock = \"100 MHz\"\n\
             write_command = {cycles}\n[ftl]\nover_provisioning = 0.6\n"
        ))
    };
    for (op, sectors, added) in [
        (HostOp::Write, 4, 10_000),
        (HostOp::Write, 16, 10_000),
        (HostOp::Read, 16, 0),
    ] {
        let of = |cycles| latencies(&replay(&config(cycles), vec![command(0, op, 0, sectors)]))[0];
        assert_eq!(of(1_000) - of(0), added, "{op:?} of {sectors} sectors");
    }
}
