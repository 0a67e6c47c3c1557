//! Energy of reads, programs and erases from the description of a chip (`wordline_power`), where the drive names one.

use wordline_keys::RefusedValue;
use wordline_power::{Chip, ChipError, ChipSource, Data, chips};

use crate::drive::Drive;
use crate::paths::{Kind, Step, Unit};
use crate::rates::{Rates, weighted};

/// Operations of the arrays for each operation of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArrayOperations {
    /// Reads.
    pub reads: f64,
    /// Programs; pages that share one have each their part of it.
    pub programs: f64,
    /// Erases.
    pub erases: f64,
}

/// Joules of a byte that a chip reads and programs, and of a byte of a block that it erases: the mean of its kinds of pages, half of whose bits are ones unless the
/// chip says otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PerByte {
    read: f64,
    program: f64,
    erase: f64,
}

impl PerByte {
    fn of(chip: &Chip) -> Result<Self, ChipError> {
        let (ones, page) = (chip.default_ones(), chip.cells() / 8.0);
        let (mut read, mut program, mut kinds) = (0.0, 0.0, 0.0);
        for kind in chip.kinds() {
            read += chip.read(kind, Some(ones))?.total();
            program += chip.program(kind, Data::Ones(ones))?.total();
            kinds += 1.0;
        }
        let block = page * f64::from(chip.map().pages());
        Ok(Self {
            read: read / kinds / page,
            program: program / kinds / page,
            erase: chip.erase(1.0)?.total() / block,
        })
    }

    fn named(name: &str) -> Result<Self, ChipError> {
        Self::of(&Chip::load(ChipSource::Named(name), &[])?)
    }
}

/// Checks the name of a chip.
///
/// # Errors
/// It is none of a built-in chip.
pub(crate) fn check(name: &str) -> Result<(), RefusedValue> {
    let names: Vec<&str> = chips().iter().map(|chip| chip.name).collect();
    if names.contains(&name) && PerByte::named(name).is_ok() {
        return Ok(());
    }
    let accepted = format!("accepted are {}", names.join(", "));
    Err(RefusedValue::new("energy.chip", format!("\"{name}\""), accepted))
}

impl Drive {
    /// Operations of the arrays for each operation of the host. A program is the last that a kind of operation does on a die; all else but erases are reads.
    #[must_use]
    pub fn array_operations(&self) -> ArrayOperations {
        let paths = self.paths();
        let rates = Rates::new(self, &paths);
        let mut found = ArrayOperations::default();
        for kind in Kind::ALL {
            let visits: Vec<(f64, f64)> = weighted(paths.of(kind))
                .filter_map(|(step, share)| match step {
                    Step::Visit {
                        unit: Unit::Die, ns, ..
                    } => Some((share * rates.of(kind), *ns as f64)),
                    _ => None,
                })
                .collect();
            let programs = matches!(
                kind,
                Kind::HostWrite | Kind::PartialWrite | Kind::PageOut | Kind::Move | Kind::NodeProgram
            );
            for (at, (times, ns)) in visits.iter().enumerate() {
                if kind == Kind::Erase {
                    found.erases += times * ns / self.nand.erase.0 as f64;
                } else if programs && at + 1 == visits.len() {
                    found.programs += times * ns / self.nand.program.0 as f64;
                } else {
                    found.reads += times * ns / self.nand.read.0 as f64;
                }
            }
        }
        found
    }

    /// Joules of the arrays for each operation of the host, by the chip that the drive names; none where it names none. An operation takes the energy of the pages that a logical
    /// page covers, in as many planes as that needs.
    #[must_use]
    pub fn array_joules(&self) -> Option<f64> {
        let chip = PerByte::named(self.energy.chip.as_deref()?).ok()?;
        let nand = &self.nand;
        let pages = self
            .logical_page
            .0
            .div_ceil(nand.page.0)
            .clamp(1, u64::from(nand.planes));
        let page = nand.page.0 as f64;
        let found = self.array_operations();
        let moved = (found.reads * chip.read + found.programs * chip.program) * page * pages as f64;
        Some(moved + found.erases * chip.erase * page * f64::from(nand.pages_per_block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::Design;

    fn drive(design: Design, writes: f64) -> Drive {
        let mut drive = Drive {
            design,
            ..Drive::default()
        };
        drive.table.hit = crate::HitRate::Given;
        drive.table.hit_rate = 1.0;
        drive.workload.write_fraction = writes;
        drive
    }

    /// With a write amplification of 5, a write is a program, 4 moves (a read and a program each) and 5 / 1024 erases; a read of FScale reads 3 nodes and the page.
    #[test]
    fn operations_are_counted_by_what_they_are() {
        let found = drive(Design::Conventional, 1.0).array_operations();
        assert!((found.reads - 4.0).abs() < 1e-9, "{found:?}");
        assert!((found.programs - 5.0).abs() < 1e-9, "{found:?}");
        assert!((found.erases - 5.0 / 1024.0).abs() < 1e-9, "{found:?}");
        let found = drive(Design::FScale, 0.0).array_operations();
        assert!((found.reads - 4.0).abs() < 1e-9, "{found:?}");
        assert_eq!((found.programs, found.erases), (0.0, 0.0));
    }

    /// A drive whose pages and blocks are those of the chip pays for a read what the chip does.
    #[test]
    fn a_read_costs_what_it_does_in_the_chip() {
        let chip = Chip::load(ChipSource::Named("b-mlc8"), &[]).unwrap();
        let mut drive = drive(Design::Conventional, 0.0);
        drive.nand.page = wordline_units::ByteSize((chip.cells() / 8.0) as u64);
        drive.energy.chip = Some("b-mlc8".to_owned());
        let ones = chip.default_ones();
        let reads: Vec<f64> = chip
            .kinds()
            .map(|kind| chip.read(kind, Some(ones)).unwrap().total())
            .collect();
        let mean = reads.iter().sum::<f64>() / reads.len() as f64;
        let pages = drive
            .logical_page
            .0
            .div_ceil(drive.nand.page.0)
            .clamp(1, u64::from(drive.nand.planes)) as f64;
        let found = drive.array_joules().unwrap();
        assert!((found / (mean * pages) - 1.0).abs() < 1e-3, "{found} {mean}");
        let watts = drive.power_at(1e5).dies;
        assert!((watts - found * 1e5).abs() < 1e-9 * watts);
        drive.energy.chip = None;
        assert!(drive.array_joules().is_none());
    }

    #[test]
    fn another_chip_is_refused() {
        let said = check("a-slc5").unwrap_err().to_string();
        assert!(
            said.starts_with("energy.chip = \"a-slc5\": accepted are b-mlc8, "),
            "{said}"
        );
    }
}
