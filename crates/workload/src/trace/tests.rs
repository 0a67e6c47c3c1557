//! Rows of every format, and arbitrary bytes.

use proptest::prelude::*;
use wordline_units::ByteSize;

use super::chunks::Chunks;
use super::fields::{hexadecimal, time, whole};
use super::format::{Format, Reading, by_name, formats};
use super::row::{Decoded, Decoder, Parsed, TraceRow};
use crate::HostOp;
use crate::config::{CsvColumn, CsvConfig};
use crate::time_unit::TimeUnit;

/// A decoder of a format; of delimited text, one for its own example.
fn decoder(format: &Format) -> Box<dyn Decoder> {
    (format.decoder)(&Reading {
        csv: CsvConfig {
            time: Some(CsvColumn::Number(1)),
            op: Some(CsvColumn::Name("what".into())),
            offset: Some(CsvColumn::Number(3)),
            size: Some(CsvColumn::Name("length".into())),
            separator: ";".into(),
            offset_unit: ByteSize(512),
            ..CsvConfig::default()
        },
        ..Reading::times_in(format.time_unit)
    })
}

fn read(format: &Format, row: &[u8]) -> Result<Parsed, String> {
    match decoder(format).decode(row, true) {
        Decoded::Row { parsed, used } => {
            assert_eq!(used, row.len());
            parsed.map_err(|error| error.to_string())
        }
        other => panic!("{}: {other:?}", row.escape_ascii()),
    }
}

fn request(format: &str, row: &str) -> (u64, u64, HostOp, u64, u64) {
    match read(by_name(format).unwrap(), row.as_bytes()) {
        Ok(Parsed::Request(TraceRow {
            arrival,
            device,
            op,
            start,
            bytes,
            ..
        })) => (arrival, device, op, start, bytes),
        other => panic!("{format}: {row}: {other:?}"),
    }
}

fn refused(format: &str, row: &str) -> String {
    read(by_name(format).unwrap(), row.as_bytes()).unwrap_err()
}

/// Bytes from hexadecimal digits with blanks between.
fn unhex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|pair| hexadecimal(pair).unwrap() as u8)
        .collect()
}

#[test]
fn examples_are_rows() {
    for format in formats() {
        let bytes = if format.binary {
            unhex(format.example)
        } else {
            format.example.as_bytes().to_vec()
        };
        let (requests, whole) = decode_all(format, &bytes);
        assert!(whole && requests > 0, "{}", format.name);
    }
}

#[test]
fn rows_mean_what_the_format_says() {
    use HostOp::{Read, Write};
    assert_eq!(
        request("spc", "14,591867,3072,w,259.581543"),
        (259_581_543_000, 14, Write, 591_867 * 512, 3072)
    );
    assert_eq!(
        request("spc", "0, 8, 512, R, 1, extra, 7"),
        (1_000_000_000, 0, Read, 4096, 512)
    );
    assert_eq!(
        request("msr", "128166372003061629,usr,1,Read,7014609920,24576,41286"),
        (12_816_637_200_306_162_900, 1, Read, 7_014_609_920, 24_576)
    );
    assert_eq!(
        request("disksim", "5265.703 2 6307768 8 0\r"),
        (5_265_703_000, 2, Write, 6_307_768 * 512, 4096)
    );
    assert_eq!(request("disksim", "0.5\t0 1 1 1b"), (500_000, 0, Read, 512, 512));
    assert_eq!(request("disksim", "0 0 1 1 3A"), (0, 0, Write, 512, 512));
    assert_eq!(
        request("ssdsim", "26214000 3 303574 7 0"),
        (26_214_000, 3, Write, 303_574 * 512, 3584)
    );
    let digests = "0123456789abcdef".repeat(16);
    assert_eq!(
        request("ssdsim_hash", &format!("1851 0 8 8 1 {digests}")),
        (1851, 0, Read, 4096, 4096)
    );
    assert_eq!(
        request("mqsim", "  11565000  1 31244784 64 1 "),
        (11_565_000, 1, Read, 31_244_784 * 512, 32_768)
    );
    assert_eq!(
        request("flashsim", "640.875000\t0\t522424\t3\t1"),
        (640_875_000, 0, Read, 522_424 * 512, 12_288)
    );
    assert_eq!(
        request("replayer", "223.412 0 3159347200 36864 0"),
        (223_412_000, 0, Write, 3_159_347_200, 36_864)
    );
    let hosts = by_name("msr").unwrap();
    let mut decoder = decoder(hosts);
    let rows =
        "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n1,a,0,Read,0,1,1\n1,b,0,Read,0,1,1\n";
    let mut rest = rows.as_bytes();
    let mut devices = Vec::new();
    while !rest.is_empty() {
        let Decoded::Row { parsed, used } = decoder.decode(rest, true) else {
            panic!()
        };
        if let Parsed::Request(row) = parsed.unwrap() {
            devices.push(row.device);
        }
        rest = &rest[used..];
    }
    assert_eq!(devices, [0, 1 << 32]);
}

