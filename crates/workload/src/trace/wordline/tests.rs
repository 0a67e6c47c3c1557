//! Rows there and back, and files that are not what they seem.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::section::{self, Kind};
use super::{ADDRESS_END, FORMAT, LONGEST, MAGIC, TraceWriter};
use crate::HostOp;
use crate::trace::format::Reading;
use crate::trace::reader::{TraceFile, Wanted};
use crate::trace::row::{Attributes, Batch, BatchEnd, TraceRow};
use crate::trace::scan::Scan;

fn written(rows: &[TraceRow]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.wlt");
    let mut writer = TraceWriter::create(&path).unwrap();
    for row in rows {
        writer.write_row(row).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), rows.len() as u64);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    std::fs::read(&path).unwrap()
}

fn file(path: PathBuf) -> TraceFile {
    TraceFile {
        unit_from_name: false,
        path,
        format: &FORMAT,
        reading: Reading::times_in(FORMAT.time_unit),
    }
}

/// The rows of `bytes`, or what is wrong with them.
fn read(bytes: &[u8]) -> Result<Vec<TraceRow>, String> {
    let mut decoder = (FORMAT.decoder)(&Reading::times_in(FORMAT.time_unit));
    let mut batch = Batch::default();
    let mut rest = bytes;
    let mut rows = Vec::new();
    loop {
        batch.requests.clear();
        let (taken, end) = decoder.fill(rest, true, &mut batch);
        rest = &rest[taken..];
        rows.extend(batch.requests.iter().map(|(_, row)| *row));
        match end {
            BatchEnd::Full => {}
            BatchEnd::Malformed { error, .. } => return Err(error.to_string()),
            BatchEnd::Incomplete if rest.is_empty() => return decoder.finish().map(|()| rows),
            BatchEnd::Incomplete => return Err("cut".to_owned()),
        }
    }
}

const fn plain(arrival: u64, device: u64, op: HostOp, start: u64, bytes: u64) -> TraceRow {
    TraceRow {
        arrival,
        device,
        op,
        start,
        bytes,
        attributes: Attributes {
            fua: false,
            queue: 0,
            placement: 0,
        },
        response: None,
    }
}

fn any_row() -> impl Strategy<Value = TraceRow> {
    let number =
        || prop_oneof![3 => 0_u64..1 << 20, 2 => (0_u64..1 << 30).prop_map(|n| n << 9), 1 => any::<u64>()];
    let op = prop_oneof![
        Just(HostOp::Read),
        Just(HostOp::Write),
        Just(HostOp::Trim),
        Just(HostOp::Flush),
        Just(HostOp::WriteZeroes),
    ];
    let device = prop_oneof![4 => 0_u64..3, 1 => any::<u64>()];
    let attributes = (
        any::<bool>(),
        prop_oneof![3 => Just((0, 0)), 1 => any::<(u16, u16)>()],
    );
    (number(), device, op, number(), number(), attributes).prop_map(
        |(arrival, device, op, start, bytes, (fua, (queue, placement)))| TraceRow {
            start: start % (ADDRESS_END - LONGEST),
            bytes: if op == HostOp::Flush {
                0
            } else {
                bytes % (LONGEST + 1)
            },
            attributes: Attributes {
                fua,
                queue,
                placement,
            },
            ..plain(arrival, device, op, 0, 0)
        },
    )
}

fn few_rows() -> Vec<TraceRow> {
    vec![
        plain(1_000, 3, HostOp::Write, 4096, 4096),
        plain(2_000, 3, HostOp::Read, 8192, 512),
        plain(2_500, 0, HostOp::Flush, 0, 0),
        plain(2_600, 3, HostOp::Trim, 1 << 30, 1 << 20),
    ]
}

