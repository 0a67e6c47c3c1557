//! The bit error rate of a page, as a drive asks for it at every read.

use wordline_units::{Seed, Temperature};

use crate::age::{AgeHook, check_days, check_temperature};
use crate::config::{CellConfig, Shape};
use crate::disturb::Disturbances;
use crate::error::{CellError, require};
use crate::ispp::Ispp;
use crate::pages::{PageRates, Reading};
use crate::solve::Family;
use crate::step_table::{StepTable, Wanted};
use crate::variation::Variation;
use crate::vth::check_step;
use crate::vth_shift::VthShift;

/// The rate at which a page holds nothing.
const NOTHING: f64 = 0.5;

/// Everything that a page's error rate depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageState {
    /// Factor of the block (`Reliability::factor`).
    pub factor: f32,
    /// Program/erase cycles of the block.
    pub cycles: u32,
    /// Days since the page was programmed.
    pub age_days: f64,
    /// What has disturbed it since it was programmed.
    pub disturbed: Disturbances,
    /// Phases of the page's program that were cancelled and done again; counts only with `cell.rber.redone_phase`.
    pub redone: u32,
    /// Which of the program steps the page was programmed with: 0 for `cell.vth.step`, then those given to
    /// `Reliability::with_steps`.
    pub step: u8,
    /// Which page of its cells it is, from 0; counts only with `cell.rber.by_page_type`.
    pub page: u8,
}

/// How reliable every page is: checked, tables worked out. Reading it allocates nothing.
pub struct Reliability {
    shape: Shape,
    family: Family,
    ispp: Ispp,
    variation: Variation,
    seed: Seed,
    /// Design age in days.
    design_days: f64,
    by_page_type: bool,
    /// Which number of a cell's pages the nominal rate is.
    given_as: Reading,
    /// Growth of a page's rate by each program phase that was done again.
    redone_phase: f64,
    /// The step that rates are given for, then those that pages are programmed with.
    reference: f64,
    steps: Vec<f64>,
    /// By step and, with `by_page_type`, page; none where the rate is the nominal one.
    tables: Vec<Option<StepTable>>,
    /// By step, with the model `vth_shift`, which needs no table.
    shifts: Vec<VthShift>,
    hook: Option<(Box<dyn AgeHook>, Temperature)>,
}

impl Reliability {
    /// The reliability that a configuration describes; block factors are drawn from `seed` unless the
    /// configuration has one of its own.
    ///
    /// # Errors
    /// The first value outside its range.
    pub fn new(config: &CellConfig, seed: Seed) -> Result<Self, CellError> {
        let mut made = Self {
            shape: config.shape()?,
            family: config.family()?,
            ispp: config.ispp()?,
            variation: Variation::new(&config.process_variation)?,
            seed: config.process_variation.seed.map_or(seed, Seed),
            design_days: config.design_days(),
            by_page_type: config.rber.by_page_type,
            given_as: config.nominal_reading(),
            redone_phase: config.rber.redone_phase.unwrap_or(0.0),
            reference: config.reference_step(),
            steps: Vec::new(),
            tables: Vec::new(),
            shifts: Vec::new(),
            hook: None,
        };
        made.add_step(config.vth.step)?;
        Ok(made)
    }

    /// The same with further program steps, which pages may have been programmed with: `steps[i]` is step `i + 1`
    /// of a page.
    ///
    /// # Errors
    /// A step outside 0 to 2, more than 255 steps.
    pub fn with_steps(mut self, steps: &[f64]) -> Result<Self, CellError> {
        let count = self.steps.len() + steps.len();
        require(count <= 256, "steps", count, "1 to 256")?;
        for step in steps {
            self.add_step(*step)?;
        }
        Ok(self)
    }

    /// The same with ages that a hook corrects for a temperature.
    ///
    /// # Errors
    /// A temperature at or below 0 K.
    pub fn with_age_hook(
        mut self,
        hook: impl AgeHook + 'static,
        temperature: Temperature,
    ) -> Result<Self, CellError> {
        check_temperature(temperature)?;
        self.hook = Some((Box::new(hook), temperature));
        Ok(self)
    }

