//! A simulated drive with the data that its hosts keep on it: requests by bytes go in, answers come out, time is the drive's.

use std::io;
use std::path::PathBuf;

use rustc_hash::FxHashSet;
use wordline_config::Config;
use wordline_drive::{LiveDrive, Progress, RunError, RunOptions, RunOutput};
use wordline_ftl::{Inspect, KnownFeature};
use wordline_units::{SECTOR_BYTES, SimTime};
use wordline_workload::{HostCommand, HostOp, TraceWriter};

use crate::ask::{Answer, Ask};
use crate::content::Content;
use crate::cut_report::CutReport;
use crate::error::LiveError;
use crate::medium::Medium;
use crate::stream::{Entry, Stream};

const SECTOR: u64 = SECTOR_BYTES as u64;

/// A drive and its data.
pub struct Device {
    pub(crate) config: Config,
    pub(crate) base_dir: PathBuf,
    pub(crate) drive: LiveDrive,
    pub(crate) content: Content,
    /// What is on flash, where the power may fail.
    pub(crate) medium: Option<Medium>,
    /// When the drive was switched on last.
    pub(crate) on_since: SimTime,
    trace: Option<TraceWriter>,
    /// What was asked, with its data, where that is kept.
    stream: Option<Stream>,
    /// Requests before the first one that is kept.
    before_stream: u64,
    tokens: u64,
    /// Flushes that are under way.
    pub(crate) flushes: FxHashSet<u64>,
    pub(crate) under_way: u64,
    pub(crate) power_cycles: Vec<CutReport>,
}

/// What is said of the workload of a run names keys that have no effect here: clients are the workload.
const OF_WORKLOAD: [&str; 3] = ["mostly_idle", "overloaded", "workload"];

/// What has the power of a drive fail goes with these keys only.
fn refuse_to_cut(config: &Config) -> Result<(), LiveError> {
    let refused = |text: &str| Err(LiveError::Refused(text.to_owned()));
    let ftl = &config.ftl;
    if ftl.recovery.kind == wordline_ftl::RecoveryKind::None {
        return refused(
            "ftl.recovery.kind = \"none\": a drive that keeps nothing on flash finds nothing after a power cut; accepted for power cuts are \
             \"oob_scan\", \"summary_scan\", \"checkpoint_journal\" and \"delayed\" (--set ftl.recovery.kind=checkpoint_journal)",
        );
    }
    if config.age.method != wordline_ftl::AgeMethod::Fresh {
        return refused(
            "age.method: what ageing leaves in spare areas and journal is not known; accepted for power cuts is \"fresh\" \
             (--set age.method=fresh)",
        );
    }
    if config.mapping_knows(KnownFeature::Deltas) {
        return refused(
            "ftl.mapping = \"delta\": what a delta shows after a power cut is not kept; accepted for power cuts is any other mapping that \
             `ftl.recovery` goes with",
        );
    }
    Ok(())
}

impl Device {
    /// The drive of a configuration at its age with `content`, whose pages must be those of [`Self::page_bytes`]; `cuts` says whether its power may fail.
    ///
    /// # Errors
    /// As those of [`LiveDrive::new`]; zones; with `cuts`, keys that do not go with power cuts, and data that were there before.
    pub fn new(config: &Config, base_dir: PathBuf, content: Content, cuts: bool) -> Result<Self, LiveError> {
        Self::watched(config, base_dir, content, cuts, &mut |_| true)
    }

