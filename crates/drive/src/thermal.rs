//! The temperature of the drive, and the commands that are held back where it is too high.
//!
//! One composite temperature follows from the power of the drive, at every step. It decides on the state of the drive by the thresholds of the
//! host controlled thermal management of NVMe, and the state on how fast the drive takes up commands.

use std::collections::VecDeque;

use wordline_config::{Config, ThermalConfig};
use wordline_metrics::{ThermalRecord, ThermalState, ThermalStep};
use wordline_power::ThermalModel;
use wordline_units::{Celsius, Duration, SimTime};

/// A difference from the temperature to which the drive comes that is none, K.
const SETTLED: f64 = 1e-9;

/// Rows of the table between two looks, about: a drive on which nothing happens for long is not looked at meanwhile.
const MOST_ROWS: u64 = 1024;

/// Looks, and time, for which a drive that is stopped has done nothing, after which its power is that for ever (assumed): data on their way
/// over a link or through the firmware take less.
const LOOKS_AT_REST: u32 = 1_000;
const TIME_AT_REST: Duration = Duration::from_ms(1_000);

/// A drive that is stopped and does nothing.
#[derive(Clone, Copy, Debug)]
struct Rest {
    from: SimTime,
    /// Energy of the drive up to then, J, and commands completed.
    joules: f64,
    commands: u64,
    looks: u32,
}

/// A command that is held back.
#[derive(Clone, Copy, Debug)]
struct Held {
    id: u32,
    bytes: u64,
    from: SimTime,
}

/// The temperature of a drive and its throttling.
#[derive(Debug)]
pub(crate) struct Thermal {
    model: ThermalModel,
    /// Thresholds of the states above the normal one, degC.
    thresholds: [f64; 3],
    hysteresis: f64,
    /// WCTEMP, degC.
    warning: f64,
    /// Bytes per second that commands are taken up for, by state; none without a limit.
    rates: [Option<f64>; 4],
    step: Duration,
    temperature: f64,
    /// When it was that.
    at: SimTime,
    /// Energy of the drive up to then, J.
    joules: f64,
    state: ThermalState,
    /// When the next look is on the clock, if it is.
    looks_at: Option<SimTime>,
    /// Commands that are held back, the oldest first.
    held: VecDeque<Held>,
    /// Before this none of them enters.
    next_enters: SimTime,
    /// When the clock says that one may.
    wakes_at: Option<SimTime>,
    /// Since when the drive is stopped and has done nothing.
    rest: Option<Rest>,
    record: ThermalRecord,
}

impl Thermal {
    /// That of a drive; none where it has no temperature.
    pub(crate) fn new(config: &Config) -> Option<Self> {
        let thermal: &ThermalConfig = &config.thermal;
        thermal.enabled.then(|| {
            let temperature = thermal.starts_at().0;
            let limits = [thermal.wctemp.0, thermal.cctemp.0];
            let mut new = Self {
                model: ThermalModel {
                    ambient: thermal.ambient.0,
                    resistance: thermal.resistance.0,
                    capacity: thermal.capacity.0,
                },
                thresholds: [thermal.tmt1.0, thermal.tmt2.0, thermal.cctemp.0],
                hysteresis: thermal.hysteresis.0,
                warning: thermal.wctemp.0,
                rates: [
                    None,
                    Some(thermal.light_rate.0),
                    Some(thermal.heavy_rate.0),
                    Some(0.0),
                ],
                step: thermal.step,
                temperature,
                at: SimTime::ZERO,
                joules: 0.0,
                state: ThermalState::Normal,
                looks_at: None,
                held: VecDeque::new(),
                next_enters: SimTime::ZERO,
                wakes_at: None,
                rest: None,
                record: ThermalRecord::new(temperature, limits, thermal.step),
            };
            new.change_state();
            new
        })
    }

    /// What it was when it was last looked at, degC.
    pub(crate) const fn celsius(&self) -> f64 {
        self.temperature
    }

    /// The air around it has another temperature from now on, degC.
    pub(crate) const fn set_ambient(&mut self, celsius: f64) {
        self.model.ambient = celsius;
    }

    /// Time goes on to `now`; the drive has taken so many joules since counting began.
    pub(crate) fn advance(&mut self, now: SimTime, joules: f64) {
        let gap = now.since(self.at);
        if gap == Duration::ZERO {
            return;
        }
        let watts = (joules - self.joules) / gap.as_secs();
        let steady = self.model.steady(watts);
        let most = self.step.max(Duration(gap.ns() / MOST_ROWS));
        while self.at < now {
            let is_settled = (self.temperature - steady).abs() < SETTLED;
            let to = if is_settled {
                now
            } else {
                now.min(self.at + most.min(self.until_crossing(steady)))
            };
            self.pass(to, watts);
        }
        self.joules = joules;
    }

