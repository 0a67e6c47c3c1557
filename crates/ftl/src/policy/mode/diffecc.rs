//! DiffECC (G. Wu, X. He, N. Xie, T. Zhang, MASCOTS 2010; G. Wu, dissertation, VCU 2013, chapter 2): each program gets the slowest
//! mode that the idle time to be expected allows.

mod idle;
mod plan;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::{PAUSE, STEP};
use wordline_nand::Mode;
use wordline_units::{Duration, SimTime};

use super::{ModePolicy, ModeRow, ModeView, Modes};
use crate::error::FtlError;
use crate::host_work::IdleInterval;
use idle::IdleEstimate;
use plan::{Demand, Dispatcher, PlanOrder};

/// Whose idle time and whose waiting operations count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LoadScope {
    /// Those of the drive, as if all that waits were done one after another.
    #[default]
    Drive,
    /// Those of the drive, whose work is taken to be spread evenly over its units.
    DrivePerUnit,
    /// Those of the unit of the page: its die, or its chip with `scheduler.busy_grain = "chip"`.
    Unit,
}

/// Keys of `diffecc`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct DiffEccKeys {
    /// `diffecc`: the modes to choose from, each with longer programs than the one before. Left empty: `normal` and all of
    /// `[[modes]]`, in their order.
    choices: Vec<String>,
    /// `diffecc`: how often the idle time is estimated anew, above 0 (Wu 2013: 5 s).
    #[schemars(extend("x-maximum" = PAUSE))]
    sample_period: Duration,
    /// `diffecc`: whose idle time and whose waiting operations count (Wu 2013: one mean idle time for each trace, that of the drive, is compared with
    /// the number of waiting writes times their program time; the work is not divided by the chips).
    load_scope: LoadScope,
    /// `diffecc`: in which order the programs that wait get the two modes of a plan (assumed: the source does not say).
    plan_order: PlanOrder,
    /// `diffecc`: how long a read that waits is expected to take (Wu 2013: a whole page in the normal mode).
    #[schemars(extend("x-maximum" = STEP))]
    read_time: Duration,
}

impl Default for DiffEccKeys {
    fn default() -> Self {
        Self {
            choices: Vec::new(),
            sample_period: Duration::from_ms(5_000),
            load_scope: LoadScope::default(),
            plan_order: PlanOrder::default(),
            read_time: Duration::from_ns(107_160),
        }
    }
}

/// What is known of a unit, or of the drive.
#[derive(Clone, Copy, Debug)]
struct Part {
    idle: IdleEstimate,
    dispatcher: Dispatcher,
}

/// The policy. It remembers nothing in functional mode, where there is no load, and so has no state to save.
struct DiffEcc {
    modes: Vec<Mode>,
    times: Vec<Duration>,
    read_time: Duration,
    sample_period: Duration,
    scope: LoadScope,
    order: PlanOrder,
    /// By unit; one with a scope of the drive.
    parts: Vec<Part>,
    /// The idle time that the last decision went by, until it is asked for.
    expected: Option<Duration>,
}

impl DiffEcc {
    fn new(keys: &DiffEccKeys, modes: &Modes<'_>) -> Result<Self, FtlError> {
        if keys.sample_period == Duration::ZERO {
            let accepted = "a duration above 0";
            return Err(FtlError::new(
                "ftl.modes.sample_period",
                keys.sample_period,
                accepted,
            ));
        }
        let choices = if keys.choices.is_empty() {
            modes.all().collect()
        } else {
            let find = |name: &String| modes.find("ftl.modes.choices", name);
            keys.choices.iter().map(find).collect::<Result<Vec<_>, _>>()?
        };
        let times: Vec<Duration> = choices
            .iter()
            .map(|mode| modes.describe(*mode).program_time)
            .collect();
        if let Some(place) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
            let [first, second] = [place, place + 1]
                .map(|at| format!("\"{}\" ({})", modes.describe(choices[at]).name, times[at]));
            let found = format!("{second} behind {first}");
            let accepted = "modes each of which takes longer to program than the one before";
            return Err(FtlError::new("ftl.modes.choices", found, accepted));
        }
        Ok(Self {
            modes: choices,
            times,
            read_time: keys.read_time,
            sample_period: keys.sample_period,
            scope: keys.load_scope,
            order: keys.plan_order,
            parts: Vec::new(),
            expected: None,
        })
    }

    fn part(&mut self, number: u32) -> &mut Part {
        let index = number as usize;
        if index >= self.parts.len() {
            let part = Part {
                idle: IdleEstimate::new(self.sample_period),
                dispatcher: Dispatcher::default(),
            };
            self.parts.resize(index + 1, part);
        }
        &mut self.parts[index]
    }
}

impl ModePolicy for DiffEcc {
    fn mode(&mut self, view: &ModeView<'_>) -> Mode {
        // as with a load about which nothing is known yet
        let Some(load) = view.load else {
            return self.modes[0];
        };
        let (number, work, units) = match self.scope {
            LoadScope::Unit => (load.unit, load.of_unit, 1),
            LoadScope::Drive => (0, load.of_drive, 1),
            LoadScope::DrivePerUnit => (0, load.of_drive, load.units),
        };
        let part = self.part(number);
        if part.idle.sample(SimTime(view.now.0 + 1), work.idle_since) {
            part.dispatcher.forget_plan();
        }
        let demand = Demand {
            idle: part.idle.estimate(),
            reads: work.reads,
            // the program itself waits too, if only for any unit
            programs: work.programs.saturating_sub(view.bound_before).max(1),
            units,
        };
        let mut dispatcher = part.dispatcher;
        let choice = dispatcher.next(&self.times, self.read_time, self.order, &demand);
        self.part(number).dispatcher = dispatcher;
        self.expected = Some(demand.idle);
        self.modes[choice]
    }

    fn take_expected_idle(&mut self) -> Option<Duration> {
        self.expected.take()
    }

    fn idle_ended(&mut self, interval: &IdleInterval) {
        let number = match (self.scope, interval.unit) {
            (LoadScope::Unit, Some(unit)) => unit,
            (LoadScope::Drive | LoadScope::DrivePerUnit, None) => 0,
            _ => return,
        };
        let part = self.part(number);
        if part.idle.end_interval(interval.from, interval.to) {
            part.dispatcher.forget_plan();
        }
    }
}

/// `ftl.modes.policy = "diffecc"`.
pub(crate) const DIFFECC: ModeRow = ModeRow::new(
    "diffecc",
    "Each page that the host writes is programmed in the slowest mode with which all programs that wait are expected to end within the \
     next idle interval, as long as those of late (Wu 2013).",
    Keys::of::<DiffEccKeys>(),
    |keys, modes| Ok(Box::new(DiffEcc::new(&keys.read(), modes)?)),
);