proptest! {
    #[test]
    fn rows_survive(rows in prop::collection::vec(any_row(), 0..200)) {
        prop_assert_eq!(read(&written(&rows)).unwrap(), rows);
    }

    /// Nothing that is damaged reads as if it were whole.
    #[test]
    fn damage_is_found(rows in prop::collection::vec(any_row(), 1..20), at in any::<prop::sample::Index>(), bit in 0_u32..8) {
        let whole = written(&rows);
        let at = at.index(whole.len());
        let mut flipped = whole.clone();
        flipped[at] ^= 1_u8 << bit;
        prop_assert!(read(&flipped).is_err());
        prop_assert!(read(&whole[..at]).is_err());
    }
}

#[test]
fn blocks_follow_each_other() {
    let rows: Vec<TraceRow> = (0..10_000)
        .map(|i| plain(i * 1_000, i % 7, HostOp::Read, i * i % 1_000_003 * 512, 4096))
        .collect();
    let bytes = written(&rows);
    assert_eq!(read(&bytes).unwrap(), rows);
    assert!(bytes.len() < rows.len() * 10, "{}", bytes.len());
}

/// What writer and reader hold does not grow with the trace.
#[test]
fn a_long_trace_streams() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.wlt");
    let mut writer = TraceWriter::create(&path).unwrap();
    let row = |i: u64| {
        plain(
            i * 1_000,
            i % 7,
            HostOp::Write,
            i * 0x9e37_79b9 % (1 << 30) * 512,
            4096,
        )
    };
    for i in 0..300_000 {
        writer.write_row(&row(i)).unwrap();
        assert!(writer.held() < 256 << 10);
    }
    writer.finish().unwrap();
    let mut rows = file(path).rows(Wanted::ALL).unwrap();
    for i in 0..300_000 {
        assert_eq!(rows.next_row().unwrap(), Some(row(i)));
        let (bytes, requests) = rows.held();
        assert!(bytes <= 512 << 10 && requests <= 512);
    }
    assert_eq!(rows.next_row().unwrap(), None);
}

#[test]
fn totals_stand_in_front() {
    let rows = few_rows();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.wlt");
    std::fs::write(&path, written(&rows)).unwrap();
    let file = file(path);
    let totals = file.rows(Wanted::ALL).unwrap().totals().unwrap().unwrap();
    assert_eq!(
        (totals.requests, totals.earliest, totals.latest),
        (4, 1_000, 2_600)
    );
    let devices: Vec<_> = totals
        .devices
        .iter()
        .map(|d| (d.number, d.end, d.row, d.requests))
        .collect();
    assert_eq!(devices, [(0, 0, 0, 1), (3, (1 << 30) + (1 << 20), 4, 3)]);
    // a part of the trace has totals of its own
    let part = Wanted {
        skip: 1,
        ..Wanted::ALL
    };
    assert!(file.rows(part).unwrap().totals().unwrap().is_none());
    assert_eq!(Scan::of(&file, part, &mut |_| true).unwrap().earliest, 2_000);
    let part = Wanted {
        take: 3,
        ..Wanted::ALL
    };
    assert_eq!(Scan::of(&file, part, &mut |_| true).unwrap().latest, 2_500);
}

#[test]
fn commands_without_room_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = TraceWriter::create(&folder.path().join("trace.wlt")).unwrap();
    let row = plain(0, 0, HostOp::Read, ADDRESS_END - 1, 512);
    let error = writer.write_row(&row).unwrap_err().to_string();
    assert!(error.contains("request 1: a request of 512 bytes"), "{error}");
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(TraceWriter::create(Path::new("/nowhere/trace.wlt")).is_err());
}

