//! What whole pages cost: pages that hold a share of ones, as data do, in place of pages whose cells are all in one state.

use crate::breakdown::Breakdown;
use crate::chip::{Chip, Data, Operation};
use crate::error::{ChipError, require};
use crate::states::{PageKind, ProgramState};

/// Name of the program of all pages of a word line in one sequence.
pub const FULL_SEQUENCE: &str = "full sequence";

/// The energy of an operation on pages that hold a share of ones.
#[derive(Clone, Debug, PartialEq)]
pub struct PageEnergy {
    /// What is done.
    pub operation: Operation,
    /// The kind of page, [`FULL_SEQUENCE`] for all pages of a word line in one program, `block` for an erase.
    pub page: String,
    /// Joules by component.
    pub energy: Breakdown,
    /// How long it takes, in s.
    pub time: f64,
    /// Data bits that are read, programmed or erased, without the spare bytes.
    pub data_bits: f64,
}

impl Chip {
    /// Reads and programs by kind of page, the program of all pages of a word line in one sequence where cells have several bits, and
    /// the erase of a block of such pages. Every page holds the share `ones` of ones, independently of the other pages of its
    /// cells; a cell of the erased block is programmed unless all its pages hold a 1.
    ///
    /// # Errors
    /// A share outside 0 to 1.
    pub fn pages(&self, ones: f64) -> Result<Vec<PageEnergy>, ChipError> {
        require((0.0..=1.0).contains(&ones), "ones", ones, || {
            "accepted are shares from 0 to 1".to_owned()
        })?;
        let geometry = &self.config().geometry;
        let bits = geometry.bits_per_cell;
        let page_bits = 8.0 * geometry.page_size.bytes() as f64;
        let mut rows = Vec::new();
        for operation in [Operation::Read, Operation::Program] {
            for kind in self.kinds() {
                rows.push(PageEnergy {
                    operation,
                    page: kind.name(bits).to_owned(),
                    energy: match operation {
                        Operation::Read => self.read(kind, Some(ones * self.cells()))?,
                        _ => self.program(kind, Data::States(&self.cells_of(kind, ones)))?,
                    },
                    time: self.time(operation, kind)?,
                    data_bits: page_bits,
                });
            }
        }
        if let (Some(full), Some(time)) = (&self.operations().full, self.time_of_full_sequence()) {
            rows.push(PageEnergy {
                operation: Operation::Program,
                page: FULL_SEQUENCE.to_owned(),
                energy: full.energy(&self.cells_of(PageKind(bits as u8 - 1), ones), ones >= 1.0),
                time,
                data_bits: page_bits * f64::from(bits),
            });
        }
        rows.push(PageEnergy {
            operation: Operation::Erase,
            page: "block".to_owned(),
            energy: self.erase(1.0 - ones.powi(bits as i32))?,
            time: self.time(Operation::Erase, PageKind(0))?,
            data_bits: page_bits * f64::from(geometry.pages_per_block),
        });
        Ok(rows)
    }

    /// Cells in each program state of a kind, where its page and all before it hold a share of ones, independently.
    fn cells_of(&self, kind: PageKind, ones: f64) -> Vec<f64> {
        ProgramState::of(kind)
            .map(|state| {
                let set = f64::from(state.bits.count_ones());
                let clear = f64::from(kind.0) + 1.0 - set;
                self.cells() * ones.powf(set) * (1.0 - ones).powf(clear)
            })
            .collect()
    }
}
