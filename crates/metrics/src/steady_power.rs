//! Power that does not come from flash operations: controller, DRAM, channels, idle time.

use wordline_units::Duration;

/// Power beside FlashPower's, in W; all zero unless configured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SteadyPower {
    /// Of the controller while a request is in the drive.
    pub controller: f64,
    /// Of the DRAM, at all times but those in an idle state.
    pub dram: f64,
    /// Energy of each byte of the host in the DRAM, J.
    pub dram_byte: f64,
    /// Power of the DRAM for a channel whose bus moves data into or out of it.
    pub dram_io: f64,
    /// Of a channel while its bus moves commands or data.
    pub channel_io: f64,
    /// Of the drive while no request is in it.
    pub idle: f64,
    /// Of a codec while it encodes or decodes.
    pub codec: f64,
    /// Of the whole drive in its idle states.
    pub states: [f64; IDLE_STATES],
}

/// Idle states that a drive may have.
pub const IDLE_STATES: usize = 2;

/// How long what takes power beside the flash was at work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SteadyTimes {
    /// All the time.
    pub(crate) elapsed: Duration,
    /// With a request in the drive.
    pub(crate) active: Duration,
    /// Of all channels together, s.
    pub(crate) bus_s: f64,
    /// Of all codecs together.
    pub(crate) codec: Duration,
    /// In each idle state.
    pub(crate) asleep: [Duration; IDLE_STATES],
    /// Bytes read and written by the host.
    pub(crate) host_bytes: u64,
}

/// Joules by the same parts, and in idle states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SteadyEnergy {
    controller: f64,
    dram: f64,
    channel_io: f64,
    idle: f64,
    codec: f64,
    /// None of a drive without idle states, or that was in none.
    states: f64,
}

impl SteadyPower {
    /// Energy over these times.
    pub(crate) fn energy(&self, times: &SteadyTimes) -> SteadyEnergy {
        let resting = times.elapsed.ns().saturating_sub(times.active.ns());
        let asleep: u64 = times.asleep.iter().map(|time| time.ns()).sum();
        let awake = Duration(times.elapsed.ns().saturating_sub(asleep));
        let moved = self.dram_byte * times.host_bytes as f64 + self.dram_io * times.bus_s;
        let states = self.states.iter().zip(times.asleep);
        SteadyEnergy {
            controller: self.controller * times.active.as_secs(),
            dram: self.dram * awake.as_secs() + moved,
            channel_io: self.channel_io * times.bus_s,
            codec: self.codec * times.codec.as_secs(),
            idle: self.idle * Duration(resting.saturating_sub(asleep)).as_secs(),
            states: states.map(|(power, time)| power * time.as_secs()).sum(),
        }
    }
}

impl SteadyEnergy {
    /// Name and joules of each part; of codecs and idle states where they took any.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let codec = (self.codec > 0.0).then_some(("codec", self.codec));
        let states = (self.states > 0.0).then_some(("idle_states", self.states));
        [
            ("controller", self.controller),
            ("dram", self.dram),
            ("channel_io", self.channel_io),
            ("idle", self.idle),
        ]
        .into_iter()
        .chain(codec)
        .chain(states)
    }

    /// All of them.
    pub(crate) fn total(&self) -> f64 {
        self.iter().map(|(_, joules)| joules).sum()
    }
}
