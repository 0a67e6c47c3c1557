//! fio's log, version 2.

use super::fio_iolog::{Iolog, Version};
use super::format::{Format, text, unmistakable};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "fio_iolog2",
    title: "fio iolog version 2",
    description: "a first line `fio version 2 iolog`, then rows of file, action, offset in bytes, length in bytes; actions read, \
                  write, trim, sync, datasync, wait (the offset is a time in ms since the start), add, open, close; each file is a device",
    example: "fio version 2 iolog\n/dev/sdb add\n/dev/sdb open\n/dev/sdb write 64757760 4096\n/dev/sdb sync 0 0\n/dev/sdb close",
    binary: false,
    extensions: &["iolog2", "iolog"],
    time_unit: TimeUnit::Milliseconds,
    source: "fio's documentation, \"Trace file format v2\" (https://fio.readthedocs.io)",
    traps: &[
        "A `wait` lasts until so many milliseconds after the start of the job, as fio's iolog.c has it; its documentation says microseconds since the action before, which no fio does.",
        "There are no arrival times: set workload.replay = \"closed_loop\" with the workload.queue_depth of the job. With recorded times all requests arrive at time 0, except those after a `wait`.",
        "sync and datasync become flushes.",
        "fio appends to an existing log, so a file may contain several logs, one after the other; all are read.",
    ],
    likeness: unmistakable,
    decoder: |reading| text(Iolog::new(Version::Two, reading.unit)),
    actions: false,
};
