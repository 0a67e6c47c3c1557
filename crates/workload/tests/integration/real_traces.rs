//! Real traces: recognised, described as their manifest and page describe them, replayed to the end.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::common;
use wordline_workload::{
    Fold, Replay, TraceOptions, TraceStats, WorkloadConfig, WorkloadKind, open, trace_stats,
};

/// Names of the manifest for formats that are called otherwise here.
const NAMES: [(&str, &str); 6] = [
    ("ssdsimhash", "ssdsim_hash"),
    ("vscsi1", "vscsi"),
    ("vscsicsv", "vscsi_csv"),
    ("systor", "systor17"),
    ("validate", "disksim_validate"),
    ("fio2", "fio_iolog2"),
];

/// A request trace of the manifest.
struct Entry {
    file: String,
    format: String,
    unit: String,
    requests: u64,
    /// Discards, which the manifest does not count.
    trims: u64,
    read_percent: f64,
    mean_read_bytes: Option<f64>,
    mean_write_bytes: Option<f64>,
    span_s: Option<f64>,
    devices: u64,
}

fn manifest(folder: &Path) -> Vec<Entry> {
    let text = fs::read_to_string(folder.join("manifest.csv")).unwrap();
    text.lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        // frequency tables are no request traces
        .filter(|columns| columns[1] != "lbafreq")
        .map(|columns| Entry {
            file: columns[0].to_owned(),
            format: NAMES
                .iter()
                .find_map(|(theirs, ours)| (*theirs == columns[1]).then(|| (*ours).to_owned()))
                .unwrap_or_else(|| columns[1].to_owned()),
            unit: columns[2].to_owned(),
            requests: columns[3].parse().unwrap(),
            trims: u64::from(columns[1] == "wiscsee"),
            read_percent: columns[4].parse().unwrap(),
            mean_read_bytes: columns[5].parse().ok(),
            mean_write_bytes: columns[6].parse().ok(),
            span_s: columns[7].parse().ok(),
            devices: columns[8].parse().unwrap(),
        })
        .collect()
}

/// The table of request traces on the page: file name to cells.
fn page(folder: &Path) -> HashMap<String, Vec<String>> {
    let text = fs::read_to_string(folder.join("README.md")).unwrap();
    text.lines()
        .filter(|line| line.starts_with("| ") && line.contains(".gz |"))
        .map(|line| {
            line.trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().to_owned())
                .collect::<Vec<_>>()
        })
        .filter(|cells| cells.len() == 14)
        .map(|cells| (cells[0].clone(), cells))
        .collect()
}

fn near(what: &str, ours: f64, theirs: f64, tolerance: f64) {
    assert!(
        (ours - theirs).abs() <= tolerance,
        "{what}: {ours}, expected {theirs}"
    );
}

fn agree(entry: &Entry, stats: &TraceStats, cells: &[String]) {
    let file = &entry.file;
    // the manifest counts reads and writes alone
    assert_eq!(stats.reads + stats.writes, entry.requests, "{file}");
    assert_eq!(stats.trims, entry.trims, "{file}");
    assert_eq!(stats.requests, entry.requests + entry.trims, "{file}");
    assert_eq!(stats.devices, entry.devices, "{file}");
    near(file, stats.read_percent, entry.read_percent, 0.0006);
    for (ours, theirs) in [
        (stats.mean_read_bytes, entry.mean_read_bytes),
        (stats.mean_write_bytes, entry.mean_write_bytes),
    ] {
        match theirs {
            Some(theirs) => near(file, ours.unwrap(), theirs, 0.06),
            None => assert_eq!(ours, None, "{file}"),
        }
    }
    // the page gives no times where they are mere ordinals
    if let Some(span) = entry.span_s {
        near(file, stats.span_s, span, span_tolerance(file));
        near(
            file,
            stats.mean_interarrival_ms.unwrap(),
            cells[6].parse().unwrap(),
            6e-5 + 1e3 * span_tolerance(file) / entry.requests as f64,
        );
    }
    const MIB_PAGES: f64 = 256.0;
    near(
        file,
        stats.highest_byte as f64 / f64::from(1 << 30),
        cells[9].parse().unwrap(),
        0.0051,
    );
    near(
        file,
        stats.pages_read as f64 / MIB_PAGES,
        cells[10].parse().unwrap(),
        0.051,
    );
    near(
        file,
        stats.pages_written as f64 / MIB_PAGES,
        cells[11].parse().unwrap(),
        0.051,
    );
    if let Some(percent) = cells[12].strip_suffix(" %") {
        near(
            file,
            stats.top_tenth_percent.unwrap(),
            percent.parse().unwrap(),
            0.51,
        );
    }
}

#[test]
#[ignore = "slow: several seconds"]
fn statistics_agree_with_what_is_known() {
    let Some(folder) = common::traces() else { return };
    let page = page(&folder);
    let entries = manifest(&folder);
    assert_eq!(entries.len(), 31);
    for entry in entries {
        let stats = trace_stats(&folder.join(&entry.file), &TraceOptions::default()).unwrap();
        assert_eq!(stats.format, entry.format, "{}: {:?}", entry.file, stats.notes);
        if TIME_UNITS.contains(&entry.unit.as_str()) {
            assert_eq!(stats.time_unit, entry.unit, "{}", entry.file);
        }
        agree(&entry, &stats, &page[&entry.file]);
    }
}

