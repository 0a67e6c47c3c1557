//! A chip whose energies are worked out: checked once, immutable after that.

use crate::address_map::AddressMap;
use crate::breakdown::{Breakdown, Component};
use crate::circuit::Circuit;
use crate::config::{ChipConfig, ChipSource, load};
use crate::error::{ChipError, require};
use crate::inputs::Inputs;
use crate::operations::Operations;
use crate::states::{PageKind, ProgramState};

/// Below this field in V/m nothing tunnels to speak of.
const LOW_FIELD: f64 = 6e8;
/// Above this share of a program, tunnelling is worth a word.
const HIGH_TUNNELLING: f64 = 0.9;

/// A chip and the energy of everything it does.
#[derive(Clone, Debug)]
pub struct Chip {
    config: ChipConfig,
    inputs: Inputs,
    map: AddressMap,
    circuit: Circuit,
    operations: Operations,
}

/// What a page holds once it is programmed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Data<'a> {
    /// So many ones; the pages of the same cells before it hold half ones each, independently.
    Ones(f64),
    /// So many cells in each program state, in the order of their bits.
    States(&'a [f64]),
    /// As `States`, where the pages before left so many cells in each of their states.
    After {
        /// Cells in each program state of the kind before.
        before: &'a [f64],
        /// Cells in each program state of this kind.
        states: &'a [f64],
    },
}

/// What is done to the flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Page read.
    Read,
    /// Page program.
    Program,
    /// Block erase.
    Erase,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 3] = [Self::Read, Self::Program, Self::Erase];

    /// Its name in tables and keys.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Program => "program",
            Self::Erase => "erase",
        }
    }
}

/// The energy of one power state: a page whose cells are all in it, or a block whose cells are all programmed.
#[derive(Clone, Debug, PartialEq)]
pub struct StateEnergy {
    /// What is done.
    pub operation: Operation,
    /// Name of the state.
    pub state: String,
    /// Joules by component.
    pub energy: Breakdown,
    /// How long it takes, in s.
    pub time: f64,
}

impl Chip {
    /// Checks a chip and works out its energies.
    ///
    /// # Errors
    /// A value, or a combination of values, that is not accepted.
    pub fn new(config: ChipConfig) -> Result<Self, ChipError> {
        let inputs = config.resolve()?;
        let map = config.address_map()?;
        let circuit = Circuit::new(&inputs)?;
        let operations = Operations::new(&inputs, &circuit);
        Ok(Self {
            config,
            inputs,
            map,
            circuit,
            operations,
        })
    }

    /// Reads a chip, built-in, from a file or from a text, with overrides, and works out its energies.
    ///
    /// # Errors
    /// What is refused, with its place.
    pub fn load(source: ChipSource<'_>, overrides: &[(String, String)]) -> Result<Self, ChipError> {
        let (config, overlay) = load(source, overrides)?;
        Self::new(config).map_err(|error| overlay.locate(error))
    }

    /// The chip's description.
    #[must_use]
    pub fn config(&self) -> &ChipConfig {
        &self.config
    }

    /// Capacitances and what else was derived.
    #[must_use]
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// Energies as coefficients, by operation and kind of page: what a ledger charges from.
    #[must_use]
    pub fn operations(&self) -> &Operations {
        &self.operations
    }

    /// Which page is what.
    #[must_use]
    pub fn map(&self) -> &AddressMap {
        &self.map
    }

    /// Bits of the whole chip, spare bytes included.
    #[must_use]
    pub fn capacity_bits(&self) -> f64 {
        self.inputs.geometry.capacity_bits
    }

    /// Cells of a page.
    #[must_use]
    pub fn cells(&self) -> f64 {
        self.circuit.bit_lines
    }

    /// Ones of a page when nothing is said.
    #[must_use]
    pub fn default_ones(&self) -> f64 {
        self.inputs.ones
    }

    /// The kinds of page, in the order in which they are programmed.
    pub fn kinds(&self) -> impl Iterator<Item = PageKind> + use<> {
        (0..self.inputs.bits).map(|kind| PageKind(kind as u8))
    }

    /// The kind called `name`.
    ///
    /// # Errors
    /// No kind of this chip has that name.
    pub fn kind(&self, name: &str) -> Result<PageKind, ChipError> {
        let bits = self.inputs.bits;
        self.kinds().find(|kind| kind.name(bits) == name).ok_or_else(|| {
            let names: Vec<&str> = self.kinds().map(|kind| kind.name(bits)).collect();
            let hint = wordline_units::did_you_mean(name, names.iter().copied());
            ChipError::new(
                "kind",
                format!("{name:?}"),
                format!("{hint}accepted are {}", names.join(", ")),
            )
        })
    }

