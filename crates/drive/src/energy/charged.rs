//! The energies of a ledger, operation by operation.

use wordline_config::Config;
use wordline_metrics::EnergyLedger;
use wordline_nand::{Geometry, Mode, PageType, PageTypes, Timing};
use wordline_power::Operation;
use wordline_units::Duration;

/// The energy of an operation on one page, or of the erase of one block.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationEnergy {
    /// What is done.
    pub operation: Operation,
    /// The mode of the page: `normal`, or a name of `[[modes]]`; `normal` for an erase.
    pub mode: String,
    /// `lower`, `middle` and so on; none for an erase.
    pub page_type: Option<&'static str>,
    /// For how long the array of the die works.
    pub time: Duration,
    /// What the ledger charges, in J; the mean where the ones of pages are drawn.
    pub joules: f64,
    /// Data bits of the page or the block, without spare bytes.
    pub data_bits: u64,
}

/// Reads and programs by mode and page type, and the erase, of a drive with this ledger.
pub(crate) fn rows(
    config: &Config,
    ledger: &EnergyLedger,
    (geometry, page_types, timing): (&Geometry, &PageTypes, &Timing),
) -> Vec<OperationEnergy> {
    let cell = page_types.cell();
    let page_bits = 8 * u64::from(geometry.page_bytes);
    let names = std::iter::once(Mode::NORMAL_NAME.to_owned()).chain(config.mode_names());
    let mut rows = Vec::new();
    for (mode, name) in (0..).map(Mode).zip(names) {
        for operation in [Operation::Read, Operation::Program] {
            for page_type in (0..cell.bits()).map(|place| PageType(place as u8)) {
                rows.push(OperationEnergy {
                    operation,
                    mode: name.clone(),
                    page_type: Some(page_type.name(cell)),
                    time: match operation {
                        Operation::Read => timing.read_array(mode, page_type),
                        _ => timing.program_array(mode, page_type),
                    },
                    joules: ledger.mean_cost(mode, operation, page_type),
                    data_bits: page_bits,
                });
            }
        }
    }
    rows.push(OperationEnergy {
        operation: Operation::Erase,
        mode: Mode::NORMAL_NAME.to_owned(),
        page_type: None,
        time: timing.erase_array(),
        joules: ledger.mean_cost(Mode::NORMAL, Operation::Erase, PageType::LOWER),
        data_bits: page_bits * u64::from(geometry.pages_per_block),
    });
    rows
}
