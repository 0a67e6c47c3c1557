//! The paths of all operations in both designs.

use crate::drive::{Design, Drive};
use crate::local::StaleCopies;
use crate::path_writer::Writer;
use crate::paths::{Kind, Path, Paths, Unit};

impl Drive {
    /// The paths of all operations (section 3.3 of the specification; section 8.2 for FScale).
    #[must_use]
    pub fn paths(&self) -> Paths {
        Paths::new(|kind| {
            let writer = Writer {
                drive: self,
                steps: Path::new(),
            };
            match self.design {
                Design::Conventional => conventional(writer, kind),
                Design::FScale => fscale(writer, kind),
            }
            .steps
        })
    }
}

/// A write smaller than its logical page reads the page first.
fn rewrites(drive: &Drive) -> bool {
    drive.host_bytes() < drive.logical_page.0
}

fn conventional<'a>(way: Writer<'a>, kind: Kind) -> Writer<'a> {
    let drive = way.drive;
    let cycles = &drive.processor.cycles;
    let (unit, sent, page) = (drive.logical_page.0, drive.host_bytes(), drive.table.page.0);
    match kind {
        Kind::HostRead => way
            .core(cycles.host_read.before_look_up())
            .entry(false)
            .core(cycles.host_read.dispatch)
            .read(sent)
            .channel(sent)
            .ecc(sent)
            .host(sent, false)
            .core(cycles.host_read.complete),
        Kind::HostWrite => {
            let way = way
                .core(cycles.host_write.before_look_up())
                .entry(true)
                .core(cycles.host_write.dispatch)
                .host(sent, true);
            let way = if rewrites(drive) {
                way.read(unit).channel(unit).ecc(unit).other_die()
            } else {
                way
            };
            way.ecc(unit)
                .channel(unit)
                .program(unit)
                .core(cycles.host_write.complete)
        }
        Kind::PageIn => way
            .core(cycles.page_in.until_dispatch())
            .read(page)
            .channel(page)
            .core(cycles.page_in.complete)
            .push(Unit::Dram, drive.dram.ns(page) as f64, 0),
        Kind::PageOut => way
            .core(cycles.page_out.until_dispatch())
            .channel(page)
            .program(page)
            .core(cycles.page_out.complete),
        Kind::Move => way
            .core(cycles.gc_read.until_dispatch())
            .read(unit)
            .channel(unit)
            .ecc(unit)
            .core(cycles.gc_read.complete)
            .entry(true)
            .core(cycles.gc_write.until_dispatch())
            .other_die()
            .ecc(unit)
            .channel(unit)
            .program(unit)
            .core(cycles.gc_write.complete),
        Kind::Erase => way
            .core(cycles.gc_erase.until_dispatch())
            .die(drive.nand.erase.0 as f64)
            .core(cycles.gc_erase.complete),
        Kind::Invalidate | Kind::NodeProgram | Kind::DirectoryCheck => way,
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
        Kind::HostWrite => {
            let way = way
                .core(cycles.host_write.before_look_up())
                .entry(true)
                .core(cycles.host_write.dispatch)
                .host(sent, true);
            let way = if rewrites(drive) {
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
            way.bus(unit).program(unit).core(cycles.host_write.complete)
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
        Kind::Invalidate | Kind::DirectoryCheck => way,
    }
}
