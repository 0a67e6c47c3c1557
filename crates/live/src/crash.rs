//! Crash images: what hosts asked is asked again, and the power is cut at drawn events. The drive itself goes on, so that one pass gives all images.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use rustc_hash::FxHashSet;
use wordline_config::Config;
use wordline_drive::RunError;
use wordline_units::{Seed, SimTime};

use crate::content::Content;
use crate::cut_report::CutReport;
use crate::device::{Device, SubmitError};
use crate::error::LiveError;
use crate::stream::{Entry, Stream};

/// A power cut, and the image that it left.
#[derive(Clone, Debug)]
pub struct Crash {
    /// Which event of the drive it was at, counted from 1.
    pub event: u64,
    /// What it did.
    pub report: CutReport,
    /// Marks that hosts had set before it, as a number of those of the stream.
    pub marks: usize,
}

/// What a drive may be at work on when its power fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum During {
    /// Programs or erases of collection are under way.
    Collection,
    /// A flush is under way.
    Flush,
}

impl FromStr for During {
    type Err = LiveError;

    fn from_str(text: &str) -> Result<Self, LiveError> {
        match text {
            "collection" => Ok(Self::Collection),
            "flush" => Ok(Self::Flush),
            _ => Err(LiveError::Refused(format!(
                "--during {text}: accepted are collection and flush"
            ))),
        }
    }
}

/// A stream that is asked again.
#[derive(Debug)]
pub struct Replay<'a> {
    config: &'a Config,
    base_dir: PathBuf,
    stream: &'a Stream,
}

impl<'a> Replay<'a> {
    /// A stream for the drive of a configuration.
    ///
    /// # Errors
    /// A drive that is smaller than that of the stream, or has a capacitor.
    pub fn new(config: &'a Config, base_dir: PathBuf, stream: &'a Stream) -> Result<Self, LiveError> {
        let (_, capacity) = Device::sizes(config)?;
        if stream.size > capacity {
            return Err(LiveError::Refused(format!(
                "the stream is of a device of {} bytes, the drive has {capacity}; accepted is a drive that is as large",
                stream.size
            )));
        }
        if config.buffer.is_present() && config.buffer.capacitor {
            return Err(LiveError::Refused(
                "buffer.capacitor = true: a drive that saves its buffer loses nothing that it acknowledged, and crash images of it are not made; \
                 accepted is a drive without a capacitor (--volatile-buffer)"
                    .to_owned(),
            ));
        }
        Ok(Self {
            config,
            base_dir,
            stream,
        })
    }

