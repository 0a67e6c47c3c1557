//! The timeline as a file of trace events, which Perfetto and `chrome://tracing` open.
//!
//! The form is the JSON array form of the "Trace Event Format" (Google, 2016): times in microseconds;
//! complete events (`X`) on the tracks of dies, channels and background work, asynchronous ones (`b`, `e`) for
//! host requests, which overlap, and counters (`C`). Events are written as they come: nothing is held.

use std::io::{self, Write};

use wordline_nand::{Geometry, Mode};
use wordline_units::SimTime;

use super::span::{Activity, Span, Track};

/// Names of the tracks' processes, by the code of the track plus one.
const PROCESSES: [&str; 5] = ["Dies", "Channels", "Host requests", "Background work", "Buffer"];
const BUFFER: usize = 5;

/// Writes spans as trace events.
pub(super) struct TraceEvents {
    out: Box<dyn Write + Send>,
    from: SimTime,
    to: SimTime,
    left: u64,
    /// Events that did not fit.
    left_out: u64,
    /// The first failure.
    failure: Option<io::Error>,
}

impl std::fmt::Debug for TraceEvents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TraceEvents")
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

impl TraceEvents {
    /// Writes what overlaps `window` into `out`, at most `most` events.
    pub(super) fn new(
        mut out: Box<dyn Write + Send>,
        window: Option<(SimTime, SimTime)>,
        most: u64,
        geometry: &Geometry,
    ) -> Self {
        let (from, to) = window.unwrap_or((SimTime::ZERO, SimTime::NEVER));
        let failure = head(&mut out, geometry).err();
        Self {
            out,
            from,
            to,
            left: most,
            left_out: 0,
            failure,
        }
    }

    pub(super) fn span(&mut self, span: &Span) {
        if span.overlaps(self.from, self.to) {
            self.write(|out| event(out, span));
        }
    }

    /// Pages of the data buffer that wait to be written back.
    pub(super) fn buffer(&mut self, at: SimTime, dirty: u64) {
        if at >= self.from && at < self.to {
            self.write(|out| {
                write!(out, r#",{{"ph":"C","pid":{BUFFER},"name":"dirty pages","ts":"#)?;
                microseconds(out, at.ns())?;
                writeln!(out, r#","args":{{"pages":{dirty}}}}}"#)
            });
        }
    }

    fn write(&mut self, event: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if self.failure.is_some() {
            return;
        }
        if self.left == 0 {
            self.left_out += 1;
            return;
        }
        self.left -= 1;
        self.failure = event(&mut self.out).err();
    }

    /// Completes the file; how many events did not fit.
    ///
    /// # Errors
    /// The first failure of writing.
    pub(super) fn finish(mut self) -> io::Result<u64> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        writeln!(self.out, "]}}")?;
        self.out.flush()?;
        Ok(self.left_out)
    }
}

/// Names the tracks.
fn head(out: &mut dyn Write, geometry: &Geometry) -> io::Result<()> {
    write!(out, r#"{{"displayTimeUnit":"ns","traceEvents":["#)?;
    for (index, name) in PROCESSES.into_iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let pid = index + 1;
        writeln!(
            out,
            r#"{comma}{{"ph":"M","pid":{pid},"name":"process_name","args":{{"name":"{name}"}}}}"#
        )?;
    }
    for die in (0..geometry.dies()).map(wordline_nand::DieId) {
        let channel = geometry.channel_of(die).0;
        for pid in [1, 4] {
            writeln!(
                out,
                r#",{{"ph":"M","pid":{pid},"tid":{die},"name":"thread_name","args":{{"name":"die {die} (channel {channel})"}}}}"#,
                die = die.0
            )?;
        }
    }
    for channel in 0..geometry.channels {
        writeln!(
            out,
            r#",{{"ph":"M","pid":2,"tid":{channel},"name":"thread_name","args":{{"name":"channel {channel}"}}}}"#
        )?;
    }
    Ok(())
}

/// Nanoseconds as microseconds, exactly.
fn microseconds(out: &mut dyn Write, ns: u64) -> io::Result<()> {
    write!(out, "{}.{:03}", ns / 1_000, ns % 1_000)
}

fn event(out: &mut dyn Write, span: &Span) -> io::Result<()> {
    let (pid, tid) = (u32::from(span.track.code()) + 1, span.track.unit());
    if let Track::Host(_) = span.track {
        let Some(number) = span.serves.request() else {
            return Ok(());
        };
        let name = span.activity.name();
        for (phase, at) in [("b", span.from), ("e", span.to)] {
            write!(
                out,
                r#",{{"ph":"{phase}","cat":"request","id":{number},"pid":{pid},"tid":{tid},"name":"{name}","ts":"#
            )?;
            microseconds(out, at.ns())?;
            writeln!(
                out,
                r#","args":{{"number":{number},"sector":{},"sectors":{}}}}}"#,
                span.address, span.count
            )?;
        }
        return Ok(());
    }
    let cause = span.cause.name();
    let name = span.activity.name();
    write!(
        out,
        r#",{{"ph":"X","pid":{pid},"tid":{tid},"cat":"{cause}","name":"{cause} {name}","ts":"#
    )?;
    microseconds(out, span.from.ns())?;
    write!(out, r#","dur":"#)?;
    microseconds(out, span.ns())?;
    let address = if span.activity == Activity::Reclaim {
        "first_page"
    } else {
        "page"
    };
    write!(
        out,
        r#","args":{{"{address}":{},"pages":{}"#,
        span.address, span.count
    )?;
    if let Some(number) = span.serves.request() {
        write!(out, r#","request":{number}"#)?;
    }
    if span.mode != Mode::NORMAL {
        write!(out, r#","mode":{}"#, span.mode.0)?;
    }
    writeln!(out, "}}}}")
}