/// A file whose checksums are right, whatever else it says.
fn forged(totals: &Scan, sections: &[(Kind, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::from(MAGIC);
    bytes.extend([1, 0, 0, 0]);
    section::write_totals(totals, &mut bytes);
    for (kind, content) in sections {
        section::write(*kind, content, &mut bytes);
    }
    bytes
}

#[test]
fn forgeries_are_refused() {
    let honest = |rows: &[TraceRow]| {
        let mut scanner = crate::trace::scan::Scanner::default();
        let mut expected = super::record::Expected::default();
        let mut content = (rows.len() as u32).to_le_bytes().to_vec();
        for (row, number) in rows.iter().zip(1..) {
            let devices = scanner.devices();
            let device = scanner.add(row, number).unwrap();
            if device == devices {
                expected.add_device();
            }
            expected.write(row, device, &mut content);
        }
        (scanner.totals(), content)
    };
    let (totals, content) = honest(&few_rows());
    let sections = vec![(Kind::Requests, content.clone()), (Kind::End, Vec::new())];
    assert_eq!(read(&forged(&totals, &sections)).unwrap(), few_rows());

    let refuse = |totals: &Scan, sections: &[(Kind, Vec<u8>)], word: &str| {
        let error = read(&forged(totals, sections)).unwrap_err();
        assert!(error.contains(word), "{word}: {error}");
    };
    type Change = fn(&mut Scan);
    let changes: [(Change, &str); 15] = [
        (|scan| scan.requests = 3, "do not cover"),
        (|scan| scan.requests = u64::MAX, "differ"),
        (|scan| scan.zero_length = 1, "differ"),
        (|scan| scan.earliest = 999, "differ"),
        (|scan| scan.out_of_order = 1, "differ"),
        (|scan| scan.largest_row = 1, "differ"),
        (|scan| scan.devices[1].requests = 0, "differ"),
        (|scan| scan.earliest = 1_001, "do not cover"),
        (|scan| scan.latest = 2_599, "do not cover"),
        (|scan| scan.earliest = u64::MAX, "times in order"),
        (|scan| scan.largest = 4096, "do not cover"),
        (|scan| scan.devices[0].end -= 1, "do not cover"),
        (|scan| scan.devices[0].end = u64::MAX, "below 8 EiB"),
        (|scan| scan.devices[1].number = 3, "device 3 twice"),
        (|scan| scan.devices.truncate(1), "no record"),
    ];
    for (change, word) in changes {
        let mut wrong = totals.clone();
        change(&mut wrong);
        refuse(&wrong, &sections, word);
    }
    let mut unsorted = few_rows();
    unsorted.swap(0, 1);
    let (mut totals_of_unsorted, unsorted) = honest(&unsorted);
    totals_of_unsorted.out_of_order = 0;
    refuse(&totals_of_unsorted, &[(Kind::Requests, unsorted)], "do not cover");

    refuse(&totals, &[(Kind::End, Vec::new())], "differ");
    refuse(&totals, &[(Kind::Totals, Vec::new())], "a section of totals");
    refuse(&totals, &[(Kind::Requests, vec![0; 100])], "0 requests");
    refuse(
        &totals,
        &[(Kind::Requests, vec![255; 100])],
        "4294967295 requests in 96 bytes",
    );
    let mut longer = content.clone();
    longer.push(0);
    refuse(
        &totals,
        &[(Kind::Requests, longer)],
        "1 bytes after the last record",
    );
    let mut after_end = sections.clone();
    after_end.push((Kind::End, Vec::new()));
    refuse(&totals, &after_end, "after the end");

    let mut crowd = totals.clone();
    crowd.devices = vec![totals.devices[0]; 1 << 20 | 1];
    let crowd = forged(&crowd, &[]);
    assert!(read(&crowd).unwrap_err().contains("1048577 devices"));

    let mut newer = forged(&totals, &sections);
    newer[8] = 2;
    assert!(read(&newer).unwrap_err().contains("version 2"));
    assert!(read(b"\x89WLT\n\x1a\n").unwrap_err().contains("begins otherwise"));
    let mut long = forged(&totals, &[]);
    long.extend([b'R', 255, 255, 255, 255, 0, 0, 0, 0]);
    assert!(read(&long).unwrap_err().contains("at most 262144 bytes"));
}
