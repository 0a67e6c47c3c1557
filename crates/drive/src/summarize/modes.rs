//! The use of modes, in a summary.

mod slc_cache;

use wordline_config::Config;
use wordline_ftl::{Lpn, Mapping, Subjects};
use wordline_metrics::{Summary, summarize_idle};
use wordline_nand::{BlockId, Mode, Ppn};
use wordline_units::Duration;

use crate::features::Features;
use crate::kernel::Drive;

/// Sets `modes.*`, `units.*` and `ftl.slc_cache.*`, where pages have modes beside the normal one.
pub(super) fn set<F: Features>(summary: &mut Summary, config: &Config, drive: &Drive<F>) {
    let Some(modes) = drive.observe().modes() else {
        return;
    };
    slc_cache::set(
        summary,
        config,
        &drive.ftl_counters().slc,
        drive.control().cache_full_since(),
    );
    let ftl = drive.control().ftl();
    let held = if config.ftl.slc_cache.is_on() {
        pages_by_block(ftl)
    } else {
        pages_by_page(ftl)
    };
    modes.summarize(summary, &held, drive.observe().recorder().energy.as_deref());
    if let Some(lengths) = drive.array().idle_lengths() {
        summarize_idle(summary, "units", lengths);
    }
    if let Some(lengths) = drive.array().idle_lengths_of_drive() {
        summarize_idle(summary, "drive", lengths);
    }
    let elapsed = drive.measured_time();
    if let Some(busy) = drive.array().busy_time(drive.now())
        && elapsed > Duration::ZERO
    {
        let share = 1.0 - busy.ns() as f64 / elapsed.ns() as f64;
        summary.set("drive.idle.flash_share", share.max(0.0));
    }
}

/// Modes of the drive, with the normal one.
fn mode_count(ftl: &dyn Mapping) -> usize {
    1 + ftl.page_modes().map_or(0, |modes| modes.mode_names().len())
}

/// Logical pages in each mode.
fn pages_by_page(ftl: &dyn Mapping) -> Vec<u64> {
    let mut held = vec![0; mode_count(ftl)];
    // where mapping units are parts of pages, their places are numbered
    let per_page = u64::from(ftl.unit_geometry().pages_per_program);
    for place in (0..ftl.user_pages()).filter_map(|lpn| ftl.lookup(Lpn(lpn))) {
        held[ftl.mode_of(Ppn(place.0 / per_page)).index()] += 1;
    }
    held
}

/// The same where all pages of a block are in one mode, so that a large drive is not gone through page by page. What the FTL keeps for itself is in
/// the normal mode.
fn pages_by_block(ftl: &dyn Mapping) -> Vec<u64> {
    let mut held = vec![0; mode_count(ftl)];
    let geometry = ftl.geometry();
    for block in (0..geometry.blocks()).map(BlockId) {
        let mode = ftl.mode_of(geometry.page(block, 0));
        held[mode.index()] += u64::from(ftl.block(block).valid);
    }
    let user = ftl.user_pages();
    let own = (user..user + ftl.facts().own_pages).filter(|lpn| ftl.lookup(Lpn(*lpn)).is_some());
    let normal = &mut held[Mode::NORMAL.index()];
    *normal = normal.saturating_sub(own.count() as u64);
    held
}
