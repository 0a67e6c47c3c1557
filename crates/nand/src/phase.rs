//! What an operation is doing at a moment: computed from elapsed time when asked, never an event.

use wordline_units::{Duration, SimTime};

/// How the array time of an operation divides into phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One sensing.
    Sense,
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
            Self::Sense => return (Phase::Sense, 0, total),
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

/// The phase that an operation is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Its bus step has not begun.
    Waiting,
    /// Command, address (and data-in) on the bus, and waiting for its own die's turn.
    BusStep,
    /// Sensing a page.
    Sense,
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
    /// The array step is over; data of a read wait in the register or leave it.
    ArrayDone,
}

/// An operation in a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// Start of the bus step.
    pub bus_from: SimTime,
    /// Start of the array step.
    pub array_from: SimTime,
    /// End of the array step.
    pub array_to: SimTime,
    /// Phases of the array step.
    pub shape: Shape,
}

/// A phase with its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseSpan {
    /// Which phase.
    pub phase: Phase,
    /// Its start.
    pub from: SimTime,
    /// Its end; `SimTime::NEVER` after the array step.
    pub to: SimTime,
}

impl Running {
    /// The phase at `now`.
    #[must_use]
    pub fn phase_at(&self, now: SimTime) -> Phase {
        self.span_at(now).phase
    }

    /// The phase at `now` with its bounds. Spans are half-open: a bound belongs to the later one.
    #[must_use]
    pub fn span_at(&self, now: SimTime) -> PhaseSpan {
        let span = |phase, from, to| PhaseSpan { phase, from, to };
        if now < self.bus_from {
            return span(Phase::Waiting, SimTime::ZERO, self.bus_from);
        }
        if now < self.array_from {
            return span(Phase::BusStep, self.bus_from, self.array_from);
        }
        if now >= self.array_to {
            return span(Phase::ArrayDone, self.array_to, SimTime::NEVER);
        }
        let total = self.array_to.since(self.array_from).ns();
        let elapsed = now.since(self.array_from).ns();
        let (phase, from, to) = self.shape.phase(total, elapsed);
        let at = |offset| self.array_from + Duration(offset);
        span(phase, at(from), at(to))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// SLC program of Wu and He: 5 iterations of 28 us, of which 8 us verify.
    #[test]
    fn program_alternates_pulse_and_verify() {
        let program = Running {
            bus_from: SimTime(0),
            array_from: SimTime(20_000),
            array_to: SimTime(160_000),
            shape: Shape::Program {
                iterations: 5,
                verify: Duration::from_us(8),
            },
        };
        assert_eq!(program.phase_at(SimTime(19_999)), Phase::BusStep);
        assert_eq!(program.phase_at(SimTime(20_000)), Phase::Pulse { iteration: 1 });
        assert_eq!(program.phase_at(SimTime(39_999)), Phase::Pulse { iteration: 1 });
        assert_eq!(program.phase_at(SimTime(40_000)), Phase::Verify { iteration: 1 });
        assert_eq!(program.phase_at(SimTime(48_000)), Phase::Pulse { iteration: 2 });
        assert_eq!(program.phase_at(SimTime(159_999)), Phase::Verify { iteration: 5 });
        assert_eq!(program.phase_at(SimTime(160_000)), Phase::ArrayDone);
    }

    proptest! {
        /// Walking from bound to bound visits every phase once, in order, without a gap.
        #[test]
        fn spans_tile_the_operation(
            bus in 0_u64..1_000,
            array in 1_u64..5_000_000,
            iterations in 1_u16..40,
            verify in 0_u64..500_000,
            kind in 0..3,
        ) {
            let verify = Duration(verify);
            let shape = match kind {
                0 => Shape::Sense,
                1 => Shape::Program { iterations, verify },
                _ => Shape::Erase { verify },
            };
            let running = Running {
                bus_from: SimTime(100),
                array_from: SimTime(100 + bus),
                array_to: SimTime(100 + bus + array),
                shape,
            };
            let mut now = SimTime::ZERO;
            let mut steps = 0;
            while now != SimTime::NEVER {
                let span = running.span_at(now);
                prop_assert_eq!(span.from, now);
                prop_assert!(span.to > now);
                prop_assert_eq!(running.phase_at(SimTime(span.to.0 - 1)), span.phase);
                now = span.to;
                steps += 1;
            }
            prop_assert!(steps <= 3 + 2 * u32::from(iterations));
        }
    }
}
