//! What an operation costs, by operation and kind of page.

use wordline_nand::MAX_PAGE_TYPES;
use wordline_power::{Affine, Breakdown, Chip, ChipError, Data, Operation, PageKind};

use super::BitPattern;

/// Kinds of pages that a cell can have.
pub(super) const KINDS: usize = MAX_PAGE_TYPES;
/// First slot of the reads, one for each kind of page.
pub(super) const READ: usize = 0;
/// First slot of the programs.
pub(super) const PROGRAM: usize = READ + KINDS;
/// The slot of erases.
pub(super) const ERASE: usize = PROGRAM + KINDS;
pub(super) const SLOTS: usize = ERASE + 1;

/// The operation that a slot belongs to.
pub(super) const fn operation_of(slot: usize) -> Operation {
    match slot {
        ERASE => Operation::Erase,
        PROGRAM.. => Operation::Program,
        _ => Operation::Read,
    }
}

/// The energy of one operation, affine in the share of ones of its page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// With no ones, or with the fixed share of ones, J.
    base: Breakdown,
    /// What a page of ones adds, J; nothing where the share is fixed.
    ones: Breakdown,
    /// The sums of both.
    base_total: f64,
    ones_total: f64,
    /// What is not divided by component, J: all of an operation of which only the supply current is known.
    undivided: f64,
}

impl Cost {
    fn new(base: Breakdown, ones: Breakdown) -> Self {
        Self {
            base,
            ones,
            base_total: base.total(),
            ones_total: ones.total(),
            undivided: 0.0,
        }
    }

    fn fixed(energy: Breakdown) -> Self {
        Self::new(energy, Breakdown::ZERO)
    }

    /// So many joules from the supply.
    fn supplied(joules: f64) -> Self {
        Self {
            base_total: joules,
            undivided: joules,
            ..Self::default()
        }
    }

    /// The affine energy between the counts of cells of a page of zeros and of a page of ones.
    fn between(energy: &Affine, zeros: &[f64], ones: &[f64]) -> Self {
        let base = energy.at(zeros);
        Self::new(base, energy.at(ones) + base * -1.0)
    }

    /// Joules of an operation on a page with this share of ones.
    #[inline]
    pub(super) fn joules(&self, ones: f64) -> f64 {
        self.base_total + self.ones_total * ones
    }

    /// Energy of `count` operations whose shares of ones sum to `ones`.
    pub(super) fn of(&self, count: u64, ones: f64) -> Breakdown {
        self.base * count as f64 + self.ones * ones
    }

    /// Joules of `count` operations that are not divided by component.
    pub(super) fn undivided_of(&self, count: u64) -> f64 {
        self.undivided * count as f64
    }
}

/// What a page, or a block, takes from the supply in a mode, J: $V_{CC} I_{CC} t$ of each operation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SuppliedEnergy {
    /// A read, by page type.
    pub read: [f64; MAX_PAGE_TYPES],
    /// A program, by page type.
    pub program: [f64; MAX_PAGE_TYPES],
    /// An erase.
    pub erase: f64,
}

/// The costs of a mode of which the supply currents are known.
pub(super) fn supplied(energy: &SuppliedEnergy) -> [Cost; SLOTS] {
    let mut costs = [Cost::default(); SLOTS];
    for kind in 0..KINDS {
        costs[READ + kind] = Cost::supplied(energy.read[kind]);
        costs[PROGRAM + kind] = Cost::supplied(energy.program[kind]);
    }
    costs[ERASE] = Cost::supplied(energy.erase);
    costs
}

/// The costs of a chip. Slots of kinds that its cells do not have stay zero.
///
/// # Errors
/// A share of ones outside 0 to 1.
pub(super) fn table(chip: &Chip, pattern: &BitPattern) -> Result<[Cost; SLOTS], ChipError> {
    let mut costs = [Cost::default(); SLOTS];
    let cells = chip.cells();
    for kind in chip.kinds().filter(|kind| kind.index() < KINDS) {
        let (read, program) = match pattern {
            BitPattern::Fixed(share) => {
                let ones = share * cells;
                (
                    Cost::fixed(chip.read(kind, Some(ones))?),
                    Cost::fixed(chip.program(kind, Data::Ones(ones))?),
                )
            }
            BitPattern::Sampled { .. } => sampled(chip, kind),
        };
        costs[READ + kind.index()] = read;
        costs[PROGRAM + kind.index()] = program;
    }
    // a cell stays erased where all its pages hold a 1
    let erased: f64 = chip.kinds().map(|_| pattern.mean()).product();
    costs[ERASE] = Cost::fixed(chip.erase(1.0 - erased)?);
    Ok(costs)
}

/// Read and program of a page whose share of ones is drawn.
fn sampled(chip: &Chip, kind: PageKind) -> (Cost, Cost) {
    let (operations, cells) = (chip.operations(), chip.cells());
    let of = |table: Option<&Affine>, zeros: &[f64], ones: &[f64]| {
        table.map_or_else(Cost::default, |energy| Cost::between(energy, zeros, ones))
    };
    let program = operations.program.get(kind.index()).map(|program| &program.total);
    (
        of(operations.read.get(kind.index()), &[cells, 0.0], &[0.0, cells]),
        of(program, &chip.states_of(kind, 0.0), &chip.states_of(kind, cells)),
    )
}