    /// The steps until a threshold has been passed on the way to the steady temperature: in between no state changes.
    fn until_crossing(&self, steady: f64) -> Duration {
        let constant = self.model.resistance * self.model.capacity;
        let [light, heavy, critical] = self.thresholds;
        let below = self.thresholds.map(|threshold| threshold - self.hysteresis);
        let seconds = [light, heavy, critical, self.warning]
            .into_iter()
            .chain(below)
            .filter(|mark| (self.temperature - mark) * (mark - steady) >= 0.0 && *mark != steady)
            .map(|mark| constant * ((self.temperature - steady) / (mark - steady)).ln())
            .fold(f64::INFINITY, f64::min);
        let steps = (seconds / self.step.as_secs()).ceil().max(1.0);
        Duration(self.step.ns().saturating_mul(steps as u64))
    }

    /// Time goes on to `to` with constant power.
    fn pass(&mut self, to: SimTime, watts: f64) {
        let seconds = to.since(self.at).as_secs();
        let before = self.temperature;
        self.temperature = self.model.after(before, watts, seconds);
        self.record.step(&ThermalStep {
            from: self.at,
            to,
            after: self.temperature,
            mean: self.model.mean(before, self.temperature, watts, seconds),
            most: before.max(self.temperature),
            joules: watts * seconds,
            state: self.state,
        });
        self.at = to;
        self.change_state();
    }

    /// The warmest state whose threshold is reached; one that the drive is in is left `hysteresis` below.
    fn change_state(&mut self) {
        let mut found = ThermalState::Normal;
        for (state, threshold) in ThermalState::ALL.into_iter().skip(1).zip(self.thresholds) {
            let kept = if state <= self.state { self.hysteresis } else { 0.0 };
            if self.temperature >= threshold - kept {
                found = state;
            }
        }
        if found > self.state {
            self.record.entered(found);
        }
        self.state = found;
    }

    /// When the temperature is looked at next, unless that is on the clock.
    pub(crate) fn next_look(&mut self, now: SimTime) -> Option<SimTime> {
        if self.looks_at.is_some() {
            return None;
        }
        let next = SimTime((now.ns() / self.step.ns() + 1) * self.step.ns());
        self.looks_at = Some(next);
        self.looks_at
    }

    /// The look that was on the clock is over.
    pub(crate) fn looked(&mut self) {
        self.looks_at = None;
    }

    /// Whether commands are held back.
    pub(crate) fn holds_commands(&self) -> bool {
        !self.held.is_empty()
    }

    /// Whether a command that comes now is to be held back.
    pub(crate) fn holds_back(&self) -> bool {
        self.holds_commands() || self.state > ThermalState::Normal
    }

    /// Holds a command back.
    pub(crate) fn hold(&mut self, now: SimTime, id: u32, bytes: u64) {
        self.held.push_back(Held { id, bytes, from: now });
    }

    /// The command that enters now, with the time for which it was held back; none where none is held back or may enter.
    pub(crate) fn take_next(&mut self, now: SimTime) -> Option<(u32, Duration)> {
        let next = *self.held.front()?;
        match self.rates[self.state.index()] {
            None => self.next_enters = now,
            Some(rate) => {
                if rate == 0.0 || now < self.next_enters {
                    return None;
                }
                self.next_enters = now + Duration((next.bytes as f64 / rate * 1e9).round() as u64);
            }
        }
        self.held.pop_front();
        let held = now.since(next.from);
        if held > Duration::ZERO {
            self.record.held_back(held);
        }
        Some((next.id, held))
    }

    /// When the clock is to say that a command may enter, unless it does so before.
    pub(crate) fn next_wake(&mut self) -> Option<SimTime> {
        let waits = self.holds_commands() && self.state != ThermalState::Stopped;
        if !waits || self.wakes_at.is_some_and(|at| at <= self.next_enters) {
            return None;
        }
        self.wakes_at = Some(self.next_enters);
        self.wakes_at
    }

    /// The clock says that a command may enter.
    pub(crate) fn woken(&mut self, now: SimTime) {
        self.wakes_at = self.wakes_at.filter(|at| *at > now);
    }

    /// The temperature that the drive comes to, and the one below which it takes up commands, where it is stopped and will never be cold enough:
    /// looked at now, with so many `commands` completed and, unless `is_busy`, nothing under way in its dies.
    pub(crate) fn never_cools(&mut self, is_busy: bool, commands: u64) -> Option<(Celsius, Celsius)> {
        if self.state != ThermalState::Stopped || self.held.is_empty() || is_busy {
            self.rest = None;
            return None;
        }
        let begins = Rest {
            from: self.at,
            joules: self.joules,
            commands,
            looks: 0,
        };
        let rest = self.rest.get_or_insert(begins);
        if rest.commands != commands {
            *rest = begins;
        }
        rest.looks += 1;
        let time = self.at.since(rest.from);
        if rest.looks < LOOKS_AT_REST || time < TIME_AT_REST {
            return None;
        }
        let coldest = self.model.steady((self.joules - rest.joules) / time.as_secs());
        let needed = self.thresholds[2] - self.hysteresis;
        (coldest >= needed).then_some((Celsius(coldest), Celsius(needed)))
    }

