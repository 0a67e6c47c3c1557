//! A smooth function, tabulated because it is evaluated for every block of a large drive.

/// Values at equal distances, with linear interpolation between them.
pub(crate) struct Interpolation {
    from: f64,
    per_step: f64,
    values: Vec<f64>,
}

impl Interpolation {
    /// Tabulates the function over an interval; beyond it the values at its ends hold.
    pub(crate) fn new(from: f64, to: f64, function: impl Fn(f64) -> f64) -> Self {
        const STEPS: u32 = 64;
        let step = (to - from).max(0.0) / f64::from(STEPS);
        Self {
            from,
            per_step: if step > 0.0 { 1.0 / step } else { 0.0 },
            values: (0..=STEPS)
                .map(|node| function(from + f64::from(node) * step))
                .collect(),
        }
    }

    pub(crate) fn at(&self, place: f64) -> f64 {
        let last = self.values.len() - 1;
        let place = ((place - self.from) * self.per_step).clamp(0.0, last as f64);
        let node = (place as usize).min(last - 1);
        let (low, high) = (self.values[node], self.values[node + 1]);
        low + (place - node as f64) * (high - low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_between_nodes_and_the_ends_beyond() {
        let table = Interpolation::new(100.0, 400.0, libm::sqrt);
        for place in [100.0, 123.4, 257.0, 400.0] {
            assert!(
                (table.at(place) / libm::sqrt(place) - 1.0).abs() < 1e-4,
                "{place}"
            );
        }
        assert_eq!((table.at(0.0), table.at(1e9)), (10.0, 20.0));
        let point = Interpolation::new(7.0, 7.0, |place| 2.0 * place);
        assert_eq!((point.at(0.0), point.at(7.0), point.at(8.0)), (14.0, 14.0, 14.0));
    }
}
