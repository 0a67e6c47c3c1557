//! The ledger of energy: what flash operations cost, by cause, kind of operation and component.
//!
//! Energies are affine in the ones of a page, so an operation is charged by two multiply-adds, and the ledger keeps
//! counts and sums of ones only. Model: FlashPower (`wordline_power`).

mod cost;
mod pattern;

use wordline_ftl::Cause;
use wordline_nand::{BlockId, Geometry, Mode, PageType, PageTypes, Ppn};
use wordline_power::{Breakdown, Chip, ChipError, Component, Operation};
use wordline_units::Duration;

use crate::ledger::Ledger;
use crate::probe::{CommandKind, Constituent};
use crate::series::Series;
use crate::steady_power::{IDLE_STATES, SteadyPower, SteadyTimes};
use crate::summary::Summary;

use cost::{Cost, ERASE, KINDS, PROGRAM, READ, SLOTS, operation_of};
use pattern::Ones;

pub use cost::SuppliedEnergy;
pub use pattern::BitPattern;

/// Time over which limits of power are means (maximum power of NVMe, as the OCP takes it).
const SECOND: Duration = Duration::from_ms(1_000);

const CAUSES: usize = Cause::ALL.len();

/// Operations of one slot and cause.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    count: u64,
    /// Sum of the shares of ones of their pages, where these are sampled.
    ones: f64,
}

/// Energy of the flash operations of a run.
///
/// Every page of a command is charged on its own, when it is done: k planes cost k times as much. A copy-back is a
/// read of its source and a program of its target. The drive is powered when the run starts, so that coming up to
/// precharge is not charged.
#[derive(Clone, Debug)]
pub struct EnergyLedger {
    /// By mode, a table of slots each.
    costs: Vec<[Cost; SLOTS]>,
    tallies: Vec<[[Tally; CAUSES]; SLOTS]>,
    ones: Ones,
    geometry: Geometry,
    page_types: PageTypes,
    steady: SteadyPower,
    /// Whether energies are those of supply currents, which no component is known of.
    is_supplied: bool,
    /// Time that codecs worked, over all of them.
    codec: Duration,
    /// Time in each idle state.
    asleep: [Duration; IDLE_STATES],
}

impl EnergyLedger {
    /// An empty ledger for a drive of this chip, which is described once for each mode. The kinds of pages are the drive's
    /// page types.
    ///
    /// # Errors
    /// A cell that the chip does not have, or a share of ones outside 0 to 1.
    pub fn new(
        by_mode: &[Chip],
        pattern: BitPattern,
        geometry: Geometry,
        page_types: PageTypes,
        steady: SteadyPower,
    ) -> Result<Self, ChipError> {
        Ok(Self {
            costs: by_mode
                .iter()
                .map(|chip| cost::table(chip, &pattern))
                .collect::<Result<_, _>>()?,
            tallies: vec![[[Tally::default(); CAUSES]; SLOTS]; by_mode.len()],
            ones: Ones::new(&pattern),
            geometry,
            page_types,
            steady,
            is_supplied: false,
            codec: Duration::ZERO,
            asleep: [Duration::ZERO; IDLE_STATES],
        })
    }

    /// An empty ledger for a drive of whose dies the supply currents are known, for each mode.
    #[must_use]
    pub fn supplied(
        by_mode: &[SuppliedEnergy],
        geometry: Geometry,
        page_types: PageTypes,
        steady: SteadyPower,
    ) -> Self {
        Self {
            costs: by_mode.iter().map(cost::supplied).collect(),
            tallies: vec![[[Tally::default(); CAUSES]; SLOTS]; by_mode.len()],
            ones: Ones::new(&BitPattern::Fixed(0.0)),
            geometry,
            page_types,
            steady,
            is_supplied: true,
            codec: Duration::ZERO,
            asleep: [Duration::ZERO; IDLE_STATES],
        }
    }

    /// Forgets what was charged; the content of pages stays.
    pub(crate) fn restart(&mut self) {
        self.tallies.fill([[Tally::default(); CAUSES]; SLOTS]);
        self.codec = Duration::ZERO;
        self.asleep = [Duration::ZERO; IDLE_STATES];
    }

    /// A codec works for so long.
    pub(crate) fn codec_works(&mut self, work: Duration) {
        self.codec += work;
    }

    /// The drive was in an idle state for so long.
    pub(crate) fn slept(&mut self, state: usize, time: Duration) {
        self.asleep[state] += time;
    }

    /// What does not depend on flash operations.
    #[must_use]
    pub fn steady(&self) -> &SteadyPower {
        &self.steady
    }

