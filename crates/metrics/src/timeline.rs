//! The timeline: what every part of the drive did from when to when.
//!
//! It is told every command, and keeps the recent past only. Out of that it saves what stood in front of
//! the slowest requests (`story`), a stretch of the run in full (`window`), and how busy dies and channels
//! were (`utilisation`); a file of trace events is written as they come (`export`).

mod episodes;
mod export;
mod open;
mod recent;
mod span;
mod story;
mod utilisation;
mod window;

use std::io::{self, Write};

use wordline_nand::{DieId, Geometry};
use wordline_units::SimTime;

use crate::attribution::Segment;
use crate::config::OutputConfig;
use crate::probe::{BusUse, CommandKind, Constituent, FinishedRequest, IssuedCommand, RequestClass};
use episodes::Episodes;
use export::TraceEvents;
use open::Open;
use recent::Recent;
use story::{Slowest, slowest_of_all};
use utilisation::Utilisation;
use window::Window;

pub use span::{Activity, Serves, Span, SpanColumns, Track};
pub use story::{LastOperation, StoryColumns};
pub use utilisation::UtilisationColumns;

/// What every part of the drive did from when to when.
#[derive(Debug)]
pub struct Timeline {
    recent: Recent,
    open: Open,
    episodes: Episodes,
    /// By class.
    slowest: [Slowest; RequestClass::ALL.len()],
    window: Window,
    utilisation: Utilisation,
    events: Option<TraceEvents>,
    /// Pages of the buffer that wait to be written back, as told last.
    dirty: u64,
}

/// What a timeline leaves behind.
#[derive(Clone, Debug, Default)]
pub struct TimelineTables {
    /// The slowest requests.
    pub slowest: StoryColumns,
    /// A stretch of the run in full.
    pub window: SpanColumns,
    /// That stretch: from, to, ns since the start of the run.
    pub window_ns: (u64, u64),
    /// Spans of it that were left out.
    pub window_left_out: u64,
    /// How busy dies and channels were.
    pub utilisation: UtilisationColumns,
    /// Trace events that did not fit into the file.
    pub events_left_out: u64,
}

impl Timeline {
    /// A timeline that keeps what `output` asks for, and writes trace events into `file`.
    #[must_use]
    pub fn new(geometry: &Geometry, output: &OutputConfig, file: Option<Box<dyn Write + Send>>) -> Self {
        let chosen = output.stretch();
        Self {
            recent: Recent::default(),
            open: Open::default(),
            episodes: Episodes::default(),
            slowest: std::array::from_fn(|_| Slowest::new(output.slowest)),
            window: Window::new(chosen, output.timeline_spans),
            utilisation: Utilisation::new(geometry),
            events: file.map(|file| TraceEvents::new(file, chosen, output.timeline_events, geometry)),
            dirty: 0,
        }
    }

    /// Measuring starts at `now`: requests of before are none of the slowest, and utilisation begins here, with the rest of
    /// the steps that are `under_way`. A file of trace events has all.
    pub fn restart(&mut self, now: SimTime, under_way: &[Span]) {
        for class in &mut self.slowest {
            class.restart();
        }
        self.window.restart();
        // the spans of what can be suspended come when they end
        let open: Vec<Span> = self.open.under_way().collect();
        let is_open = |step: &Span| {
            open.iter()
                .any(|span| (span.track, span.from) == (step.track, step.from))
        };
        self.utilisation
            .restart(now, under_way.iter().filter(|step| !is_open(step)));
    }