#[test]
fn malformed_rows_name_the_column() {
    for (format, row, words) in [
        (
            "spc",
            "0,303567,3584,x,0.0",
            ["column 4 (opcode)", "`x`", "r (read) or w (write)"],
        ),
        (
            "spc",
            "0,303567,3584",
            ["the row ends after 3 columns", "opcode should follow", "commas"],
        ),
        (
            "spc",
            "0,-5,3584,w,0.0",
            ["column 2 (LBA)", "`-5`", "whole number"],
        ),
        (
            "spc",
            "0,5,3584,w,1e3",
            ["column 5 (timestamp)", "`1e3`", "decimal number"],
        ),
        (
            "spc",
            "0,5,5000000000,w,1",
            ["column 3 (size)", "5000000000", "at most 1 GiB"],
        ),
        (
            "spc",
            "0,18446744073709551615,1,w,1",
            ["column 2 (LBA)", "18446744073709551615", "below 4 EiB"],
        ),
        (
            "msr",
            "1,hm,0,Trim,0,0,0",
            ["column 4 (Type)", "`Trim`", "Read or Write"],
        ),
        (
            "msr",
            "1,hm,0,Read,0,512,1,9",
            ["a further column", "`9`", "7 columns"],
        ),
        (
            "msr",
            "184467440737095517,hm,0,Read,0,512,1",
            ["column 1 (Timestamp)", "184467440737095517", "584 years"],
        ),
        (
            "disksim",
            "1.0 0 8 8 q",
            ["column 5 (flags)", "`q`", "hexadecimal"],
        ),
        (
            "ssdsim",
            "1 0 8 8 2",
            ["column 5 (type)", "`2`", "1 (read) or 0 (write)"],
        ),
        (
            "ssdsim_hash",
            "1 0 8 8 1 xyz",
            ["column 6 (digests)", "`xyz`", "hexadecimal digests"],
        ),
        ("mqsim", "1 0 8 8 1 1", ["a further column", "`1`", "5 columns"]),
        (
            "flashsim",
            "1.2.3 0 8 8 1",
            ["column 1 (arrival)", "`1.2.3`", "decimal"],
        ),
        (
            "replayer",
            "\u{1}\u{ff} 0 8 8 1",
            ["column 1 (arrival)", r"`\x01\xc3\xbf`", "decimal"],
        ),
    ] {
        let error = refused(format, row);
        for word in words {
            assert!(error.contains(word), "{row}: {error}");
        }
    }
}

#[test]
fn numbers_are_exact() {
    assert_eq!(whole(b"0"), Some(0));
    assert_eq!(whole(b"18446744073709551615"), Some(u64::MAX));
    for wrong in [
        "",
        "18446744073709551616",
        "1_0",
        "+1",
        "-1",
        "1.",
        "99999999999999999999999",
    ] {
        assert_eq!(whole(wrong.as_bytes()), None, "{wrong}");
    }
    let s = TimeUnit::Seconds.ns();
    assert_eq!(time(b"60.063652", s), Some(60_063_652_000));
    assert_eq!(time(b"0.1234567899", s), Some(123_456_789));
    assert_eq!(time(b".5", s), Some(500_000_000));
    assert_eq!(time(b"7.", s), Some(7_000_000_000));
    assert_eq!(time(b"3.999", TimeUnit::Nanoseconds.ns()), Some(3));
    assert_eq!(time(b"1.05", TimeUnit::Ticks.ns()), Some(105));
    for wrong in ["", ".", "1..2", "1.x", "x.1", "18446744074.0", "1e5", "nan"] {
        assert_eq!(time(wrong.as_bytes(), s), None, "{wrong}");
    }
}

