//! FIFO ("LRU") cleaning: the block closed longest ago (Desnoyers, SYSTOR 2012; Robinson; Xiang
//! and Kurkoski 2011).

use super::occupancy::{Occupancy, binomial};
use crate::error::FtlError;

/// Valid share of a victim: the root in (0, 1) of x = exp(-(1-x)/rho), which is
/// -rho W0(-exp(-1/rho)/rho) with W0 the principal branch of Lambert's function.
///
/// # Errors
/// `rho` outside (0, 1).
pub fn victim_valid_share(rho: f64) -> Result<f64, FtlError> {
    super::check(1, rho)?;
    let alpha = 1.0 / rho;
    let spare = alpha - 1.0;
    // e z + 1 for z = -alpha exp(-alpha), written so that it does not cancel near rho = 1.
    let above_branch = -(-spare).exp_m1() - spare * (-spare).exp();
    Ok(-lambert_w0(-alpha * (-alpha).exp(), above_branch) / alpha)
}

/// W0(z) for z in [-1/e, 0), with `above_branch` = e z + 1: Halley's iteration from the series
/// at the branch point (Corless et al. 1996, eq. 4.22 and 5.9).
fn lambert_w0(z: f64, above_branch: f64) -> f64 {
    let p = (2.0 * above_branch.max(0.0)).sqrt();
    let mut w = -1.0 + p - p * p / 3.0 + 11.0 / 72.0 * p * p * p;
    for _ in 0..30 {
        let e = w.exp();
        let f = w * e - z;
        let slope = e * (w + 1.0);
        let step = f / (slope - (w + 2.0) * f / (2.0 * w + 2.0));
        if !step.is_finite() || step.abs() < 1e-16 {
            break;
        }
        w -= step;
    }
    w
}

/// Valid pages of closed blocks by their place in the queue.
pub(crate) struct FifoAge {
    pages_per_block: u32,
    decay: f64,
    /// The place for which `occupancy` was worked out, in units of 1/PLACES, and it.
    current: Option<(u32, Occupancy)>,
}

/// Places of the queue that are told apart.
const PLACES: u32 = 2048;

/// Valid pages of closed blocks by their place in the queue.
///
/// # Errors
/// `rho` outside (0, 1).
pub(crate) fn fifo_age(pages_per_block: u32, rho: f64) -> Result<FifoAge, FtlError> {
    Ok(FifoAge {
        pages_per_block,
        decay: (1.0 - victim_valid_share(rho)?) / rho,
        current: None,
    })
}

impl FifoAge {
    /// The distribution at place `u`, 0 newest and 1 oldest. Cheap while neighbours are asked for.
    pub(crate) fn at(&mut self, u: f64) -> &Occupancy {
        let place = (u * f64::from(PLACES)) as u32;
        let stale = self.current.as_ref().is_none_or(|(known, _)| *known != place);
        let (pages_per_block, decay) = (self.pages_per_block, self.decay);
        if stale {
            self.current = None;
        }
        let (_, occupancy) = self.current.get_or_insert_with(|| {
            let middle = (f64::from(place) + 0.5) / f64::from(PLACES);
            let mut shares = vec![0.0; pages_per_block as usize + 1];
            binomial(pages_per_block, (-middle * decay).exp(), |valid, probability| {
                shares[valid] = probability
            });
            (place, Occupancy::from_shares(shares))
        });
        occupancy
    }
}

/// A block at queue position u, 0 newest and 1 oldest, keeps each of its pages with probability
/// exp(-u (1-x)/rho); positions are uniform.
pub(super) fn occupancy(pages_per_block: u32, rho: f64) -> Result<Occupancy, FtlError> {
    let decay = (1.0 - victim_valid_share(rho)?) / rho;
    let mut shares = vec![0.0; pages_per_block as usize + 1];
    for place in 0..PLACES {
        let u = (f64::from(place) + 0.5) / f64::from(PLACES);
        binomial(pages_per_block, (-u * decay).exp(), |valid, probability| {
            shares[valid] += probability / f64::from(PLACES);
        });
    }
    Ok(Occupancy::from_shares(shares))
}