    /// As [`Self::new`], with `progress` told how far ageing has come; it ends where that says `false`.
    ///
    /// # Errors
    /// As those of [`Self::new`] and of [`LiveDrive::watched`].
    pub fn watched(
        config: &Config,
        base_dir: PathBuf,
        content: Content,
        cuts: bool,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Self, LiveError> {
        if config.mapping_knows(KnownFeature::Zones) {
            return Err(LiveError::Refused(
                "ftl.mapping = \"zoned\": a zone is written in order, which no client of NBD knows; accepted is any other mapping".to_owned(),
            ));
        }
        if cuts {
            refuse_to_cut(config)?;
            if !content.is_empty() {
                return Err(LiveError::Refused(
                    "--data: the file holds data that a fresh drive knows nothing of; accepted for power cuts is an empty file".to_owned(),
                ));
            }
        }
        let mut drive = LiveDrive::watched(config, &base_dir, RunOptions::default(), progress)?;
        // in a buffer writes are merged before the FTL hears of them; its capacitor ends them all
        let follows_writes = config.atomic_write_unit().is_some() && !config.buffer.is_present();
        let medium = cuts.then(|| Medium::of(drive.ftl(), follows_writes));
        if let Some(medium) = &medium {
            drive.add_probe(Box::new(medium.clone()));
        }
        Ok(Self {
            config: config.clone(),
            base_dir,
            drive,
            content,
            medium,
            on_since: SimTime::ZERO,
            trace: None,
            stream: None,
            before_stream: 0,
            tokens: 0,
            flushes: FxHashSet::default(),
            under_way: 0,
            power_cycles: Vec::new(),
        })
    }

    /// Bytes of a page of the drive of a configuration, and bytes that it exports.
    ///
    /// # Errors
    /// A configuration of which no drive can be made.
    pub fn sizes(config: &Config) -> Result<(usize, u64), LiveError> {
        let sizes = wordline_drive::sizes(config)?;
        let units = u64::from(sizes.blocks) * sizes.units_per_block;
        Ok(((sizes.raw / units) as usize, sizes.capacity))
    }

    /// Has what is asked from now on written to a trace.
    pub fn record(&mut self, trace: TraceWriter) {
        self.trace = Some(trace);
    }

    /// Keeps what is asked from now on with its data, of a device of `size` bytes.
    pub fn keep_stream(&mut self, size: u64) {
        self.before_stream = self.tokens;
        self.stream = Some(Stream {
            size,
            entries: Vec::new(),
        });
    }

    /// What was kept.
    pub fn take_stream(&mut self) -> Option<Stream> {
        self.stream.take()
    }

    /// A host says what it knows now. False where nothing is kept.
    pub fn mark(&mut self, at: SimTime, text: &str) -> bool {
        self.keep(at, || Entry::Mark(text.into()));
        self.stream.is_some()
    }

    /// Something comes at `at`, or at the present moment where that is later.
    fn keep(&mut self, at: SimTime, entry: impl FnOnce() -> Entry) {
        let now = self.now();
        if let Some(stream) = &mut self.stream {
            let latest = stream.entries.last().map_or(SimTime::ZERO, |(at, _)| *at);
            stream.entries.push((at.max(now).max(latest), entry()));
        }
    }

    /// The present moment, since the device began.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.on_since + self.drive.now().since(SimTime::ZERO)
    }

    /// A moment since the device began, by the drive's own clock.
    pub(crate) fn of_drive(&self, time: SimTime) -> SimTime {
        SimTime::ZERO + time.since(self.on_since.min(time))
    }

    /// Requests that are not answered.
    #[must_use]
    pub const fn under_way(&self) -> u64 {
        self.under_way
    }

    /// The FTL of the drive.
    #[must_use]
    pub fn ftl(&self) -> &dyn Inspect {
        self.drive.ftl()
    }

    /// Takes a request at `at`, or at the present moment where that is later; what a write brings is `data`. The answer comes out of [`Self::answers`] with
    /// the number that this gives.
    ///
    /// A request that is not of whole sectors is one for the sectors that it reaches into.
    ///
    /// # Errors
    /// Data that could not be kept; nothing was asked of the drive then. A defect of the drive.
    pub fn submit(&mut self, at: SimTime, ask: &Ask, data: &[u8]) -> Result<u64, SubmitError> {
        let pages = self.content.pages(ask.offset, ask.length);
        if matches!(ask.op, HostOp::Write | HostOp::Trim | HostOp::WriteZeroes) {
            if let Some(medium) = &self.medium {
                medium.before_change(pages, ask.op == HostOp::Write, &self.content)?;
            }
            // a write without data is one of zeroes that are to take room
            if data.is_empty() {
                self.content.zero(ask.offset, ask.length)?;
            } else {
                self.content.write(ask.offset, data)?;
            }
        }
        let first = ask.offset / SECTOR;
        let command = HostCommand {
            arrival: self.of_drive(at),
            op: ask.op,
            fua: ask.fua,
            sector: if ask.op == HostOp::Flush { 0 } else { first },
            sectors: match ask.op {
                HostOp::Flush => 0,
                _ => (ask.offset + ask.length).div_ceil(SECTOR).saturating_sub(first) as u32,
            },
            queue: 0,
            placement: 0,
        };
        if let Some(trace) = &mut self.trace {
            let arrival = at.max(self.on_since + self.drive.now().since(SimTime::ZERO));
            trace
                .write(&HostCommand { arrival, ..command })
                .map_err(LiveError::Trace)?;
        }
        self.keep(at, || Entry::Ask(*ask, data.into()));
        self.tokens += 1;
        let is_atomic = ask.op == HostOp::Write && ask.length <= self.atomic_write_unit();
        if let Some(medium) = self.medium.as_ref().filter(|_| is_atomic) {
            let end = (ask.offset + ask.length).div_ceil(SECTOR);
            medium.begin_write(self.tokens, first..end);
        }
        self.drive
            .inject(command, self.tokens)
            .map_err(LiveError::Drive)?;
        self.under_way += 1;
        if ask.op == HostOp::Flush {
            self.flushes.insert(self.tokens);
        }
        Ok(self.tokens)
    }