    /// The events of the stream, its last request answered: how many there are, and those after which the drive is at work on what `during` names.
    ///
    /// # Errors
    /// As those of [`Self::crash`].
    pub fn events(
        &self,
        during: Option<During>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(u64, Vec<u64>), LiveError> {
        let (mut events, mut found) = (0, Vec::new());
        self.pass(during.is_some(), &mut |device, event, _| {
            events = event;
            let is_at_work = match during {
                None => false,
                Some(During::Collection) => device.is_collecting(),
                Some(During::Flush) => device.is_flushing(),
            };
            if is_at_work {
                found.push(event);
            }
            Ok(event % 4096 != 0 || goes_on())
        })?;
        Ok((events, found))
    }

    /// Cuts the power at these events, which rise, and writes the image of each to `image`. Where the drive would have to end writes first, hosts go on until none is half done
    /// (`host.nvme.atomic_write_unit_power_fail`). `check` sees it and says whether to go on. With `again` the power fails once more while
    /// recovery repairs the flash. What is drawn of a cut is drawn from `seed` and its event, so that the same cut is made again by its number alone.
    ///
    /// # Errors
    /// Keys that do not go with power cuts, a defect of the drive, an image that cannot be written.
    pub fn crash(
        &self,
        events: &[u64],
        again: bool,
        seed: Seed,
        image: &Path,
        check: &mut dyn FnMut(&Crash) -> bool,
    ) -> Result<(), LiveError> {
        let mut left = events.iter().copied().peekable();
        self.pass(true, &mut |device, event, marks| {
            if device.has_halved_writes() {
                return Ok(true);
            }
            while let Some(event) = left.next_if(|next| *next <= event) {
                let (report, changed) = device.cut_copy(again, Seed(seed.draw("crash", event)))?;
                let written = device.content.save_changed(image, self.stream.size, &changed);
                written.map_err(|error| LiveError::Data(image.to_owned(), error))?;
                if !check(&Crash { event, report, marks }) {
                    return Ok(false);
                }
            }
            Ok(left.peek().is_some())
        })
    }

    /// Asks everything again; `see` is called after each event, when hosts have done what they did upon it, with its number and the marks before it, and says whether to go on.
    fn pass(&self, cuts: bool, see: &mut See<'_>) -> Result<(), LiveError> {
        let (page_bytes, _) = Device::sizes(self.config)?;
        let content = Content::in_memory(page_bytes);
        let mut device = Device::new(self.config, self.base_dir.clone(), content, cuts)?;
        let mut pass = Pass {
            device: &mut device,
            see,
            event: 0,
            seen: 0,
            marks: 0,
            answered: FxHashSet::default(),
        };
        let mut tokens = Vec::new();
        for (at, entry) in &self.stream.entries {
            let goes_on = match entry {
                Entry::Answer(number) => {
                    let token = usize::try_from(*number)
                        .ok()
                        .and_then(|number| tokens.get(number));
                    pass.hear(*number, token.copied())?
                }
                _ => pass.step_to(*at)?,
            };
            if !goes_on {
                return Ok(());
            }
            match entry {
                Entry::Ask(ask, data) => {
                    tokens.push(pass.device.submit(*at, ask, data).map_err(of_submit)?);
                }
                Entry::Answer(_) => {}
                Entry::Mark(_) => pass.marks += 1,
            }
        }
        while pass.end()? && pass.device.has_halved_writes() {
            // what waits in a register for others of its kind
            pass.device.flush().map_err(of_submit)?;
        }
        Ok(())
    }
}

/// Why a request of the device's own, or one whose data are kept in memory, was not taken.
pub(crate) fn of_submit(error: SubmitError) -> LiveError {
    match error {
        SubmitError::Live(error) => error,
        SubmitError::Data(error) => LiveError::System("the data", error),
    }
}

type See<'a> = dyn FnMut(&mut Device, u64, usize) -> Result<bool, LiveError> + 'a;

/// How far a stream is asked again.
struct Pass<'a, 'b> {
    device: &'a mut Device,
    see: &'a mut See<'b>,
    /// Events so far.
    event: u64,
    /// The last one that was shown.
    seen: u64,
    /// Marks so far.
    marks: usize,
    /// Requests that are answered, and whose answers no host has heard.
    answered: FxHashSet<u64>,
}

/// What a step has come to.
#[derive(PartialEq, Eq)]
enum Step {
    /// An event happened.
    Event,
    /// None happens.
    Nothing,
    /// Nobody wants to see more.
    Enough,
}

impl Pass<'_, '_> {
    /// Shows the last event, unless it was shown.
    fn show(&mut self) -> Result<bool, LiveError> {
        if self.seen == self.event {
            return Ok(true);
        }
        self.seen = self.event;
        (self.see)(self.device, self.event, self.marks)
    }

    /// The next event, unless it comes after `time`.
    ///
    /// The one before it is shown first: what begins at its moment begins for a cut as it does for the next event, when hosts have asked what they ask at it.
    fn step(&mut self, time: SimTime) -> Result<Step, LiveError> {
        if !self.show()? {
            return Ok(Step::Enough);
        }
        if !self.device.step_until(time)? {
            return Ok(Step::Nothing);
        }
        self.event += 1;
        let answers = self.device.answers();
        self.answered.extend(answers.iter().map(|answer| answer.token));
        Ok(Step::Event)
    }

    /// Lets happen what happens before `time`. Whether to go on.
    ///
    /// What comes at the moment of an event comes right after it: hosts at a virtual pace ask when they have heard an answer, before the drive does anything more.
    fn step_to(&mut self, time: SimTime) -> Result<bool, LiveError> {
        while self.device.now() < time {
            match self.step(SimTime(time.ns() - 1))? {
                Step::Event => {}
                Step::Nothing => break,
                Step::Enough => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Lets events happen until the request of this number, which the drive knows by `token`, is answered: what a host does upon an answer it does not do before it, also
    /// where the drive answers later than the one that was asked first. Whether to go on.
    fn hear(&mut self, number: u64, token: Option<u64>) -> Result<bool, LiveError> {
        while !token.is_some_and(|token| self.answered.remove(&token)) {
            match self.step(SimTime::NEVER)? {
                Step::Event => {}
                Step::Nothing => {
                    let text = format!("request {number} of the stream is not answered");
                    return Err(RunError::Data(text).into());
                }
                Step::Enough => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Lets events happen until everything is answered, and shows the last one. Whether to go on.
    fn end(&mut self) -> Result<bool, LiveError> {
        while self.device.under_way() > 0 {
            match self.step(SimTime::NEVER)? {
                Step::Event => {}
                Step::Nothing => break,
                Step::Enough => return Ok(false),
            }
        }
        self.show()
    }
}
