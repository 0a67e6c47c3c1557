//! FlashSim's ASCII format (Kim et al., SIMUL 2009).

use super::detect::Signs;
use super::fields::SECTOR;
use super::five_columns::FiveColumns;
use super::format::{Format, text};
use crate::time_unit::TimeUnit;

/// Bytes of the page that sizes count in.
pub(crate) const PAGE: u64 = 4096;

pub(crate) const FORMAT: Format = Format {
    name: "flashsim",
    title: "FlashSim ASCII",
    description: "arrival in ms, device, sector of 512 bytes, size in pages of 4 KiB, type (1 read, 0 write); the pages \
                  are those of the converter, so that sizes below a page are lost",
    example: "640.875000\t0\t522424\t16\t1",
    binary: false,
    extensions: &["flashsim"],
    time_unit: TimeUnit::Milliseconds,
    source: "Kim et al., \"FlashSim: A Simulator for NAND Flash-Based Solid-State Drives\", SIMUL 2009",
    traps: &[
        "Sizes are whole pages of 4 KiB, rounded up by the converter, while addresses count sectors of 512 bytes.",
        "The devices of the original trace were folded into device 0.",
    ],
    likeness: |signs| match signs {
        Signs {
            decimals: true,
            page_runs: true,
            ..
        } => (6, "requests follow each other if sizes count in pages of 4 KiB"),
        Signs {
            decimals: true,
            tabs: true,
            ..
        } => (4, "its columns are separated by tabs"),
        _ => (0, "its columns fit"),
    },
    decoder: |reading| {
        text(FiveColumns {
            unit: reading.unit,
            start: ("sector", SECTOR),
            size: ("pages", PAGE),
        })
    },
    actions: false,
};