/// The manifest's spans, in seconds: differences of 64-bit floats, which resolve 2 us in a Windows
/// file time.
const SPAN: f64 = 3e-6;

/// How well the manifest knows a span.
fn span_tolerance(file: &str) -> f64 {
    // of the two events with absurd times it knows the span without them to 10 ms
    if file.contains("ycsb-ext4") { 5e-3 } else { SPAN }
}
const TIME_UNITS: [&str; 5] = ["s", "ms", "us", "100ns", "ns"];

/// Without a telling name, the rows alone give the same requests; only SSDsim and MQSim rows, which
/// mean the same, are taken for one another.
#[test]
#[ignore = "slow: several seconds"]
fn rows_alone_tell_the_format() {
    let Some(folder) = common::traces() else { return };
    let scratch = tempfile::tempdir().unwrap();
    for entry in manifest(&folder) {
        let nameless = scratch.path().join("trace");
        fs::copy(folder.join(&entry.file), &nameless).unwrap();
        let named = trace_stats(&folder.join(&entry.file), &TraceOptions::default()).unwrap();
        let guessed = trace_stats(&nameless, &TraceOptions::default()).unwrap();
        let same = |name: &str| {
            if name == "mqsim" {
                "ssdsim".to_owned()
            } else {
                name.to_owned()
            }
        };
        assert_eq!(
            same(&guessed.format),
            same(&named.format),
            "{}: {:?}",
            entry.file,
            guessed.notes
        );
        assert_eq!(guessed.size_histogram, named.size_histogram, "{}", entry.file);
        assert_eq!(guessed.pages_written, named.pages_written, "{}", entry.file);
        assert!(
            guessed.notes[0].contains("workload.format"),
            "{:?}",
            guessed.notes
        );
        fs::remove_file(nameless).unwrap();
    }
}

/// The second table of the page: file name to cells.
#[test]
#[ignore = "slow: several seconds"]
fn frequency_tables_agree_with_what_is_known() {
    let Some(folder) = common::traces() else { return };
    let text = fs::read_to_string(folder.join("README.md")).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| msr/write-frequency/"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .filter(|cells: &Vec<&str>| cells.len() == 10)
        .collect();
    assert_eq!(rows.len(), 7);
    for row in rows {
        let [file, numbers @ ..] = row.as_slice() else {
            unreachable!()
        };
        let known: Vec<f64> = numbers
            .iter()
            .map(|cell| cell.trim_end_matches(" %").parse().unwrap())
            .collect();
        let stats = trace_stats(&folder.join(file), &TraceOptions::default()).unwrap();
        assert_eq!(stats.format, "offset_frequency", "{:?}", stats.notes);
        let table = stats.start_offsets.unwrap();
        assert_eq!(stats.requests, table.requests, "{file}");
        let highest = table.highest_offset as f64 / f64::from(1 << 30);
        let skew = table.popularity;
        for (ours, theirs, tolerance) in [
            (table.offsets as f64, known[0], 0.0),
            (table.requests as f64, known[1], 0.0),
            (table.pages as f64, known[2], 0.0),
            (highest, known[3], 0.0051),
            (skew.hottest_percent, known[4], 0.051),
            (skew.top_1_percent, known[5], 0.051),
            (skew.top_10_percent, known[6], 0.051),
            (skew.top_20_percent, known[7], 0.051),
            (skew.once_percent, known[8], 0.051),
        ] {
            near(file, ours, theirs, tolerance);
        }
    }
}

#[test]
fn every_trace_replays_to_its_end() {
    let Some(folder) = common::traces() else { return };
    let capacity = (4_u64 << 30) / 512;
    for entry in manifest(&folder) {
        for replay in [Replay::Recorded, Replay::ClosedLoop] {
            let config = WorkloadConfig {
                kind: WorkloadKind::Trace,
                path: Some(entry.file.clone().into()),
                fold: Fold::Modulo,
                replay,
                ..WorkloadConfig::default()
            };
            let mut source = open(&config, capacity, &folder).unwrap();
            let expected = entry.requests + entry.trims;
            assert_eq!(source.len_hint(), Some(expected));
            let (mut count, mut last) = (0, None);
            while let Some(command) = source.next_command().unwrap() {
                if count == 0 {
                    assert_eq!(command.arrival.ns(), 0, "{}", entry.file);
                }
                assert!(command.sector + u64::from(command.sectors) <= capacity && command.sectors > 0);
                assert!(Some(command.arrival) >= last, "{}", entry.file);
                last = Some(command.arrival);
                count += 1;
            }
            assert_eq!(count, expected, "{}", entry.file);
            if let Some(span) = entry.span_s {
                near(
                    &entry.file,
                    last.unwrap().ns() as f64 / 1e9,
                    span,
                    span_tolerance(&entry.file),
                );
            }
        }
    }
}
