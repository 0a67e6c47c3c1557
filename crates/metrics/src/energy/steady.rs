//! Power that does not come from flash operations: controller, DRAM, channels, idle time.

use wordline_units::Duration;

use crate::series_window::Window;

/// Power beside FlashPower's, in W; all zero unless configured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SteadyPower {
    /// Of the controller while a request is in the drive.
    pub controller: f64,
    /// Of the DRAM, at all times.
    pub dram: f64,
    /// Of a channel while its bus moves commands or data.
    pub channel_io: f64,
    /// Of the drive while no request is in it.
    pub idle: f64,
    /// Of a codec while it encodes or decodes.
    pub codec: f64,
}

/// How long what takes power beside the flash was at work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SteadyTimes {
    /// All the time.
    pub(super) elapsed: Duration,
    /// With a request in the drive.
    pub(super) active: Duration,
    /// Of all channels together, s.
    pub(super) bus_s: f64,
    /// Of all codecs together.
    pub(super) codec: Duration,
}

/// Joules by the same parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SteadyEnergy(SteadyPower);

impl SteadyPower {
    /// Energy over these times.
    pub(super) fn energy(&self, times: &SteadyTimes) -> SteadyEnergy {
        let resting = times.elapsed.ns().saturating_sub(times.active.ns());
        SteadyEnergy(Self {
            controller: self.controller * times.active.as_secs(),
            dram: self.dram * times.elapsed.as_secs(),
            channel_io: self.channel_io * times.bus_s,
            codec: self.codec * times.codec.as_secs(),
            idle: self.idle * Duration(resting).as_secs(),
        })
    }
}

impl SteadyEnergy {
    /// Name and joules of each part; of codecs where they took any.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let codec = (self.0.codec > 0.0).then_some(("codec", self.0.codec));
        [
            ("controller", self.0.controller),
            ("dram", self.0.dram),
            ("channel_io", self.0.channel_io),
            ("idle", self.0.idle),
        ]
        .into_iter()
        .chain(codec)
    }

    /// All of them.
    pub(super) fn total(&self) -> f64 {
        self.iter().map(|(_, joules)| joules).sum()
    }
}

/// Mean power in a window, W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WindowPower {
    /// Of flash operations for the host, for GC, for other causes.
    pub(crate) flash: [f64; 3],
    /// Of the whole drive.
    pub(crate) total: f64,
}

impl WindowPower {
    /// The power in a window that lasted `lasted` ns; none in one that did not last.
    pub(crate) fn of(window: &Window, steady: &SteadyPower, lasted: u64) -> Option<Self> {
        if lasted == 0 {
            return None;
        }
        let seconds = Duration(lasted).as_secs();
        let rest = steady.energy(&SteadyTimes {
            elapsed: Duration(lasted),
            active: Duration(window.active),
            bus_s: Duration(window.bus).as_secs(),
            codec: Duration(window.codec),
        });
        let flash = window.flash_energy.map(|joules| joules / seconds);
        Some(Self {
            flash,
            total: flash.iter().sum::<f64>() + rest.total() / seconds,
        })
    }
}
