//! Text that is nearly a trace: CSV as spreadsheets and data frames write it, units that fit twice, files that are something else.

use std::fmt::Write as _;
use std::io::Write as _;

use wordline_workload::{CsvColumn, CsvConfig, TraceAction, TraceOptions, TraceStats, trace_stats};

/// Requests of the tables below: 10 reads and 10 writes of 4 to 12 KiB, a millisecond apart.
const ROWS: u64 = 20;

fn read(name: &str, bytes: &[u8], told: &TraceOptions<'_>) -> Result<TraceStats, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    trace_stats(&path, told).map_err(|error| {
        error
            .to_string()
            .replace(&folder.path().display().to_string(), "")
    })
}

fn recognised(name: &str, bytes: impl AsRef<[u8]>) -> Result<TraceStats, String> {
    read(name, bytes.as_ref(), &TraceOptions::default())
}

/// A table with a header line, whose rows `row` makes of the number, the milliseconds, the operation, the address and the length.
fn table(header: &str, row: impl Fn(u64, u64, &str, u64, u64) -> String) -> String {
    let mut text = format!("{header}\n");
    for number in 0..ROWS {
        let op = if number % 2 == 1 { "R" } else { "W" };
        writeln!(
            text,
            "{}",
            row(number, number, op, number * 4096, 4096 * (1 + number % 3))
        )
        .unwrap();
    }
    text
}

/// With the columns called `time`, `op`, `off` and `len`.
fn by_names(bytes: &[u8], separator: &str) -> Result<TraceStats, String> {
    let column = |name: &str| Some(CsvColumn::Name(name.to_owned()));
    let csv = CsvConfig {
        time: column("time"),
        op: column("op"),
        offset: column("off"),
        size: column("len"),
        separator: separator.to_owned(),
        ..CsvConfig::default()
    };
    let told = TraceOptions {
        format: Some("csv"),
        csv: Some(&csv),
        ..TraceOptions::default()
    };
    read("requests.csv", bytes, &told)
}

/// The totals of the table.
fn holds(stats: &Result<TraceStats, String>, what: &str) {
    let stats = stats
        .as_ref()
        .unwrap_or_else(|problem| panic!("{what}: {problem}"));
    assert_eq!(
        (
            stats.reads,
            stats.writes,
            stats.highest_byte,
            stats.read_bytes + stats.written_bytes
        ),
        (10, 10, 86_016, 39 * 4096),
        "{what}"
    );
    assert!((stats.span_s - 0.019).abs() < 1e-9, "{what}: {}", stats.span_s);
}

fn grouped(number: u64, mark: &str) -> String {
    let digits = number.to_string();
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    groups
        .iter()
        .map(|group| std::str::from_utf8(group).unwrap())
        .collect::<Vec<_>>()
        .join(mark)
}

#[test]
fn tables_are_read_as_spreadsheets_write_them() {
    let german = table("time;op;off;len", |_, ms, op, at, len| {
        format!("0,{ms:03}000;{op};{};{}", grouped(at, "."), grouped(len, "."))
    });
    let excel = format!("\u{feff}{}", german.replace('\n', "\r\n"));
    holds(&by_names(excel.as_bytes(), ";"), "Excel, German");
    // the separator is found as well
    let found = by_names(excel.as_bytes(), ",");
    holds(&found, "Excel, German, with commas expected");
    assert!(
        found
            .unwrap()
            .notes
            .iter()
            .any(|note| note.contains("parted by `;`"))
    );
    for mark in [",", "\u{202f}", "\u{a0}", "'", " "] {
        let text = table("time,op,off,len", |_, ms, op, at, len| {
            format!(
                "0.{ms:03},{op},\"{}\",\"{}\"",
                grouped(at, mark),
                grouped(len, mark)
            )
        });
        holds(&by_names(text.as_bytes(), ","), mark);
    }
    let said = format!("sep=;\n{german}");
    holds(&by_names(said.as_bytes(), ";"), "a line that says the separator");
}

