//! Self-similar arrivals: the b-model.
//!
//! Of the requests of any time span one half of the span gets the share `bias`, the other the rest, which half is drawn; and so on
//! for each half (Wang, Madhyastha, Chan, Papadimitriou and Faloutsos, "Data Mining Meets Performance Evaluation: Fast Algorithms for
//! Modeling Bursty Traffic", ICDE 2002). There are bursts within bursts, from the span of a cascade down to the mean gap.

use wordline_units::{SimTime, Stream};

use super::slots::unit;

/// How often a span is halved. A cascade has as many requests as there are parts in the end, so that these are as long as the mean gap.
const HALVINGS: u32 = 14;

/// A part of a cascade that is still to be divided.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// Nanoseconds.
    start: f64,
    length: f64,
    requests: u32,
    /// How often it is still halved.
    halvings: u32,
}

/// The arrivals of one cascade after another.
#[derive(Clone, Debug)]
pub(crate) struct Cascade {
    bias: f64,
    /// Nanoseconds that a cascade takes.
    length: f64,
    /// Where the next cascade begins.
    end: f64,
    /// What is not divided yet, the next in time on top.
    spans: Vec<Span>,
    /// The rest of the part in which requests arrive now; they are independent of each other within it.
    now: Span,
}

impl Cascade {
    /// One request for each `mean` nanoseconds in the long run; `bias` from 0.5, one request anywhere in each mean gap, to 1, all
    /// requests of a cascade at once.
    pub(crate) fn new(mean: f64, bias: f64) -> Self {
        Self {
            bias,
            length: mean * f64::from(1_u32 << HALVINGS),
            end: 0.0,
            spans: Vec::with_capacity(HALVINGS as usize + 2),
            now: Span {
                start: 0.0,
                length: 0.0,
                requests: 0,
                halvings: 0,
            },
        }
    }

    /// The next arrival, rounded to a nanosecond.
    pub(crate) fn next(&mut self, stream: &mut Stream) -> SimTime {
        while self.now.requests == 0 {
            self.now = self.next_part(stream);
        }
        // the first of so many independent moments in the rest of the part
        let first = 1.0 - libm::pow(1.0 - unit(stream), 1.0 / f64::from(self.now.requests));
        let passed = first * self.now.length;
        self.now.start += passed;
        self.now.length -= passed;
        self.now.requests -= 1;
        SimTime(self.now.start.round() as u64)
    }

    /// The next part that is not divided any more.
    fn next_part(&mut self, stream: &mut Stream) -> Span {
        let mut span = self.spans.pop().unwrap_or_else(|| {
            let start = self.end;
            self.end += self.length;
            Span {
                start,
                length: self.length,
                requests: 1 << HALVINGS,
                halvings: HALVINGS,
            }
        });
        while span.halvings > 0 && span.requests > 0 {
            let share = if unit(stream) < 0.5 {
                self.bias
            } else {
                1.0 - self.bias
            };
            // whole requests, so that their mean is the share
            let first = (f64::from(span.requests) * share + unit(stream)).floor() as u32;
            let first = first.min(span.requests);
            let half = Span {
                length: span.length / 2.0,
                halvings: span.halvings - 1,
                ..span
            };
            self.spans.push(Span {
                start: span.start + half.length,
                requests: span.requests - first,
                ..half
            });
            span = Span {
                requests: first,
                ..half
            };
        }
        span
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_units::Seed;

    const MEAN: f64 = 1_000.0;
    const CASCADES: usize = 8;
    const REQUESTS: usize = 1 << HALVINGS;

    fn arrivals(bias: f64) -> Vec<u64> {
        let mut cascade = Cascade::new(MEAN, bias);
        let mut stream = Seed(5).stream("test");
        (0..CASCADES * REQUESTS)
            .map(|_| cascade.next(&mut stream).ns())
            .collect()
    }

    /// The chance that two requests of a cascade lie in the same of so many equal parts of it.
    fn together(times: &[u64], halvings: u32) -> f64 {
        let length = (MEAN * REQUESTS as f64) as u64 >> halvings;
        let mut counts = std::collections::BTreeMap::<u64, f64>::new();
        for time in times {
            *counts.entry(time / length).or_default() += 1.0;
        }
        let pairs: f64 = counts.values().map(|count| count * (count - 1.0)).sum();
        pairs / CASCADES as f64 / (REQUESTS as f64 * (REQUESTS as f64 - 1.0))
    }

    #[test]
    fn every_half_has_its_share() {
        for bias in [0.6_f64, 0.7, 0.8] {
            let times = arrivals(bias);
            assert!(times.windows(2).all(|pair| pair[0] <= pair[1]), "{bias}");
            // each halving leaves two requests together with the probability b^2 + (1 - b)^2
            let share = bias * bias + (1.0 - bias) * (1.0 - bias);
            for halvings in 1..=8 {
                let found = together(&times, halvings);
                let wanted = libm::pow(share, f64::from(halvings));
                assert!(
                    (found / wanted - 1.0).abs() < 0.02,
                    "{bias} {halvings}: {found}, not {wanted}"
                );
            }
        }
    }

    #[test]
    fn a_cascade_has_its_number_of_requests_in_its_time() {
        for bias in [0.5, 0.75, 1.0] {
            let times = arrivals(bias);
            let length = (MEAN * REQUESTS as f64) as u64;
            for number in 1..CASCADES {
                let last = times[number * REQUESTS - 1] as f64 / (length * number as u64) as f64;
                let next = times[number * REQUESTS] as f64 / (length * number as u64) as f64;
                assert!(last <= 1.0 && next >= 1.0, "{bias}: {last} {next}");
            }
        }
    }

    #[test]
    fn without_bias_one_request_arrives_in_each_mean_gap() {
        let times = arrivals(0.5);
        let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!((mean / MEAN - 1.0).abs() < 1e-3, "{mean}");
        let square = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // the difference of two independent uniform moments, one gap apart: variance 1/6
        assert!((square / (mean * mean) - 1.0 / 6.0).abs() < 0.01, "{square}");
    }
}
