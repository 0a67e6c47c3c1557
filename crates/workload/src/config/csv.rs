//! `[workload.csv]`: what the columns of a delimited text file mean.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::ByteSize;

use wordline_keys::RefusedValue;

/// Columns that a row may have.
pub(crate) const MOST_COLUMNS: u32 = 1000;

/// A column: its number, counted from 1, or its name in the header line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a column: its number, counted from 1, or its name in the header line"
)]
pub enum CsvColumn {
    /// Counted from 1.
    Number(u32),
    /// As the header line says.
    Name(String),
}

/// `[workload.csv]`: what the columns of a delimited text file mean, with `format = "csv"`.
///
/// A column is given by its number, counted from 1, or by its name in the header line. The unit of
/// the times is `workload.time_unit`, seconds if left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CsvConfig {
    /// Column of the arrival. Left out: the trace has no times, and every request arrives at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<CsvColumn>,
    /// Column of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<CsvColumn>,
    /// Column of the address; with `block` that within the block, left out where every request begins with its block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<CsvColumn>,
    /// Column of a block's number: the address is the number times `block_size`, and `offset` in its unit is added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<CsvColumn>,
    /// Bytes of a block that `block` numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_size: Option<ByteSize>,
    /// Column of the length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<CsvColumn>,
    /// Column of the device, a number or a name. Left out: there is one device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<CsvColumn>,
    /// Column of the response time, from the arrival to the completion, in `workload.time_unit`; empty or 0 where it is not known. Replays
    /// have no use for it; `wordline infer --measured` compares it with that of the simulation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<CsvColumn>,
    /// Column of the placement handle of a write, from 0 (none) to 65,535; empty is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement: Option<CsvColumn>,
    /// Column of the submission queue, from 0 to 65,535; empty is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<CsvColumn>,
    /// Column that says whether a write has forced unit access: `true` or 1, `false`, 0 or nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fua: Option<CsvColumn>,
    /// Unit of the addresses: `"1 B"`, sectors of `"512 B"`, blocks of `"4 KiB"`.
    pub offset_unit: ByteSize,
    /// Unit of the lengths.
    pub size_unit: ByteSize,
    /// Separator of the columns: one character, or `"blank"` for any number of blanks and tabs.
    pub separator: String,
    /// Whether the first row names the columns.
    pub header: bool,
    /// Words for a read in the column `op`, in any case.
    pub read: Vec<String>,
    /// Words for a write.
    pub write: Vec<String>,
    /// Words for a deallocation (TRIM).
    pub trim: Vec<String>,
    /// Words for a flush, whose address and length are ignored.
    pub flush: Vec<String>,
}

impl Default for CsvConfig {
    fn default() -> Self {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            time: None,
            op: None,
            offset: None,
            block: None,
            block_size: None,
            size: None,
            device: None,
            response: None,
            placement: None,
            queue: None,
            fua: None,
            offset_unit: ByteSize(1),
            size_unit: ByteSize(1),
            separator: ",".to_owned(),
            header: true,
            read: words(&["r", "read"]),
            write: words(&["w", "write"]),
            trim: words(&["d", "t", "trim", "discard", "unmap"]),
            flush: words(&["f", "flush", "sync"]),
        }
    }
}

impl CsvConfig {
    /// Whether a file need not have the column of this key.
    pub(crate) fn is_optional(&self, key: &str) -> bool {
        match key {
            "workload.csv.op" | "workload.csv.size" => false,
            "workload.csv.offset" => self.block.is_some(),
            _ => true,
        }
    }

    /// The separator as a character; `None` for any number of blanks.
    pub(crate) fn separator(&self) -> Option<u8> {
        match self.separator.as_bytes() {
            [byte] => Some(*byte),
            _ => None,
        }
    }

    /// The columns with their keys, in the order of `time`, `op`, `offset`, `size`, `device`, `response`, `placement`, `block`, `queue`, `fua`.
    pub(crate) const fn columns(&self) -> [(&'static str, &Option<CsvColumn>); 10] {
        [
            ("workload.csv.time", &self.time),
            ("workload.csv.op", &self.op),
            ("workload.csv.offset", &self.offset),
            ("workload.csv.size", &self.size),
            ("workload.csv.device", &self.device),
            ("workload.csv.response", &self.response),
            ("workload.csv.placement", &self.placement),
            ("workload.csv.block", &self.block),
            ("workload.csv.queue", &self.queue),
            ("workload.csv.fua", &self.fua),
        ]
    }

    /// Checks what needs no file.
    ///
    /// # Errors
    /// The first key that cannot be used.
    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        for (key, column) in self.columns() {
            match column {
                None if !self.is_optional(key) => {
                    let accepted = "a column: its number, counted from 1, or its name in the header line";
                    return Err(RefusedValue::new(key, "unset", accepted));
                }
                Some(CsvColumn::Number(number)) if !(1..=MOST_COLUMNS).contains(number) => {
                    let accepted = format!("a column from 1 to {MOST_COLUMNS}");
                    return Err(RefusedValue::new(key, number, accepted));
                }
                Some(CsvColumn::Name(name)) if !self.header => {
                    let accepted =
                        "a number: without a header line (workload.csv.header) columns have no names";
                    return Err(RefusedValue::new(key, name, accepted));
                }
                _ => {}
            }
        }
        const BLOCK_SIZE: &str = "workload.csv.block_size";
        match (&self.block, self.block_size) {
            (Some(_), None) => {
                let accepted = "the bytes of a block, such as \"4 KiB\", which workload.csv.block needs";
                return Err(RefusedValue::new(BLOCK_SIZE, "unset", accepted));
            }
            (None, Some(size)) => {
                let accepted = "nothing without workload.csv.block, the column of the block's number";
                return Err(RefusedValue::new(BLOCK_SIZE, size, accepted));
            }
            _ => {}
        }
        for (key, unit) in [
            ("workload.csv.offset_unit", self.offset_unit),
            ("workload.csv.size_unit", self.size_unit),
            (BLOCK_SIZE, self.block_size.unwrap_or(ByteSize(1))),
        ] {
            if !(1..=1 << 30).contains(&unit.bytes()) {
                return Err(RefusedValue::new(key, unit, "from 1 B to 1 GiB"));
            }
        }
        let separator = self.separator.as_bytes();
        let one = matches!(separator, [byte] if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b".\n\r".contains(byte));
        if !one && self.separator != "blank" {
            let accepted = "one ASCII character that is no letter, digit, point or line end, such as \",\", \";\" or \"\\t\", or \
                            \"blank\" for any number of blanks";
            return Err(RefusedValue::new(
                "workload.csv.separator",
                format!("{:?}", self.separator),
                accepted,
            ));
        }
        self.check_words()
    }

    /// No word may mean two things.
    fn check_words(&self) -> Result<(), RefusedValue> {
        let lists = [
            ("workload.csv.read", &self.read),
            ("workload.csv.write", &self.write),
            ("workload.csv.trim", &self.trim),
            ("workload.csv.flush", &self.flush),
        ];
        for (index, (key, words)) in lists.iter().enumerate() {
            for word in *words {
                let twice = lists[..index]
                    .iter()
                    .find(|(_, others)| others.iter().any(|other| other.eq_ignore_ascii_case(word)));
                if let Some((other, _)) = twice {
                    let accepted = format!("words that are not in {other} too");
                    return Err(RefusedValue::new(key, word, accepted));
                }
            }
        }
        Ok(())
    }
}
