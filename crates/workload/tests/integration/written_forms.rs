//! Traces that are written as fio's log and as blkparse text: what is read back is what was written, as far as the form can hold it.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use wordline_units::SimTime;
use wordline_workload::{
    HostCommand, HostOp, TraceOptions, TraceWriter, WorkloadConfig, WorkloadKind, ZeroLength, convert, open,
};

const DRIVE: u64 = 1 << 40;

fn commands(path: &Path) -> Vec<HostCommand> {
    let config = WorkloadConfig {
        kind: WorkloadKind::Trace,
        path: Some(path.to_owned()),
        ..WorkloadConfig::default()
    };
    let mut source = open(&config, DRIVE, Path::new(".")).unwrap_or_else(|error| panic!("{error}"));
    std::iter::from_fn(|| source.next_command().unwrap()).collect()
}

/// Converts a trace to a file of this name, and reads that; also the notes.
fn through(input: &Path, name: &str) -> Result<(Vec<HostCommand>, String), String> {
    let output = input.with_file_name(name);
    let done = convert(input, &output, &TraceOptions::default(), &mut |_, _| true)
        .map_err(|error| error.to_string())?;
    let read = commands(&output);
    assert_eq!(done.requests, read.len() as u64, "{name}");
    Ok((read, done.notes.join("\n")))
}

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn commands_are_read_back(
        parts in prop::collection::vec(
            (0_u64..1 << 40, 0..4_usize, any::<bool>(), 0_u64..1 << 30, 1_u32..1 << 16, 0..3_u16),
            1..80,
        ),
    ) {
        let mut arrival = 0;
        let written: Vec<HostCommand> = parts
            .into_iter()
            .enumerate()
            .map(|(index, (gap, op, fua, sector, sectors, queue))| {
                arrival += if index == 0 { 0 } else { gap };
                let op = [HostOp::Read, HostOp::Write, HostOp::Trim, HostOp::Flush][op];
                let (sector, sectors) = if op == HostOp::Flush { (0, 0) } else { (sector, sectors) };
                let fua = fua && op == HostOp::Write;
                HostCommand { arrival: SimTime(arrival), op, fua, sector, sectors, queue, placement: 0 }
            })
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.wlt");
        let mut writer = TraceWriter::create(&path).unwrap();
        for command in &written {
            writer.write(command).unwrap();
        }
        writer.finish().unwrap();

        let bare = written.iter().filter(|command| command.queue > 0).count();
        let (read, told) = through(&path, "trace.blkparse").unwrap();
        let held: Vec<HostCommand> =
            written.iter().map(|command| HostCommand { queue: 0, ..*command }).collect();
        prop_assert_eq!(&read, &held);
        let lost = format!("{bare} requests lost their queue or placement handle");
        prop_assert_eq!(told.contains(&lost), bare > 0);

        // fio counts in microseconds
        let (read, told) = through(&path, "trace.iolog.zst").unwrap();
        let held: Vec<HostCommand> = held
            .iter()
            .map(|command| {
                let arrival = SimTime(command.arrival.ns() / 1000 * 1000);
                HostCommand { arrival, fua: false, ..*command }
            })
            .collect();
        prop_assert_eq!(&read, &held);
        let rounded = written.iter().filter(|command| command.arrival.ns() % 1000 > 0).count();
        prop_assert_eq!(told.contains(&format!("{rounded} requests arrive up to 1 us earlier")), rounded > 0);
    }
}

#[test]
fn the_rows_are_those_that_fio_and_blkparse_write() {
    let folder = tempfile::tempdir().unwrap();
    // out of order, on two devices, one without length
    let spc = "3,16,512,w,2.5\n0,8,4096,r,0.000123\n0,8,0,r,1\n";
    let input = file(&folder, "a.spc", spc);
    through(&input, "a.iolog").unwrap();
    let text = std::fs::read_to_string(folder.path().join("a.iolog")).unwrap();
    assert_eq!(
        text,
        "fio version 3 iolog\n1 device0 add\n1 device0 open\n1 device0 read 4096 4096\n2499878 device1 add\n\
         2499878 device1 open\n2499878 device1 write 8192 512\n2499878 device0 close\n2499878 device1 close\n"
    );
    let output = folder.path().join("a.blkparse");
    let done = convert(&input, &output, &TraceOptions::default(), &mut |_, _| true).unwrap();
    assert_eq!(done.requests, 3);
    let text = std::fs::read_to_string(output).unwrap();
    assert_eq!(
        text.lines().next().unwrap(),
        "  0,3    0        1     2.500000000     0  D   W 16 + 1 [wordline]"
    );
    // parts of sectors are whole ones
    let bytes = file(&folder, "b.csv", "128166385295514663,hm,0,Write,100,600,2833\n");
    let (read, told) = through(&bytes, "b.blkparse").unwrap();
    assert_eq!((read[0].sector, read[0].sectors), (0, 2));
    assert!(told.contains("1 requests begin or end within a sector"), "{told}");
    let (read, _) = through(&bytes, "b.iolog").unwrap();
    assert_eq!((read[0].sector, read[0].sectors), (0, 2));
}

#[test]
fn what_a_form_cannot_hold_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let text = "time,op,offset,size\n0,R,0,512\n0,write_zeroes,0,512\n";
    let input = file(&folder, "a.txt", text);
    let large = file(&folder, "b.txt", "time,op,offset,size\n0,trim,0,4294967296\n");
    // 1 GiB, the largest request, from the middle of a sector
    let unaligned = file(&folder, "c.txt", "time,op,offset,size\n0,W,100,1073741824\n");
    for (input, name, words) in [
        (&unaligned, "c.blkparse", ["1073741824 bytes", "within sectors"]),
        (&input, "a.iolog", ["WriteZeroes", ".wlt"]),
        (&input, "a.blkparse", ["row 3", "WriteZeroes"]),
        (&large, "b.iolog", ["4294967296 bytes", "32 bits"]),
        // nobody writes files of columns in this program
        (&input, "a.parquet", ["a.parquet", "Python package"]),
        (&input, "a.parquet.gz", ["compressed in itself", ".parquet"]),
        (
            &input,
            "a.doc",
            [".iolog or .iolog3 (fio iolog version 3)", ".blkparse"],
        ),
    ] {
        let error = through(input, name).unwrap_err();
        for word in words {
            assert!(error.contains(word), "{name}: {error}");
        }
    }
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 3);
}

/// A request of no bytes takes no sector, wherever it begins: the reader leaves it out, or refuses it, as it does in the trace that was converted.
#[test]
fn a_request_of_no_bytes_takes_no_sector() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(
        &folder,
        "empty.csv",
        "time,op,offset,size\n0.5,W,4,0\n0.75,R,0,512\n",
    );
    let output = folder.path().join("empty.blkparse");
    let done = convert(&input, &output, &TraceOptions::default(), &mut |_, _| true).unwrap();
    assert!(
        !done.notes.iter().any(|note| note.contains("within a sector")),
        "{:?}",
        done.notes
    );
    let text = std::fs::read_to_string(&output).unwrap();
    assert!(text.contains(" W 0 + 0 ") && text.contains(" R 0 + 1 "), "{text}");
    for path in [input, output] {
        let config = WorkloadConfig {
            kind: WorkloadKind::Trace,
            path: Some(path),
            zero_length: ZeroLength::Skip,
            ..WorkloadConfig::default()
        };
        let mut source = open(&config, DRIVE, Path::new(".")).unwrap();
        let read = std::iter::from_fn(|| source.next_command().unwrap()).count();
        assert_eq!(read, 1, "{config:?}");
    }
}