    /// A command was issued; `serves` says whom each of its pages serves.
    pub fn command(&mut self, command: &IssuedCommand<'_>, serves: &[Serves]) {
        let (Some(page), Some(&first)) = (command.constituents.first(), serves.first()) else {
            return;
        };
        let bus = Span {
            track: Track::Channel(command.channel),
            activity: Activity::Command(command.kind),
            cause: page.cause,
            serves: first,
            from: command.bus_from,
            to: command.bus_to,
            address: page.page.0,
            count: command.constituents.len() as u32,
            // a copy-back is programmed by the second half of its command
            mode: page.read_mode,
        };
        if !command.in_package {
            self.add(&bus);
        }
        let mut done = 0;
        for array in command.arrays {
            let pages = command.constituents.get(done..).unwrap_or_default();
            let count = pages.iter().take_while(|page| page.die == array.die).count();
            if let (Some(page), Some(&serves)) = (pages.first(), serves.get(done)) {
                let span = Span {
                    track: Track::Die(array.die),
                    cause: page.cause,
                    serves,
                    from: array.from,
                    to: array.to,
                    address: page.page.0,
                    count: count as u32,
                    mode: page.read_mode,
                    ..bus
                };
                if let Some(span) = self.open.begin(array.die, command.kind, span) {
                    self.add(&span);
                }
            }
            done += count;
        }
        for (page, serves) in command.constituents.iter().zip(serves) {
            if let Serves::Job(job) = *serves {
                self.episodes.issued(job, command.kind, page, command.bus_from);
            }
        }
    }

    /// The bus is used for data of a command issued before, whose page `page` serves `serves`.
    pub fn bus(&mut self, use_: &BusUse, kind: CommandKind, page: &Constituent, serves: Serves) {
        let bus = Span {
            track: Track::Channel(use_.channel),
            activity: Activity::Data(kind),
            cause: page.cause,
            serves,
            from: use_.from,
            to: use_.to,
            address: use_.page.0,
            count: 1,
            mode: page.mode,
        };
        self.add(&bus);
        if let Some(array) = use_.array {
            let second_half = Span {
                track: Track::Die(array.die),
                activity: Activity::Command(kind),
                from: array.from,
                to: array.to,
                ..bus
            };
            if let Some(span) = self.open.begin(array.die, CommandKind::Program, second_half) {
                self.add(&span);
            }
        }
    }

    /// The drive suspends programs, erases, or both: their spans end when they leave the array.
    pub fn suspends(&mut self, geometry: &Geometry, programs: bool, erases: bool) {
        self.open = Open::new(geometry.dies(), programs, erases);
    }

    /// An operation leaves the array of a die to come back.
    pub fn array_left(&mut self, die: DieId, at: SimTime) {
        if let Some(span) = self.open.leave(die, at) {
            self.add(&span);
        }
    }

    /// The operation that left the array of a die last is back until `to`.
    pub fn array_resumed(&mut self, die: DieId, from: SimTime, to: SimTime) {
        self.open.come_back(die, from, to);
    }

    /// An operation is done in the array of a die.
    pub fn array_ended(&mut self, die: DieId) {
        if let Some(span) = self.open.end(die) {
            self.add(&span);
        }
    }

    /// A job erased a block.
    pub fn erased(&mut self, job: u32, at: SimTime) {
        if let Some(span) = self.episodes.erased(job, at) {
            self.add(&span);
        }
    }

    /// Pages of the data buffer that wait to be written back.
    pub fn buffer(&mut self, at: SimTime, dirty: u64) {
        if let Some(events) = &mut self.events
            && dirty != self.dirty
        {
            self.dirty = dirty;
            events.buffer(at, dirty);
        }
    }

    /// A request was acknowledged; `parts` say where its time went, `last` which operation it waited for
    /// last.
    pub fn request(&mut self, request: &FinishedRequest, parts: &[Segment], last: Option<LastOperation>) {
        let class = &mut self.slowest[request.class.index()];
        if class.wants(request) {
            class.enter(request, parts, last);
        }
        self.add(&Span::of_request(request));
    }

    fn add(&mut self, span: &Span) {
        self.utilisation.add(span);
        self.window.add(span);
        if let Some(events) = &mut self.events {
            events.span(span);
        }
        if self.recent.push(*span) {
            self.save(span.from);
        }
    }

    /// Saves what must not be forgotten.
    fn save(&mut self, now: SimTime) {
        self.recent.seen();
        let going_on: Vec<Span> = self.episodes.going_on(now).chain(self.open.under_way()).collect();
        for class in &mut self.slowest {
            class.tell(self.recent.iter().chain(&going_on));
        }
        if let Some(story) = slowest_of_all(&self.slowest) {
            self.window.move_to(story, self.recent.iter());
        }
    }

