//! Notes on the warm-up: what of a run was not measured.

use wordline_units::Duration;

use super::Note;

/// The part of a run that was not measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmUpLength {
    /// Requests acknowledged in it.
    pub requests: u64,
    /// How long it was.
    pub time: Duration,
    /// Bytes written by the host in it, for each byte that the drive exports.
    pub drive_writes: f64,
}

impl Note {
    /// A part of the run was not measured. `found` says whether MSER found the steady state after which it was cut, where it
    /// was looked for, `snia` whether what was measured is steady by SNIA's criterion, where that can be told.
    #[must_use]
    pub fn warmed_up(length: &WarmUpLength, found: Option<bool>, snia: Option<bool>) -> Self {
        let cut = match found {
            None => "",
            Some(true) => {
                " It ends where throughput and write amplification of the whole run, simulated before for that, come into \
                 their steady state (MSER-5)."
            }
            Some(false) => " No steady state was found, so the first half of the run was used as warm-up.",
        };
        let snia = match snia {
            None => "",
            Some(true) => " Throughput in the measured part meets the SNIA steady-state criterion.",
            Some(false) => " Throughput in the measured part does not meet the SNIA steady-state criterion.",
        };
        if found == Some(true) && length.requests == 0 {
            let text = format!(
                "No warm-up was cut off: throughput and write amplification of the whole run, simulated before for that, are in \
                 their steady state from the start (MSER-5).{snia}"
            );
            return Self::info("warm_up", text);
        }
        Self::info(
            "warm_up",
            format!(
                "The first {} of the run are its warm-up ({} requests, {:.4} drive writes) and count in no figure.{cut}{snia}",
                length.time.rounded(),
                length.requests,
                length.drive_writes,
            ),
        )
    }

    /// `run.warm_up = "auto"` found no steady state.
    #[must_use]
    pub fn never_steady() -> Self {
        Self::warning(
            "never_steady",
            "No steady state was found (run.warm_up = \"auto\"): throughput or write amplification still changed in the \
             second half of the run, or the run was too short to tell. The second half was measured; make the run longer."
                .to_owned(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::Severity;

    #[test]
    fn the_note_says_how_long_and_why() {
        let length = WarmUpLength {
            requests: 1234,
            time: Duration::from_ms(250),
            drive_writes: 0.5,
        };
        let text = |found, snia| Note::warmed_up(&length, found, snia).text;
        assert_eq!(
            text(None, None),
            "The first 250 ms of the run are its warm-up (1,234 requests, 0.5000 drive writes) and count in no figure."
        );
        assert!(text(Some(true), None).contains("MSER-5"));
        let none = WarmUpLength {
            requests: 0,
            time: Duration::ZERO,
            drive_writes: 0.0,
        };
        let said = Note::warmed_up(&none, Some(true), None).text;
        assert!(said.starts_with("No warm-up was cut off"), "{said}");
        assert!(text(Some(false), None).contains("No steady state was found"));
        assert!(text(None, Some(true)).contains("meets the SNIA steady-state criterion"));
        assert!(text(None, Some(false)).contains("does not meet"));
        assert_eq!(Note::never_steady().severity, Severity::Warning);
    }
}
