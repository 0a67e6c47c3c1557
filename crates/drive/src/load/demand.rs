//! What the clients ask of the flash.

use wordline_nand::Geometry;
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::buffer::Traffic;
use crate::host::clients::Tenant;

/// Commands of all clients together that are looked at ahead of a run.
const SAMPLE: usize = 4096;

/// Page-sized pieces of a mean request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pieces {
    /// Pages read.
    pub(super) reads: f64,
    /// Pages written.
    pub(super) writes: f64,
    /// Of these, pages that are not written as a whole: the rest is read before.
    pub(super) partial: f64,
    /// Sectors of these.
    pub(super) partial_sectors: f64,
    /// Pages that are not read as a whole, and their sectors.
    pub(super) partial_reads: f64,
    pub(super) partial_read_sectors: f64,
}

impl Pieces {
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            writes: self.writes + other.writes,
            partial: self.partial + other.partial,
            partial_sectors: self.partial_sectors + other.partial_sectors,
            partial_reads: self.partial_reads + other.partial_reads,
            partial_read_sectors: self.partial_read_sectors + other.partial_read_sectors,
        }
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self {
            reads: self.reads * factor,
            writes: self.writes * factor,
            partial: self.partial * factor,
            partial_sectors: self.partial_sectors * factor,
            partial_reads: self.partial_reads * factor,
            partial_read_sectors: self.partial_read_sectors * factor,
        }
    }

    pub(super) fn of_all(&self) -> f64 {
        self.reads + self.writes
    }
}

/// What clients that start together ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Demand {
    /// Requests outstanding in closed loops, and the pieces of one.
    pub(super) depth: f64,
    pub(super) closed: Pieces,
    /// Pieces of each second in open loops.
    pub(super) open: Pieces,
}

impl Demand {
    /// What a mean piece is; of open loops where there are no closed ones.
    pub(crate) fn traffic(&self) -> Traffic {
        let pieces = if self.depth > 0.0 {
            &self.closed
        } else {
            &self.open
        };
        let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
        Traffic {
            writes: share(pieces.writes, pieces.of_all()),
            partial: share(pieces.partial, pieces.writes),
            partial_sectors: share(pieces.partial_sectors, pieces.partial),
            partial_reads: share(pieces.partial_reads, pieces.reads),
            partial_read_sectors: share(pieces.partial_read_sectors, pieces.partial_reads),
            is_closed: self.depth > 0.0,
        }
    }

    /// Looks at the first commands of the clients of the first group, which are kept for the run; `units` is the array whose
    /// pages are mapping units. What is written counts in whole pages, which the units share.
    pub(crate) fn of(tenants: &mut [Tenant], units: &Geometry) -> Self {
        let first = tenants.iter().map(|tenant| tenant.client.group).min();
        let each = SAMPLE.div_ceil(tenants.len().max(1));
        let mut demand = Self::default();
        for tenant in tenants
            .iter_mut()
            .filter(|tenant| Some(tenant.client.group) == first)
        {
            let admission = tenant.client.admission;
            let commands = tenant.look_ahead(each);
            let pieces = mean_pieces(commands, units);
            let span = match commands {
                [first, .., last] => last.arrival.since(first.arrival).as_secs(),
                _ => 0.0,
            };
            let paced = match admission {
                Admission::ClosedLoop { depth } => Err(depth),
                Admission::Paced { depth, .. } if span <= 0.0 => Err(depth),
                Admission::Paced { .. } | Admission::OpenLoop { .. } => Ok(span),
            };
            match paced {
                Err(depth) => {
                    demand.closed = demand.closed.plus(&pieces.scaled(f64::from(depth)));
                    demand.depth += f64::from(depth);
                }
                Ok(span) if span > 0.0 => {
                    let rate = (commands.len() - 1) as f64 / span;
                    demand.open = demand.open.plus(&pieces.scaled(rate));
                }
                // all at once, or a single one: what comes later is not known
                Ok(_) => {}
            }
        }
        if demand.depth > 0.0 {
            demand.closed = demand.closed.scaled(1.0 / demand.depth);
        }
        demand
    }
}

