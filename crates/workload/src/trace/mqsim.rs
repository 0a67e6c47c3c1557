//! MQSim's ASCII format (Tavakkol et al., FAST 2018).

use super::detect::Signs;
use super::fields::SECTOR;
use super::five_columns::FiveColumns;
use super::format::{Format, text};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "mqsim",
    title: "MQSim ASCII",
    description: "arrival in ns (other units: workload.time_unit), device, sector and sectors of 512 bytes, type (1 \
                  read, 0 write)",
    example: "11413000 0 657728 16 1",
    binary: false,
    extensions: &["mqsim"],
    time_unit: TimeUnit::Nanoseconds,
    source: "Tavakkol et al., \"MQSim\", FAST 2018",
    traps: &[
        "The unit of the times is set in MQSim's own configuration; ns is assumed.",
        "In some converted traces the arrival is only a sequence number (0, 10, 20, ...): a note warns of gaps below 10 µs. Set workload.replay \
         = \"closed_loop\" for those.",
    ],
    likeness: |signs| match signs {
        Signs { decimals: false, .. } => (2, "its arrivals are whole numbers"),
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