    fn of_kind<'a, T>(&self, table: &'a [T], kind: PageKind) -> Result<&'a T, ChipError> {
        table.get(kind.index()).ok_or_else(|| {
            ChipError::new(
                "kind",
                kind.0,
                format!("accepted are kinds 0 to {} of {0} bits", self.inputs.bits - 1),
            )
        })
    }

    fn check_ones(&self, ones: f64) -> Result<(), ChipError> {
        let cells = self.cells();
        require((0.0..=cells).contains(&ones), "ones", ones, || {
            format!("accepted are 0 to the {cells} bits of a page")
        })
    }

    /// A read of a page that holds `ones` ones; of a page that is not programmed without (it reads as all ones).
    ///
    /// # Errors
    /// A kind of page or a count that the chip does not have.
    pub fn read(&self, kind: PageKind, ones: Option<f64>) -> Result<Breakdown, ChipError> {
        let ones = ones.unwrap_or(self.cells());
        self.check_ones(ones)?;
        let read = self.of_kind(&self.operations.read, kind)?;
        Ok(read.at(&[self.cells() - ones, ones]))
    }

    /// A program of a page.
    ///
    /// # Errors
    /// A kind of page or counts that the chip does not have, or that do not go together.
    pub fn program(&self, kind: PageKind, data: Data<'_>) -> Result<Breakdown, ChipError> {
        let program = self.of_kind(&self.operations.program, kind)?;
        let drawn;
        let counts = match data {
            Data::Ones(ones) => {
                self.check_ones(ones)?;
                drawn = self.states_of(kind, ones);
                &drawn
            }
            Data::States(states) => states,
            Data::After { before, states } => {
                self.check_follows(before, states)?;
                states
            }
        };
        self.check_counts(kind, counts)?;
        let shifts = self.of_kind(&self.inputs.state_shift, kind)?;
        let idle = shifts
            .iter()
            .zip(counts)
            .all(|(shift, count)| *shift <= 0.0 || *count <= 0.0);
        Ok(program.energy(counts, idle))
    }

    /// Cells in each program state of a page with `ones` ones, the pages before it half ones each.
    #[must_use]
    pub fn states_of(&self, kind: PageKind, ones: f64) -> Vec<f64> {
        let before = f64::from(1_u32 << kind.0);
        ProgramState::of(kind)
            .map(|state| if state.bit() == 1 { ones } else { self.cells() - ones } / before)
            .collect()
    }

    fn check_counts(&self, kind: PageKind, counts: &[f64]) -> Result<(), ChipError> {
        let (cells, states) = (self.cells(), kind.states());
        let sum: f64 = counts.iter().sum();
        let fits = counts.len() == states && counts.iter().all(|count| *count >= 0.0);
        require(
            fits && (sum - cells).abs() <= 1e-9 * cells,
            "states",
            format!("{counts:?}"),
            || {
                format!(
                    "accepted are {states} counts of 0 or more that add up to the {cells} cells of a page"
                )
            },
        )
    }

    /// Checks that every state grew out of a state before.
    fn check_follows(&self, before: &[f64], states: &[f64]) -> Result<(), ChipError> {
        let follows = states.len() == 2 * before.len()
            && states
                .chunks(2)
                .zip(before)
                .all(|(after, before)| (after.iter().sum::<f64>() - before).abs() <= 1e-9 * self.cells());
        require(follows, "states", format!("{states:?}"), || {
            format!(
                "accepted are counts that grow out of {before:?}, the states of the page before: each state has two \
                 that follow"
            )
        })
    }

    /// An erase of a block in which a share of the cells is not erased already.
    ///
    /// # Errors
    /// A share outside 0 to 1.
    pub fn erase(&self, programmed: f64) -> Result<Breakdown, ChipError> {
        require(
            (0.0..=1.0).contains(&programmed),
            "programmed",
            programmed,
            || "accepted are shares from 0 to 1".to_owned(),
        )?;
        let cells = programmed * self.cells() * self.inputs.geometry.word_lines;
        Ok(self.operations.erase.energy(&[cells], programmed <= 0.0))
    }

    /// The energy of the same operation in several planes at once: that many times the energy.
    ///
    /// # Errors
    /// No plane, or more than a die has.
    pub fn in_planes(&self, energy: Breakdown, planes: u32) -> Result<Breakdown, ChipError> {
        let most = self.inputs.geometry.planes;
        require((1..=most).contains(&planes), "planes", planes, || {
            format!("accepted are 1 to the {most} planes of a die")
        })?;
        Ok(energy * f64::from(planes))
    }

    /// Time of an operation in s.
    ///
    /// # Errors
    /// A kind of page that the chip does not have.
    pub fn time(&self, operation: Operation, kind: PageKind) -> Result<f64, ChipError> {
        Ok(match operation {
            Operation::Read => *self.of_kind(&self.inputs.t_read, kind)?,
            Operation::Program => self.of_kind(&self.inputs.program, kind)?.time,
            Operation::Erase => self.inputs.erase.time,
        })
    }

    /// Time in s of the program of all pages of a word line in one sequence; none for cells of one bit.
    pub(crate) fn time_of_full_sequence(&self) -> Option<f64> {
        self.inputs.full.as_ref().map(|full| full.ramp.time)
    }

    /// The energy of every power state: reads of programmed (with the chip's default ones) and unprogrammed pages by
    /// kind, programs of pages whose cells are all in one state, the erase of a block that is programmed.
    #[must_use]
    pub fn energies(&self) -> Vec<StateEnergy> {
        energies(&self.inputs, &self.operations)
    }

    /// What the reader of the numbers should know, a sentence each.
    #[must_use]
    pub fn advisories(&self) -> Vec<String> {
        let inputs = &self.inputs;
        let mut found = Vec::new();
        if let Some(worst) = self
            .energies()
            .into_iter()
            .filter(|row| row.energy[Component::Tunnelling] > HIGH_TUNNELLING * row.energy.total())
            .max_by(|a, b| a.energy[Component::Tunnelling].total_cmp(&b.energy[Component::Tunnelling]))
        {
            found.push(format!(
                "tunnelling is {:.1} % of the {} of {}: the field coupling is a calibration constant, and this chip's is \
                 likely not its own",
                100.0 * worst.energy[Component::Tunnelling] / worst.energy.total(),
                worst.operation.name(),
                worst.state
            ));
        }
        let low = |name: &str, field: Option<f64>| {
            let field = field.filter(|field| *field > 0.0 && *field < LOW_FIELD)?;
            Some(format!(
                "the last pulse of {name} puts {:.2e} V/cm across the tunnel oxide: below 6e6 V/cm nothing tunnels to \
                 speak of",
                field / 100.0
            ))
        };
        let last = |pulsed: &crate::operations::Pulsed| pulsed.pulses.last().map(|pulse| pulse.field);
        found.extend(low("a program", self.operations.program.first().and_then(last)));
        found.extend(low("an erase", last(&self.operations.erase)));
        if inputs.bits > 1 && inputs.full.is_none() {
            found.push(
                "no program of all pages of a word line in one sequence is shown: its pulses by default would be more, or \
                 higher, than a chip may have; set policy.program_pulses_full"
                    .to_owned(),
            );
        }
        let geometry = &self.config.geometry;
        if geometry.spare_size.bytes() > geometry.page_size.bytes() / 4 {
            found.push(format!(
                "the spare bytes, {}, are more than a quarter of the page, {}",
                geometry.spare_size, geometry.page_size
            ));
        }
        let above = inputs.read_cycles.iter().flatten().copied().fold(0.0, f64::max);
        if above > inputs.bias.vread {
            found.push(format!(
                "the last cycle of a read puts {above} V on the selected word line, more than the {} V of the others: list \
                 bias.vread_selected",
                inputs.bias.vread
            ));
        }
        found
    }
}

