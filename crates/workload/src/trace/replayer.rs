//! The ASCII format of block-trace replayers: everything in bytes.

use super::detect::Signs;
use super::five_columns::FiveColumns;
use super::format::{Format, text};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "replayer",
    title: "replayer ASCII",
    description: "arrival in ms, device, offset in bytes, size in bytes, type (1 read, 0 write)",
    example: "223.412 0 3159347200 36864 0",
    binary: false,
    extensions: &["replayer"],
    time_unit: TimeUnit::Milliseconds,
    source: "huaicheng/replayer, the block replayer of several flash studies (https://github.com/huaicheng/replayer)",
    traps: &[
        "Offsets and sizes are bytes, the times milliseconds. Rows of other five-column formats look similar; this one is recognised by multiples of 512 in both columns.",
    ],
    likeness: |signs| match signs {
        Signs { in_bytes: true, .. } => (8, "all its addresses and sizes are multiples of 512"),
        _ => (0, "its columns fit"),
    },
    decoder: |reading| {
        text(FiveColumns {
            unit: reading.unit,
            start: ("offset", 1),
            size: ("size", 1),
        })
    },
    actions: false,
};
