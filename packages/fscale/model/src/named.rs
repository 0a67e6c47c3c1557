//! Drives that have a name: every design at each capacity.

use wordline_units::ByteSize;

use crate::drive::{Design, Drive};
use crate::table::{DirectoryEntry, DirectorySize, EntryWidth};

/// Capacities of the named drives, in TiB and as in their names.
pub const CAPACITIES: [(u64, &str); 8] = [
    (8, "8tb"),
    (16, "16tb"),
    (32, "32tb"),
    (64, "64tb"),
    (128, "128tb"),
    (256, "256tb"),
    (512, "512tb"),
    (1024, "1pb"),
];

/// Designs of the named drives, as in their names.
pub const DESIGNS: [(Design, &str); 3] = [
    (Design::Conventional, "conventional"),
    (Design::FScale, "fscale"),
    (Design::Hybrid, "hybrid"),
];

/// Capacities that the source studied, in TiB at most: dies of 256 Gb and tables as in its text.
const STUDIED: u64 = 128;

/// The names of all drives, such as `fscale-128tb`.
#[must_use]
pub fn names() -> Vec<String> {
    DESIGNS
        .iter()
        .flat_map(|(_, design)| {
            CAPACITIES
                .iter()
                .map(move |(_, capacity)| format!("{design}-{capacity}"))
        })
        .collect()
}

/// The drive of a name. To 128 TB it is the drive of the source: dies of 32 GiB, entries of 4 bytes. Above it has dies of 128 GiB and tables whose entries
/// are as wide as they must be.
#[must_use]
pub fn named(name: &str) -> Option<Drive> {
    let (design, capacity) = name.split_once('-')?;
    let (design, _) = *DESIGNS.iter().find(|(_, text)| *text == design)?;
    let (tib, _) = *CAPACITIES.iter().find(|(_, text)| *text == capacity)?;
    let mut drive = Drive {
        design,
        capacity: ByteSize(tib << 40),
        ..Drive::default()
    };
    if tib > STUDIED {
        drive.nand.die = ByteSize(128 << 30);
        drive.table.entry = EntryWidth::Packed;
        drive.table.directory = DirectorySize::Packed;
        drive.table.count_from = DirectoryEntry::Physical;
    }
    Some(drive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_drive_that_is_accepted() {
        assert_eq!(names().len(), 24);
        for name in names() {
            let drive = named(&name).unwrap();
            assert_eq!(drive.check(), Ok(()), "{name}");
            assert!(drive.capacity.0 <= 128 << 40 || drive.warnings().is_empty());
        }
        assert!(named("fscale-9tb").is_none() && named("8tb").is_none());
    }
}
