//! Columns of delimited text that may stand in quotes, as spreadsheets write them.

use super::fields::Separator;
use super::row::RowError;

/// The columns of a row, taken from the left, without the quotes around them.
pub(crate) struct QuotedColumns<'a> {
    rest: Option<&'a [u8]>,
    separator: Separator,
    /// The column taken last, counted from 1.
    column: u32,
}

impl<'a> QuotedColumns<'a> {
    pub(crate) const fn new(row: &'a [u8], separator: Separator) -> Self {
        Self {
            rest: Some(row),
            separator,
            column: 0,
        }
    }

    /// The column taken last, counted from 1.
    pub(crate) const fn column(&self) -> u32 {
        self.column
    }

    /// The next column, trimmed; `None` at the end of the row. A separator within quotes parts nothing.
    pub(crate) fn next(&mut self) -> Option<&'a [u8]> {
        let mut rest = self.rest?;
        if self.separator == Separator::Blank {
            rest = rest.trim_ascii_start();
            if rest.is_empty() {
                return None;
            }
        }
        self.column += 1;
        let parts = |byte: &u8| match self.separator {
            Separator::One(between) => *byte == between,
            Separator::Blank => matches!(byte, b' ' | b'\t'),
        };
        let quote = rest.trim_ascii_start().strip_prefix(b"\"");
        let closed = quote.and_then(|inner| Some((inner, inner.iter().position(|byte| *byte == b'"')?)));
        if let Some((inner, end)) = closed {
            let behind = &inner[end + 1..];
            self.rest = behind.iter().position(parts).map(|end| &behind[end + 1..]);
            return Some(inner[..end].trim_ascii());
        }
        let end = rest.iter().position(parts);
        self.rest = end.map(|end| &rest[end + 1..]);
        Some(rest[..end.unwrap_or(rest.len())].trim_ascii())
    }

    /// The row ends before the last column that is asked for.
    #[cold]
    pub(crate) fn missing(&self, last: u32) -> RowError {
        RowError::whole(
            format!(
                "the row ends after {} columns, of which workload.csv asks for {last}",
                self.column
            ),
            "columns with the separator between them (workload.csv.separator)",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(row: &str, separator: Separator) -> Vec<String> {
        let mut columns = QuotedColumns::new(row.as_bytes(), separator);
        std::iter::from_fn(|| columns.next())
            .map(|column| String::from_utf8_lossy(column).into_owned())
            .collect()
    }

    #[test]
    fn quotes_are_taken_off_and_hide_separators() {
        assert_eq!(
            all("\"0.5\",\"a,b\", R ,", Separator::COMMA),
            ["0.5", "a,b", "R", ""]
        );
        assert_eq!(all(" 1\t\"x y\"  3 ", Separator::Blank), ["1", "x y", "3"]);
        // a quote that nothing closes is part of the column
        assert_eq!(all("\"1,2", Separator::COMMA), ["\"1", "2"]);
    }
}
