//! Crash images: what hosts asked is asked again, and the power is cut at drawn events. The drive itself goes on, so that one pass gives all images.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use wordline_config::Config;
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

    /// Asks everything again; `see` is called after each event with its number and the marks before it, and says whether to go on.
    fn pass(
        &self,
        cuts: bool,
        see: &mut dyn FnMut(&mut Device, u64, usize) -> Result<bool, LiveError>,
    ) -> Result<(), LiveError> {
        let (page_bytes, _) = Device::sizes(self.config)?;
        let content = Content::in_memory(page_bytes);
        let mut device = Device::new(self.config, self.base_dir.clone(), content, cuts)?;
        let (mut event, mut marks) = (0, Marks::default());
        for (at, entry) in &self.stream.entries {
            if !step_to(&mut device, *at, &mut event, &mut marks, see)? {
                return Ok(());
            }
            match entry {
                Entry::Ask(ask, data) => {
                    device.submit(*at, ask, data).map_err(of_submit)?;
                }
                Entry::Mark(_) => marks.at.push(*at),
            }
        }
        while step_to(&mut device, SimTime::NEVER, &mut event, &mut marks, see)? && device.has_halved_writes()
        {
            // what waits in a register for others of its kind
            device.flush().map_err(of_submit)?;
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

/// The moments of marks that have come, and how many of them are over.
#[derive(Default)]
struct Marks {
    at: Vec<SimTime>,
    over: usize,
}

/// Lets everything happen up to `time`, or to the last answer.
fn step_to(
    device: &mut Device,
    time: SimTime,
    event: &mut u64,
    marks: &mut Marks,
    see: &mut dyn FnMut(&mut Device, u64, usize) -> Result<bool, LiveError>,
) -> Result<bool, LiveError> {
    loop {
        let before = device.now();
        if time == SimTime::NEVER && device.under_way() == 0 {
            return Ok(true);
        }
        if !device.step_until(time)? {
            return Ok(true);
        }
        device.answers();
        *event += 1;
        // what a host knew at a moment, it knew when all events of that moment were over
        let now = device.now().max(before);
        while marks.at.get(marks.over).is_some_and(|at| *at < now) {
            marks.over += 1;
        }
        if !see(device, *event, marks.over)? {
            return Ok(false);
        }
    }
}
