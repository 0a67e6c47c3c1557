//! The paths of all operations in every design.

use crate::cycles::Phases;
use crate::drive::{Design, Drive};
use crate::hardware::Acknowledge;
use crate::local::StaleCopies;
use crate::path_writer::Writer;
use crate::paths::{Kind, Path, Paths, Unit};
use crate::tier::Memory;

impl Drive {
    /// The paths of all operations (section 3.3 of the specification; section 8.2 for FScale, section 13.4 for the hybrid).
    #[must_use]
    pub fn paths(&self) -> Paths {
        Paths::new(|kind| {
            let writer = Writer {
                drive: self,
                steps: Path::new(),
            };
            match (kind, self.design) {
                (Kind::MergedWrite, _) => accepted(writer, Kind::MergedWrite),
                (Kind::SramLookUp, _) => writer.tier(Memory::Sram),
                (Kind::DramLookUp, _) => writer.tier(Memory::Dram),
                (Kind::CxlLookUp, _) => writer.tier(Memory::Cxl),
                (Kind::HostMemoryLookUp, _) => writer.tier(Memory::Host),
                (_, Design::Conventional | Design::Hybrid) => central(writer, kind),
                (_, Design::FScale) => fscale(writer, kind),
            }
            .steps
        })
    }

    /// Whether a write of the host is smaller than its logical page.
    #[must_use]
    pub fn writes_parts(&self) -> bool {
        self.host_bytes() < self.logical_page.0
    }
}

/// The way of a write until the drive has its data, its entry and its work.
fn accepted(way: Writer<'_>, kind: Kind) -> Writer<'_> {
    let drive = way.drive;
    let (cycles, sent) = (&drive.processor.cycles.host_write, drive.host_bytes());
    match drive.host.ack {
        Acknowledge::Media => way
            .core(cycles.before_look_up())
            .entry(true)
            .core(cycles.dispatch)
            .host(sent, true),
        Acknowledge::Buffer => {
            let way = way
                .core(cycles.before_look_up())
                .host(sent, true)
                .push(Unit::Dram, drive.dram.ns(sent) as f64, 0)
                .core(cycles.complete)
                .acknowledge();
            if kind == Kind::MergedWrite {
                return way;
            }
            way.entry(true).core(cycles.dispatch)
        }
    }
}

/// The end of a write that has been programmed.
fn programmed<'a>(way: Writer<'a>, cycles: &Phases) -> Writer<'a> {
    match way.drive.host.ack {
        Acknowledge::Media => way.core(cycles.complete),
        Acknowledge::Buffer => way,
    }
}

/// The controller's processor does the work of the FTL; packages have a bus and a codec in the hybrid.
fn central<'a>(way: Writer<'a>, kind: Kind) -> Writer<'a> {
    let drive = way.drive;
    let cycles = &drive.processor.cycles;
    let (unit, sent, page) = (drive.logical_page.0, drive.host_bytes(), drive.table.page.0);
    match kind {
        Kind::HostRead => way
            .core(cycles.host_read.before_look_up())
            .entry(false)
            .core(cycles.host_read.dispatch)
            .mispredicted(sent)
            .read(sent)
            .package_bus(sent)
            .channel(sent)
            .ecc(sent)
            .host(sent, false)
            .core(cycles.host_read.complete),
        Kind::HostWrite | Kind::PartialWrite => {
            let way = accepted(way, kind);
            let way = if kind == Kind::PartialWrite {
                way.read(unit)
                    .package_bus(unit)
                    .channel(unit)
                    .ecc(unit)
                    .other_die()
            } else {
                way
            };
            let way = way.ecc(unit).channel(unit).package_bus(unit).program(unit);
            programmed(way, &cycles.host_write)
        }
        Kind::PageIn => way
            .core(cycles.page_in.until_dispatch())
            .read(page)
            .package_bus(page)
            .channel(page)
            .core(cycles.page_in.complete)
            .push(Unit::Dram, drive.dram.ns(page) as f64, 0),
        Kind::PageOut => way
            .core(cycles.page_out.until_dispatch())
            .channel(page)
            .package_bus(page)
            .program(page)
            .core(cycles.page_out.complete),
        Kind::Move => {
            let way = way.core(cycles.gc_read.until_dispatch());
            let way = if drive.design == Design::Hybrid {
                way.command().read(unit).bus(unit).correct_in_package(unit)
            } else {
                way.read(unit).channel(unit).ecc(unit)
            };
            let way = way
                .core(cycles.gc_read.complete)
                .entry(true)
                .core(cycles.gc_write.until_dispatch());
            let way = if drive.design == Design::Hybrid {
                way.command().bus(unit)
            } else {
                way.other_die().ecc(unit).channel(unit)
            };
            way.program(unit).core(cycles.gc_write.complete)
        }
        Kind::Erase => way
            .core(cycles.gc_erase.until_dispatch())
            .die(drive.nand.erase.0 as f64)
            .core(cycles.gc_erase.complete),
        _ => way,
    }
}

fn fscale<'a>(way: Writer<'a>, kind: Kind) -> Writer<'a> {
    let drive = way.drive;
    let (cycles, local) = (&drive.processor.cycles, &drive.local);
    let (unit, sent, page) = (drive.logical_page.0, drive.host_bytes(), drive.table.page.0);
    match kind {
        Kind::HostRead => way
            .core(cycles.host_read.before_look_up())
            .entry(false)
            .core(cycles.host_read.dispatch)
            .command()
            .local(local.command_cycles)
            .nodes()
            .read(sent)
            .bus(sent)
            .correct_and_send(sent)
            .host(sent, false)
            .core(cycles.host_read.complete),
        Kind::HostWrite | Kind::PartialWrite => {
            let way = accepted(way, kind);
            let way = if kind == Kind::PartialWrite {
                way.command()
                    .nodes()
                    .read(unit)
                    .bus(unit)
                    .correct_and_send(unit)
                    .other_die()
            } else {
                way
            };
            let way = way.ecc(unit).channel(unit).local(local.command_cycles);
            let way = if local.write_look_up { way.nodes() } else { way };
            programmed(way.bus(unit).program(unit), &cycles.host_write)
        }
        Kind::PageIn => way
            .core(cycles.page_in.until_dispatch())
            .read(page)
            .bus(page)
            .channel(page)
            .core(cycles.page_in.complete)
            .push(Unit::Dram, drive.dram.ns(page) as f64, 0),
        Kind::PageOut => way
            .core(cycles.page_out.until_dispatch())
            .channel(page)
            .bus(page)
            .program(page)
            .core(cycles.page_out.complete),
        Kind::Move => way
            .local(local.move_cycles)
            .read(unit)
            .bus(unit)
            .correct_in_package(unit)
            .bus(unit)
            .program(unit),
        Kind::Erase => way
            .core(cycles.collect)
            // a command of 16 bytes
            .channel(16)
            .local(local.erase_cycles)
            .die(drive.nand.erase.0 as f64),
        Kind::Invalidate if local.stale == StaleCopies::Eager => way.command().local(local.invalidate_cycles),
        Kind::NodeProgram => way.bus(local.node.0).program(local.node.0),
        Kind::DirectoryCheck if local.stale == StaleCopies::Lazy => way.command().entry(false),
        _ => way,
    }
}