#[test]
fn tables_are_read_as_data_frames_write_them() {
    let sci = table("TIME,OP,OFF,LEN", |_, ms, op, at, len| {
        format!("{ms:e}e-3,{op},{at:e},{len:e}")
            .replacen("e0e-3", "e-3", 1)
            .replacen("e1e-3", "e-2", 1)
    });
    holds(&by_names(sci.as_bytes(), ","), "exponents");
    let hex = table("time,op,off,len", |_, ms, op, at, len| {
        format!("0.{ms:03},{op},0x{at:x},0x{len:X}")
    });
    holds(&by_names(hex.as_bytes(), ","), "hexadecimal");
    let index = table("time op off len", |number, ms, op, at, len| {
        format!("{number}  0.{ms:03}  {op}   {at:8} {len}")
    });
    let found = by_names(index.as_bytes(), "blank");
    holds(&found, "an index without a name");
    assert!(
        found
            .unwrap()
            .notes
            .iter()
            .any(|note| note.contains("taken for an index"))
    );
    for (what, write) in [
        (
            "ISO 8601",
            (|ms| format!("2024-03-01T10:00:00.{ms:03}Z")) as fn(u64) -> String,
        ),
        ("a blank and a zone", |ms| {
            format!("2024-03-01 10:00:00.{ms:03}000+01:00")
        }),
        ("a log", |ms| format!("\"2024-03-01 10:00:00,{ms:03}\"")),
        ("times of day", |ms| {
            if ms < 10 {
                format!("23:59:59.99{ms}")
            } else {
                format!("00:00:00.{:03}", ms - 10)
            }
        }),
    ] {
        let text = table("time,op,off,len", |_, ms, op, at, len| {
            format!("{},{op},{at},{len}", write(ms))
        });
        holds(&by_names(text.as_bytes(), ","), what);
    }
    let rounded = "time,op,off,len\n0.1,R,4.29497E+09,4096\n0.2,W,8,4096\n";
    let notes = by_names(rounded.as_bytes(), ",").unwrap().notes;
    assert!(
        notes.iter().any(|note| note.contains("may have been rounded")),
        "{notes:?}"
    );
    // a comma that may be either is not guessed
    let doubtful = "time\top\toff\tlen\n12,345\tR\t0\t4096\n";
    let problem = by_names(doubtful.as_bytes(), "\t").unwrap_err();
    assert!(problem.contains("12,345"), "{problem}");
}

#[test]
fn tables_with_known_names_need_no_description() {
    for (name, mark) in [("a.csv", ";"), ("a.tsv", "\t"), ("a.txt", "|"), ("a.csv", ",")] {
        let text = table(
            &format!("#{mark}Time{mark}Op{mark}Offset{mark}Size")[1..],
            |number, ms, op, at, len| {
                [
                    number.to_string(),
                    format!("0.{ms:03}"),
                    op.to_owned(),
                    at.to_string(),
                    len.to_string(),
                ]
                .join(mark)
            },
        );
        holds(&recognised(name, &text), mark);
    }
}

/// DiskSim counts milliseconds and SSDsim nanoseconds, in the same columns.
#[test]
fn whole_milliseconds_are_not_taken_for_nanoseconds() {
    let mut text = String::new();
    let mut time = 0;
    for number in 0..100_u64 {
        time += 1 + number * 7 % 5;
        writeln!(text, "{time} 0 {} 16 {}", number * 7919 % 100_000 * 8, number % 2).unwrap();
    }
    let stats = recognised("a.trace", &text).unwrap();
    assert_eq!(stats.format, "disksim", "{:?}", stats.notes);
    assert!((stats.span_s - 0.298).abs() < 0.01, "{}", stats.span_s);
}

#[test]
fn what_is_no_trace_is_named() {
    let header = table("when;rw;lba;length", |_, ms, op, at, len| {
        format!("0.{ms:03};{op};{at};{len}")
    });
    for (name, bytes, words) in [
        (
            "a.csv",
            header.as_str(),
            "--set workload.csv.time=when --set workload.csv.op=rw --set workload.csv.offset=lba --set workload.csv.size=length",
        ),
        (
            "a.json",
            "[{\"time\":0,\"op\":\"R\",\"offset\":0,\"size\":4096}]\n",
            "is JSON",
        ),
        ("a.csv", "<!DOCTYPE html>\n<html>Not Found</html>\n", "web page"),
        (
            "a.log",
            "0, 4096, 0, 4096, 0\n1, 4096, 1, 4096, 0\n",
            "write_iolog",
        ),
        ("a.trace", "rw=read\nbs=4k\n", "a job file begins with a section"),
        ("a.trace", "hello\n", "none is near to it"),
        ("a.log", "fio version 1 iolog\nread,0,4096\n", "versions 2 and 3"),
        (
            "a.txt",
            "259,0 0 1 0.000000001 1 C WS 8 + 8 [0]\n",
            "set workload.action = \"C\"",
        ),
    ] {
        let problem = recognised(name, bytes).unwrap_err();
        assert!(problem.contains(words), "{name}: {problem}");
    }
    let etl = recognised("load.etl", b"\x00\x00\x01\x00\x01\x02").unwrap_err();
    assert!(etl.contains("tracerpt"), "{etl}");
}

