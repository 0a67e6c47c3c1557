//! A trace as a stream of commands.

use std::path::Path;

use wordline_keys::RefusedValue;
use wordline_units::SimTime;

use super::Layout;
use super::detect::{TraceOptions, recognise};
use super::order::Ordered;
use super::reader::{TraceFile, Wanted};
use super::scan::Scan;
use crate::config::{DeviceLayout, Disorder, Replay, ZeroLength};
use crate::facts::{GapCounter, TraceFacts};
use crate::{HostCommand, HostOp, Source, SourceError, WorkloadConfig, WorkloadError};

/// Arrivals end before this nanosecond, 146 years.
const LATEST: u128 = 1 << 62;
/// `compress_time` counts in millionths.
const MILLION: u128 = 1_000_000;
/// Mean gaps below this many nanoseconds are doubted aloud.
const DOUBTFUL_GAP: u64 = 10_000;

/// Replays a trace: the second of two passes over it.
pub(crate) struct TraceReplay {
    file: TraceFile,
    wanted: Wanted,
    scan: Scan,
    layout: Layout,
    rows: Ordered,
    clock: Clock,
    /// Passes left after this one.
    passes: u32,
    /// Nanoseconds of the trace's clock that earlier passes took.
    shift: u128,
    repeat: u32,
    notes: Vec<String>,
    late: u64,
    zero_length: u64,
    sent: u64,
    gaps: GapCounter,
    follows_times: bool,
    /// Placement handle of writes without one.
    placement: u16,
}

/// Turns the trace's clock into simulated time.
#[derive(Clone, Copy)]
struct Clock {
    earliest: u64,
    /// Compression in millionths.
    millionths: u128,
}

impl Clock {
    #[inline]
    fn time(&self, arrival: u64, shift: u128) -> SimTime {
        let passed = u128::from(arrival.saturating_sub(self.earliest)) + shift;
        if self.millionths == MILLION {
            return SimTime(passed as u64);
        }
        SimTime((passed * MILLION / self.millionths) as u64)
    }
}

impl TraceReplay {
    /// Opens the trace of `config`, reads it once for its totals and lays it out on a drive of
    /// `capacity` sectors. `watch` is told the share read now and then and stops it by returning false.
    ///
    /// # Errors
    /// A trace that cannot be read, is malformed, does not fit the drive, or is not in the order
    /// of time where that is refused; `WorkloadError::Interrupted`.
    pub(crate) fn open(
        config: &WorkloadConfig,
        capacity: u64,
        base_dir: &Path,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Self, WorkloadError> {
        let Some(path) = &config.path else {
            return Err(RefusedValue::new("workload.path", "unset", "the trace to replay").into());
        };
        let recognised = recognise(&base_dir.join(path), &TraceOptions::of(config))?;
        let file = recognised.file;
        let wanted = Wanted {
            skip: config.skip,
            take: config.take.unwrap_or(u64::MAX),
            zero_length: config.zero_length,
        };
        let scan = Scan::of(&file, wanted, watch)?;
        if scan.out_of_order > 0 && config.disorder == Disorder::Refuse {
            return Err(WorkloadError::file(
                &file.path,
                format!(
                    "row {}: its time lies before that of an earlier row ({} such rows); set workload.disorder = \
                     \"sort\" to have them sorted",
                    scan.out_of_order_row, scan.out_of_order
                ),
            ));
        }
        let layout = Layout::on_drive(&scan, config, capacity, &file.path)?;
        let millionths = (config.compress_time * MILLION as f64).round() as u128;
        let clock = Clock {
            earliest: scan.earliest,
            millionths,
        };
        let length = u128::from(scan.span()) + u128::from(scan.mean_gap());
        if length * u128::from(config.repeat) * MILLION / millionths >= LATEST {
            return Err(RefusedValue::new(
                "workload.compress_time",
                config.compress_time,
                format!(
                    "the trace spans {} s {} times: all of it must end within 146 years",
                    scan.span() / 1_000_000_000,
                    config.repeat
                ),
            )
            .into());
        }
        let rows = Ordered::new(file.rows(wanted)?, scan.out_of_order == 0);
        let mut notes = recognised.notes;
        notes.extend(what_was_read(&file, &scan, &layout, config));
        Ok(Self {
            file,
            wanted,
            scan,
            layout,
            rows,
            clock,
            passes: config.repeat - 1,
            shift: 0,
            repeat: config.repeat,
            notes,
            late: 0,
            zero_length: 0,
            sent: 0,
            gaps: GapCounter::default(),
            follows_times: config.replay == Replay::Recorded,
            placement: config.placement,
        })
    }

    /// Starts over, if a pass is left.
    fn next_pass(&mut self) -> Result<bool, SourceError> {
        if self.passes == 0 {
            return Ok(false);
        }
        self.passes -= 1;
        self.shift += u128::from(self.scan.span()) + u128::from(self.scan.mean_gap());
        self.first_row()?;
        Ok(true)
    }

    /// Goes back to the first row.
    fn first_row(&mut self) -> Result<(), SourceError> {
        self.late += self.rows.late();
        self.zero_length += self.rows.rows().zero_length();
        self.gaps.starts_over();
        let rows = self
            .file
            .rows(self.wanted)
            .map_err(|error| SourceError(error.to_string()))?;
        self.rows = Ordered::new(rows, self.scan.out_of_order == 0);
        Ok(())
    }
}

impl Source for TraceReplay {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        loop {
            let Some(row) = self.rows.next_row()? else {
                if self.next_pass()? {
                    continue;
                }
                return Ok(None);
            };
            let Some((sector, sectors)) = self.layout.place(&row) else {
                let row = self.rows.rows().row();
                return Err(self.rows.rows().failed(&format!(
                    "near row {row}: the content differs from that of the first pass over the trace; has the file been changed?"
                )));
            };
            self.sent += 1;
            self.gaps.arrival(row.arrival);
            return Ok(Some(HostCommand {
                arrival: self.clock.time(row.arrival, self.shift),
                op: row.op,
                fua: row.attributes.fua,
                sector,
                sectors,
                queue: row.attributes.queue,
                placement: match row.attributes.placement {
                    0 if row.op == HostOp::Write => self.placement,
                    own => own,
                },
            }));
        }
    }