/// Decodes bytes to their end, as the reader does, in pieces of its buffer.
fn decode_all(format: &Format, bytes: &[u8]) -> (usize, bool) {
    let mut chunks = Chunks::of_bytes(bytes.to_vec());
    let mut decoder = decoder(format);
    let mut requests = 0;
    loop {
        let at_hand = chunks.bytes();
        if at_hand.is_empty() && chunks.ended() {
            return (requests, true);
        }
        if at_hand.is_empty() {
            chunks.more().unwrap();
            continue;
        }
        let len = at_hand.len();
        match decoder.decode(at_hand, chunks.ended()) {
            Decoded::Row {
                parsed: Err(error), ..
            } => {
                assert!(error.to_string().len() < 1_000);
                return (requests, false);
            }
            Decoded::Row {
                parsed: Ok(parsed),
                used,
            } => {
                assert!(used > 0 && used <= len);
                if let Parsed::Request(row) = parsed {
                    assert!(row.end() < 1 << 63);
                    requests += 1;
                }
                chunks.consume(used);
            }
            Decoded::Blank { used } | Decoded::Framing { used } => {
                assert!(used > 0 && used <= len);
                chunks.consume(used);
            }
            Decoded::Incomplete => {
                // at the end of the file: a record that is cut short
                if chunks.ended() || chunks.more().is_err() {
                    return (requests, false);
                }
            }
        }
    }
}

/// Bytes that look like rows more often than chance would have it.
fn nearly_rows() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => "[0-9]{1,22}",
        2 => "[0-9]{0,12}\\.[0-9]{0,12}",
        3 => "[ ,\t]",
        2 => "\r?\n",
        1 => "[rwRW]|Read|Write|[0-9a-f]{8,40}",
        1 => "\\PC",
    ];
    prop::collection::vec(piece, 0..200).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_make_a_parser_panic(bytes in prop_oneof![
        prop::collection::vec(any::<u8>(), 0..2_000),
        nearly_rows(),
    ]) {
        for format in formats() {
            decode_all(format, &bytes);
        }
    }

    /// An example of each format, a few of its bytes changed: a row is read or refused.
    #[test]
    fn no_change_of_an_example_makes_a_parser_panic(
        edits in prop::collection::vec(
            (0.0_f64..1.0, 0_usize..6, prop::sample::select(vec![
                &b""[..], b"0", b"99999999999999999999", b"-1", b".", b"=", b"(", b",", b" ", b"\xff\xff\xff\xff", b"0x", b"\n",
            ])),
            1..5,
        ),
    ) {
        for format in formats() {
            let mut bytes = if format.binary {
                unhex(format.example)
            } else {
                format.example.as_bytes().to_vec()
            };
            for (place, length, piece) in &edits {
                let at = (bytes.len() as f64 * place) as usize;
                let end = (at + length).min(bytes.len());
                bytes.splice(at..end, piece.iter().copied());
            }
            decode_all(format, &bytes.repeat(2));
        }
    }

    /// What is written in a format is read back, cut anywhere.
    #[test]
    fn written_rows_read_back(
        rows in prop::collection::vec((0_u64..1 << 40, 0_u64..1 << 40, 1_u64..1 << 16, any::<bool>()), 1..50),
        cut in 0.0_f64..1.0,
    ) {
        let text: String = rows
            .iter()
            .map(|(arrival, sector, sectors, read)| format!("{arrival} 0 {sector} {sectors} {}\n", u8::from(*read)))
            .collect();
        let (requests, whole) = decode_all(by_name("mqsim").unwrap(), text.as_bytes());
        prop_assert!(whole);
        prop_assert_eq!(requests, rows.len());
        let cut = (text.len() as f64 * cut) as usize;
        let lines = text[..cut].lines().count();
        prop_assert!(decode_all(by_name("mqsim").unwrap(), &text.as_bytes()[..cut]).0 + 1 >= lines);
    }
}

#[test]
fn endless_lines_end() {
    let endless = vec![b'7'; 3 << 20];
    for format in formats() {
        assert!(!decode_all(format, &endless).1, "{}", format.name);
    }
    let mut chunks = Chunks::of_bytes(endless);
    let problem = (0..20).find_map(|_| chunks.more().err()).unwrap();
    assert!(problem.contains("1024 KiB"), "{problem}");
}
