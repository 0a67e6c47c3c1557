//! Whether a study that was loaded contradicts itself, as far as that concerns more than one of its parts.

use wordline_ftl::archive::{ArchiveError, require, require_counts};

use super::{Engine, LEAST_OVERWRITES, LONGEST_WINDOW, PendingSkip, SkipState};
use crate::checks::{StudySizes, require_finite, require_wear};
use crate::options::Fidelity;

impl Engine<'_> {
    /// Checks what was loaded, once every part has checked itself.
    pub(crate) fn check(&self) -> Result<(), ArchiveError> {
        let sizes = self.simulation.wear().sizes();
        let horizon = self.options.horizon.ns();
        let ends = self.simulation.epoch().ns().checked_add(horizon);
        require(ends.is_some(), "a study that began too late to end")?;
        let now = self.now();
        require(now < horizon, "a study beyond its horizon")?;
        let next = now / self.options.every.ns() + 1;
        self.snapshots
            .check(sizes, next, self.is_uncertain(), &self.identity)?;
        match self.options.fidelity {
            Fidelity::Exact => {
                let simulated = self.skipped == 0 && !self.is_uncertain();
                require(simulated, "time skipped where all is simulated")?;
                self.control.check(1.0)?;
            }
            Fidelity::Skip { tolerance } => self.control.check(tolerance)?,
        }
        let most = LONGEST_WINDOW * LEAST_OVERWRITES * self.simulation.user_pages();
        require(
            self.skipping.window_pages <= most,
            "a window longer than it may be",
        )?;
        self.skipping.check(sizes, horizon)?;
        let Some(pending) = &self.skipping.pending else {
            return Ok(());
        };
        require(
            pending.skipped <= self.skipped && (1..=self.snapshots.count()).contains(&pending.snapshots),
            "a skip that came before what it followed",
        )
    }
}

impl SkipState {
    fn check(&self, sizes: StudySizes, horizon: u64) -> Result<(), ArchiveError> {
        if let Some(window) = &self.last_window {
            window.check(sizes)?;
        }
        if let Some(pending) = &self.pending {
            pending.check(sizes)?;
        }
        self.epochs.check(sizes)?;
        self.refreshed.check(sizes)?;
        // so large that products with the number of a block do not overflow
        require_counts(&[self.skips, self.parts].map(|count| count.saturating_mul(1 << 25)))?;
        self.full_step.map_or(Ok(()), |step| step.check(horizon))
    }
}

impl PendingSkip {
    fn check(&self, sizes: StudySizes) -> Result<(), ArchiveError> {
        let lengths = (self.added.len(), self.fleet.len());
        require(lengths == (sizes.blocks, sizes.cells), "a skip of another drive")?;
        require_wear(self.added.iter().map(|(_, wear)| *wear))?;
        require_wear(self.fleet.iter().copied())?;
        require_finite([self.wear_share])?;
        self.held.as_ref().map_or(Ok(()), |held| held.check(sizes))?;
        self.rates.check(sizes)
    }
}
