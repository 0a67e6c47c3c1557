//! The table of the time series.

use wordline_units::Duration;

use crate::series_window::Window;
use crate::window_power::WindowPower;

/// The time series, one vector per column. A mean that does not exist (no request of the class
/// in the window) is NaN, to be read as missing.
#[derive(Clone, Debug, Default)]
pub struct SeriesColumns {
    /// Start of the window, ns since the start of the run.
    pub start_ns: Vec<u64>,
    /// Width of the window, ns; of the last one, the part of it that the run lasted.
    pub width_ns: Vec<u64>,
    /// Read requests acknowledged.
    pub reads: Vec<u64>,
    /// Write requests acknowledged.
    pub writes: Vec<u64>,
    /// Other requests acknowledged.
    pub others: Vec<u64>,
    /// Bytes of the reads.
    pub read_bytes: Vec<u64>,
    /// Bytes of the writes.
    pub written_bytes: Vec<u64>,
    /// Mean latency of the reads, us.
    pub read_mean_us: Vec<f64>,
    /// Mean latency of the writes, us.
    pub write_mean_us: Vec<f64>,
    /// Mean latency of the other requests, us.
    pub other_mean_us: Vec<f64>,
    /// Longest latency of a read, us; 0 without reads.
    pub read_max_us: Vec<f64>,
    /// Longest latency of a write, us; 0 without writes.
    pub write_max_us: Vec<f64>,
    /// Longest latency of another request, us; 0 without any.
    pub other_max_us: Vec<f64>,
    /// Pages programmed for the host.
    pub pages_programmed_host: Vec<u64>,
    /// Pages programmed by garbage collection.
    pub pages_programmed_gc: Vec<u64>,
    /// Pages programmed for other causes.
    pub pages_programmed_other: Vec<u64>,
    /// Pages read.
    pub pages_read: Vec<u64>,
    /// Blocks erased.
    pub blocks_erased: Vec<u64>,
    /// Mean number of requests in the drive.
    pub outstanding_mean: Vec<f64>,
    /// Mean power of the drive, mW; NaN without a ledger of energy, as in all columns of power.
    pub power_mw: Vec<f64>,
    /// Mean power of flash operations for the host, mW.
    pub power_flash_host_mw: Vec<f64>,
    /// Mean power of flash operations of garbage collection, mW.
    pub power_flash_gc_mw: Vec<f64>,
    /// Mean power of flash operations for other causes, mW.
    pub power_flash_other_mw: Vec<f64>,
}

impl SeriesColumns {
    /// Adds the window that starts at `start`, of which the run lasted `width` ns.
    pub(crate) fn push(&mut self, start: u64, width: u64, window: &Window, power: Option<&WindowPower>) {
        let mean_us = |class: usize| {
            let of = &window.acknowledged[class];
            if of.requests == 0 {
                f64::NAN
            } else {
                of.latency_sum as f64 / of.requests as f64 / 1e3
            }
        };
        let max_us = |class: usize| Duration(window.acknowledged[class].latency_max).as_us();
        self.start_ns.push(start);
        self.width_ns.push(width);
        self.reads.push(window.acknowledged[0].requests);
        self.writes.push(window.acknowledged[1].requests);
        self.others.push(window.acknowledged[2].requests);
        self.read_bytes.push(window.acknowledged[0].bytes);
        self.written_bytes.push(window.acknowledged[1].bytes);
        self.read_mean_us.push(mean_us(0));
        self.write_mean_us.push(mean_us(1));
        self.other_mean_us.push(mean_us(2));
        self.read_max_us.push(max_us(0));
        self.write_max_us.push(max_us(1));
        self.other_max_us.push(max_us(2));
        self.pages_programmed_host.push(window.programmed[0]);
        self.pages_programmed_gc.push(window.programmed[1]);
        self.pages_programmed_other.push(window.programmed[2]);
        self.pages_read.push(window.read);
        self.blocks_erased.push(window.erased);
        self.outstanding_mean
            .push(window.outstanding as f64 / width as f64);
        let milliwatts = |watts: fn(&WindowPower) -> f64| power.map_or(f64::NAN, |power| watts(power) * 1e3);
        self.power_mw.push(milliwatts(|power| power.total));
        self.power_flash_host_mw.push(milliwatts(|power| power.flash[0]));
        self.power_flash_gc_mw.push(milliwatts(|power| power.flash[1]));
        self.power_flash_other_mw.push(milliwatts(|power| power.flash[2]));
    }

    /// Windows held.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.start_ns.len()
    }
}
