//! Crash images of a stream that is asked again: what hosts knew when they set a mark is in every image of a later cut, also where the drive that is asked again
//! answers at other moments than the one that was asked first.

use std::collections::BTreeMap;
use std::path::PathBuf;

use wordline_config::Config;
use wordline_live::{Ask, Content, Crash, Device, Entry, Replay, Stream};
use wordline_units::{SECTOR_BYTES, Seed, SimTime};
use wordline_workload::HostOp;

use crate::cuts::config;

/// Pages that are written once each, with a mark when they are flushed.
const MARKED: u64 = 160;
/// Pages after them that are written again and again.
const OTHER: u64 = 200;
/// Hosts that write one such page after another.
const HOSTS: u64 = 4;

const FAILURES: &str = "[ftl.failures]\nprogram = 0.01\nerase = 0.01\ngrowth = 0\n[ftl.gc]\nreserve_blocks = 4\nhard = 4\nlow = 4\nhigh = 5\n";

/// A drive with these further tables that has room for the blocks that fail.
fn drive(kind: &str, more: &str) -> Config {
    let mut config = config(kind, more);
    config.geometry.blocks_per_plane = 72;
    config
}

/// What a host waits for.
#[derive(Clone, Copy)]
enum Waits {
    /// The answer to a write of another page.
    Other(u64),
    /// That to the write of the page that it will mark.
    Marked(u64),
    /// That to the flush after it.
    Flush(u64),
}

const fn value(page: u64) -> u8 {
    1 + (page % 255) as u8
}

/// Hosts at work on a drive: the stream, and how many events it took.
fn recorded(config: &Config, hosts: u64, seed: Seed) -> (Stream, u64) {
    let (page_bytes, _) = Device::sizes(config).unwrap();
    let page_bytes = page_bytes as u64;
    let content = Content::in_memory(page_bytes as usize);
    let mut device = Device::new(config, PathBuf::from("."), content, false).unwrap();
    device.keep_stream((MARKED + OTHER) * page_bytes);
    let write = |device: &mut Device, page: u64, sectors: u64| {
        let ask = Ask {
            op: HostOp::Write,
            fua: false,
            offset: page * page_bytes,
            length: sectors * SECTOR_BYTES as u64,
        };
        let data = vec![value(page); ask.length as usize];
        device.submit(device.now(), &ask, &data).unwrap()
    };
    let flush = Ask {
        op: HostOp::Flush,
        fua: false,
        offset: 0,
        length: 0,
    };
    let (mut next, mut drawn, mut events) = (0, 0, 0);
    let mut waits = BTreeMap::new();
    let mut free = hosts;
    loop {
        while free > 0 && next < MARKED {
            drawn += 1;
            let other = MARKED + seed.draw("other page", drawn) % (OTHER - 4);
            let token = write(&mut device, other, 1 + seed.draw("sectors", drawn) % 16);
            waits.insert(token, Waits::Other(next));
            (next, free) = (next + 1, free - 1);
        }
        if waits.is_empty() {
            break;
        }
        while !device.has_answers() {
            assert!(device.step_until(SimTime::NEVER).unwrap());
            events += 1;
        }
        for answer in device.answers() {
            assert!(!answer.status.is_refused());
            match waits.remove(&answer.token).unwrap() {
                Waits::Other(page) => {
                    let token = write(&mut device, page, page_bytes / SECTOR_BYTES as u64);
                    waits.insert(token, Waits::Marked(page));
                }
                Waits::Marked(page) => {
                    let token = device.submit(device.now(), &flush, &[]).unwrap();
                    waits.insert(token, Waits::Flush(page));
                }
                Waits::Flush(page) => {
                    assert!(device.mark(device.now(), &page.to_string()));
                    free += 1;
                }
            }
        }
    }
    (device.take_stream().unwrap(), events)
}

/// Cuts the power at every so many events of a stream, and at the last one; every page that was marked before is there. What each cut did, by its event.
fn marked_pages_are_there(
    config: &Config,
    stream: &Stream,
    every: usize,
    what: &str,
) -> BTreeMap<u64, Crash> {
    let (page_bytes, _) = Device::sizes(config).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    let marks: Vec<u64> = (stream.entries.iter())
        .filter_map(|(_, entry)| match entry {
            Entry::Mark(text) => text.parse().ok(),
            _ => None,
        })
        .collect();
    let replay = Replay::new(config, PathBuf::from("."), stream).unwrap();
    let (count, _) = replay.events(None, &mut || true).unwrap();
    let mut events: Vec<u64> = (1..count).step_by(every).collect();
    events.push(count);
    let mut crashes = BTreeMap::new();
    let mut check = |crash: &Crash| {
        let found = std::fs::read(&image).unwrap();
        for page in &marks[..crash.marks] {
            let bytes = &found[*page as usize * page_bytes..][..page_bytes];
            assert!(
                bytes.iter().all(|byte| *byte == value(*page)),
                "{what}: page {page}, which a mark before event {} names, is not there",
                crash.event
            );
        }
        crashes.insert(crash.event, crash.clone());
        true
    };
    replay.crash(&events, false, Seed(1), &image, &mut check).unwrap();
    assert_eq!(crashes.len(), events.len());
    assert_eq!(crashes[&count].marks as u64, MARKED);
    crashes
}

#[test]
fn a_mark_counts_when_the_drive_that_is_asked_again_has_answered_what_was_answered_before_it() {
    let stream = recorded(&drive("checkpoint_journal", ""), HOSTS, Seed(1)).0;
    // others that answer later, and at other moments
    for more in ["[timing]\nt_prog = \"900 us\"\n", FAILURES] {
        marked_pages_are_there(&drive("checkpoint_journal", more), &stream, 23, more);
    }
}

/// The same events in the same order, also where something else is about to happen at the moment of an answer, and whatever was cut before.
#[test]
fn a_drive_does_the_same_when_it_is_asked_again() {
    for kind in ["oob_scan", "summary_scan", "checkpoint_journal", "delayed"] {
        for (more, hosts) in [("", 1), ("", HOSTS), (FAILURES, 1), (FAILURES, HOSTS)] {
            let what = format!("{kind}, {hosts} hosts, {more}");
            let config = drive(kind, more);
            let (stream, events) = recorded(&config, hosts, Seed(hosts));
            let crashes = marked_pages_are_there(&config, &stream, 31, &what);
            assert_eq!(*crashes.last_key_value().unwrap().0, events, "{what}");
            for (event, alone) in marked_pages_are_there(&config, &stream, 10 * 31, &what) {
                let among = &crashes[&event];
                assert_eq!(format!("{alone:?}"), format!("{among:?}"), "{what}");
            }
        }
    }
}

/// An answer that never comes is an error: the replay does not go on without it.
#[test]
fn a_stream_that_waits_for_what_is_not_asked_is_refused() {
    let config = drive("oob_scan", "");
    let stream = Stream {
        size: 4096,
        entries: vec![(SimTime::ZERO, Entry::Answer(0))],
    };
    let replay = Replay::new(&config, PathBuf::from("."), &stream).unwrap();
    let error = replay.events(None, &mut || true).unwrap_err();
    assert!(error.to_string().contains("request 0"), "{error}");
}