/// The energy of every power state.
pub(crate) fn energies(inputs: &Inputs, operations: &Operations) -> Vec<StateEnergy> {
    let (bits, cells) = (inputs.bits, inputs.geometry.bit_lines);
    let kinds = || (0..bits).map(|kind| PageKind(kind as u8));
    let mut rows = Vec::new();
    for ((kind, read), time) in kinds().zip(&operations.read).zip(&inputs.t_read) {
        for (state, ones) in [("programmed", inputs.ones), ("unprogrammed", cells)] {
            rows.push(StateEnergy {
                operation: Operation::Read,
                state: format!("{} {state}", kind.name(bits)),
                energy: read.at(&[cells - ones, ones]),
                time: *time,
            });
        }
    }
    for ((kind, program), ramp) in kinds().zip(&operations.program).zip(&inputs.program) {
        let shifts = inputs.state_shift.get(kind.index()).into_iter().flatten();
        for (state, shift) in ProgramState::of(kind).zip(shifts) {
            let mut counts = vec![0.0; kind.states()];
            if let Some(count) = counts.get_mut(usize::from(state.bits)) {
                *count = cells;
            }
            let energy = program.energy(&counts, *shift <= 0.0);
            rows.push(StateEnergy {
                operation: Operation::Program,
                state: state.name(bits),
                energy,
                time: ramp.time,
            });
        }
    }
    rows.push(StateEnergy {
        operation: Operation::Erase,
        state: "block".to_owned(),
        energy: operations.erase.total.at(&[cells * inputs.geometry.word_lines]),
        time: inputs.erase.time,
    });
    rows
}
