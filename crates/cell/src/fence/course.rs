//! Wear over many events.

/// The finest step by which wear grows between two nodes, as a share of it.
const STEP: f64 = 0.01;

/// How wear proceeds under stress that does not change: dn/dM = rate(n), integrated once and read often.
///
/// While an event adds more than 1 % to the wear, events are taken one by one; beyond that, steps of 1 % by the
/// midpoint rule. Between nodes wear is linear in the events, so that any partition of events into calls gives the
/// same wear.
#[derive(Clone, Debug)]
pub struct Course<F> {
    /// Equivalent events that one event adds, by wear; in (0, 1] and not rising.
    rate: F,
    /// Equivalent events, and the real events that lead there from 0.
    nodes: Vec<(f64, f64)>,
}

impl<F: Fn(f64) -> f64> Course<F> {
    /// `rate` says how many equivalent events an event adds at a wear: above 0, at most 1.
    pub fn new(rate: F) -> Self {
        Self {
            rate,
            nodes: vec![(0.0, 0.0)],
        }
    }

    /// The wear after `events` more events, both finite and not negative.
    pub fn advance(&mut self, wear: f64, events: f64) -> f64 {
        let target = self.events_to(wear) + events;
        self.extend(|_, reached| reached > target);
        // rounding must not take wear back
        between(&self.nodes, target, |node| node.1, |node| node.0).max(wear)
    }

    /// The events that lead from no wear to `wear`.
    pub fn events_to(&mut self, wear: f64) -> f64 {
        self.extend(|reached, _| reached > wear);
        between(&self.nodes, wear, |node| node.0, |node| node.1)
    }

    /// Adds nodes until one is far enough.
    fn extend(&mut self, enough: impl Fn(f64, f64) -> bool) {
        while let Some(&(wear, events)) = self.nodes.last() {
            if enough(wear, events) {
                break;
            }
            let (single, step) = ((self.rate)(wear), STEP * wear.max(1.0));
            let next = if single >= step {
                (wear + single, events + 1.0)
            } else {
                (wear + step, events + step / (self.rate)(wear + 0.5 * step))
            };
            self.nodes.push(next);
            if !(next.0.is_finite() && next.1.is_finite()) {
                break;
            }
        }
    }
}

/// Reads a rising table.
fn between(
    nodes: &[(f64, f64)],
    at: f64,
    from: impl Fn(&(f64, f64)) -> f64,
    to: impl Fn(&(f64, f64)) -> f64,
) -> f64 {
    let after = nodes.partition_point(|node| from(node) <= at);
    match (
        after.checked_sub(1).and_then(|before| nodes.get(before)),
        nodes.get(after),
    ) {
        (Some(low), Some(high)) => {
            to(low) + (to(high) - to(low)) * ((at - from(low)) / (from(high) - from(low)))
        }
        (Some(last), None) => to(last),
        _ => 0.0,
    }
}
