//! Notes on the steady state: whether a run was in it.

use super::Note;
use crate::course::Drift;

/// Difference between the write amplification that ageing counted on and the measured one from which the user is told.
const DIFFERENCE: f64 = 0.05;

impl Note {
    /// A run that is to be in a steady state and wrote, and in which no block was collected, or fewer than there are planes.
    #[must_use]
    pub fn few_victims(meant_steady: bool, host_page_writes: u64, victims: u64, planes: u64) -> Option<Self> {
        if !meant_steady || host_page_writes == 0 || victims >= planes {
            return None;
        }
        Some(if victims == 0 {
            Self::warning(
                "gc_never_ran",
                format!(
                    "Garbage collection never ran, so this is not a steady-state result: the {host_page_writes} page writes of \
                     the host fitted into the free blocks. Write amplification and write latency are those of a fresh drive. \
                     Run longer."
                ),
            )
        } else {
            Self::warning(
                "few_victims",
                format!(
                    "Only {victims} blocks were collected on {planes} planes, so write amplification and write latency reflect the \
                     initial state rather than the workload. Run longer."
                ),
            )
        })
    }

    /// Throughput or write amplification of the second half of a run differs from that of the first.
    #[must_use]
    pub fn drifted(drifts: [Option<Drift>; 2]) -> Option<Self> {
        let tell = |name: &str, unit: &str, digits: usize, drift: Option<Drift>| {
            drift.map(|Drift { from, to, chance }| {
                let by_chance = if (to - from).abs() > chance {
                    String::new()
                } else {
                    format!(" (each half varies so much that chance alone may give {chance:.digits$})")
                };
                format!("{name} from {from:.digits$} to {to:.digits$}{unit}{by_chance}")
            })
        };
        let [throughput, amplification] = drifts;
        let changed: Vec<String> = [
            tell("throughput", " requests/s", 0, throughput),
            tell("write amplification", "", 2, amplification),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!changed.is_empty()).then(|| {
            Self::warning(
                "drift",
                format!(
                    "The run was not in a steady state. From its first half to its second the mean changed: {}. Means \
                     over the whole run depend on its length; run longer, and look at the time series.",
                    changed.join(" and ")
                ),
            )
        })
    }

    /// The write amplification of a run differs from the one that ageing counted on. `reasons` says what of the run is not
    /// as ageing takes it to be.
    #[must_use]
    pub fn amplification_differs(predicted: f64, measured: f64, reasons: &[&str]) -> Option<Self> {
        ((measured / predicted - 1.0).abs() > DIFFERENCE).then(|| {
            let reasons = if reasons.is_empty() {
                "few collections; pools of few blocks, to which the closed form does not apply exactly".to_owned()
            } else {
                reasons.join("; ")
            };
            Self::info(
                "amplification_differs",
                format!(
                    "Write amplification is {measured:.3}; preconditioning expected {predicted:.3}. Possible reasons: {reasons}."
                ),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::Severity;

    #[test]
    fn fewer_victims_than_planes_are_told_of() {
        let key = |victims| Note::few_victims(true, 1, victims, 8).map(|note| note.key);
        assert_eq!(key(0), Some("gc_never_ran"));
        assert_eq!(key(1), Some("few_victims"));
        assert_eq!(key(7), Some("few_victims"));
        assert_eq!(key(8), None);
        assert_eq!(Note::few_victims(true, 0, 0, 8), None);
        assert_eq!(Note::few_victims(false, 1, 0, 8), None);
    }

    #[test]
    fn a_drift_says_what_changed() {
        let drift = Some(Drift {
            from: 200.0,
            to: 100.0,
            chance: 20.0,
        });
        assert_eq!(Note::drifted([None, None]), None);
        let note = Note::drifted([
            drift,
            Some(Drift {
                from: 2.0,
                to: 3.0,
                chance: 1.5,
            }),
        ])
        .unwrap();
        assert_eq!((note.key, note.severity), ("drift", Severity::Warning));
        let wanted = "throughput from 200 to 100 requests/s and write amplification from 2.00 to 3.00 (each half varies so much that chance alone may give 1.50)";
        assert!(note.text.contains(wanted), "{note}");
    }

    #[test]
    fn a_prediction_that_fails_has_a_reason() {
        assert_eq!(Note::amplification_differs(2.0, 2.09, &[]), None);
        let note = Note::amplification_differs(2.0, 2.2, &["one", "other"]).unwrap();
        assert!(
            note.text.contains("is 2.200; preconditioning expected 2.000")
                && note.text.contains("one; other"),
            "{note}"
        );
        assert!(
            Note::amplification_differs(2.0, 1.8, &[])
                .unwrap()
                .text
                .contains("Possible reasons: few collections")
        );
    }
}