    fn rewind(&mut self) -> Result<(), SourceError> {
        self.first_row()?;
        self.passes = self.repeat - 1;
        self.shift = 0;
        Ok(())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.scan.requests.saturating_mul(u64::from(self.repeat)))
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        let path = self.file.path.display();
        let late = self.late + self.rows.late();
        if late > 0 {
            notes.push(format!(
                "{path}: {late} rows were more than {} requests late and arrived with the request before them",
                super::order::WINDOW
            ));
        }
        let skipped = self.zero_length + self.rows.rows().zero_length();
        if self.wanted.zero_length == ZeroLength::Skip && skipped > 0 {
            notes.push(format!(
                "{path}: {skipped} requests without length were left out (workload.zero_length)"
            ));
        }
        notes
    }

    fn trace_facts(&self) -> Option<TraceFacts> {
        Some(TraceFacts {
            path: self.file.path.display().to_string(),
            gaps: self.follows_times.then(|| self.gaps.gaps()),
            unit_from_name: self.file.named_unit(),
            end: self.layout.end(),
            capacity: self.layout.capacity(),
            requests: self.sent,
            folded: self.layout.folded(),
        })
    }
}

/// What the user should know of a trace before it is replayed.
fn what_was_read(file: &TraceFile, scan: &Scan, layout: &Layout, config: &WorkloadConfig) -> Vec<String> {
    let path = file.path.display();
    let mut notes = Vec::new();
    notes.extend(scan.remarks.iter().map(|remark| format!("{path}: {remark}")));
    if scan.devices.len() > 1 {
        let how = match config.devices {
            DeviceLayout::SideBySide => format!("side by side, in {} bytes", layout.end()),
            DeviceLayout::Fold => "folded onto the same addresses".to_owned(),
        };
        notes.push(format!(
            "{path}: its {} devices are placed {how} (workload.devices)",
            scan.devices.len()
        ));
    }
    if scan.out_of_order > 0 {
        notes.push(format!(
            "{path}: {} rows have an earlier time than a row before them, the first is row {}; they were sorted (workload.disorder)",
            scan.out_of_order, scan.out_of_order_row
        ));
    }
    if scan.within_sector > 0 {
        notes.push(format!(
            "{path}: {} requests start or end within a sector of 512 bytes and take the whole of it",
            scan.within_sector
        ));
    }
    if config.replay == Replay::Recorded {
        notes.extend(doubts(file, scan));
    }
    notes
}

/// Arrival times that no recorded trace has are likely read in the wrong unit, or were lost.
pub(crate) fn doubts(file: &TraceFile, scan: &Scan) -> Option<String> {
    let path = file.path.display();
    if scan.requests > 1 && scan.span() == 0 {
        return Some(format!(
            "{path}: all {} requests arrive at the same time; workload.replay = \"closed_loop\" replays a trace without \
             times",
            scan.requests
        ));
    }
    let gap = scan.mean_gap();
    (scan.requests > 1 && gap < DOUBTFUL_GAP).then(|| {
        format!(
            "{path}: with times in {} the mean gap between arrivals is {gap} ns, shorter than in most recorded traces; if \
             the unit is another, set workload.time_unit; if the times mean nothing, set workload.replay = \
             \"closed_loop\"",
            file.reading.unit.name()
        )
    })
}
