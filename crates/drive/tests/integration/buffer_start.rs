//! What the buffer holds when a run begins: on a drive in its steady state it is full.

use wordline_drive::RunOptions;

use crate::common::{command, drive, latencies, number, run};
use wordline_workload::{Admission, HostOp};

/// A buffer of eight pages on a drive that starts from its steady state: each write waits until a page has gone, the first ones
/// too, and none is answered in less than a program takes. On a fresh drive the first eight are answered at once.
#[test]
fn the_buffer_of_an_aged_drive_is_full_from_the_start() {
    let output = |age: &str, more: &str| {
        let config = drive(&format!(
            "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
             blocks_per_plane = 64\npages_per_block = 8\n[ftl]\nover_provisioning = 0.3\n[age]\nmethod = \"{age}\"\n\
             [buffer]\npolicy = \"lru\"\nsize = \"16 KiB\"\n{more}\n"
        ));
        let commands = (0..20)
            .map(|page| command(0, HostOp::Write, 4 * page, 4))
            .collect();
        run(&config, commands, Admission::ClosedLoop { depth: 1 })
    };
    let fresh = output("fresh", "");
    assert!(latencies(&fresh)[..8].iter().all(|latency| *latency < 10_000));
    let aged = output("steady_state", "");
    assert!(
        latencies(&aged).iter().all(|latency| *latency >= 200_000),
        "{:?}",
        latencies(&aged)
    );
    assert_eq!(
        number(&aged, "buffer.writes_waited"),
        20.0 - number(&aged, "buffer.write_hits")
    );
    // twenty in, twenty out: it ends as it began
    assert_eq!(number(&aged, "buffer.dirty_pages"), 8.0);
    assert_eq!(number(&aged, "buffer.dirty_share.mean"), 1.0);
    // write-back in the background does not keep up with a writer that waits for nothing else
    let marked = output("steady_state", "dirty_high = 0.5\ndirty_low = 0.5\n");
    assert!(
        latencies(&marked).iter().all(|latency| *latency >= 200_000),
        "{:?}",
        latencies(&marked)
    );
}

/// Of writes that come each 5 ms four of eight slots are kept free by a watermark of one half, from the first write on.
#[test]
fn a_watermark_bounds_what_is_dirty_at_the_start_of_an_open_loop() {
    let config = drive(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 64\npages_per_block = 8\n[ftl]\nover_provisioning = 0.3\n[age]\nmethod = \"steady_state\"\n\
         [buffer]\npolicy = \"lru\"\nsize = \"16 KiB\"\ndirty_high = 0.5\ndirty_low = 0.5\n",
    );
    let commands: Vec<_> = (0..20)
        .map(|page| command(5_000_000 * page, HostOp::Write, 4 * page, 4))
        .collect();
    let output = run(&config, commands, Admission::OpenLoop { limit: None });
    assert!(latencies(&output).iter().all(|latency| *latency < 10_000));
    // each write but a hit sends one page on its way
    assert_eq!(
        number(&output, "buffer.background_writes"),
        number(&output, "buffer.misses")
    );
    assert_eq!(number(&output, "buffer.dirty_pages"), 4.0);
}

/// Of reads and writes in equal parts a read cache holds both from the start; of reads alone it holds nothing that is dirty.
#[test]
fn a_read_cache_starts_with_what_was_read_and_written() {
    let output = |reads: f64| {
        let config = drive(&format!(
            "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
             blocks_per_plane = 64\npages_per_block = 8\n[ftl]\nover_provisioning = 0.3\n[age]\nmethod = \"steady_state\"\n\
             [buffer]\npolicy = \"lru\"\nsize = \"256 KiB\"\nread_cache = true\n\
             [workload]\nrequests = 200\nread_fraction = {reads}\nrequest_size = \"2 KiB\"\n"
        ));
        let options = RunOptions {
            audit: true,
            ..RunOptions::default()
        };
        wordline_drive::run(&config, std::path::Path::new("."), options, &mut |_| true).unwrap()
    };
    // 128 of some 358 pages are in it: of 200 requests for any of them 71 are hits, with a deviation of 7
    for reads in [0.5, 1.0] {
        let hits = number(&output(reads), "buffer.hits");
        assert!((50.0..95.0).contains(&hits), "{hits}");
    }
    let half = number(&output(0.5), "buffer.dirty_pages") / 128.0;
    assert!((0.35..0.75).contains(&half), "{half}");
    assert_eq!(number(&output(1.0), "buffer.dirty_pages"), 0.0);
}
