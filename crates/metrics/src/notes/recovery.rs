//! What is said of checkpoints and journal.

use super::Note;

impl Note {
    /// A drive with a journal completed so many `checkpoints`, none where it has no journal, while the host wrote so many pages; one is due every `interval` of them.
    #[must_use]
    pub fn no_checkpoint(checkpoints: Option<u64>, written: u64, interval: u64) -> Option<Self> {
        (checkpoints == Some(0) && written > 0).then(|| {
            Self::info(
                "no_checkpoint",
                format!(
                    "No checkpoint was completed while the host wrote {written} pages; one is due every {interval} host writes \
                     (ftl.recovery.checkpoint_interval). Writes of metadata are those of the journal alone, and the journal that recovery reads \
                     is as long as the run: a longer run has checkpoints."
                ),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_with_a_journal_and_no_checkpoint_says_so() {
        let note = Note::no_checkpoint(Some(0), 1_500, 4_000).unwrap();
        assert!(
            note.text.contains("wrote 1,500 pages") && note.text.contains("every 4,000 host writes"),
            "{note}"
        );
        // there was one; there is no journal; nothing was written
        assert_eq!(Note::no_checkpoint(Some(1), 1_500, 4_000), None);
        assert_eq!(Note::no_checkpoint(None, 1_500, 4_000), None);
        assert_eq!(Note::no_checkpoint(Some(0), 0, 4_000), None);
    }
}
