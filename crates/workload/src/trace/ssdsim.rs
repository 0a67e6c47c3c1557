//! SSDsim's ASCII format (Hu et al., ICS 2011).

use super::detect::Signs;
use super::fields::SECTOR;
use super::five_columns::FiveColumns;
use super::format::{Format, text};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "ssdsim",
    title: "SSDsim ASCII",
    description: "arrival in ns (files named .ssdsim-us: in µs), device, sector and sectors of 512 bytes, type (1 read, \
                  0 write)",
    example: "26214000 0 303574 7 0",
    binary: false,
    extensions: &["ssdsim", "ascii"],
    time_unit: TimeUnit::Nanoseconds,
    source: "Hu et al., \"Performance Impact and Interplay of SSD Parallelism through Advanced Commands, Allocation Strategy and Data \
             Granularity\", ICS 2011 (SSDsim)",
    traps: &[
        "Rows of MQSim look the same and mean the same; the two formats are distinguished by the name of the file only.",
        "Files with times in other units exist: name them `.ssdsim-us` and the like, or set workload.time_unit.",
    ],
    likeness: |signs| match signs {
        Signs { decimals: false, .. } => (3, "its arrivals are whole numbers"),
        _ => (0, "its columns fit"),
    },
    decoder: |reading| {
        text(FiveColumns {
            unit: reading.unit,
            start: ("sector", SECTOR),
            size: ("sectors", SECTOR),
        })
    },
    actions: false,
};
