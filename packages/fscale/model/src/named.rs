//! Drives that have a name: every design at any capacity, with the controller of 2015 or of today.

use thiserror::Error;
use wordline_units::ByteSize;

use crate::drive::{Design, Drive};
use crate::table::{DirectoryEntry, DirectorySize, EntryWidth};

/// Capacities of the drives that are listed, in TiB and as in their names. Any other is accepted.
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

/// What the name of a drive with the controller and the flash of today ends with.
pub const TODAY: &str = "-today";

/// Capacities that the source studied, in TiB at most: dies of 256 Gb and tables as in its text.
const STUDIED: u64 = 128;

/// Why a name is that of no drive.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NoSuchDrive {
    /// It begins with no design.
    #[error(
        "accepted are conventional-, fscale- and hybrid- with a capacity, such as fscale-128tb, and -today after it"
    )]
    Design,
    /// Its capacity cannot be read.
    #[error("{0}")]
    Capacity(String),
}

/// The names of the drives of 2015 that are listed, such as `fscale-128tb`.
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

/// The drive of a name: a design, a capacity and perhaps `-today`, such as `fscale-30.72tb-today`.
///
/// Without `-today` it has the controller of 2015, and `tb` and `pb` are 2^40 and 2^50 bytes as in the source. To 128 TB it is the drive of the source: dies
/// of 32 GiB, entries of 4 bytes. Above it has dies of 128 GiB and tables whose entries are as wide as they must be. With `-today` it has the controller and the
/// flash that [`crate::Drive::of_today`] says, and `tb` is 10^12 bytes as drives are sold. `TiB` and `PiB` are 2^40 and 2^50 bytes in both; capital and small letters
/// are the same.
///
/// # Errors
/// The name begins with no design, or its capacity cannot be read or is not accepted.
pub fn named(name: &str) -> Result<Drive, NoSuchDrive> {
    let lower = name.to_ascii_lowercase();
    let (design, rest) = lower.split_once('-').ok_or(NoSuchDrive::Design)?;
    let (_, design_of_name) = DESIGNS
        .iter()
        .map(|(design, text)| (text, *design))
        .find(|(text, _)| **text == design)
        .ok_or(NoSuchDrive::Design)?;
    let of_today = rest.strip_suffix(TODAY);
    let bytes = match of_today {
        Some(capacity) => sold(capacity)?,
        None => of_the_source(rest)?,
    };
    let drive = if of_today.is_some() {
        Drive::of_today(design_of_name, bytes)
    } else {
        of_2015(design_of_name, bytes)
    };
    drive
        .check()
        .map_err(|refused| NoSuchDrive::Capacity(refused.to_string()))?;
    Ok(drive)
}

fn of_2015(design: Design, capacity: ByteSize) -> Drive {
    let mut drive = Drive {
        design,
        capacity,
        ..Drive::default()
    };
    if capacity.0 > STUDIED << 40 {
        drive.nand.die = ByteSize(128 << 30);
        drive.table.entry = EntryWidth::Packed;
        drive.table.directory = DirectorySize::Packed;
        drive.table.count_from = DirectoryEntry::Physical;
    }
    drive
}

/// Bytes of a capacity in the units of drives that are sold.
fn sold(text: &str) -> Result<ByteSize, NoSuchDrive> {
    text.parse()
        .map_err(|error: wordline_units::ParseError| NoSuchDrive::Capacity(error.to_string()))
}

/// Bytes of a capacity whose TB are those of the source.
fn of_the_source(text: &str) -> Result<ByteSize, NoSuchDrive> {
    let binary = [("tb", 40), ("pb", 50)];
    for (unit, power) in binary {
        if let Some(number) = text.strip_suffix(unit).map(str::trim)
            && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && let Ok(number) = number.parse::<f64>()
        {
            // a number that is too large becomes the largest, which no drive has
            return Ok(ByteSize((number * f64::from(2).powi(power)) as u64));
        }
    }
    sold(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_name_has_a_drive_that_is_accepted() {
        assert_eq!(names().len(), 24);
        for name in names() {
            let drive = named(&name).unwrap();
            assert_eq!(drive.check(), Ok(()), "{name}");
            let today = named(&format!("{name}{TODAY}")).unwrap();
            assert_eq!(today.check(), Ok(()), "{name}");
        }
    }

    #[test]
    fn capacities_in_their_units() {
        let bytes = |name: &str| named(name).unwrap().capacity.0;
        assert_eq!(bytes("fscale-8tb"), 8 << 40);
        assert_eq!(bytes("fscale-1PB"), 1 << 50);
        assert_eq!(bytes("conventional-30.72tb"), 33_776_997_205_278);
        assert_eq!(bytes("fscale-30.72TB-today"), 30_720_000_000_000);
        assert_eq!(bytes("hybrid-7.68tb-today"), 7_680_000_000_000);
        assert_eq!(bytes("fscale-61tb-today"), 61_000_000_000_000);
        assert_eq!(bytes("fscale-128TiB-today"), 128 << 40);
        assert_eq!(bytes("FSCALE-128tib"), 128 << 40);
        let words = |name: &str| named(name).unwrap().capacity_in_words();
        assert_eq!(words("fscale-30.72tb-today"), "30.72 TB");
        assert_eq!(words("fscale-128tb"), "128 TiB");
        assert_eq!(words("fscale-1pb"), "1 PiB");
        assert_eq!(words("fscale-1pb-today"), "1 PB");
        assert_eq!(words("fscale-30.72tb"), "33.777 TB");
    }

    #[test]
    fn refusals_say_what_is_accepted() {
        let refused = |name: &str| named(name).unwrap_err().to_string();
        assert!(refused("8tb").starts_with("accepted are conventional-"));
        assert!(refused("raid-8tb").starts_with("accepted are conventional-"));
        assert!(
            refused("fscale-9xb").contains("unknown unit `xb`"),
            "{}",
            refused("fscale-9xb")
        );
        assert!(refused("fscale-").contains("no number"));
        assert!(refused("fscale--8tb").contains("no number"));
        assert!(refused("fscale-0tb").starts_with("capacity = 0 B: accepted"));
        assert!(refused("fscale-99999pb").contains("accepted are 1 GiB to 1024 PiB"));
        // less than a die of today
        assert!(refused("fscale-64gb-today").contains("what one die of 128 GiB holds"));
    }

    proptest! {
        /// No text is a panic, and what is accepted can be computed.
        #[test]
        fn any_name_has_an_answer(name in "(conventional|fscale|hybrid|)-?[0-9.etTpPgGiIbB _-]{0,12}(-today)?") {
            if let Ok(drive) = named(&name) {
                prop_assert!(drive.outlook().iops_bound > 0.0);
                prop_assert!(drive.outlook().hit_rate <= 1.0);
            }
        }
    }
}
