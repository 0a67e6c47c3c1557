//! The cache of the map in memory of the host: times by hand, what is counted, and what is refused.

use std::path::Path;

use wordline_config::{DriveSource, resolve};
use wordline_drive::{RunOptions, RunOutput, run, run_clients};
use wordline_workload::{Admission, Client, HostCommand, HostOp};

use crate::common::{Commands, command, drive, latencies, number};

/// One die; the link moves a byte in 1.015625 ns, and its answers take 500 ns more.
const DRIVE: &str = "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
                     blocks_per_plane = 16\n[host]\ninterface = \"nvme\"\n\
                     pcie = { generation = 3, lanes = 1, read_latency = \"500 ns\" }\n\
                     [ftl]\nmapping = \"dftl\"\n";
/// Long after what came before.
const LATER: u64 = 10_000_000;
/// Doorbell, fetch, completion on the link and at the host: see `interfaces`.
const ENDS: u64 = 150 + 400 + 69 + 500;
/// The data of a page of 2 KiB, a page programmed, a page read.
const DATA: u64 = 2275;
const PROGRAM: u64 = 251_375;
const READ: u64 = 71_375;
/// An entry of 4 B in a packet of 28 B.
const ENTRY: u64 = 28;
/// From a request for data of the host to the first of them.
const ANSWER: u64 = 500;

fn audited(location: &str, keys: &str, commands: &[HostCommand]) -> RunOutput {
    let config = drive(&format!("{DRIVE}cache_location = \"{location}\"\n{keys}"));
    let source = Box::new(Commands::new(commands.to_vec()));
    let client = Client::alone(source, Admission::OpenLoop { limit: None });
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    run_clients(&config, vec![client], options).unwrap_or_else(|error| panic!("{error}"))
}

/// A hit reads its entry before the flash is read or programmed; a changed entry goes to the host before the completion does. That
/// is all: a miss takes as long as with a cache in the controller, which looks at flash in both cases.
#[test]
fn a_hit_costs_an_entry_over_the_link() {
    let commands = [
        // a miss of an entry that flash does not have
        command(0, HostOp::Write, 0, 4),
        command(LATER, HostOp::Read, 0, 4),
        command(2 * LATER, HostOp::Write, 0, 4),
        // two entries of another translation page: the first one leaves, which is changed, and comes back
        command(3 * LATER, HostOp::Write, 4 * 512, 4),
        command(4 * LATER, HostOp::Write, 4 * 513, 4),
        command(5 * LATER, HostOp::Read, 0, 4),
    ];
    let keys = "cached_entries = 2\nprotected_share = 0.0\n";
    let own = audited("controller", keys, &commands);
    let host = audited("host_memory", keys, &commands);
    let (of_own, of_host) = (latencies(&own), latencies(&host));
    assert_eq!(of_own[..2], [ENDS + DATA + ANSWER + PROGRAM, ENDS + READ + DATA]);
    let more: Vec<u64> = of_host
        .iter()
        .zip(&of_own)
        .map(|(host, own)| host - own)
        .collect();
    let hit = ENTRY + ANSWER;
    // the changed entry that leaves is in the controller long before the old translation page would be, of which there is none
    assert_eq!(more[..5], [ENTRY, hit, hit + ENTRY, ENTRY, hit + ENTRY]);
    // the read of the translation page hides that of the entry that leaves
    assert_eq!(more[5], 0);
    // the two changed entries of the other translation page are written together
    for (key, bytes) in [("read", 4 + 4 + 4 + 8), ("written", 8 + 4 + 8 + 8 + 4)] {
        let key = format!("ftl.table.host_memory_bytes_{key}");
        assert_eq!(number(&host, &key), f64::from(bytes), "{key}");
        assert_eq!(number(&own, &key), 0.0);
    }
    assert_eq!(number(&host, "ftl.table.host_memory_bytes"), 8.0);
}

