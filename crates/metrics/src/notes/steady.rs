//! Notes on the steady state: whether a run was in it.

use super::Note;
use crate::course::{Drift, Measure, SNIA_SLOPE, SNIA_SPREAD, Steadiness};

/// Difference between the write amplification that ageing counted on and the measured one from which the user is told.
const DIFFERENCE: f64 = 0.05;

impl Note {
    /// A run that is to be in a steady state and wrote, and in which no block was collected, or fewer than one on each plane. A victim stands
    /// for the `together` blocks that are collected as one, and a plane of `planes` for as many planes.
    #[must_use]
    pub fn few_victims(
        meant_steady: bool,
        host_page_writes: u64,
        victims: u64,
        planes: u64,
        together: u64,
    ) -> Option<Self> {
        if !meant_steady || host_page_writes == 0 || victims >= planes {
            return None;
        }
        let (blocks, of_planes) = (victims * together, planes * together);
        let as_one = if together > 1 {
            let s = if victims == 1 { "" } else { "s" };
            format!(" ({victims} victim{s} of {together} blocks each)")
        } else {
            String::new()
        };
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
                    "Only {} collected on {of_planes} planes, so write amplification and write latency reflect the \
                     initial state rather than the workload. Run longer.",
                    if blocks == 1 {
                        "1 block was".into()
                    } else {
                        format!("{blocks} blocks{as_one} were")
                    }
                ),
            )
        })
    }

    /// The halves of a run differ by more than chance gives.
    #[must_use]
    pub fn drifted(drifts: [Option<Drift>; 2]) -> Option<Self> {
        let changed: Vec<String> = drifts
            .into_iter()
            .flatten()
            .filter(|drift| drift.is_beyond_chance())
            .map(|drift| {
                let (name, unit, digits) = words(drift.of);
                format!(
                    "{name} from {:.digits$} to {:.digits$}{unit}",
                    drift.from, drift.to
                )
            })
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

    /// The halves of a run differ by much, but by no more than chance gives, or throughput does not drift and failed SNIA's criterion in
    /// its `rounds` all the same: which part of the criterion the run failed.
    #[must_use]
    pub fn unsteady(drifts: [Option<Drift>; 2], rounds: Option<Steadiness>) -> Option<Self> {
        let drifts_told = drifts.into_iter().flatten();
        let is_told = drifts_told.clone().any(|drift| drift.of == Measure::Throughput);
        let without_drift = rounds
            .filter(|rounds| !is_told && !rounds.meets_snia())
            .map(|rounds| {
                format!(
                    "By SNIA's criterion, throughput was not steady: {}.",
                    failed(rounds.spread, rounds.slope)
                )
            });
        let found: Vec<String> = drifts_told
            .filter(|drift| !drift.is_beyond_chance())
            .map(|drift| {
                let (name, unit, digits) = words(drift.of);
                let Drift {
                    from, to, steadiness, ..
                } = drift;
                format!(
                    "By SNIA's criterion, {name} was not steady: {}. The means of its halves are {from:.digits$} \
                     and {to:.digits$}{unit}; with parts that differ so much, that may be a trend or chance.",
                    failed(steadiness.spread, steadiness.slope)
                )
            })
            .chain(without_drift)
            .collect();
        (!found.is_empty()).then(|| {
            let text = format!("{} Run longer, and look at the time series.", found.join(" "));
            Self::warning("unsteady", text)
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

/// A measure in a sentence: its name, its unit and its decimals.
const fn words(of: Measure) -> (&'static str, &'static str, usize) {
    match of {
        Measure::Throughput => ("throughput", " requests/s", 0),
        Measure::Amplification => ("write amplification", "", 2),
    }
}

/// Which limits of SNIA's criterion five rounds exceed.
fn failed(spread: f64, slope: f64) -> String {
    let said = |name: &str, found: f64, allowed: f64| {
        (found > allowed).then(|| {
            format!(
                "the {name} over five equal parts of the run is {:.0} % of the mean ({:.0} % allowed)",
                found * 100.0,
                allowed * 100.0
            )
        })
    };
    [
        said("spread", spread, SNIA_SPREAD),
        said("slope", slope, SNIA_SLOPE),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(", and ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::Severity;

    /// Throughput that falls from 200 to 100, and chance alone may give so much.
    fn drift(chance: f64, spread: f64, slope: f64) -> Drift {
        Drift {
            of: Measure::Throughput,
            from: 200.0,
            to: 100.0,
            chance,
            steadiness: Steadiness { spread, slope },
        }
    }

    #[test]
    fn fewer_victims_than_planes_are_told_of() {
        let key = |victims| Note::few_victims(true, 1, victims, 8, 1).map(|note| note.key);
        assert_eq!(key(0), Some("gc_never_ran"));
        assert_eq!(key(1), Some("few_victims"));
        assert_eq!(key(7), Some("few_victims"));
        assert_eq!(key(8), None);
        assert_eq!(Note::few_victims(true, 0, 0, 8, 1), None);
        assert_eq!(Note::few_victims(false, 1, 0, 8, 1), None);
        let text = Note::few_victims(true, 1, 7, 8, 1).unwrap().text;
        assert!(
            text.starts_with("Only 7 blocks were collected on 8 planes, so"),
            "{text}"
        );
    }

    /// 22 victims of 4 blocks are the 88 blocks that were erased; one on each of 32 groups of 4 planes is enough.
    #[test]
    fn blocks_that_are_collected_as_one_are_counted_one_by_one() {
        let text = Note::few_victims(true, 1, 22, 32, 4).unwrap().text;
        assert!(
            text.starts_with("Only 88 blocks (22 victims of 4 blocks each) were collected on 128 planes, so"),
            "{text}"
        );
        assert_eq!(Note::few_victims(true, 1, 32, 32, 4), None);
        let one = Note::few_victims(true, 1, 1, 32, 4).unwrap().text;
        assert!(
            one.starts_with("Only 4 blocks (1 victim of 4 blocks each) were"),
            "{one}"
        );
    }

    #[test]
    fn a_drift_says_what_changed() {
        let amplification = Drift {
            of: Measure::Amplification,
            from: 2.0,
            to: 3.0,
            ..drift(0.5, 0.3, 0.3)
        };
        let drifts = [Some(drift(20.0, 0.6, 0.6)), Some(amplification)];
        assert_eq!(Note::drifted([None, None]), None);
        let note = Note::drifted(drifts).unwrap();
        assert_eq!((note.key, note.severity), ("drift", Severity::Warning));
        let wanted =
            "changed: throughput from 200 to 100 requests/s and write amplification from 2.00 to 3.00. Means";
        assert!(note.text.contains(wanted), "{note}");
        assert_eq!(
            Note::unsteady(
                drifts,
                Some(Steadiness {
                    spread: 0.6,
                    slope: 0.6
                })
            ),
            None
        );
    }

    /// What chance may give is no drift: the note names what failed of SNIA's criterion, and nothing else.
    #[test]
    fn a_change_within_chance_names_the_criterion_that_failed() {
        let said = |spread, slope| {
            let drifts = [Some(drift(150.0, spread, slope)), None];
            assert_eq!(Note::drifted(drifts), None);
            Note::unsteady(drifts, None).unwrap().text
        };
        assert_eq!(
            said(0.604, 0.05),
            "By SNIA's criterion, throughput was not steady: the spread over five equal parts of the run is 60 % of the mean (20 % allowed). The means \
             of its halves are 200 and 100 requests/s; with parts that differ so much, that may be a trend or chance. Run longer, and look at the time series."
        );
        assert!(said(0.15, 0.12).contains(
            "steady: the slope over five equal parts of the run is 12 % of the mean (10 % allowed). The"
        ));
        assert!(said(0.3, 0.12).contains("(20 % allowed), and the slope over"));
        assert_eq!(Note::unsteady([None, None], None), None);
    }

    /// Halves that agree are no drift, and rounds that differ by more than SNIA allows are told of all the same.
    #[test]
    fn rounds_that_fail_without_a_drift_are_told_of() {
        let said = |spread, slope| {
            let rounds = Some(Steadiness { spread, slope });
            Note::unsteady([None, None], rounds).map(|note| note.text)
        };
        assert_eq!(
            said(0.31, 0.02).unwrap(),
            "By SNIA's criterion, throughput was not steady: the spread over five equal parts of the run is 31 % of the mean (20 % allowed). \
             Run longer, and look at the time series."
        );
        assert_eq!(said(0.2, 0.1), None);
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
