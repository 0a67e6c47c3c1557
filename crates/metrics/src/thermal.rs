//! What a run records of the temperature of the drive: figures, and a table over time.

use wordline_units::{Duration, SimTime};

use crate::summary::Summary;

/// Rows that the table may have before neighbours are merged.
const MOST_ROWS: usize = 2_048;

/// What the drive does about its temperature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThermalState {
    /// Nothing.
    #[default]
    Normal,
    /// It throttles lightly, from TMT1 on.
    Light,
    /// It throttles heavily, from TMT2 on.
    Heavy,
    /// It takes up no command, from CCTEMP on.
    Stopped,
}

impl ThermalState {
    /// Every state, from the coldest to the warmest.
    pub const ALL: [Self; 4] = [Self::Normal, Self::Light, Self::Heavy, Self::Stopped];

    /// Its index in [`Self::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A stretch of time with constant power.
#[derive(Clone, Copy, Debug)]
pub struct ThermalStep {
    /// When it began.
    pub from: SimTime,
    /// When it ended.
    pub to: SimTime,
    /// Temperature at its end, degC.
    pub after: f64,
    /// Mean temperature in it, degC.
    pub mean: f64,
    /// Highest temperature in it, degC.
    pub most: f64,
    /// Energy of the drive in it, J.
    pub joules: f64,
    /// What the drive did in it.
    pub state: ThermalState,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
struct Row {
    from: u64,
    to: u64,
    /// Mean temperature times time, degC ns.
    area: f64,
    joules: f64,
    state: ThermalState,
}

impl Row {
    fn merge(&mut self, later: &Self) {
        self.to = later.to;
        self.area += later.area;
        self.joules += later.joules;
        self.state = self.state.max(later.state);
    }
}

/// The temperature of a drive over a run, since counting began.
#[derive(Clone, Debug)]
pub struct ThermalRecord {
    /// Temperatures from which on time counts as too warm and critically so, degC.
    limits: [f64; 2],
    /// Time at or above those.
    above: [Duration; 2],
    in_state: [Duration; ThermalState::ALL.len()],
    /// Times that a state was entered from a colder one.
    entered: [u64; ThermalState::ALL.len()],
    area: f64,
    most: f64,
    last: f64,
    held: u64,
    held_for: u128,
    held_most: Duration,
    rows: Vec<Row>,
    /// Width that a row has at least, but for the last.
    width: u64,
    first_width: u64,
}

impl ThermalRecord {
    /// Of a drive of this temperature, with WCTEMP and CCTEMP as `limits`, degC; a row of the table is as long as `step` or longer.
    #[must_use]
    pub fn new(temperature: f64, limits: [f64; 2], step: Duration) -> Self {
        Self {
            limits,
            above: [Duration::ZERO; 2],
            in_state: [Duration::ZERO; 4],
            entered: [0; 4],
            area: 0.0,
            most: temperature,
            last: temperature,
            held: 0,
            held_for: 0,
            held_most: Duration::ZERO,
            rows: Vec::new(),
            width: step.ns(),
            first_width: step.ns(),
        }
    }

    /// Counts afresh.
    pub fn restart(&mut self) {
        *self = Self::new(self.last, self.limits, Duration(self.first_width));
    }

    /// Records a stretch of time.
    pub fn step(&mut self, step: &ThermalStep) {
        let lasted = step.to.since(step.from);
        self.in_state[step.state.index()] += lasted;
        for (above, limit) in self.above.iter_mut().zip(self.limits) {
            if step.after >= limit {
                *above += lasted;
            }
        }
        self.most = self.most.max(step.most);
        self.last = step.after;
        let row = Row {
            from: step.from.ns(),
            to: step.to.ns(),
            area: step.mean * lasted.ns() as f64,
            joules: step.joules,
            state: step.state,
        };
        self.area += row.area;
        match self
            .rows
            .last_mut()
            .filter(|last| last.to - last.from < self.width)
        {
            Some(last) => last.merge(&row),
            None => self.rows.push(row),
        }
        if self.rows.len() > MOST_ROWS {
            self.double();
        }
    }

    /// Merges the rows in pairs, in place.
    fn double(&mut self) {
        let rows = self.rows.len();
        for pair in 0..rows.div_ceil(2) {
            let mut merged = self.rows[2 * pair];
            if let Some(later) = self.rows.get(2 * pair + 1) {
                merged.merge(later);
            }
            self.rows[pair] = merged;
        }
        self.rows.truncate(rows.div_ceil(2));
        self.width = self.width.saturating_mul(2);
    }

    /// The drive is in this warmer state from now on.
    pub fn entered(&mut self, state: ThermalState) {
        self.entered[state.index()] += 1;
    }

    /// A command that was held back enters after so long.
    pub fn held_back(&mut self, held: Duration) {
        self.held += 1;
        self.held_for += u128::from(held.ns());
        self.held_most = self.held_most.max(held);
    }