    /// The run is over.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn finish(mut self, end: SimTime) -> io::Result<TimelineTables> {
        // these are spans like others from here on, and no longer go on
        for span in std::mem::take(&mut self.episodes).going_on(end) {
            self.add(&span);
        }
        self.save(end);
        self.window.finish(slowest_of_all(&self.slowest));
        let events_left_out = match self.events {
            Some(events) => events.finish()?,
            None => 0,
        };
        Ok(TimelineTables {
            slowest: StoryColumns::of(&self.slowest),
            window: self.window.spans.iter().collect(),
            window_ns: (self.window.from.ns(), self.window.to.ns().min(end.ns())),
            window_left_out: self.window.left_out,
            utilisation: self.utilisation.columns(end.ns()),
            events_left_out,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use wordline_ftl::{Cause, Lpn};
    use wordline_nand::{BlockId, ChannelId, GeometryConfig, Ppn};
    use wordline_units::Duration;

    use super::*;
    use crate::probe::{Array, Constituent};

    /// A file in memory.
    #[derive(Clone, Default)]
    struct File(Arc<Mutex<Vec<u8>>>);

    impl Write for File {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A drive that suspends programs. A collection job programs a page in die 0, whose data go over channel 0 from 0 to
    /// 40 us; the array works from 40 us on, and is done at 640 us. An erase of the job ends at 700 us, and at 800 us a
    /// page of the buffer is dirty.
    fn a_collection(file: &File) -> TimelineTables {
        let us = |us: u64| SimTime(us * 1_000);
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        let output = OutputConfig {
            timeline_from: Some(Duration::ZERO),
            ..OutputConfig::default()
        };
        let mut timeline = Timeline::new(&geometry, &output, Some(Box::new(file.clone())));
        timeline.suspends(&geometry, true, false);
        let (die, channel, page) = (DieId(0), ChannelId(0), Ppn(5));
        let constituent = Constituent {
            cause: Cause::Gc,
            page,
            block: BlockId(0),
            die,
            source: None,
            lpn: Lpn(9),
            skipped: 0,
            brings_data: false,
            mode: wordline_nand::Mode::NORMAL,
            read_mode: wordline_nand::Mode::NORMAL,
        };
        timeline.command(
            &IssuedCommand {
                kind: CommandKind::Program,
                channel,
                constituents: &[constituent],
                bus_from: us(0),
                bus_to: us(40),
                arrays: &[Array {
                    die,
                    from: us(40),
                    to: us(640),
                }],
                cached: false,
                in_package: false,
            },
            &[Serves::Job(2)],
        );
        timeline.array_ended(die);
        timeline.erased(2, us(700));
        // the same number again is no event
        timeline.buffer(us(800), 1);
        timeline.buffer(us(810), 1);
        timeline.finish(us(1_000)).unwrap()
    }

    #[test]
    fn every_step_of_a_collection_has_its_span() {
        let table = a_collection(&File::default()).window;
        let mut rows: Vec<_> = (0..table.track.len())
            .map(|row| {
                let names = (
                    Track::NAMES[usize::from(table.track[row])],
                    Activity::NAMES[usize::from(table.activity[row])],
                );
                let (from, to) = (table.from_ns[row] / 1_000, table.to_ns[row] / 1_000);
                (names, from, to, table.count[row])
            })
            .collect();
        rows.sort_unstable_by_key(|row| (row.2, row.1));
        assert_eq!(
            rows,
            [
                (("channel", "program"), 0, 40, 1),
                (("die", "program"), 40, 640, 1),
                (("background", "reclaim"), 0, 700, 1),
            ]
        );
    }

    #[test]
    fn the_file_has_an_event_for_each_and_one_for_the_buffer() {
        let file = File::default();
        a_collection(&file);
        let text = String::from_utf8(file.0.lock().unwrap().clone()).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let events = value["traceEvents"].as_array().unwrap();
        let of = |phase: &str| -> Vec<&serde_json::Value> {
            events.iter().filter(|event| event["ph"] == phase).collect()
        };
        // dies, channels and background work are processes 1, 2 and 4
        let mut processes: Vec<u64> = of("X").iter().filter_map(|event| event["pid"].as_u64()).collect();
        processes.sort_unstable();
        assert_eq!(processes, [1, 2, 4]);
        let counters = of("C");
        assert_eq!(counters.len(), 1);
        assert_eq!(counters[0]["ts"], 800.0);
        assert_eq!(counters[0]["args"]["pages"], 1);
    }
}
