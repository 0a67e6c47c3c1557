//! fio's log, version 3.

use super::fio_iolog::{Iolog, Version};
use super::format::{Format, text, unmistakable};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "fio_iolog3",
    title: "fio iolog version 3",
    description: "a first line `fio version 3 iolog`, then rows of time in µs, file, action, offset in bytes, length in bytes; \
                  actions read, write, trim, sync, datasync, add, open, close; each file is a device",
    example: "fio version 3 iolog\n2 /dev/nvme0n1 add\n872 /dev/nvme0n1 open\n878 /dev/nvme0n1 write 0 16384\n888 /dev/nvme0n1 \
              sync 0 0",
    binary: false,
    extensions: &["iolog3", "iolog"],
    time_unit: TimeUnit::Microseconds,
    source: "fio's documentation, \"Trace file format v3\" (https://fio.readthedocs.io); times as its iolog.c writes them",
    traps: &[
        "Times are microseconds since the start of the job, as fio writes and reads them. For files of converters that write milliseconds, set workload.time_unit = \"ms\".",
        "sync and datasync become flushes.",
        "Read as fio 3.33 writes it, and written as fio 3.33 replays it, less trims, which it leaves out (`bad ddir: 2`).",
    ],
    likeness: unmistakable,
    decoder: |reading| text(Iolog::new(Version::Three, reading.unit)),
    actions: false,
};
