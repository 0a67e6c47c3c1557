//! Files that hold traces, or something else, and are none: named, so that the user knows what to do.

/// How kinds of files begin, what they are, and what to do.
const BEGINNINGS: [(&[u8], &str); 18] = [
    (
        b"PK\x03\x04",
        "a zip archive (or a spreadsheet of Excel, which is one): unpack it, or save the sheet as CSV, and name the trace in it",
    ),
    (
        b"7z\xbc\xaf\x27\x1c",
        "a 7-Zip archive: unpack it (`7z x`) and name the trace in it",
    ),
    (b"Rar!", "a RAR archive: unpack it and name the trace in it"),
    (
        b"\x04\x22\x4d\x18",
        "compressed with lz4, which is not read: decompress it (`lz4 -d`), or compress it with zstd, gzip, bzip2 or xz",
    ),
    (
        b"\x1f\x9d",
        "compressed with `compress`, which is not read: decompress it (`uncompress`)",
    ),
    (
        b"LZIP",
        "compressed with lzip, which is not read: decompress it (`lzip -d`)",
    ),
    (
        b"PAR1",
        "a compressed Parquet file: decompress it first; Parquet is compressed in itself",
    ),
    (b"ARROW1", "a compressed Arrow file: decompress it first"),
    (
        b"FEA1",
        "a Feather file of version 1: write it as Parquet, for instance with pandas",
    ),
    (
        b"\x89HDF",
        "an HDF5 file: write it as CSV and read that with workload.format = \"csv\"",
    ),
    (
        b"SQLite format 3",
        "a SQLite database: write the table of requests as CSV and read that with workload.format = \"csv\"",
    ),
    (
        b"\x93NUMPY",
        "an array of NumPy: write it as CSV (`numpy.savetxt`) and read that with workload.format = \"csv\"",
    ),
    (
        b"eat\x07",
        "binary output of blktrace of a machine with the other order of bytes: turn it into text there with `blkparse -i NAME`",
    ),
    (
        b"%PDF",
        "a PDF document: a trace is a list of requests, and `wordline formats` lists the accepted formats",
    ),
    (
        b"\x89PNG",
        "a picture (PNG): a trace is a list of requests, and `wordline formats` lists the accepted formats",
    ),
    (
        b"\xff\xd8\xff",
        "a picture (JPEG): a trace is a list of requests, and `wordline formats` lists the accepted formats",
    ),
    (
        b"GIF8",
        "a picture (GIF): a trace is a list of requests, and `wordline formats` lists the accepted formats",
    ),
    (
        b"\x7fELF",
        "a program (ELF): a trace is a list of requests, and `wordline formats` lists the accepted formats",
    ),
];
/// Where a tar archive has its mark.
const TAR: std::ops::Range<usize> = 257..262;

/// What a file of these first bytes, decompressed, is, and what to do; `None` for one that may be a trace.
pub(crate) fn named(sample: &[u8]) -> Option<String> {
    if sample.get(TAR) == Some(b"ustar") {
        let end = sample.iter().position(|byte| *byte == 0).unwrap_or(0).min(100);
        let member = super::bytes::quoted(&sample[..end]);
        return Some(format!(
            "is a tar archive, whose first member is {member}: unpack it (`tar -xf`) and name the trace in it"
        ));
    }
    let found = BEGINNINGS.iter().find(|(begin, _)| sample.starts_with(begin));
    found.map(|(_, what)| format!("is {what}"))
}

/// The first line of a text that begins as a fio job file does, with a section.
pub(crate) fn job_file(sample: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(sample.get(..sample.len().min(4096))?).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(['#', ';']))?;
    let is_section = first.len() > 2 && first.starts_with('[') && first.ends_with(']');
    is_section.then(|| first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_named_and_traces_are_not() {
        for (bytes, words) in [
            (&b"PK\x03\x04rest"[..], "zip archive"),
            (b"PAR1....", "Parquet"),
            (
                b"\x89PNG\r\n\x1a\n\x00",
                "is a picture (PNG): a trace is a list of requests, and `wordline formats` lists",
            ),
            (b"\xff\xd8\xff\xe0", "a picture (JPEG)"),
            (b"GIF89a", "a picture (GIF)"),
            (b"\x7fELF\x02", "a program (ELF)"),
        ] {
            assert!(named(bytes).is_some_and(|found| found.contains(words)), "{words}");
        }
        let mut tar = vec![b'a'; 3];
        tar.resize(512, 0);
        tar[TAR].copy_from_slice(b"ustar");
        assert!(named(&tar).is_some_and(|found| found.contains("first member is `aaa`")));
        assert_eq!(named(b"0.5 0 8 8 1\n"), None);
        assert_eq!(job_file(b"; a job\n[scan]\nrw=read\n").as_deref(), Some("[scan]"));
        assert_eq!(job_file(b"1,2,3\n[scan]\n"), None);
    }
}
