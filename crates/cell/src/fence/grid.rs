//! A function of two positive variables as a table.

const ONE: u64 = 1.0_f64.to_bits();
const MANTISSA: u32 = 52;

/// An axis from 1 to 2^octaves, every octave cut into 2^`cuts` equal parts: nearly logarithmic, and the place of a
/// number is read off its bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) octaves: u32,
    pub(super) cuts: u32,
}

impl Axis {
    fn nodes(self) -> usize {
        (self.octaves as usize) << self.cuts | 1
    }

    fn value(self, node: usize) -> f64 {
        f64::from_bits(ONE + ((node as u64) << (MANTISSA - self.cuts)))
    }

    /// The node below and the share of the way to the next one.
    #[inline]
    fn place(self, value: f64) -> Option<(usize, f64)> {
        if value.is_nan() || value < 1.0 {
            return None;
        }
        let shift = MANTISSA - self.cuts;
        let offset = value.to_bits() - ONE;
        let node = (offset >> shift) as usize;
        let share = (offset & ((1 << shift) - 1)) as f64 / (1_u64 << shift) as f64;
        (node + 1 < self.nodes()).then_some((node, share))
    }
}

/// A bilinear table over two axes.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    rows: Axis,
    columns: Axis,
    values: Vec<f32>,
}

impl Grid {
    pub(super) fn new(rows: Axis, columns: Axis, value: impl Fn(f64, f64) -> f64) -> Self {
        let values = (0..rows.nodes())
            .flat_map(|row| (0..columns.nodes()).map(move |column| (row, column)))
            .map(|(row, column)| value(rows.value(row), columns.value(column)) as f32)
            .collect();
        Self {
            rows,
            columns,
            values,
        }
    }

    /// The value between the four nodes around, `None` off the grid.
    #[inline]
    pub(super) fn read(&self, row: f64, column: f64) -> Option<f64> {
        let (row, down) = self.rows.place(row)?;
        let (column, across) = self.columns.place(column)?;
        let width = self.columns.nodes();
        let at = row * width + column;
        let (above, below) = (
            self.values.get(at..at + 2)?,
            self.values.get(at + width..at + width + 2)?,
        );
        let along = |pair: &[f32]| f64::from(pair[0]) + across * (f64::from(pair[1]) - f64::from(pair[0]));
        let above = along(above);
        Some(above + down * (along(below) - above))
    }
}