    /// Design age in days.
    pub(crate) const fn design_days(&self) -> f64 {
        self.design_days
    }

    fn add_step(&mut self, step: f64) -> Result<(), CellError> {
        check_step("step", step)?;
        self.steps.push(step);
        if let Shape::VthShift(shift) = &self.shape {
            self.shifts.push(shift.with_step(step));
            return Ok(());
        }
        let wanted: Vec<Wanted> = if self.by_page_type {
            (0..self.family.bits).map(Wanted::Page).collect()
        } else {
            vec![Wanted::Reading(self.given_as)]
        };
        for wanted in wanted {
            let same = step == self.reference && !self.by_page_type;
            self.tables.push(if same {
                None
            } else {
                Some(StepTable::new(&self.family, self.reference, step, wanted)?)
            });
        }
        Ok(())
    }

    /// The factor of a block: it depends on seed and index alone.
    #[must_use]
    pub fn factor(&self, block: u64) -> f32 {
        self.variation.factor(self.seed, block)
    }

    /// The law of the block factors.
    #[must_use]
    pub const fn variation(&self) -> &Variation {
        &self.variation
    }

    /// How long programs take.
    #[must_use]
    pub const fn ispp(&self) -> &Ispp {
        &self.ispp
    }

    /// The cells without step and deviation.
    #[must_use]
    pub const fn family(&self) -> &Family {
        &self.family
    }

    /// The step for which program times and error rates are given.
    #[must_use]
    pub const fn reference_step(&self) -> f64 {
        self.reference
    }

    /// Whether each page of a cell has a rate of its own.
    #[must_use]
    pub const fn has_page_types(&self) -> bool {
        self.by_page_type
    }

    /// Program steps, by number.
    #[must_use]
    pub fn steps(&self) -> &[f64] {
        &self.steps
    }

    /// Bit error rate of a nominal block at the reference step: r(N, a) of the specification, the mean over the pages
    /// but where `CellConfig::nominal_reading` says otherwise.
    #[must_use]
    pub fn nominal(&self, cycles: f64, age_days: f64, disturbed: Disturbances) -> f64 {
        let age = self.effective_age(age_days);
        match &self.shape {
            Shape::PowerLaw(law) => law.rber(cycles, age, disturbed),
            Shape::VthShift(shift) => shift.rates(cycles, age).average(),
            Shape::Fixed(rate) => *rate,
        }
    }

    /// The deviation of programmed states that explains the rate of a block of some factor at the reference step.
    ///
    /// # Errors
    /// No deviation does, or an argument is out of range.
    pub fn sigma(
        &self,
        factor: f64,
        cycles: f64,
        age_days: f64,
        disturbed: Disturbances,
    ) -> Result<f64, CellError> {
        check_days("age_days", age_days)?;
        let rate = (factor * self.nominal(cycles, age_days, disturbed)).min(NOTHING);
        self.given_family().sigma_for_rber(self.reference, rate)
    }

    /// Bit error rates of the pages of a nominal block: what its states give, or, with the model `vth_shift`, what the
    /// states in volts do.
    ///
    /// # Errors
    /// A step outside 0 to 2; no deviation of the states explains the rate at the reference step.
    pub fn page_rates(
        &self,
        cycles: f64,
        age_days: f64,
        disturbed: Disturbances,
        step: f64,
    ) -> Result<PageRates, CellError> {
        check_step("step", step)?;
        if let Shape::VthShift(shift) = &self.shape {
            check_days("age_days", age_days)?;
            let age = self.effective_age(age_days);
            return Ok(shift.with_step(step).rates(cycles, age));
        }
        let sigma = self.sigma(1.0, cycles, age_days, disturbed)?;
        Ok(self.family.cell(step, sigma)?.rates())
    }

