//! Windowed greedy: fewest valid pages among those closed longest ago.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::MANY;

use super::{Candidates, VictimPolicy, VictimRow};
use crate::analytic::Cleaning;
use crate::blocks::Recording;
use crate::error::FtlError;
use wordline_keys::{Keys, Parameters};

/// Keys of `windowed_greedy`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Window {
    /// Blocks that `victim = "windowed_greedy"` considers, at least 1.
    #[schemars(range(max = MANY))]
    window: u32,
}

impl Default for Window {
    fn default() -> Self {
        Self { window: 100 }
    }
}

/// Fewest valid pages among the `window` candidates closed longest ago; 1 is FIFO, all of them
/// greedy (Hu et al., SYSTOR 2009).
pub(crate) struct WindowedGreedy {
    window: usize,
}

impl WindowedGreedy {
    pub(crate) const fn new(window: u32) -> Self {
        Self {
            window: window as usize,
        }
    }
}

impl VictimPolicy for WindowedGreedy {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        candidates
            .by_closing()
            .take(self.window)
            .min_by_key(|block| (candidates.valid(*block), candidates.tie(*block)))
    }
}

/// The order in which blocks were closed is recorded.
pub(super) const BY_CLOSING: Recording = Recording {
    last_write: false,
    last_invalidation: false,
    stale: false,
    queue: true,
};

/// `ftl.gc.victim = "windowed_greedy"`.
pub(crate) const WINDOWED_GREEDY: VictimRow = {
    let mut row = VictimRow {
        records: &|_| BY_CLOSING,
        closed_form,
        check,
        ..VictimRow::new(
            "windowed_greedy",
            "Fewest valid pages among the `window` closed longest ago.",
            &|keys, _| Box::new(WindowedGreedy::new(keys.read::<Window>().window)),
        )
    };
    row.entry.keys = Keys::of::<Window>();
    row
};

/// Monte-Carlo of section 9.1 of the FTL specification: from a twentieth of the blocks on it is nearer to greedy than to
/// FIFO, which are its ends.
fn closed_form(keys: &Parameters<VictimRow>, blocks: u32) -> (Cleaning, bool) {
    match keys.read::<Window>().window {
        1 => (Cleaning::Fifo, true),
        window if window >= blocks => (Cleaning::Greedy, true),
        window if window < blocks / 20 => (Cleaning::Fifo, false),
        _ => (Cleaning::Greedy, false),
    }
}

fn check(keys: &Parameters<VictimRow>) -> Result<(), FtlError> {
    match keys.read::<Window>().window {
        0 => Err(FtlError::new("ftl.gc.window", 0, "at least 1 block")),
        _ => Ok(()),
    }
}
