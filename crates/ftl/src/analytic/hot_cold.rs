//! Two classes of pages: a share of the space gets a larger share of the writes.

use crate::error::FtlError;

/// A skewed load: uniform inside a hot and a cold class (section 9.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HotCold {
    /// f: share of the logical pages that is hot.
    space: f64,
    /// r: share of the writes that goes to them.
    writes: f64,
    /// Over-provisioning, of user space.
    op: f64,
}

/// The best split of the spare space between separated classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separated {
    /// s: share of the spare space that the hot class gets.
    pub hot_spare: f64,
    /// Write amplification at that share.
    pub write_amplification: f64,
}

impl HotCold {
    /// A load with share `writes` of the writes on share `space` of the pages, at
    /// over-provisioning `op` of user space.
    ///
    /// # Errors
    /// `space` or `writes` outside (0, 1), `op` not above 0.
    pub fn new(space: f64, writes: f64, op: f64) -> Result<Self, FtlError> {
        for (key, value) in [("hot_space", space), ("hot_writes", writes)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(FtlError::new(key, value, "a share above 0 and below 1"));
            }
        }
        super::utilisation(op)?;
        Ok(Self { space, writes, op })
    }

    /// Write amplification of FIFO cleaning with both classes mixed: T / tau, tau the host writes
    /// (in units of the user space) of one turn of the queue.
    #[must_use]
    pub fn mixed_fifo(&self) -> f64 {
        let physical = 1.0 + self.op;
        // Pages written by a class of `space` in a turn of tau: host writes and moves.
        let class = |writes: f64, space: f64| writes / -(-writes / space).exp_m1();
        let turn = |tau: f64| {
            class(self.writes * tau, self.space) + class((1.0 - self.writes) * tau, 1.0 - self.space)
        };
        // A turn writes at most all pages from the host and at least one.
        let (mut low, mut high) = (0.0, physical);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if turn(middle) < physical {
                low = middle;
            } else {
                high = middle;
            }
        }
        physical / (0.5 * (low + high))
    }

    /// Write amplification with the classes in pools of their own and a share `hot_spare` of the
    /// spare space in the hot one; `amplification` is that of the policy at a utilisation.
    ///
    /// # Errors
    /// `hot_spare` outside (0, 1); whatever `amplification` refuses.
    pub fn separated(
        &self,
        hot_spare: f64,
        amplification: impl Fn(f64) -> Result<f64, FtlError>,
    ) -> Result<f64, FtlError> {
        if !(hot_spare > 0.0 && hot_spare < 1.0) {
            return Err(FtlError::new(
                "hot_spare",
                hot_spare,
                "a share above 0 and below 1",
            ));
        }
        let cold = 1.0 - self.space;
        let hot_rho = self.space / (self.space + hot_spare * self.op);
        let cold_rho = cold / (cold + (1.0 - hot_spare) * self.op);
        Ok(self.writes * amplification(hot_rho)? + (1.0 - self.writes) * amplification(cold_rho)?)
    }

    /// The share of spare space at which separation helps most.
    ///
    /// # Errors
    /// Whatever `amplification` refuses.
    pub fn best_separated(
        &self,
        amplification: impl Fn(f64) -> Result<f64, FtlError>,
    ) -> Result<Separated, FtlError> {
        const GRID: u32 = 100;
        // The best point of a grid, then golden sections between its neighbours.
        let mut best = (f64::INFINITY, 0.5);
        for i in 1..GRID {
            let s = f64::from(i) / f64::from(GRID);
            let value = self.separated(s, &amplification)?;
            if value < best.0 {
                best = (value, s);
            }
        }
        let ratio = 0.5 * (5_f64.sqrt() - 1.0);
        let cell = 1.0 / f64::from(GRID);
        let (mut low, mut high) = ((best.1 - cell).max(1e-9), (best.1 + cell).min(1.0 - 1e-9));
        while high - low > 1e-7 {
            let left = high - ratio * (high - low);
            let right = low + ratio * (high - low);
            if self.separated(left, &amplification)? < self.separated(right, &amplification)? {
                high = right;
            } else {
                low = left;
            }
        }
        let hot_spare = 0.5 * (low + high);
        Ok(Separated {
            hot_spare,
            write_amplification: self.separated(hot_spare, &amplification)?,
        })
    }
}
