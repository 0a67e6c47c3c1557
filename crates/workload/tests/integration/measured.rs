//! Response times that traces have recorded.

use std::fs;

use tempfile::TempDir;
use wordline_workload::{
    CsvColumn, CsvConfig, Measured, TraceAction, TraceOptions, WorkloadError, formats, measured,
};

/// The requests of a trace with these rows.
fn read(rows: impl AsRef<[u8]>, options: &TraceOptions<'_>) -> Result<Vec<Measured>, WorkloadError> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("trace");
    fs::write(&path, rows).unwrap();
    measured(&path, options, 0, u64::MAX, &|| true)
}

/// Arrivals and responses in nanoseconds.
fn times(rows: impl AsRef<[u8]>, options: &TraceOptions<'_>) -> Vec<(u64, Option<u64>)> {
    let found = read(rows, options).unwrap();
    found.iter().map(|row| (row.arrival, row.response)).collect()
}

fn format(name: &str) -> TraceOptions<'_> {
    TraceOptions {
        format: Some(name),
        ..TraceOptions::default()
    }
}

#[test]
fn the_example_of_each_format_takes_what_its_row_says() {
    for (name, response) in [
        // 2833 ticks of 100 ns
        ("msr", 283_300),
        // 0.000806 s
        ("systor17", 806_000),
        // 56.910 µs
        ("hfplayer", 56_910),
        // 14095.370 µs
        ("disksim_validate", 14_095_370),
        // from .646690157 to .653717136
        ("biotracer", 7_026_979),
    ] {
        let example = formats().iter().find(|format| format.name == name).unwrap();
        assert_eq!(
            times(format!("{}\n", example.example), &format(name)),
            [(0, Some(response))],
            "{name}"
        );
    }
}

#[test]
fn a_binary_record_says_when_its_service_ended() {
    let example = formats()
        .iter()
        .find(|format| format.name == "srt")
        .unwrap()
        .example;
    let digits: Vec<u8> = example.bytes().filter(u8::is_ascii_hexdigit).collect();
    let bytes: Vec<u8> = digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect();
    // the sixth word of the record, 0x2736 µs
    assert_eq!(times(bytes, &format("srt")), [(0, Some(10_038_000))]);
}

#[test]
fn requests_of_a_phone_may_arrive_at_the_device() {
    let rows =
        "8\t8\t4096\t4\t10.000\t10.001\t10.002\t10.005\n16\t8\t4096\t5\t10.001\t10.001\t10.006\t10.007\n";
    let at = |action| TraceOptions {
        action,
        ..format("biotracer")
    };
    const MS: u64 = 1_000_000;
    let made = [(0, Some(5 * MS)), (MS, Some(6 * MS))];
    assert_eq!(times(rows, &at(None)), made);
    assert_eq!(times(rows, &at(Some(TraceAction::Queued))), made);
    assert_eq!(
        times(rows, &at(Some(TraceAction::Issued))),
        [(0, Some(3 * MS)), (4 * MS, Some(MS))]
    );
    // the clock was set in between: nothing is known
    let jump = "8\t8\t4096\t4\t10.0\t10.1\t10.2\t1398396748.5\n8\t8\t4096\t4\t11.0\t11.0\t11.0\t11.5\n";
    assert_eq!(times(jump, &at(None))[0].1, None);
    // it was set back
    let back = jump.replace("1398396748.5", "9.5");
    assert_eq!(times(&back, &at(None))[0].1, None);
}

#[test]
fn events_are_paired_from_issue_or_queueing_to_completion() {
    // two requests of the file system are merged into one
    let rows = "\
8,0 0 1 0.000010 1 Q R 100 + 8 [a]
8,0 0 2 0.000012 1 Q R 108 + 8 [a]
8,0 0 3 0.000020 1 D R 100 + 16 [a]
8,0 0 4 0.000030 1 Q W 300 + 8 [a]
8,0 0 5 0.000031 1 D W 300 + 8 [a]
8,0 1 6 0.000050 0 C R 100 + 16 [0]
8,0 1 7 0.000100 0 C W 300 + 8 [0]
8,0 0 8 0.000200 1 Q R 500 + 8 [a]
8,0 0 9 0.000201 1 D R 500 + 8 [a]
";
    let at = |action| TraceOptions {
        action: Some(action),
        ..format("blkparse")
    };
    assert_eq!(
        times(rows, &at(TraceAction::Issued)),
        [(0, Some(30_000)), (11_000, Some(69_000)), (181_000, None)]
    );
    assert_eq!(
        times(rows, &at(TraceAction::Queued)),
        [
            (0, Some(40_000)),
            (2_000, Some(38_000)),
            (20_000, Some(70_000)),
            (190_000, None)
        ]
    );
    let pairs = "1 D read 0 512 0.5 0 False\n1 C read 0 512 0.75 0 False\n";
    assert_eq!(times(pairs, &format("wiscsee")), [(0, Some(250_000_000))]);
}

#[test]
fn a_column_of_delimited_text_may_hold_response_times() {
    let named = |name: &str| Some(CsvColumn::Name(name.to_owned()));
    let csv = CsvConfig {
        time: named("t"),
        op: named("op"),
        offset: named("at"),
        size: named("size"),
        response: named("took"),
        ..CsvConfig::default()
    };
    let options = TraceOptions {
        csv: Some(&csv),
        ..format("csv")
    };
    let rows = "t,op,at,size,took\n2.5,w,4096,512,0.125\n2.0,r,0,512,\n3.0,r,0,512,0\n";
    assert_eq!(
        times(rows, &options),
        [(0, None), (500_000_000, Some(125_000_000)), (1_000_000_000, None)]
    );
    let wrong = rows.replace("0.125", "soon");
    let said = read(&wrong, &options).unwrap_err().to_string();
    assert!(said.contains("workload.csv.response"), "{said}");
    assert!(said.contains("soon"), "{said}");
}

#[test]
fn rows_are_left_out_and_a_trace_without_response_times_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("t.csv");
    let rows: String = (1..=5).map(|n| format!("{n},h,0,Read,0,512,{n}\n")).collect();
    fs::write(&path, rows).unwrap();
    let found = measured(&path, &format("msr"), 1, 3, &|| true).unwrap();
    let took: Vec<_> = found.iter().map(|row| row.response).collect();
    assert_eq!(took, [Some(200), Some(300), Some(400)]);
    assert_eq!(found[0].arrival, 0);
    let said = read("0,8,512,r,1\n", &format("spc")).unwrap_err().to_string();
    assert!(said.contains("as SPC text it says no response times"), "{said}");
}
