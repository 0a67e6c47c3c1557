//! Text with a header line that no format has: how to describe it with `[workload.csv]`.

use super::super::bytes::quoted;
use super::super::fields::Separator;
use super::super::quoted_columns::QuotedColumns;

/// Beginnings of the names that columns have, by the key that describes them.
const KEYS: [(&str, &[&str]); 4] = [
    (
        "time",
        &[
            "time",
            "ts",
            "date",
            "when",
            "arrival",
            "clock",
            "t_",
            "start_time",
        ],
    ),
    (
        "op",
        &[
            "op",
            "type",
            "rw",
            "r/w",
            "cmd",
            "command",
            "action",
            "class",
            "io_type",
            "iotype",
            "direction",
            "request_type",
            "kind",
        ],
    ),
    (
        "offset",
        &[
            "off",
            "lba",
            "addr",
            "sector",
            "block",
            "pos",
            "start",
            "lbn",
            "byte_offset",
            "slba",
        ],
    ),
    (
        "size",
        &[
            "size", "len", "bytes", "count", "nbytes", "sectors", "blocks", "length", "nlb",
        ],
    ),
];

/// What to do with rows of columns that a header line names, or that fio's logs of figures have; `None` for other text.
pub(super) fn described(first: &[u8], second: Option<&[u8]>) -> Option<String> {
    if is_log_of_figures(first) {
        return Some(format!(
            "its first row, {}, is one of fio's logs of figures (write_bw_log, write_lat_log): with log_offset=1 and without log_avg_msec they have a row of each request, which is read with --format csv \
             --time-unit ms --set workload.csv.header=false --set workload.csv.time=1 --set workload.csv.op=3 --set workload.csv.size=4 --set workload.csv.offset=5 \
             --set workload.csv.read='[\"0\"]' --set workload.csv.write='[\"1\"]' --set workload.csv.trim='[\"2\"]'; otherwise record with write_iolog",
            quoted(first)
        ));
    }
    let second = second?;
    let separators = [b',', b';', b'\t', b'|'].map(Separator::One);
    let separator = separators
        .into_iter()
        .chain([Separator::Blank])
        .find(|separator| {
            let (names, values) = (columns(first, *separator), columns(second, *separator));
            names.len() > 2
                && (names.len() == values.len() || names.len() + 1 == values.len())
                && names.iter().all(|name| is_name(name))
                && values.iter().any(|value| !value.is_empty() && !is_name(value))
        })?;
    let names = columns(first, separator);
    let mut told = String::new();
    let mut taken = Vec::new();
    for (key, beginnings) in KEYS {
        let named = names.iter().filter(|name| !taken.contains(*name)).find(|name| {
            let name = name.to_ascii_lowercase();
            beginnings.iter().any(|begin| name.starts_with(begin))
        });
        taken.extend(named.cloned());
        let column = named.map_or("COLUMN", String::as_str);
        let column = if column.contains(|byte: char| !byte.is_ascii_alphanumeric() && byte != '_') {
            format!("'{column}'")
        } else {
            column.to_owned()
        };
        told += &format!(" --set workload.csv.{key}={column}");
    }
    if separator == Separator::Blank {
        told += " --set workload.csv.separator=blank";
    }
    Some(format!(
        "its first row, {}, names columns: say which they are, for instance with --format csv{told}, and in which units they count (--time-unit, workload.csv.offset_unit, \
         workload.csv.size_unit)",
        quoted(first)
    ))
}

fn columns(row: &[u8], separator: Separator) -> Vec<String> {
    let mut columns = QuotedColumns::new(row, separator);
    std::iter::from_fn(|| columns.next())
        .take(100)
        .map(|column| {
            String::from_utf8_lossy(column)
                .trim_start_matches('\u{feff}')
                .to_owned()
        })
        .collect()
}

/// Whether a column of a header line stands here: words, or nothing over an index.
fn is_name(text: &str) -> bool {
    text.is_empty() || text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Time, value, direction, block size and more, all of them numbers with `, ` between them.
fn is_log_of_figures(row: &[u8]) -> bool {
    let columns = columns(row, Separator::COMMA);
    let is_number =
        |text: &String| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'x');
    (4..=7).contains(&columns.len())
        && row.windows(2).any(|pair| pair == b", ")
        && columns.iter().all(is_number)
        && matches!(columns[2].as_str(), "0" | "1" | "2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_lines_are_described() {
        let told = described(b"id;when (s);rw;lba;len", Some(b"1;0.5;R;8;1")).unwrap();
        for words in ["time='when (s)'", "op=rw", "offset=lba", "size=len"] {
            assert!(told.contains(&format!("workload.csv.{words}")), "{told}");
        }
        let blanks = described(b"time op bytes", Some(b"0 0.5 R 8")).unwrap();
        assert!(
            blanks.contains("offset=COLUMN") && blanks.contains("separator=blank"),
            "{blanks}"
        );
        for (first, second) in [
            (&b"0.5,R,8,1"[..], &b"0.6,R,8,1"[..]),
            (b"total 4", b"drwxr-xr-x 2 root"),
            (b"a line of prose", b"another line of prose"),
        ] {
            assert_eq!(described(first, Some(second)), None);
        }
    }

    #[test]
    fn logs_of_figures_are_told_from_requests() {
        assert!(
            described(b"0, 4096, 0, 4096, 0", None)
                .unwrap()
                .contains("write_iolog")
        );
        assert_eq!(described(b"0,4096,0,4096,0", None), None);
        assert_eq!(described(b"0, 4096, R, 4096, 0", None), None);
    }
}