    /// The cells, read as the nominal rate is meant.
    pub(crate) fn given_family(&self) -> Family {
        self.family.read_as(self.given_as)
    }

    /// Age of the data as error rates see it, in days.
    pub(crate) fn effective_age(&self, days: f64) -> f64 {
        match &self.hook {
            None => days,
            Some((hook, temperature)) => hook.age(days, *temperature),
        }
    }

    /// The states in volts, with the model `vth_shift`.
    pub(crate) fn shift(&self) -> Option<&VthShift> {
        self.shifts.first()
    }

    /// Bit error rate of a page, at most one half.
    ///
    /// Ages are taken as they come: not negative, finite. Differs from `exact` by less than 1e-6 of it.
    ///
    /// # Panics
    /// A step or, with `cell.rber.by_page_type`, a page that there is not.
    #[must_use]
    pub fn rber(&self, page: &PageState) -> f64 {
        if let Shape::VthShift(_) = &self.shape {
            let shift = &self.shifts[usize::from(page.step)];
            let rates = shift.rates(f64::from(page.cycles), self.effective_age(page.age_days));
            let rate = if self.by_page_type {
                rates.pages()[usize::from(page.page)]
            } else {
                rates.average()
            };
            return (self.page_factor(page) * rate).min(NOTHING);
        }
        let nominal = self.nominal(f64::from(page.cycles), page.age_days, page.disturbed);
        self.rber_from(nominal, page)
    }

    /// As `rber`, from the rate of a nominal block (`nominal`) with the cycles, age and disturbances of the page: for those
    /// who ask for many pages that have them in common. With the model `vth_shift` the page is worked out anew.
    ///
    /// # Panics
    /// As `rber`.
    #[must_use]
    pub fn rber_from(&self, nominal: f64, page: &PageState) -> f64 {
        if self.shift().is_some() {
            return self.rber(page);
        }
        let rber = (self.page_factor(page) * nominal).min(NOTHING);
        let table = if self.by_page_type {
            usize::from(page.step) * self.family.bits as usize + usize::from(page.page)
        } else {
            usize::from(page.step)
        };
        match &self.tables[table] {
            None => rber,
            Some(table) => table.rber(rber).min(NOTHING),
        }
    }

    /// How many times as many errors as a nominal block a page has: by its block, and by its program.
    fn page_factor(&self, page: &PageState) -> f64 {
        f64::from(page.factor) * (1.0 + self.redone_phase * f64::from(page.redone))
    }

    /// As `rber`, with the deviation inferred by bisection instead of a table; what the table is checked against.
    ///
    /// # Errors
    /// A step or page that there is not, a negative age or factor.
    pub fn exact(&self, page: &PageState) -> Result<f64, CellError> {
        check_days("age_days", page.age_days)?;
        let holds = page.factor >= 0.0 && page.factor.is_finite();
        require(holds, "factor", page.factor, "finite numbers from 0")?;
        let count = self.steps.len();
        let step = self.steps.get(usize::from(page.step)).copied().ok_or_else(|| {
            CellError::refused("step", page.step, format!("accepted are 0 to {}", count - 1))
        })?;
        let bits = self.family.bits;
        let known = !self.by_page_type || u32::from(page.page) < bits;
        require(known, "page", page.page, &format!("0 to {}", bits - 1))?;
        if self.shift().is_some() {
            return Ok(self.rber(page));
        }
        let nominal = self.nominal(f64::from(page.cycles), page.age_days, page.disturbed);
        let rber = (self.page_factor(page) * nominal).min(NOTHING);
        let given = self.given_family();
        if !self.by_page_type {
            return given.at_step(rber, self.reference, step);
        }
        match given.sigma_for_rber(self.reference, rber) {
            Ok(sigma) => Ok(given.cell(step, sigma)?.rates().pages()[usize::from(page.page)]),
            Err(CellError::NoDeviation { .. }) => Ok(rber),
            Err(error) => Err(error),
        }
    }
}