    /// Sets `thermal.*`.
    pub fn summarize(&self, summary: &mut Summary) {
        let all: u64 = self.in_state.iter().map(|time| time.ns()).sum();
        let share = |ns: f64| (all > 0).then(|| ns / all as f64);
        summary.set("thermal.temperature.mean_c", share(self.area));
        summary.set("thermal.temperature.max_c", self.most);
        summary.set("thermal.temperature.end_c", self.last);
        for (name, state) in [
            ("tmt1", ThermalState::Light),
            ("tmt2", ThermalState::Heavy),
            ("cctemp", ThermalState::Stopped),
        ] {
            summary.set(
                &format!("thermal.{name}.transitions"),
                self.entered[state.index()],
            );
            summary.set(
                &format!("thermal.{name}.time_s"),
                self.in_state[state.index()].as_secs(),
            );
        }
        summary.set("thermal.warning_time_s", self.above[0].as_secs());
        summary.set("thermal.critical_time_s", self.above[1].as_secs());
        let normal = self.in_state[ThermalState::Normal.index()].ns();
        summary.set("thermal.throttled_share", share((all - normal) as f64));
        summary.set("thermal.commands_held", self.held);
        let mean = (self.held > 0).then(|| self.held_for as f64 / self.held as f64 / 1e3);
        summary.set("thermal.held.mean_us", mean);
        summary.set(
            "thermal.held.max_us",
            (self.held > 0).then(|| self.held_most.as_us()),
        );
    }

    /// The table over time.
    #[must_use]
    pub fn columns(&self) -> ThermalColumns {
        let mut columns = ThermalColumns::default();
        for row in &self.rows {
            let width = row.to - row.from;
            columns.start_ns.push(row.from);
            columns.width_ns.push(width);
            columns.temperature_c.push(row.area / width as f64);
            columns
                .power_mw
                .push(row.joules / Duration(width).as_secs() * 1e3);
            columns.state.push(row.state as u8);
        }
        columns
    }
}

/// One row for each stretch of the run, one vector per column.
#[derive(Clone, Debug, Default)]
pub struct ThermalColumns {
    /// Start of the stretch, ns since the start of the run.
    pub start_ns: Vec<u64>,
    /// Its length, ns.
    pub width_ns: Vec<u64>,
    /// Mean temperature in it, degC.
    pub temperature_c: Vec<f64>,
    /// Mean power of the drive in it, mW.
    pub power_mw: Vec<f64>,
    /// The warmest [`ThermalState`] in it, by its index.
    pub state: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn step(from: u64, to: u64, mean: f64, state: ThermalState) -> ThermalStep {
        ThermalStep {
            from: SimTime(from),
            to: SimTime(to),
            after: mean + 1.0,
            mean,
            most: mean + 2.0,
            joules: (to - from) as f64 * 1e-9,
            state,
        }
    }

    /// Three stretches of 1, 1 and 2 s at 60, 79 and 84 degC, with limits of 80 and 85 degC.
    #[test]
    fn a_small_run_by_hand() {
        let mut found = ThermalRecord::new(25.0, [80.0, 85.0], Duration::from_ms(1_000));
        let second = 1_000_000_000;
        found.step(&step(0, second, 60.0, ThermalState::Normal));
        found.entered(ThermalState::Light);
        found.step(&step(second, 2 * second, 79.0, ThermalState::Light));
        found.entered(ThermalState::Heavy);
        found.step(&step(2 * second, 4 * second, 84.0, ThermalState::Heavy));
        found.held_back(Duration::from_us(30));
        found.held_back(Duration::from_us(10));
        let mut summary = Summary::new();
        found.summarize(&mut summary);
        for (key, value) in [
            ("temperature.mean_c", 76.75),
            ("temperature.max_c", 86.0),
            ("temperature.end_c", 85.0),
            ("tmt1.transitions", 1.0),
            ("tmt1.time_s", 1.0),
            ("tmt2.transitions", 1.0),
            ("tmt2.time_s", 2.0),
            ("cctemp.transitions", 0.0),
            ("cctemp.time_s", 0.0),
            ("warning_time_s", 3.0),
            ("critical_time_s", 2.0),
            ("throttled_share", 0.75),
            ("commands_held", 2.0),
            ("held.mean_us", 20.0),
            ("held.max_us", 30.0),
        ] {
            assert_eq!(summary.number(&format!("thermal.{key}")), Some(value), "{key}");
        }
        let columns = found.columns();
        assert_eq!(columns.start_ns, [0, second, 2 * second]);
        assert_eq!(columns.width_ns, [second, second, 2 * second]);
        assert_eq!(columns.temperature_c, [60.0, 79.0, 84.0]);
        assert_eq!(columns.state, [0, 1, 2]);
        assert!(columns.power_mw.iter().all(|power| (power - 1e3).abs() < 1e-9));
        found.restart();
        assert!(found.columns().state.is_empty() && found.most == 85.0);
    }

    proptest! {
        /// However many stretches there are, the rows follow each other without a gap, are bounded in number, and keep time, energy and the mean.
        #[test]
        fn rows_are_bounded_and_whole(lengths in prop::collection::vec(1_u64..5_000, 1..9_000)) {
            let mut found = ThermalRecord::new(25.0, [80.0, 85.0], Duration(1_000));
            let mut at = 0;
            for length in &lengths {
                found.step(&step(at, at + length, (at % 97) as f64, ThermalState::Normal));
                at += length;
            }
            let columns = found.columns();
            prop_assert!(columns.state.len() <= MOST_ROWS);
            prop_assert_eq!(columns.width_ns.iter().sum::<u64>(), at);
            for (row, width) in columns.width_ns.iter().enumerate().skip(1) {
                prop_assert!(*width > 0);
                prop_assert_eq!(columns.start_ns[row], columns.start_ns[row - 1] + columns.width_ns[row - 1]);
            }
            let area: f64 = columns.temperature_c.iter().zip(&columns.width_ns).map(|(mean, width)| mean * *width as f64).sum();
            prop_assert!((area - found.area).abs() <= 1e-9 * found.area.max(1.0));
        }
    }
}
