//! How many of the programs that wait are given which mode, and in which order ("diffecc", section 7).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::Duration;

/// In which order the programs of a plan get its two modes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum PlanOrder {
    /// Spread evenly: what a share of a program is missing is carried over to the next.
    #[default]
    ErrorDiffusion,
    /// Those in the slower mode first.
    SlowFirst,
    /// Those in the faster mode first.
    FastFirst,
}

/// What waits in a part of the drive, and how long that part has been idle of late.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// Expected length of an idle interval.
    pub(super) idle: Duration,
    /// Pages to be read that wait.
    pub(super) reads: u32,
    /// Pages to be programmed that wait; at least one.
    pub(super) programs: u32,
    /// Units that share the work evenly.
    pub(super) units: u32,
}

/// How many of a number of programs get which of the modes, which are numbered from the fastest to the slowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The mode of the programs that do not get the slower one.
    pub(super) fast: usize,
    /// The slower mode; `fast` where all get the same.
    pub(super) slow: usize,
    /// Programs in the slower mode.
    pub(super) slow_programs: u32,
    /// All programs.
    pub(super) programs: u32,
}

impl Plan {
    /// The slowest modes with which all programs end within the idle time that waiting reads leave: one mode, or two
    /// neighbours (section 7, steps 1 to 4). `times` are the program times of the modes, each above the one before.
    ///
    /// Times are compared as they would be in one unit: with several, idle time counts once for each.
    pub(super) fn new(times: &[Duration], read_time: Duration, demand: &Demand) -> Self {
        let programs = u64::from(demand.programs);
        let of_units = u128::from(demand.idle.0) * u128::from(demand.units);
        let of_reads = u128::from(demand.reads) * u128::from(read_time.0);
        let budget = of_units.saturating_sub(of_reads);
        let total = |mode: usize| u128::from(programs) * u128::from(times[mode].0);
        // the slowest that fits with all programs; the fastest where none does
        let fast = (0..times.len()).rev().find(|mode| total(*mode) <= budget);
        let all_in = |mode: usize| Self {
            fast: mode,
            slow: mode,
            slow_programs: 0,
            programs: demand.programs,
        };
        let Some(fast) = fast else {
            return all_in(0);
        };
        if fast + 1 == times.len() {
            return all_in(fast);
        }
        let slow = fast + 1;
        let more = u128::from((times[slow] - times[fast]).0);
        let slow_programs = (budget - total(fast)) / more;
        Self {
            fast,
            slow,
            // fewer than all, since not all fit
            slow_programs: slow_programs as u32,
            programs: demand.programs,
        }
    }
}

/// Gives the programs of a part of the drive their modes, one after another.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dispatcher {
    plan: Option<Plan>,
    /// Programs of the plan that have their modes.
    given: u32,
    /// Programs that wait, as far as is known: those of the last time, without the one that was given its mode.
    waiting: u32,
    /// What error diffusion has carried over.
    carried: f64,
}

impl Dispatcher {
    /// The present plan no longer fits: another is made for the next program.
    pub(super) fn forget_plan(&mut self) {
        self.plan = None;
    }

    /// The mode of the next program. A plan holds for as many programs as it was made for, while no more come to wait.
    pub(super) fn next(
        &mut self,
        times: &[Duration],
        read_time: Duration,
        order: PlanOrder,
        demand: &Demand,
    ) -> usize {
        let plan = match self.plan {
            Some(plan) if self.given < plan.programs && demand.programs <= self.waiting => plan,
            _ => {
                self.given = 0;
                Plan::new(times, read_time, demand)
            }
        };
        let is_slow = match order {
            PlanOrder::ErrorDiffusion => {
                self.carried += f64::from(plan.slow_programs) / f64::from(plan.programs);
                let is_slow = self.carried >= 1.0 - 1e-9;
                if is_slow {
                    self.carried -= 1.0;
                }
                is_slow
            }
            PlanOrder::SlowFirst => self.given < plan.slow_programs,
            PlanOrder::FastFirst => self.given >= plan.programs - plan.slow_programs,
        };
        self.given += 1;
        self.waiting = demand.programs - 1;
        self.plan = Some(plan);
        if self.waiting == 0 {
            *self = Self::default();
        }
        if is_slow { plan.slow } else { plan.fast }
    }
}
