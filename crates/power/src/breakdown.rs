//! Energies by component, and energies that are affine in counts of cells.

use std::ops::{Add, AddAssign, Index, IndexMut, Mul};

/// What dissipates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Component {
    /// Word lines, selected and unselected.
    WordLines,
    /// Bit lines.
    BitLines,
    /// String-select, ground-select and source lines.
    SelectLines,
    /// Sense amplifiers and latches.
    Sense,
    /// Block and page decoders.
    Decode,
    /// Tunnelling to and from floating gates.
    Tunnelling,
    /// Junction of the P-well.
    Junction,
    /// Charge pumps.
    Pump,
    /// Control, a fixed energy for each command.
    Control,
    /// The way back to precharge.
    PrechargeReturn,
}

impl Component {
    /// Every component, in the order of a breakdown.
    pub const ALL: [Self; 10] = [
        Self::WordLines,
        Self::BitLines,
        Self::SelectLines,
        Self::Sense,
        Self::Decode,
        Self::Tunnelling,
        Self::Junction,
        Self::Pump,
        Self::Control,
        Self::PrechargeReturn,
    ];

    /// Its name in tables and keys.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WordLines => "word_lines",
            Self::BitLines => "bit_lines",
            Self::SelectLines => "select_lines",
            Self::Sense => "sense",
            Self::Decode => "decode",
            Self::Tunnelling => "tunnelling",
            Self::Junction => "junction",
            Self::Pump => "pump",
            Self::Control => "control",
            Self::PrechargeReturn => "precharge_return",
        }
    }
}

/// Joules by component.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Breakdown([f64; Component::ALL.len()]);

impl Breakdown {
    /// Nothing.
    pub const ZERO: Self = Self([0.0; Component::ALL.len()]);

    /// `joules` of one component.
    #[must_use]
    pub fn of(component: Component, joules: f64) -> Self {
        let mut energy = Self::ZERO;
        energy[component] = joules;
        energy
    }

    /// The sum of the components in joules.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Component and joules.
    pub fn iter(&self) -> impl Iterator<Item = (Component, f64)> {
        Component::ALL.into_iter().zip(self.0)
    }
}

impl Index<Component> for Breakdown {
    type Output = f64;
    fn index(&self, component: Component) -> &f64 {
        &self.0[component as usize]
    }
}

impl IndexMut<Component> for Breakdown {
    fn index_mut(&mut self, component: Component) -> &mut f64 {
        &mut self.0[component as usize]
    }
}

impl AddAssign for Breakdown {
    fn add_assign(&mut self, other: Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

impl Add for Breakdown {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Mul<f64> for Breakdown {
    type Output = Self;
    fn mul(mut self, times: f64) -> Self {
        for joules in &mut self.0 {
            *joules *= times;
        }
        self
    }
}

/// An energy that is affine in how many cells there are of each class: of each bit in a read, of each
/// program state in a program, of those not erased in an erase.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Affine {
    /// What is paid whatever the cells hold.
    pub fixed: Breakdown,
    /// What each cell of a class adds.
    pub per_cell: Vec<Breakdown>,
}

impl Affine {
    /// Nothing, for cells of `classes` classes.
    pub(crate) fn zero(classes: usize) -> Self {
        Self {
            fixed: Breakdown::ZERO,
            per_cell: vec![Breakdown::ZERO; classes],
        }
    }

    /// The energy with `counts[c]` cells of class `c`: a few multiply-adds, no allocation. Classes
    /// without a count hold no cells.
    #[must_use]
    pub fn at(&self, counts: &[f64]) -> Breakdown {
        let mut energy = self.fixed;
        for (per_cell, count) in self.per_cell.iter().zip(counts) {
            energy += *per_cell * *count;
        }
        energy
    }
}

impl AddAssign<&Self> for Affine {
    fn add_assign(&mut self, other: &Self) {
        self.fixed += other.fixed;
        for (mine, theirs) in self.per_cell.iter_mut().zip(&other.per_cell) {
            *mine += *theirs;
        }
    }
}
