//! The chip of a drive: its description with the drive's geometry and times.

use std::path::Path;

use thiserror::Error;
use wordline_nand::{PageTypes, PerPageType};
use wordline_power::config::{ChipConfig, Overlay, load};
use wordline_power::{Chip, ChipError, ChipSource};
use wordline_units::Duration;

use crate::Config;

/// Why a drive cannot have its chip.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ChipProblem {
    /// The chip itself is refused.
    #[error("the chip is refused: {0}")]
    Refused(#[from] ChipError),
    /// Drive and chip contradict each other.
    #[error(
        "{drive_key} is {drive} in the drive, but {chip_key} is {chip} in the chip ({place}): a drive and its chip \
         must agree; change one of them, or leave the key out of the chip where it may be left out"
    )]
    Conflict {
        /// Key of the drive.
        drive_key: &'static str,
        /// Its value.
        drive: String,
        /// Key of the chip.
        chip_key: &'static str,
        /// Its value.
        chip: String,
        /// Where the chip says so.
        place: String,
    },
}

/// Whether a name is that of a built-in chip, not of a file.
pub(crate) fn is_built_in(name: &str) -> bool {
    wordline_power::chips().iter().any(|chip| chip.name == name)
}

impl Config {
    /// The chip that `power.chip` names, with what it leaves open from the drive and with the program times of each mode, the
    /// normal one first; none where the drive names no chip. A relative path starts at `base_dir`.
    ///
    /// # Errors
    /// A chip that is refused, or that contradicts the drive.
    pub fn chip_by_mode(
        &self,
        page_types: &PageTypes,
        base_dir: &Path,
    ) -> Result<Option<Vec<Chip>>, ChipProblem> {
        let Some(chip) = self.described_chip(page_types, base_dir)? else {
            return Ok(None);
        };
        let mut by_mode = vec![chip];
        for mode in &self.modes {
            // refused when the configuration was checked
            let Ok(t_prog) = self.program_time_of_mode(mode) else {
                continue;
            };
            let mut own = by_mode[0].config().clone();
            let (first, later) = times(&t_prog, self.geometry.cell_type.bits());
            own.timing.t_prog = first;
            own.timing.t_prog_slow = own.timing.t_prog_slow.map(|_| later);
            by_mode.push(Chip::new(own)?);
        }
        Ok(Some(by_mode))
    }

    /// The chip in the normal mode.
    fn described_chip(&self, page_types: &PageTypes, base_dir: &Path) -> Result<Option<Chip>, ChipProblem> {
        let Some(name) = &self.power.chip else {
            return Ok(None);
        };
        let path = if is_built_in(name) {
            name.clone()
        } else {
            base_dir.join(name).to_string_lossy().into_owned()
        };
        let (mut chip, overlay) = load(ChipSource::Named(&path), &[])?;
        fit_geometry(&mut chip, &overlay, self, page_types)?;
        fit_timing(&mut chip, &overlay, self)?;
        Chip::new(chip)
            .map(Some)
            .map_err(|error| overlay.locate(error).into())
    }
}

/// Compares what both describe.
struct Comparison<'a> {
    overlay: &'a Overlay,
}

impl Comparison<'_> {
    fn same<T: PartialEq + ToString>(
        &self,
        (chip_key, chip): (&'static str, T),
        (drive_key, drive): (&'static str, T),
    ) -> Result<(), ChipProblem> {
        if chip == drive {
            return Ok(());
        }
        Err(ChipProblem::Conflict {
            drive_key,
            drive: drive.to_string(),
            chip_key,
            chip: chip.to_string(),
            place: self.overlay.place(chip_key).unwrap_or_default(),
        })
    }
}

fn fit_geometry(
    chip: &mut ChipConfig,
    overlay: &Overlay,
    config: &Config,
    page_types: &PageTypes,
) -> Result<(), ChipProblem> {
    let (drive, own) = (&config.geometry, &mut chip.geometry);
    let comparison = Comparison { overlay };
    let bits = drive.cell_type.bits();
    comparison.same(
        ("geometry.page_size", own.page_size),
        ("geometry.page_size", drive.page_size),
    )?;
    comparison.same(
        ("geometry.spare_size", own.spare_size),
        ("geometry.spare_size", drive.spare_size),
    )?;
    comparison.same(
        ("geometry.pages_per_block", own.pages_per_block),
        ("geometry.pages_per_block", drive.pages_per_block),
    )?;
    comparison.same(
        ("geometry.bits_per_cell", own.bits_per_cell),
        ("geometry.cell_type", bits),
    )?;
    let blocks = u64::from(own.block_rows) * u64::from(own.block_cols);
    comparison.same(
        ("geometry.block_rows", blocks),
        ("geometry.blocks_per_plane", u64::from(drive.blocks_per_plane)),
    )?;
    if overlay.sets("geometry.planes_per_die") {
        comparison.same(
            ("geometry.planes_per_die", own.planes_per_die),
            ("geometry.planes_per_die", drive.planes_per_die),
        )?;
    }
    if overlay.sets("geometry.dies") {
        comparison.same(
            ("geometry.dies", own.dies),
            ("geometry.dies_per_chip", drive.dies_per_chip),
        )?;
    }
    own.planes_per_die = drive.planes_per_die;
    own.dies = drive.dies_per_chip;
    if let Some(kinds) = &own.page_kinds {
        for (page, kind) in (0_u32..drive.pages_per_block).zip(kinds) {
            let on_drive = u32::from(page_types.of(page).0) + 1;
            comparison.same(
                (
                    "geometry.page_kinds",
                    format!("kind {kind} for page {page} of a block"),
                ),
                (
                    "geometry.page_layout",
                    format!("kind {on_drive} for page {page} of a block"),
                ),
            )?;
        }
    } else if bits > 2 {
        // the source has no map of its own here, and the stand-in gives way to the drive
        own.page_kinds_modulo = false;
        own.page_kinds = Some(
            (0..drive.pages_per_block)
                .map(|page| page_types.of(page).0 + 1)
                .collect(),
        );
    }
    Ok(())
}

/// Times of programs and erases set the length of pulses, so they must agree. Times of reads enter no energy and
/// are the drive's.
fn fit_timing(chip: &mut ChipConfig, overlay: &Overlay, config: &Config) -> Result<(), ChipProblem> {
    let (drive, own) = (&config.timing, &mut chip.timing);
    let comparison = Comparison { overlay };
    let bits = config.geometry.cell_type.bits();
    let (first, later) = times(&drive.t_prog, bits);
    comparison.same(("timing.t_prog", own.t_prog), ("timing.t_prog", first))?;
    comparison.same(("timing.t_bers", own.t_bers), ("timing.t_bers", drive.t_bers))?;
    let (read_first, read_later) = times(&drive.t_r, bits);
    own.t_r = read_first;
    if bits > 1 {
        if let Some(slow) = own.t_prog_slow {
            comparison.same(
                ("timing.t_prog_slow", slow),
                ("timing.t_prog of the later pages", later),
            )?;
        }
        own.t_prog_slow = Some(later);
        own.t_r_slow = Some(read_later);
    }
    Ok(())
}

/// Times of the first page of a cell and of its later ones, which are one time to the model: their mean.
fn times(per_type: &PerPageType, bits: u32) -> (Duration, Duration) {
    match per_type {
        PerPageType::All(time) => (*time, *time),
        PerPageType::Each(times) => {
            let first = times.first().copied().unwrap_or_default();
            let later: u64 = times
                .iter()
                .skip(1)
                .map(|time| time.ns() / u64::from(bits.max(2) - 1))
                .sum();
            (first, Duration(later))
        }
    }
}