/// Two pages of one write: the entry of the first waits behind the data of the second.
#[test]
fn entries_wait_for_data_on_the_link() {
    let commands = [
        command(0, HostOp::Write, 0, 8),
        command(LATER, HostOp::Write, 0, 8),
    ];
    let keys = "cached_entries = 100\n";
    let own = latencies(&audited("controller", keys, &commands));
    let host = audited("host_memory", keys, &commands);
    assert_eq!(own[1], ENDS + DATA + ANSWER + 2 * PROGRAM);
    // the data of the first are there when those of the second, on their way, have the link for the rest of their time
    assert_eq!(
        latencies(&host)[1] - own[1],
        DATA - ANSWER + ENTRY + ANSWER + ENTRY
    );
    // what the second page waits for on its die is not of the look-up
    let looked_up = number(&host, "attribution.write.mapping_read_us") * 2.0;
    assert!(
        (looked_up - (ENTRY + ANSWER) as f64 / 1e3).abs() < 1e-9,
        "{looked_up}"
    );
}

/// A read of a page that holds no data, whose entry is brought into the cache while nothing waits for that, is answered from memory, also where it was to be kept: what goes over
/// the link after its answer belongs to no request any more. A hit of such a page waits for its entry.
#[test]
fn a_page_without_data_is_answered_before_its_entry_is_brought() {
    const MEMORY: u64 = 1_000;
    let read = |at, page: u64| command(at, HostOp::Read, page * 4, 4);
    let commands = [
        read(0, 0),
        read(LATER, 0),
        read(2 * LATER, 1),
        read(2 * LATER + 1, 600),
    ];
    let cache = "cached_entries = 2\nprotected_share = 0.0\n";
    let buffer = "[buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"\nread_cache = true\n";
    for buffer in ["", buffer] {
        let host = latencies(&audited("host_memory", &format!("{cache}{buffer}"), &commands));
        assert_eq!(host[..2], [ENDS + MEMORY + DATA, ENDS + ENTRY + ANSWER + DATA]);
    }
    let many: Vec<HostCommand> = (0..400)
        .map(|index| {
            let op = if index % 5 == 4 {
                HostOp::Write
            } else {
                HostOp::Read
            };
            command(index * 300, op, index * 7919 % 3000 * 4, 4)
        })
        .collect();
    for firmware in ["", "[firmware]\nenabled = true\n"] {
        for location in ["host_memory", "controller"] {
            audited(location, &format!("{cache}{buffer}{firmware}"), &many);
        }
    }
}

fn resolved(keys: &[(&str, &str)]) -> Result<wordline_config::Config, String> {
    let mut overrides = vec![
        ("ftl.mapping".to_owned(), "dftl".to_owned()),
        ("ftl.cache_location".to_owned(), "host_memory".to_owned()),
        ("workload.requests".to_owned(), "3000".to_owned()),
    ];
    overrides.extend(
        keys.iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned())),
    );
    resolve(DriveSource::Named("tiny"), None, &overrides)
        .map(|resolved| resolved.config)
        .map_err(|error| error.to_string())
}

/// Only NVMe lends memory.
#[test]
fn without_a_link_it_is_refused() {
    for interface in ["ideal", "sata"] {
        let error = resolved(&[("host.interface", interface)]).unwrap_err();
        assert!(
            error.contains("ftl.cache_location = \"host_memory\"") && error.contains("\"nvme\""),
            "{error}"
        );
    }
}

/// Several dies, collection, TRIM, a buffer, audited.
#[test]
fn any_drive_runs_audited() {
    for unit in ["entry", "page"] {
        for policy in ["none", "lru"] {
            let config = resolved(&[
                ("host.interface", "nvme"),
                ("ftl.cache_unit", unit),
                ("ftl.cached_entries", "4000"),
                ("ftl.prefetch", "request"),
                ("buffer.policy", policy),
                ("workload.request_size", "[\"2 KiB\", \"4 KiB\", \"48 KiB\"]"),
                ("workload.trim_fraction", "0.05"),
            ]);
            let options = RunOptions {
                audit: true,
                ..RunOptions::default()
            };
            let output = run(&config.unwrap(), Path::new("."), options, &mut |_| true).unwrap();
            assert_eq!(number(&output, "host.requests"), 3000.0);
            assert!(number(&output, "ftl.table.host_memory_bytes_read") > 0.0);
        }
    }
}
