//! Gaps between arrivals, freed of the changes of the load.

use wordline_units::Duration;

use super::survey::{Survey, part_of};
use crate::profile::{ArrivalProfile, GapShare};
use crate::trace::scan::Scan;

/// Classes of gaps to an octave, and in all.
const PER_OCTAVE: f64 = 4.0;
const CLASSES: usize = 1 + 4 * 64;

/// Measures gaps on a clock that runs as fast as requests come in each part of the trace.
pub(crate) struct Warped {
    earliest: u64,
    span: u64,
    load: Vec<u64>,
    /// Requests before each part.
    before: Vec<u64>,
    last: Option<f64>,
    /// Sum and number of the gaps of each class.
    gaps: Vec<(f64, u64)>,
}

impl Warped {
    pub(crate) fn new(survey: &Survey, scan: &Scan) -> Self {
        let mut sum = 0;
        let before = survey
            .load
            .iter()
            .map(|count| {
                sum += count;
                sum - count
            })
            .collect();
        Self {
            earliest: scan.earliest,
            span: scan.span(),
            load: survey.load.clone(),
            before,
            last: None,
            gaps: vec![(0.0, 0); CLASSES],
        }
    }

    /// An arrival; they come in order.
    pub(crate) fn add(&mut self, arrival: u64) {
        let time = self.clock(arrival.saturating_sub(self.earliest));
        if let Some(last) = self.last {
            let gap = (time - last).max(0.0);
            let class = if gap < 1.0 {
                0
            } else {
                1 + (libm::log2(gap) * PER_OCTAVE) as usize
            };
            if let Some((sum, count)) = self.gaps.get_mut(class) {
                *sum += gap;
                *count += 1;
            }
        }
        self.last = Some(time);
    }

    /// Nanoseconds on the clock of a steady load.
    fn clock(&self, since: u64) -> f64 {
        let parts = self.load.len() as u64;
        let part = part_of(since, self.span, parts);
        let all: u64 = self.load.iter().sum();
        let within = since as f64 / self.span.max(1) as f64 * parts as f64 - part as f64;
        let requests = self.before[part] as f64 + within.clamp(0.0, 1.0) * self.load[part] as f64;
        requests / all.max(1) as f64 * self.span as f64
    }

    /// The arrivals of the trace, which has `requests` in `span` nanoseconds.
    pub(crate) fn profile(&self, span: u64, requests: u64) -> ArrivalProfile {
        let mean = (span as f64 / requests.saturating_sub(1).max(1) as f64).round() as u64;
        if mean == 0 {
            return ArrivalProfile {
                mean_gap: Duration(1),
                cv: 0.0,
                ..ArrivalProfile::default()
            };
        }
        let gaps: Vec<GapShare> = self
            .gaps
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(sum, count)| GapShare {
                gap: Duration((sum / *count as f64).round() as u64),
                weight: *count as f64,
            })
            .collect();
        let some = gaps.iter().any(|gap| gap.gap > Duration::ZERO);
        ArrivalProfile {
            mean_gap: Duration(mean),
            gaps: if some { gaps } else { Vec::new() },
            load: self.load.iter().map(|count| *count as f64).collect(),
            period: Some(Duration(span)),
            ..ArrivalProfile::default()
        }
    }
}