#[test]
fn a_compressed_trace_that_breaks_off_is_said_to() {
    let row = |number: u64| {
        format!(
            "{},hm,0,Read,{},4096,100\n",
            128_166_372_003_061_629 + number * 10_000,
            number * 4096
        )
    };
    let text: String = (0..50).map(row).collect();
    let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    coder.write_all(text.as_bytes()).unwrap();
    let whole = coder.finish().unwrap();
    assert_eq!(recognised("a.csv.gz", &whole).unwrap().requests, 50);
    let problem = recognised("a.csv.gz", &whole[..whole.len() - 30]).unwrap_err();
    assert!(problem.contains("gzip"), "{problem}");
    let mut twice = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    twice.write_all(&whole).unwrap();
    let problem = recognised("a.csv.gz.gz", twice.finish().unwrap()).unwrap_err();
    assert!(problem.contains("compressed twice"), "{problem}");
}

/// Letters that Linux prints since 6.18.
#[test]
fn zeroes_that_are_written_and_zone_commands_are_requests() {
    let event = |number: u64, letters: &str| {
        format!(
            "259,0 0 {number} 0.00{number} 1 D {letters} {} + 8 [app]\n",
            number * 8
        )
    };
    let text: String = ["WZS", "ZAS", "ZRS", "WS", "R"]
        .iter()
        .zip(1..)
        .map(|(letters, number)| event(number, letters))
        .collect();
    let stats = recognised("a.blkparse", &text).unwrap();
    assert_eq!((stats.requests, stats.reads), (4, 1), "{:?}", stats.notes);
    assert!(
        stats
            .notes
            .iter()
            .any(|note| note.contains("neither read, write, trim nor flush"))
    );
    let told = TraceOptions {
        action: Some(TraceAction::Queued),
        ..TraceOptions::default()
    };
    assert!(
        read("a.blkparse", text.as_bytes(), &told)
            .unwrap_err()
            .contains("workload.action = \"D\"")
    );
}

/// Published formats as they look when a spreadsheet or a data frame has saved them again.
#[test]
fn known_formats_are_read_as_they_are_saved_again() {
    let rows = |row: &dyn Fn(u64, bool) -> String| -> String {
        (0..20)
            .map(|number| row(number, number % 2 == 1) + "\n")
            .collect()
    };
    let msr = rows(&|number, is_read| {
        let word = if is_read { "Read" } else { "Write" };
        format!(
            "{},hm,0,{word},{},4096,100",
            128_166_372_003_061_629 + number * 10_000,
            number * 4096
        )
    });
    let quoted: String = msr
        .lines()
        .map(|row| format!("\"{}\"\r\n", row.replace(',', "\",\"")))
        .collect();
    for (text, what) in [
        (quoted, "quotes"),
        (msr.replace(',', ";"), "semicolons"),
        (msr.replace(',', "\t"), "tabs"),
        (msr.replace(",4096,", ",4096.0,"), "gaps in a data frame"),
    ] {
        let stats = recognised("a.csv", &text).unwrap_or_else(|problem| panic!("{what}: {problem}"));
        assert_eq!(
            (
                stats.format.as_str(),
                stats.reads,
                stats.writes,
                stats.highest_byte
            ),
            ("msr", 10, 10, 81_920),
            "{what}"
        );
    }
    let spc = rows(&|number, is_read| {
        format!(
            "{},{},4096,{},0.{number:02}",
            number % 3,
            number * 8,
            if is_read { "read" } else { "Write" }
        )
    });
    let spc = format!("ASU,LBA,Size,Opcode,Timestamp\n{spc}");
    let alibaba = rows(&|number, is_read| {
        format!(
            "1,{},{},4096,{}",
            if is_read { "READ" } else { "write" },
            number * 4096,
            1_577_808_000_000_046 + number
        )
    });
    let tencent = rows(&|number, is_read| {
        format!(
            "{},{},8,{},1283",
            1_538_323_200 + number,
            number * 8,
            u8::from(!is_read)
        )
    });
    let tencent = format!("Timestamp,Offset,Size,IOType,VolumeID\n{tencent}");
    for (format, text) in [("spc", spc), ("alibaba", alibaba), ("tencent", tencent)] {
        let stats = recognised("a.csv", &text).unwrap_or_else(|problem| panic!("{format}: {problem}"));
        assert_eq!(
            (stats.format.as_str(), stats.reads, stats.writes),
            (format, 10, 10)
        );
    }
}
