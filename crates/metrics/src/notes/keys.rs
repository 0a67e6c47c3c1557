//! The one table of the keys of notes.

/// Every key that a note of a run may have, in the order of its causes, and when the note is given.
pub const NOTE_KEYS: [(&str, &str); 35] = [
    ("window", "Always: the time that rates are divided by"),
    ("warm_up", "A part of the run was not measured: how long it was"),
    (
        "never_steady",
        "`run.warm_up = \"auto\"` found no steady state in the run",
    ),
    (
        "interrupted",
        "The user stopped the run: the figures are those of the requests sent until then",
    ),
    (
        "not_saved",
        "The user stopped the saving of the drive's state: no file was written",
    ),
    (
        "inconsistent",
        "A defect of Wordline: totals do not add up, and `wordline run` ends with exit status 1",
    ),
    ("no_flash", "No request read or programmed a flash page"),
    (
        "read_only",
        "Blocks were retired until a pool had too few: the drive took no more writes",
    ),
    ("refused", "Requests reached beyond the capacity of the drive"),
    (
        "unmapped_reads",
        "More than 5 % of the page reads found no data at their address",
    ),
    (
        "unwritten_reads",
        "The host sent no command for more than 5 % of the page reads, as nothing was written in its zones",
    ),
    (
        "gc_never_ran",
        "A run from a steady state wrote, and no block was collected",
    ),
    (
        "few_victims",
        "A run from a steady state wrote, and fewer blocks were collected than there are planes; where blocks of several planes are collected as one, all of them count",
    ),
    (
        "no_checkpoint",
        "The host wrote to a drive with a journal, and no checkpoint was completed in the measured part",
    ),
    (
        "drift",
        "Throughput (of closed loops) or write amplification changed from the first half of the run to the second, by more than chance gives",
    ),
    (
        "unsteady",
        "SNIA's criterion of a steady state is not met, but the halves of the run do not differ by more than chance gives: always told of throughput (of closed loops), and of write amplification where its halves differ by more than 10 %",
    ),
    (
        "amplification_differs",
        "A run from the drawn steady state has another write amplification than ageing counted on",
    ),
    (
        "too_short",
        "Fewer than 10 requests lie beyond a percentile of the summary",
    ),
    (
        "overloaded",
        "More than 1 % of the requests were unfinished when the last one arrived",
    ),
    (
        "mostly_idle",
        "A request was in the drive for less than half of the time, so that throughput is that of the workload",
    ),
    (
        "bottleneck.firmware",
        "The controller's CPU was busy for more than 95 % of the time",
    ),
    (
        "bottleneck.channel",
        "The busiest channel was busy for more than 95 % of the time",
    ),
    (
        "starved",
        "Operations waited longer than the rule of the scheduler allows",
    ),
    ("uncorrectable", "Page reads could not be corrected"),
    (
        "coarse_timestamps",
        "Half or more of the gaps between a trace's requests are zero, and its times are multiples of 10 µs or more",
    ),
    (
        "unit_from_name",
        "Only the name of a trace's file says that its times have another unit than its format",
    ),
    (
        "small_footprint",
        "The addresses of a trace end within the first tenth of the user space",
    ),
    (
        "folded",
        "Requests of a trace lay beyond the user space and were wrapped around into it",
    ),
    (
        "workload",
        "What the workload did: the format that was recognised, rows that were sorted or left out, options without effect",
    ),
    ("age", "How the drive was brought to its age"),
    ("buffer", "The buffer's policy is reconstructed from an abstract"),
    ("scheduler", "A limit of suspension is never reached"),
    ("timeline", "The file of the timeline does not hold all events"),
    (
        "window_widened",
        "The windows of the time series are wider than configured",
    ),
    ("table_truncated", "A table does not hold all of its rows"),
];
