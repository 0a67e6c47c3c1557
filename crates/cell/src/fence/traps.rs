//! Trapping by stress, and what rest frees of it (equations 3.2, 3.3, F3 and section 4 of the specification).

use super::constants::ELEMENTARY_CHARGE;
use super::params::CellParams;

/// Exponents of interface and oxide traps (stated in the dissertation).
const INTERFACE: f64 = 0.62;
const OXIDE: f64 = 0.30;
/// Trapped charge that recovery counts from, in volts.
const LEAST: f64 = 1e-3;

/// Trapped charge as a function of equivalent events, and its balance with rest.
#[derive(Clone, Debug)]
pub(super) struct Traps {
    /// Volts of both kinds after one event.
    a: f64,
    b: f64,
    recoverable: f64,
    detrapping: f64,
    /// ln of the recovery at which `narrowing` is least, and its value there.
    waist: (f64, f64),
}

impl Traps {
    pub(super) fn new(params: &CellParams) -> Self {
        let per_electron = ELEMENTARY_CHARGE / (params.oxide_capacitance() * params.feature * params.feature);
        let mut traps = Self {
            a: params.trap_a * per_electron,
            b: params.trap_b * per_electron,
            recoverable: params.recoverable,
            detrapping: params.detrapping,
            waist: (0.0, 0.0),
        };
        traps.waist = traps.find_waist();
        traps
    }

    /// Both terms of 3.2 at the natural logarithm of the events.
    fn terms(&self, ln_events: f64) -> (f64, f64) {
        (
            self.a * libm::exp(INTERFACE * ln_events),
            self.b * libm::exp(OXIDE * ln_events),
        )
    }

    /// Threshold shift in volts after `events` equivalent events (3.2).
    pub(super) fn trapped(&self, events: f64) -> f64 {
        let (a, b) = self.terms(libm::log(events));
        a + b
    }

    /// The events that trap `volts`: the inverse of 3.2.
    pub(super) fn events(&self, volts: f64) -> f64 {
        libm::exp(self.ln_events(volts))
    }

    /// Newton on ln T, which is convex and rising in ln n: from above, the steps never pass the root.
    fn ln_events(&self, volts: f64) -> f64 {
        if volts <= 0.0 {
            return f64::NEG_INFINITY;
        }
        // each term alone is at most the sum; one of them may be absent
        let mut at = (libm::log(volts / self.a) / INTERFACE).min(libm::log(volts / self.b) / OXIDE);
        for _ in 0..64 {
            let (a, b) = self.terms(at);
            let slope = (INTERFACE * a + OXIDE * b) / (a + b);
            let step = libm::log((a + b) / volts) / slope;
            at -= step;
            if step.abs() <= 1e-14 * at.abs().max(1.0) {
                break;
            }
        }
        at
    }

    /// Volts freed for every factor e of rest, c_d ln(V / 1 mV); 0 below the least charge that recovers.
    fn pace(&self, trapped: f64) -> f64 {
        if trapped <= LEAST {
            return 0.0;
        }
        self.detrapping * libm::log(trapped / LEAST)
    }

    /// Recovery in volts of `trapped` volts by a rest given as its natural logarithm in seconds (3.3 with F3).
    pub(super) fn recovered(&self, trapped: f64, ln_rest: f64) -> f64 {
        (self.pace(trapped) * ln_rest.max(0.0)).min(self.recoverable * trapped)
    }

    /// Events that rest undoes for each event it adds: the least fixed point of step 1 of the cumulative law.
    ///
    /// Where the clamp does not hold the fixed points are where h(r) = T(r) / pace - ln(1 + r) equals ln t; the
    /// least one is where h first reaches it, which can be told without climbing.
    pub(super) fn undone(&self, trapped: f64, ln_rest: f64) -> f64 {
        let pace = self.pace(trapped);
        let most = self.ln_events(self.recoverable * trapped);
        if ln_rest <= 0.0 || pace <= 0.0 || most == f64::NEG_INFINITY {
            return 0.0;
        }
        let height = |ln_r: f64| {
            let (a, b) = self.terms(ln_r);
            (a + b) / pace - libm::log1p(libm::exp(ln_r))
        };
        let (mut low, mut high) = (self.ln_events(pace * ln_rest), most);
        if pace > self.waist.1 {
            // h falls between the two places where `narrowing` is the pace
            let (peak, valley) = (self.narrows_to(pace, -1.0), self.narrows_to(pace, 1.0));
            if peak < most && height(peak) >= ln_rest {
                high = peak;
            } else if peak < most {
                low = low.max(valley);
            }
        }
        if low >= high || height(high) <= ln_rest {
            return libm::exp(most);
        }
        libm::exp(self.solve(pace, ln_rest, low, high))
    }

