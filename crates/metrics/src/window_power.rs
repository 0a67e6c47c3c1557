//! Mean power in a window of the time series.

use wordline_units::Duration;

use crate::series_window::Window;
use crate::steady_power::{SteadyPower, SteadyTimes};

/// Mean power in a window, W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WindowPower {
    /// Of flash operations for the host, for GC, for other causes.
    pub(crate) flash: [f64; 3],
    /// Of the whole drive.
    pub(crate) total: f64,
}

impl WindowPower {
    /// The power in a window that lasted `lasted` ns; none in one that did not last.
    pub(crate) fn of(window: &Window, steady: &SteadyPower, lasted: u64) -> Option<Self> {
        if lasted == 0 {
            return None;
        }
        let seconds = Duration(lasted).as_secs();
        let rest = steady.energy(&SteadyTimes {
            elapsed: Duration(lasted),
            active: Duration(window.active),
            bus_s: Duration(window.bus).as_secs(),
            codec: Duration(window.codec),
            asleep: window.asleep.map(Duration),
            host_bytes: window.host_bytes(),
        });
        let flash = window.flash_energy.map(|joules| joules / seconds);
        Some(Self {
            flash,
            total: flash.iter().sum::<f64>() + rest.total() / seconds,
        })
    }
}
