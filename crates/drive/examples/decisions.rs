//! What a decision of a scheduler of requests costs against the number of requests that wait (DLV, V11).
//!
//! Runs a drive of 128 units with two classes of blocks at a queue depth, writes and reads of four pages each, and prints how many requests
//! were let in. Whenever a unit has changed the queue is looked at, some twenty times for each request. Under `valgrind --tool=callgrind`
//! the inclusive instructions of `find_candidates` and `take_next`, divided by the number of requests, are what it costs to choose a request, to
//! place it and to take it out. Those of `choose_requests`, less those of `let_in`, divided by the number of calls, are the cost of a look;
//! divided by the number of requests, that of all looks for a request, with what is kept of the states of the units:
//!
//! ```sh
//! cargo build -p wordline-drive --example decisions
//! valgrind --tool=callgrind --callgrind-out-file=out.callgrind target/debug/examples/decisions 64
//! callgrind_annotate --tree=calling --inclusive=yes out.callgrind | grep -E 'choose_requests|let_in|find_candidates|take_next'
//! ```
#![allow(clippy::print_stdout, reason = "a line on standard output is what it is for")]

use std::path::Path;

use wordline_config::{DriveSource, resolve};
use wordline_drive::{RunOptions, run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let depth = std::env::args().nth(1).unwrap_or_else(|| "64".to_owned());
    let overrides = [
        ("geometry.blocks_per_plane", "64"),
        ("geometry.pages_per_block", "32"),
        ("ftl.over_provisioning", "0.2"),
        ("ftl.gc.hard", "0.05"),
        ("ftl.gc.low", "0.08"),
        ("ftl.gc.high", "0.08"),
        ("workload.kind", "random"),
        ("workload.read_fraction", "0.5"),
        ("workload.request_size", "16 KiB"),
        ("workload.queue_depth", depth.as_str()),
        ("workload.requests", "20000"),
    ];
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let config = resolve(DriveSource::Named("cui2018-dlv"), None, &overrides)?.config;
    let output = run(&config, Path::new("."), RunOptions::default(), &mut |_| true)?;
    println!(
        "{} requests at queue depth {depth}",
        output.summary.number("host.requests").unwrap_or(0.0)
    );
    Ok(())
}