    /// Lets everything happen up to `time`.
    ///
    /// # Errors
    /// A defect of the drive.
    pub fn advance_until(&mut self, time: SimTime) -> Result<(), RunError> {
        let time = self.of_drive(time);
        self.drive.advance_until(time)
    }

    /// Lets the next thing happen, if it happens up to `time`; whether anything did.
    ///
    /// # Errors
    /// A defect of the drive.
    pub fn step_until(&mut self, time: SimTime) -> Result<bool, RunError> {
        let time = self.of_drive(time);
        self.drive.step_until(time)
    }

    /// When the next thing happens.
    #[must_use]
    pub fn next_time(&self) -> SimTime {
        match self.drive.next_time() {
            SimTime::NEVER => SimTime::NEVER,
            time => self.on_since + time.since(SimTime::ZERO),
        }
    }

    /// Whether collection is at work on the flash, where the power may fail.
    #[must_use]
    pub fn is_collecting(&self) -> bool {
        self.medium.as_ref().is_some_and(Medium::is_collecting)
    }

    /// Bytes up to which a write is all old or all new after a power cut: AWUPF of NVMe, or else a page of the drive.
    #[must_use]
    pub fn atomic_write_unit(&self) -> u64 {
        let page = self.content.page_bytes() as u64;
        self.config
            .atomic_write_unit()
            .map_or(page, |unit| unit.max(page))
    }

    /// Whether a power cut now would find a write half done that the drive then ends.
    #[must_use]
    pub fn has_halved_writes(&self) -> bool {
        self.medium.as_ref().is_some_and(Medium::has_halved_writes)
    }

    /// Whether a flush is under way.
    #[must_use]
    pub fn is_flushing(&self) -> bool {
        !self.flushes.is_empty()
    }

    /// Whether something was answered since the last call of [`Self::answers`].
    #[must_use]
    pub fn has_answers(&self) -> bool {
        self.drive.has_completions()
    }

    /// What was answered since the last call.
    pub fn answers(&mut self) -> Vec<Answer> {
        let on_since = self.on_since;
        let since = |time: SimTime| on_since + time.since(SimTime::ZERO);
        let completions = self.drive.completions();
        self.under_way -= completions.len() as u64;
        for done in &completions {
            self.flushes.remove(&done.token);
            if let Some(medium) = &self.medium {
                medium.answered(done.token);
            }
            if let Some(number) = done.token.checked_sub(self.before_stream + 1) {
                self.keep(SimTime::ZERO, || Entry::Answer(number));
            }
        }
        completions
            .into_iter()
            .map(|done| Answer {
                token: done.token,
                status: done.status,
                arrival: since(done.arrival),
                completed: since(done.completed),
            })
            .collect()
    }

    /// Appends what a read of `length` bytes from `offset` finds now.
    ///
    /// # Errors
    /// The file of the data cannot be read.
    pub fn read(&self, offset: u64, length: usize, out: &mut Vec<u8>) -> io::Result<()> {
        self.content.read(offset, length, out)
    }

    /// The power cuts so far.
    #[must_use]
    pub fn power_cuts(&self) -> &[CutReport] {
        &self.power_cycles
    }

    /// The data.
    #[must_use]
    pub const fn content(&self) -> &Content {
        &self.content
    }

    /// The temperature of the drive, where it has one.
    #[must_use]
    pub fn celsius(&self) -> Option<f64> {
        self.drive.celsius()
    }

    /// Completes what is under way and sums up, since the drive was switched on last; the trace is whole then. `save_state` is where the state of the drive goes.
    ///
    /// # Errors
    /// As those of [`LiveDrive::finish`]; a trace that could not be written.
    pub fn finish(mut self, save_state: Option<PathBuf>) -> Result<(RunOutput, Content), LiveError> {
        if let Some(trace) = self.trace.take() {
            trace.finish()?;
        }
        self.drive.save_state_at(save_state);
        let mut output = self.drive.finish()?;
        let cuts = self.power_cycles.len() as u64;
        output.summary.set("live.power_cuts", cuts);
        output.notes.retain(|note| !OF_WORKLOAD.contains(&note.key));
        Ok((output, self.content))
    }

    /// Leaves the trace to another process that goes on with it.
    pub fn leave_trace(&mut self) {
        // what is buffered is the other one's to write
        std::mem::forget(self.trace.take());
    }

    /// The air around the drive has another temperature from now on, degC. False where the drive has none (`thermal.enabled`).
    pub fn set_ambient(&mut self, celsius: f64) -> bool {
        self.drive.set_ambient(celsius)
    }
}

/// Why a request was not taken.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The data could not be kept.
    #[error(transparent)]
    Data(#[from] io::Error),
    /// Nothing goes on.
    #[error(transparent)]
    Live(#[from] LiveError),
}