    /// The temperature of a drive that is stopped.
    pub(crate) fn stopped_at(&self) -> Option<f64> {
        (self.state == ThermalState::Stopped).then_some(self.temperature)
    }

    /// Whether the clock will say that a command may enter.
    pub(crate) fn wakes(&self) -> bool {
        self.wakes_at.is_some()
    }

    /// Commands that are held back.
    pub(crate) fn held(&self) -> u64 {
        self.held.len() as u64
    }

    /// Counts afresh; the drive has taken so many joules since counting began.
    pub(crate) fn restart_counts(&mut self, joules: f64) {
        self.record.restart();
        self.joules = joules;
        self.rest = None;
    }

    /// What was recorded.
    pub(crate) fn record(&self) -> &ThermalRecord {
        &self.record
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wordline_config::{DriveSource, resolve};

    use super::*;

    fn thermal(keys: &str) -> Thermal {
        let text = format!("[power]\nsupply = \"2.5 V\"\n[thermal]\nenabled = true\n{keys}");
        let resolved = resolve(DriveSource::Text(&text), None, &[]).unwrap();
        Thermal::new(&resolved.config).unwrap()
    }

    /// Up at 70, 78 and 85 degC, down 3 K below, and from every state to any that fits.
    #[test]
    fn states_by_temperature() {
        let mut found = thermal("");
        use ThermalState::{Heavy, Light, Normal, Stopped};
        for (temperature, state) in [
            (69.9, Normal),
            (70.0, Light),
            (67.0, Light),
            (66.9, Normal),
            (78.0, Heavy),
            (75.0, Heavy),
            (74.9, Light),
            (85.0, Stopped),
            (82.0, Stopped),
            (81.9, Heavy),
            (60.0, Normal),
        ] {
            found.temperature = temperature;
            found.change_state();
            assert_eq!(found.state, state, "{temperature}");
        }
        let entered = |state: ThermalState| {
            let mut summary = wordline_metrics::Summary::new();
            found.record.summarize(&mut summary);
            summary.number(&format!(
                "thermal.{}.transitions",
                ["", "tmt1", "tmt2", "cctemp"][state.index()]
            ))
        };
        assert_eq!(
            [Light, Heavy, Stopped].map(entered),
            [Some(1.0), Some(1.0), Some(1.0)]
        );
    }

    /// 100 kB at 100 MB/s are 1 ms: the first command enters at once, the second 1 ms later, a flush behind it 1 ms after that.
    #[test]
    fn commands_are_held_back_by_their_data() {
        let mut found = thermal("initial = \"71 degC\"\nlight_rate = \"100 MB/s\"");
        assert!(found.holds_back());
        for (id, bytes) in [(1, 100_000), (2, 100_000), (3, 0), (4, 100_000)] {
            found.hold(SimTime(0), id, bytes);
        }
        let ms = SimTime::ZERO + Duration::from_ms(1);
        assert_eq!(found.take_next(SimTime(0)), Some((1, Duration::ZERO)));
        assert_eq!(found.take_next(SimTime(0)), None);
        assert_eq!(found.next_wake(), Some(ms));
        assert_eq!(found.next_wake(), None, "it is on the clock");
        found.woken(ms);
        assert_eq!(found.take_next(ms), Some((2, Duration::from_ms(1))));
        let later = ms + Duration::from_ms(1);
        assert_eq!((found.take_next(ms), found.next_wake()), (None, Some(later)));
        found.woken(later);
        assert_eq!(found.take_next(later), Some((3, Duration::from_ms(2))));
        assert_eq!(found.take_next(later), Some((4, Duration::from_ms(2))));
        assert!(!found.holds_commands());
    }

    /// A drive that is stopped lets nothing in; one that is cold again lets all in.
    #[test]
    fn a_stopped_drive_takes_up_nothing_until_it_is_colder() {
        let mut found = thermal("initial = \"86 degC\"");
        found.hold(SimTime(0), 7, 4_096);
        assert_eq!((found.take_next(SimTime(0)), found.next_wake()), (None, None));
        let cold = SimTime::ZERO + Duration::from_ms(100_000);
        found.advance(cold, 0.0);
        assert_eq!(found.state, ThermalState::Normal);
        assert_eq!(found.take_next(cold), Some((7, Duration::from_ms(100_000))));
    }

    proptest! {
        /// However time is divided, the temperature is that of the closed form as long as power is constant.
        #[test]
        fn divided_time_gives_the_closed_form(steps in prop::collection::vec(1_u64..3_000_000_000, 1..40), watts in 0.0..8.0_f64) {
            let mut found = thermal("cctemp = \"300 degC\"\ntmt2 = \"290 degC\"\nstep = \"300 ms\"");
            let mut now = 0;
            for step in steps {
                now += step;
                found.advance(SimTime(now), watts * Duration(now).as_secs());
            }
            let expected = found.model.after(25.0, watts, Duration(now).as_secs());
            prop_assert!((found.temperature - expected).abs() < 1e-6, "{} {}", found.temperature, expected);
        }
    }
}
