//! Utilisation: logical over physical pages, and what changes it.

use crate::error::FtlError;

/// Utilisation at over-provisioning `op` = (physical - user) / user: 1 / (1 + op).
///
/// # Errors
/// `op` not above zero, or not a number.
pub fn utilisation(op: f64) -> Result<f64, FtlError> {
    if op > 0.0 && op.is_finite() {
        Ok(1.0 / (1.0 + op))
    } else {
        Err(FtlError::new("over_provisioning", op, "a fraction above 0"))
    }
}

/// Utilisation under TRIM (section 6.1): each operation is with probability `trim_fraction` a
/// TRIM of a page in use, else a write; a share (1-2q)/(1-q) of the logical pages is in use.
///
/// # Errors
/// `trim_fraction` outside [0, 0.5): from one half on no page stays in use.
pub fn with_trim(rho: f64, trim_fraction: f64) -> Result<f64, FtlError> {
    if (0.0..0.5).contains(&trim_fraction) {
        Ok(rho * (1.0 - 2.0 * trim_fraction) / (1.0 - trim_fraction))
    } else {
        Err(FtlError::new(
            "trim_fraction",
            trim_fraction,
            "from 0 to below 0.5 (no steady state beyond)",
        ))
    }
}

/// Utilisation of what is left beside free blocks and open frontiers (section 9.2):
/// U / (T - b (F + w/2)).
///
/// # Errors
/// No spare space left beside them.
pub fn beside_reserve(
    user_pages: u64,
    physical_pages: u64,
    pages_per_block: u32,
    mean_free_blocks: f64,
    open_frontiers: u32,
) -> Result<f64, FtlError> {
    let idle = f64::from(pages_per_block) * (mean_free_blocks + f64::from(open_frontiers) / 2.0);
    let usable = physical_pages as f64 - idle;
    if user_pages > 0 && usable > user_pages as f64 {
        Ok(user_pages as f64 / usable)
    } else {
        Err(FtlError::new(
            "free_blocks",
            mean_free_blocks,
            format!(
                "free blocks and open frontiers that leave more than the {user_pages} user pages of \
                 {physical_pages} physical ones"
            ),
        ))
    }
}

/// Utilisation where one of every `members` pages holds parity (section 6.2): rho k / (k - 1).
///
/// # Errors
/// Fewer than two members, or no spare space left beside the parity.
pub fn beside_parity(rho: f64, members: u32) -> Result<f64, FtlError> {
    let effective = rho * f64::from(members) / (f64::from(members) - 1.0);
    if members >= 2 && effective < 1.0 {
        Ok(effective)
    } else {
        Err(FtlError::new(
            "parity_members",
            members,
            "at least 2, with spare space left beside the parity",
        ))
    }
}
