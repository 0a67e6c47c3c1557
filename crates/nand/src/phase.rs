//! The phases of a program or erase in the array.

use wordline_units::Duration;

/// How the array time of a program or erase divides into phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Incremental step pulse programming: `iterations` of a program pulse and a verify.
    Program {
        /// How many.
        iterations: u16,
        /// The verify phase that ends each iteration.
        verify: Duration,
    },
    /// One erase pulse and one verify.
    Erase {
        /// The verify phase.
        verify: Duration,
    },
}

impl Shape {
    /// The phase of an array step of `total` ns at `offset` (below `total`), with the offsets of its
    /// bounds. Iteration i spans [i * total / count, (i + 1) * total / count), whole nanoseconds; a
    /// verify longer than its iteration fills it.
    #[must_use]
    pub(crate) fn phase(self, total: u64, offset: u64) -> (Phase, u64, u64) {
        let (iterations, verify) = match self {
            Self::Program { iterations, verify } => (iterations, verify),
            Self::Erase { verify } => (1, verify),
        };
        let (wide, count) = (u128::from(total), u128::from(iterations));
        let start_of = |index: u128| (index * wide / count) as u64;
        let mut index = u128::from(offset) * count / wide;
        if start_of(index + 1) <= offset {
            index += 1;
        }
        let (from, to) = (start_of(index), start_of(index + 1));
        let verify_from = to - verify.ns().min(to - from);
        let iteration = index as u16 + 1;
        if offset < verify_from {
            (Phase::Pulse { iteration }, from, verify_from)
        } else {
            (Phase::Verify { iteration }, verify_from, to)
        }
    }
}

/// A phase of an array step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A program or erase pulse of an iteration, counted from 1.
    Pulse {
        /// Which iteration.
        iteration: u16,
    },
    /// The verify of an iteration, counted from 1.
    Verify {
        /// Which iteration.
        iteration: u16,
    },
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// SLC program of Wu and He: 5 iterations of 28 us, of which 8 us verify.
    #[test]
    fn program_alternates_pulse_and_verify() {
        let program = Shape::Program {
            iterations: 5,
            verify: Duration::from_us(8),
        };
        let phase_at = |offset| program.phase(140_000, offset).0;
        assert_eq!(phase_at(0), Phase::Pulse { iteration: 1 });
        assert_eq!(phase_at(19_999), Phase::Pulse { iteration: 1 });
        assert_eq!(phase_at(20_000), Phase::Verify { iteration: 1 });
        assert_eq!(phase_at(28_000), Phase::Pulse { iteration: 2 });
        assert_eq!(phase_at(139_999), Phase::Verify { iteration: 5 });
    }

    proptest! {
        /// Walking from bound to bound visits every phase once, in order, without a gap.
        #[test]
        fn phases_tile_the_operation(
            total in 1_u64..5_000_000,
            iterations in 1_u16..40,
            verify in 0_u64..500_000,
            is_erase: bool,
        ) {
            let verify = Duration(verify);
            let (shape, iterations) = if is_erase {
                (Shape::Erase { verify }, 1)
            } else {
                (Shape::Program { iterations, verify }, iterations)
            };
            let mut now = 0;
            let mut steps = 0;
            while now < total {
                let (phase, from, to) = shape.phase(total, now);
                prop_assert_eq!(from, now);
                prop_assert!(to > now && to <= total);
                prop_assert_eq!(shape.phase(total, to - 1).0, phase);
                now = to;
                steps += 1;
            }
            prop_assert!(steps <= 2 * u32::from(iterations));
        }
    }
}