    /// What is charged for an operation on a page of a type, or for an erase, in J; the mean where the ones of pages are drawn.
    #[must_use]
    pub fn mean_cost(&self, mode: Mode, operation: Operation, page_type: PageType) -> f64 {
        let slot = match operation {
            Operation::Read => READ + page_type.index().min(KINDS - 1),
            Operation::Program => PROGRAM + page_type.index().min(KINDS - 1),
            Operation::Erase => ERASE,
        };
        self.costs[mode.index()][slot].joules(self.ones.mean())
    }

    /// What will be charged for the program, or the erase, of a command that starts, J; the mean where the ones of pages are drawn. Nothing for a read.
    #[must_use]
    pub fn write_cost(&self, kind: CommandKind, constituent: &Constituent) -> f64 {
        let page_type = self
            .page_types
            .of(self.geometry.page_of_block(constituent.page, constituent.block));
        match kind {
            CommandKind::Read => 0.0,
            CommandKind::Program | CommandKind::CopyBack => {
                self.mean_cost(constituent.mode, Operation::Program, page_type)
            }
            CommandKind::Erase => self.mean_cost(Mode::NORMAL, Operation::Erase, PageType::LOWER),
        }
    }

    /// Charges one finished operation; tells its joules.
    #[inline]
    pub fn operation(&mut self, kind: CommandKind, constituent: &Constituent) -> f64 {
        let Constituent {
            cause,
            page,
            block,
            lpn,
            mode,
            ..
        } = *constituent;
        match kind {
            CommandKind::Read => {
                let ones = self.ones.of(lpn);
                self.charge(mode, READ + self.kind_of(page, block), cause, ones)
            }
            CommandKind::Program => {
                if cause.is_of_host() {
                    self.ones.renew(lpn);
                }
                let ones = self.ones.of(lpn);
                self.charge(mode, PROGRAM + self.kind_of(page, block), cause, ones)
            }
            CommandKind::CopyBack => {
                let ones = self.ones.of(lpn);
                let source = constituent.source.unwrap_or(page);
                let from = self.kind_of(source, self.geometry.block_of(source));
                self.charge(constituent.read_mode, READ + from, cause, ones)
                    + self.charge(mode, PROGRAM + self.kind_of(page, block), cause, ones)
            }
            CommandKind::Erase => self.charge(Mode::NORMAL, ERASE, cause, 0.0),
        }
    }

    #[inline]
    fn kind_of(&self, page: Ppn, block: BlockId) -> usize {
        self.page_types
            .of(self.geometry.page_of_block(page, block))
            .index()
            .min(KINDS - 1)
    }

    #[inline]
    fn charge(&mut self, mode: Mode, slot: usize, cause: Cause, ones: f64) -> f64 {
        let tally = &mut self.tallies[mode.index()][slot][cause as usize];
        tally.count += 1;
        tally.ones += ones;
        self.costs[mode.index()][slot].joules(ones)
    }

    /// The energy of what `wanted` picks, in J.
    fn sum(&self, wanted: impl Fn(Operation, Cause) -> bool) -> Breakdown {
        let modes = self.costs.iter().zip(&self.tallies);
        modes.fold(Breakdown::ZERO, |sum, (costs, tallies)| {
            sum_of(costs, tallies, sum, &wanted)
        })
    }

    /// The energy of what `wanted` picks that is not divided by component, in J.
    fn undivided(&self, wanted: impl Fn(Operation, Cause) -> bool) -> f64 {
        let modes = self.costs.iter().zip(&self.tallies);
        modes
            .map(|(costs, tallies)| undivided_of(costs, tallies, &wanted))
            .sum()
    }

    /// Energy of the reads and programs of pages of a mode, J.
    #[must_use]
    pub fn of_mode(&self, mode: Mode) -> f64 {
        let (costs, tallies) = (&self.costs[mode.index()], &self.tallies[mode.index()]);
        let wanted = |operation, _| operation != Operation::Erase;
        sum_of(costs, tallies, Breakdown::ZERO, &wanted).total() + undivided_of(costs, tallies, &wanted)
    }

    /// Energy of all flash operations, J by component.
    #[must_use]
    pub fn flash(&self) -> Breakdown {
        self.sum(|_, _| true)
    }

    /// Energy of the flash operations for a cause, J by component.
    #[must_use]
    pub fn of_cause(&self, cause: Cause) -> Breakdown {
        self.sum(|_, other| other == cause)
    }

    /// Energy of the flash operations of a kind, J by component; a copy-back is a read and a program.
    #[must_use]
    pub fn of_operation(&self, operation: Operation) -> Breakdown {
        self.sum(|other, _| other == operation)
    }

    fn times(
        &self,
        (elapsed, active): (Duration, Duration),
        host_bytes: u64,
        ledger: &Ledger,
    ) -> SteadyTimes {
        SteadyTimes {
            elapsed,
            active,
            bus_s: ledger.channel_busy().iter().map(|busy| busy.as_secs()).sum(),
            codec: self.codec,
            asleep: self.asleep,
            host_bytes,
        }
    }

