//! The attribution as a table.

use super::breakdown::Breakdown;
use crate::probe::RequestClass;

/// One row for each class, band of latency and part that took any time, one vector per column;
/// where none did, one for the controller's memory.
#[derive(Clone, Debug, Default)]
pub struct AttributionColumns {
    /// Class: an index into `RequestClass::NAMES`.
    pub class: Vec<u8>,
    /// Band of latency: an index into `BAND_NAMES`.
    pub band: Vec<u8>,
    /// Part: its index.
    pub part: Vec<u8>,
    /// Requests of the class in the band.
    pub requests: Vec<u64>,
    /// Their mean latency, us.
    pub latency_mean_us: Vec<f64>,
    /// What the part took of it in the mean, us.
    pub part_mean_us: Vec<f64>,
}

impl Breakdown {
    /// The table.
    #[must_use]
    pub fn columns(&self) -> AttributionColumns {
        let mut columns = AttributionColumns::default();
        for class in RequestClass::ALL {
            for (band, sums) in self.bands(class).iter().enumerate() {
                for part in sums.told() {
                    columns.class.push(class.index() as u8);
                    columns.band.push(band as u8);
                    columns.part.push(part.index() as u8);
                    columns.requests.push(sums.requests);
                    columns.latency_mean_us.push(sums.mean_us(sums.latency_ns));
                    columns.part_mean_us.push(sums.mean_us(sums.parts[part.index()]));
                }
            }
        }
        columns
    }
}
