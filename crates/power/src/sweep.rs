//! Many variants of a chip: arrays of parameters in, columns of energies out.

use crate::breakdown::Component;
use crate::chip::{Operation, StateEnergy, energies};
use crate::circuit::Circuit;
use crate::config::{ChipConfig, parameter};
use crate::error::ChipError;
use crate::operations::Operations;

/// Variants between two looks at the user.
const LOOK: usize = 1024;

/// One energy of every variant.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepColumn {
    /// What is done.
    pub operation: Operation,
    /// Name of the power state.
    pub state: String,
    /// The component; `None` for the total.
    pub component: Option<Component>,
    /// Joules by variant; not a number where a variant has no such state.
    pub joules: Vec<f64>,
}

/// Columns of energies, in the order of the power states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweep {
    /// The totals of every state, and behind each its components where they were asked for.
    pub columns: Vec<SweepColumn>,
}

/// Works out the energies of as many variants of `base` as the arrays are long: variant i has the i-th value of
/// each. Values are in the unit of [`Parameter::unit`](crate::config::Parameter::unit). With `parts` the
/// components are columns too. `go_on` is asked now and then; `None` comes back when it says no.
///
/// # Errors
/// An unknown key, arrays of unlike length, or a variant that is refused, with its number from 0.
pub fn sweep(
    base: &ChipConfig,
    variables: &[(&str, &[f64])],
    parts: bool,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Sweep>, ChipError> {
    let setters = variables
        .iter()
        .map(|(key, values)| parameter(key).map(|parameter| (parameter, *values)))
        .collect::<Result<Vec<_>, _>>()?;
    let variants = setters.first().map_or(1, |(_, values)| values.len());
    for (parameter, values) in &setters {
        if values.len() != variants {
            return Err(ChipError::new(
                parameter.key,
                format!("{} values", values.len()),
                format!("accepted are arrays of one length; the first has {variants}"),
            ));
        }
    }
    let mut sweep = Sweep::default();
    let mut variant = base.clone();
    for row in 0..variants {
        if row % LOOK == 0 && !go_on() {
            return Ok(None);
        }
        let located = |error: ChipError| error.at(Some(format!("variant {row}")));
        for (parameter, values) in &setters {
            parameter.set(&mut variant, values[row]).map_err(located)?;
        }
        let inputs = variant.resolve().map_err(located)?;
        let circuit = Circuit::new(&inputs).map_err(located)?;
        let rows = energies(&inputs, &Operations::new(&inputs, &circuit));
        let mut next = 0;
        for state in &rows {
            next = sweep.enter(next, row, variants, state, parts);
        }
    }
    Ok(Some(sweep))
}

impl Sweep {
    /// Enters the energies of a state in row `row`; the columns are most likely at `guess`. Returns the column
    /// after them.
    fn enter(
        &mut self,
        guess: usize,
        row: usize,
        variants: usize,
        state: &StateEnergy,
        parts: bool,
    ) -> usize {
        let is = |column: &SweepColumn| {
            column.operation == state.operation && column.component.is_none() && column.state == state.state
        };
        let at = if self.columns.get(guess).is_some_and(is) {
            guess
        } else if let Some(found) = self.columns.iter().position(is) {
            found
        } else {
            let components = Component::ALL.into_iter().filter(|_| parts).map(Some);
            self.columns
                .extend([None].into_iter().chain(components).map(|component| SweepColumn {
                    operation: state.operation,
                    state: state.state.clone(),
                    component,
                    joules: vec![f64::NAN; variants],
                }));
            self.columns.len() - if parts { 1 + Component::ALL.len() } else { 1 }
        };
        let width = if parts { 1 + Component::ALL.len() } else { 1 };
        for column in self.columns.iter_mut().skip(at).take(width) {
            if let Some(joules) = column.joules.get_mut(row) {
                *joules = column
                    .component
                    .map_or_else(|| state.energy.total(), |component| state.energy[component]);
            }
        }
        at + width
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Chip;
    use crate::config::ChipSource;

    fn base() -> ChipConfig {
        Chip::load(ChipSource::Named("b-mlc8"), &[])
            .unwrap()
            .config()
            .clone()
    }

    #[test]
    fn columns_are_those_of_single_chips() {
        let volts = [16.0, 17.0, 18.0];
        let rows = [1024.0, 2048.0, 4096.0];
        let variables: [(&str, &[f64]); 2] = [("bias.vpgm", &volts), ("geometry.block_rows", &rows)];
        let sweep = sweep(&base(), &variables, true, &mut || true).unwrap().unwrap();
        for index in 0..3 {
            let overrides = [
                ("bias.vpgm".to_owned(), format!("{} V", volts[index])),
                ("geometry.block_rows".to_owned(), format!("{}", rows[index])),
            ];
            let chip = Chip::load(ChipSource::Named("b-mlc8"), &overrides).unwrap();
            for state in chip.energies() {
                let mut found = 0;
                for column in &sweep.columns {
                    if column.operation == state.operation && column.state == state.state {
                        let expected = column
                            .component
                            .map_or(state.energy.total(), |part| state.energy[part]);
                        assert_eq!(column.joules[index], expected);
                        found += 1;
                    }
                }
                assert_eq!(found, 11);
            }
        }
    }

    #[test]
    fn states_that_a_variant_has_not_are_no_numbers() {
        let sweep = sweep(
            &base(),
            &[("geometry.bits_per_cell", &[1.0, 2.0])],
            false,
            &mut || true,
        )
        .unwrap()
        .unwrap();
        let column = |state: &str| sweep.columns.iter().find(|column| column.state == state).unwrap();
        assert!(column("page 0").joules[0] > 0.0 && column("page 0").joules[1].is_nan());
        assert!(column("slow 01").joules[0].is_nan() && column("slow 01").joules[1] > 0.0);
        assert!(column("block").joules.iter().all(|joules| *joules > 0.0));
    }

    #[test]
    fn refuses_unlike_arrays_and_names_the_variant() {
        let mut yes = || true;
        let unlike: [(&str, &[f64]); 2] = [("bias.vpgm", &[16.0]), ("bias.vera", &[16.0, 17.0])];
        let said = sweep(&base(), &unlike, false, &mut yes).unwrap_err().to_string();
        assert!(said.contains("bias.vera = 2 values"), "{said}");
        let said = sweep(&base(), &[("bias.vpgm", &[16.0, 50.0])], false, &mut yes)
            .unwrap_err()
            .to_string();
        assert!(said.starts_with("variant 1: bias.vpgm = 50 V"), "{said}");
        assert_eq!(sweep(&base(), &[], false, &mut || false).unwrap(), None);
    }
}
