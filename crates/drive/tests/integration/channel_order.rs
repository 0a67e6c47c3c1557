//! Which goes first on a free channel, in whole drives: times worked by hand.

use crate::common::{command, drive, latencies, replay};
use wordline_workload::HostOp;

/// Command and address of a read, its array, and the data of a page on the bus, ns (Hu et al. 2011, Table 2).
const COMMAND: u64 = 175;
const ARRAY: u64 = 20_000;
const DATA: u64 = 51_200;
const SECOND: u64 = 1_000_000_000;

/// Latencies of two reads from two chips of a channel: the second comes when the data of the first are ready.
fn two_reads(scheduler: &str) -> [u64; 2] {
    let config = drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\n[ftl]\nover_provisioning = 0.6\n[scheduler]\n{scheduler}\n"
    ));
    let ready = SECOND + COMMAND + ARRAY;
    let commands = vec![
        command(0, HostOp::Write, 0, 4),
        command(0, HostOp::Write, 4, 4),
        command(SECOND, HostOp::Read, 0, 4),
        command(ready, HostOp::Read, 4, 4),
    ];
    let latencies = latencies(&replay(&config, commands));
    [latencies[2], latencies[3]]
}

#[test]
fn data_or_commands_go_first() {
    let alone = COMMAND + ARRAY + DATA;
    // the command of the second read delays the data of the first, and its array works meanwhile
    let commands_first = [alone + COMMAND, COMMAND + DATA + DATA];
    // the second read begins when the data of the first are out
    let data_first = [alone, DATA + alone];
    for (policy, usual) in [
        ("reads_first", commands_first),
        ("fcfs", data_first),
        ("out_of_order", data_first),
    ] {
        let with = |order: &str| two_reads(&format!("policy = \"{policy}\"\nchannel_order = \"{order}\""));
        assert_eq!(with("policy"), usual, "{policy}");
        assert_eq!(with("data_first"), data_first, "{policy}");
        assert_eq!(with("commands_first"), commands_first, "{policy}");
    }
}
