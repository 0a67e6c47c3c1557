//! fio's log, version 2.

use super::fio_iolog::{Iolog, Version};
use super::format::{Format, text, unmistakable};
use crate::config::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "fio_iolog2",
    title: "fio iolog version 2",
    description: "a first line `fio version 2 iolog`, then rows of file, action, offset in bytes, length in bytes; actions read, \
                  write, trim, sync, datasync, wait (the offset is a time in us), add, open, close; each file is a device",
    example: "fio version 2 iolog\n/dev/sdb add\n/dev/sdb open\n/dev/sdb write 64757760 4096\n/dev/sdb sync 0 0\n/dev/sdb close",
    binary: false,
    extensions: &["iolog2", "iolog"],
    time_unit: TimeUnit::Microseconds,
    source: "fio's documentation, \"Trace file format v2\" (https://fio.readthedocs.io)",
    traps: &[
        "There are no arrival times: set workload.replay = \"closed_loop\" with the workload.queue_depth of the job. At recorded \
         times requests arrive at once but for the `wait` actions, each of which adds to the clock.",
        "sync and datasync become flushes.",
        "fio appends to a log that is there: a file may hold several, one after the other, and all are read.",
    ],
    likeness: unmistakable,
    decoder: |reading| text(Iolog::new(Version::Two, reading.unit)),
    actions: false,
};
