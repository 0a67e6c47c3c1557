//! Files that hold traces, or something else, and are none: named, so that the user knows what to do.

/// How kinds of files begin, what they are, and what to do.
const BEGINNINGS: [(&[u8], &str); 26] = [
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
    (b"\x1f\x8b", TWICE),
    (b"BZh", TWICE),
    (b"\x28\xb5\x2f\xfd", TWICE),
    (b"\xfd7zXZ", TWICE),
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    (
        b"PERFILE2",
        "the binary file of `perf record`: turn it into text (`perf script -i NAME`)",
    ),
    (
        b"\x17\x08\x44tracing",
        "the binary file of `trace-cmd record`: turn it into text (`trace-cmd report -i NAME`)",
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
const TWICE: &str = "compressed twice: decompress it once, and name the result";
const UTF_16: &str =
    "text in UTF-16, as Excel and PowerShell write it: save it in UTF-8 (`iconv -f UTF-16 -t UTF-8`)";
/// How texts begin that are no traces, in lower case, what they are, and what to do.
const TEXTS: [(&str, &str); 6] = [
    (
        "version https://git-lfs",
        "a pointer of Git LFS, not the file: fetch that (`git lfs pull`)",
    ),
    (
        "<!doctype html",
        "a web page (HTML), which a download leaves where the trace is not found: download the trace again",
    ),
    (
        "<html",
        "a web page (HTML), which a download leaves where the trace is not found: download the trace again",
    ),
    (
        "<?xml",
        "XML: write the requests as CSV and read that with workload.format = \"csv\" (a workload of MQSim becomes one of Wordline with `wordline import`)",
    ),
    ("{", JSON),
    (
        "fio version 1 iolog",
        "a log of fio in its version 1: versions 2 and 3 are read, which today's `write_iolog` makes",
    ),
];
const JSON: &str =
    "JSON: write the requests as CSV, for instance with pandas, and read that with workload.format = \"csv\"";
/// What a result of fio in JSON holds.
const FIO_RESULT: &str = "\"fio version\"";

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
    let returns = sample.iter().filter(|byte| **byte == b'\r').count();
    if returns > 2 && !sample.contains(&0) && !sample.contains(&b'\n') {
        return Some(
            "is text whose lines end with a carriage return alone: turn them into line ends (`tr '\\r' '\\n'`)"
                .to_owned(),
        );
    }
    let text: Vec<u8> = sample
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace() || **byte == b' ')
        .take(256)
        .copied()
        .collect();
    let text = String::from_utf8_lossy(&text).to_ascii_lowercase();
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('{') && text.contains(FIO_RESULT) {
        return Some("is the result of a fio run (JSON), not what it sent: run its job file, or record it with `write_iolog`".to_owned());
    }
    let list = text.strip_prefix('[').map_or(text, str::trim_start);
    let text = if list.starts_with('{') { list } else { text };
    if let Some((_, what)) = TEXTS.iter().find(|(begin, _)| text.starts_with(begin)) {
        return Some(format!("is {what}"));
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
    let section = first.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_name = |name: &str| !name.is_empty() && !name.contains(['{', '"', ',', '[']);
    section.is_some_and(is_name).then(|| first.to_owned())
}

/// The first line of a text that is an option of fio, without a section above it.
pub(crate) fn job_option(sample: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(sample.get(..sample.len().min(4096))?).ok()?;
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(['#', ';']))?;
    let (name, _) = first.split_once('=')?;
    let is_option = crate::fio_options().any(|option| option.name == name.trim_end());
    is_option.then(|| first.to_owned())
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
            (b"\x1f\x8b\x08\x00", "compressed twice"),
            (b"\xff\xfet\x00", "UTF-16"),
            (b"a,b\r1,2\r3,4\r", "carriage return alone"),
            (b"PERFILE2\x00", "perf script"),
            (b"\x17\x08\x44tracing6", "trace-cmd report"),
            (b"  <!DOCTYPE HTML>\n", "web page"),
            (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
            (b"{\"time\":0}\n", "is JSON"),
            (b"[\n  {\"time\":0}]", "is JSON"),
            (b"{\n \"fio version\" : \"fio-3.33\"", "result of a fio run"),
            (b"fio version 1 iolog\n", "versions 2 and 3 are read"),
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
        assert_eq!(job_file(b"[{\"time\":0}]\n"), None);
        assert_eq!(
            job_option(b"# a job\nrw=randread\n").as_deref(),
            Some("rw=randread")
        );
        assert_eq!(job_option(b"lba=8\n"), None);
    }
}