    /// Energy of the drive since counting began `elapsed` ago, J, with a request in it for `active` of that; of flash operations that of the kinds that are `wanted`.
    pub(crate) fn total(
        &self,
        times: (Duration, Duration),
        host_bytes: u64,
        ledger: &Ledger,
        wanted: impl Fn(Operation) -> bool,
    ) -> f64 {
        let steady = self.steady.energy(&self.times(times, host_bytes, ledger));
        let flash = self.sum(|operation, _| wanted(operation)).total();
        flash + self.undivided(|operation, _| wanted(operation)) + steady.total()
    }

    /// Sets `energy.*` and `power.*`. `host_bytes` were read and written by the host; the series is finished.
    pub(crate) fn summarize(
        &self,
        summary: &mut Summary,
        series: &Series,
        ledger: &Ledger,
        elapsed: Duration,
        host_bytes: u64,
    ) {
        let flash = self.flash();
        let steady = self
            .steady
            .energy(&self.times((elapsed, series.active()), host_bytes, ledger));
        let of_flash = flash.total() + self.undivided(|_, _| true);
        let total = of_flash + steady.total();
        summary.set("energy.total_mj", total * 1e3);
        summary.set("energy.flash_mj", of_flash * 1e3);
        if self.is_supplied {
            summary.set("energy.supply_mj", of_flash * 1e3);
        } else {
            for (component, joules) in flash.iter() {
                summary.set(&format!("energy.{}_mj", component.name()), joules * 1e3);
            }
        }
        for (name, joules) in steady.iter() {
            summary.set(&format!("energy.{name}_mj"), joules * 1e3);
        }
        for operation in Operation::ALL {
            let undivided = self.undivided(|other, _| other == operation);
            let joules = self.of_operation(operation).total() + undivided;
            summary.set(&format!("energy.operation.{}_mj", operation.name()), joules * 1e3);
        }
        for cause in Cause::ALL {
            let energy = self.of_cause(cause);
            let name = format!("energy.cause.{}", cause.name());
            let undivided = self.undivided(|_, other| other == cause);
            summary.set(&format!("{name}_mj"), (energy.total() + undivided) * 1e3);
            if undivided > 0.0 {
                summary.set(&format!("{name}.supply_mj"), undivided * 1e3);
            }
            for component in Component::ALL {
                if energy[component] > 0.0 {
                    let key = format!("{name}.{}_mj", component.name());
                    summary.set(&key, energy[component] * 1e3);
                }
            }
        }
        let per_byte = (host_bytes > 0).then(|| total / host_bytes as f64 * 1e9);
        summary.set("energy.per_host_byte_nj", per_byte);
        let mean = (elapsed > Duration::ZERO).then(|| total / elapsed.as_secs() * 1e3);
        summary.set("power.mean_mw", mean);
        let most = series.most_power(&self.steady).map(|watts| watts * 1e3);
        summary.set("power.max_window_mw", most);
        let second = series.most_power_over(SECOND, &self.steady);
        summary.set("power.max_second_mw", second.map(|watts| watts * 1e3));
        let asleep: Duration = self
            .asleep
            .into_iter()
            .fold(Duration::ZERO, |sum, time| sum + time);
        if asleep > Duration::ZERO {
            for (name, time) in ["ps3", "ps4"].into_iter().zip(self.asleep) {
                summary.set(&format!("power.{name}.time_s"), time.as_secs());
            }
        }
    }
}

/// `sum` and the energy of what `wanted` picks of the operations of a mode, in J.
fn sum_of(
    costs: &[Cost; SLOTS],
    tallies: &[[Tally; CAUSES]; SLOTS],
    mut sum: Breakdown,
    wanted: &impl Fn(Operation, Cause) -> bool,
) -> Breakdown {
    for (slot, (cost, tallies)) in costs.iter().zip(tallies).enumerate() {
        for (cause, tally) in Cause::ALL.into_iter().zip(tallies) {
            if tally.count > 0 && wanted(operation_of(slot), cause) {
                sum += cost.of(tally.count, tally.ones);
            }
        }
    }
    sum
}

/// The energy that is not divided by component of what `wanted` picks of the operations of a mode, in J.
fn undivided_of(
    costs: &[Cost; SLOTS],
    tallies: &[[Tally; CAUSES]; SLOTS],
    wanted: &impl Fn(Operation, Cause) -> bool,
) -> f64 {
    let mut sum = 0.0;
    for (slot, (cost, tallies)) in costs.iter().zip(tallies).enumerate() {
        for (cause, tally) in Cause::ALL.into_iter().zip(tallies) {
            if wanted(operation_of(slot), cause) {
                sum += cost.undivided_of(tally.count);
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests;