fn mean_pieces(commands: &[HostCommand], units: &Geometry) -> Pieces {
    let mut sum = Pieces::default();
    let per_page = u64::from(units.sectors_per_page());
    for command in commands.iter().filter(|command| command.sectors > 0) {
        let end = command.sector.saturating_add(u64::from(command.sectors));
        let pages = ((end - 1) / per_page - command.sector / per_page + 1) as f64;
        let cut = |sector: u64| u64::from(!sector.is_multiple_of(per_page));
        let partial = ((cut(command.sector) + cut(end)) as f64).min(pages);
        let whole = (end / per_page).saturating_sub(command.sector.div_ceil(per_page));
        let partial_sectors = (u64::from(command.sectors) - whole * per_page) as f64;
        match command.op {
            HostOp::Read => {
                sum.reads += pages;
                sum.partial_reads += partial;
                sum.partial_read_sectors += partial_sectors;
            }
            op if op.sends_data() => {
                let shared = f64::from(units.pages_per_program);
                sum.writes += pages / shared;
                sum.partial += partial / shared;
                sum.partial_sectors += partial_sectors / shared;
            }
            _ => {}
        }
    }
    sum.scaled(1.0 / commands.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use wordline_nand::GeometryConfig;
    use wordline_units::{ByteSize, SimTime};

    use super::*;

    fn command(op: HostOp, sector: u64, sectors: u32) -> HostCommand {
        HostCommand {
            arrival: SimTime::ZERO,
            op,
            fua: false,
            sector,
            sectors,
            queue: 0,
            placement: 0,
        }
    }

    /// Pages of four sectors, two of them to a program: reads of the last three sectors of a page and the first three of the next, writes of two
    /// whole pages and of three sectors in two pages, and what moves no data.
    #[test]
    fn a_mean_command_is_cut_into_pages() {
        let mut units = Geometry::new(&GeometryConfig {
            page_size: ByteSize(2048),
            ..GeometryConfig::default()
        })
        .unwrap();
        units.pages_per_program = 2;
        let commands = [
            command(HostOp::Read, 1, 6),
            command(HostOp::Write, 4, 8),
            command(HostOp::Write, 2, 3),
            command(HostOp::Trim, 0, 4),
            command(HostOp::Flush, 0, 0),
        ];
        let sums = Pieces {
            reads: 2.0,
            writes: 2.0,
            partial: 1.0,
            partial_sectors: 1.5,
            partial_reads: 2.0,
            partial_read_sectors: 6.0,
        };
        assert_eq!(mean_pieces(&commands, &units), sums.scaled(1.0 / 5.0));
        // a sector on either side of two whole pages, and three whole pages
        let across = [command(HostOp::Read, 3, 10), command(HostOp::Read, 0, 12)];
        let sums = Pieces {
            reads: 4.0 + 3.0,
            partial_reads: 2.0,
            partial_read_sectors: 2.0,
            ..Pieces::default()
        };
        assert_eq!(mean_pieces(&across, &units), sums.scaled(0.5));
    }

    #[test]
    fn pieces_are_added_part_by_part() {
        let pieces = |first: f64| Pieces {
            reads: first,
            writes: first + 1.0,
            partial: first + 2.0,
            partial_sectors: first + 3.0,
            partial_reads: first + 4.0,
            partial_read_sectors: first + 5.0,
        };
        let sum = Pieces {
            reads: 14.0,
            writes: 16.0,
            partial: 18.0,
            partial_sectors: 20.0,
            partial_reads: 22.0,
            partial_read_sectors: 24.0,
        };
        assert_eq!(pieces(4.0).plus(&pieces(10.0)), sum);
        assert_eq!(sum.of_all(), 30.0);
    }
}