    /// The root of h(r) = ln t between `low` and `high`, where h rises: Newton, held in its bracket.
    fn solve(&self, pace: f64, ln_rest: f64, mut low: f64, mut high: f64) -> f64 {
        let mut at = low;
        for _ in 0..200 {
            let (a, b) = self.terms(at);
            let r = libm::exp(at);
            let excess = (a + b) / pace - libm::log1p(r) - ln_rest;
            if excess < 0.0 {
                low = at;
            } else {
                high = at;
            }
            let newton = at - excess / ((INTERFACE * a + OXIDE * b) / pace - r / (1.0 + r));
            let next = if newton > low && newton < high {
                newton
            } else {
                0.5 * (low + high)
            };
            let step = (next - at).abs();
            at = next;
            if step <= 1e-13 * at.abs().max(1.0) {
                break;
            }
        }
        at
    }

    /// (1 + r) T'(r), which h's slope compares with the pace; convex in ln r.
    fn narrowing(&self, ln_r: f64) -> f64 {
        let (a, b) = self.terms(ln_r);
        (1.0 + libm::exp(-ln_r)) * (INTERFACE * a + OXIDE * b)
    }

    fn find_waist(&self) -> (f64, f64) {
        let (mut low, mut high) = (-20.0, 20.0);
        for _ in 0..100 {
            let third = (high - low) / 3.0;
            if self.narrowing(low + third) < self.narrowing(high - third) {
                high -= third;
            } else {
                low += third;
            }
        }
        (low, self.narrowing(low))
    }

    /// Where `narrowing` is `pace`, on one side of its waist.
    fn narrows_to(&self, pace: f64, side: f64) -> f64 {
        let (mut inside, mut outside) = (self.waist.0, self.waist.0 + side * 300.0);
        for _ in 0..100 {
            let middle = 0.5 * (inside + outside);
            if self.narrowing(middle) < pace {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        outside
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn traps(detrapping: f64) -> Traps {
        Traps::new(&CellParams {
            detrapping,
            ..CellParams::default()
        })
    }

    /// Step 1 as the specification writes it: climb from 0, or from anywhere below.
    fn climbed(traps: &Traps, trapped: f64, rest: f64, from: f64) -> f64 {
        let mut r = from;
        for _ in 0..1_000_000 {
            let next = traps.events(traps.recovered(trapped, libm::log((1.0 + r) * rest)));
            if (next - r).abs() < 1e-10 * (1.0 + r) {
                return next;
            }
            r = next;
        }
        r
    }

    proptest! {
        #[test]
        fn events_and_volts_are_inverse(ln_events in -5.0..20.0_f64) {
            let traps = traps(1e-3);
            let events = libm::exp(ln_events);
            prop_assert!((traps.events(traps.trapped(events)) / events - 1.0).abs() < 1e-12);
        }

        #[test]
        fn what_rest_undoes_is_the_least_fixed_point(
            ln_events in 0.0..14.0_f64, ln_rest in 0.0..20.0_f64, start in 0.0..1.0_f64,
            // beyond 2 mV there may be several fixed points
            detrapping in 0.5e-3..6e-3_f64,
        ) {
            let traps = traps(detrapping);
            let (trapped, rest) = (traps.trapped(libm::exp(ln_events)), libm::exp(ln_rest));
            let r = traps.undone(trapped, ln_rest);
            for from in [0.0, start * r] {
                let climbed = climbed(&traps, trapped, rest, from);
                prop_assert!((climbed - r).abs() < 1e-5 * (1.0 + r), "{climbed} {r}");
            }
            let again = traps.events(traps.recovered(trapped, libm::log((1.0 + r) * rest)));
            prop_assert!((again - r).abs() < 1e-8 * (1.0 + r), "{again} {r}");
        }
    }
}
