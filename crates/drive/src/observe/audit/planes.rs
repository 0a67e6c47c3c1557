//! Reads of planes on their own: what may begin in a die that is not done with its last command.

use wordline_metrics::{CommandKind, IssuedCommand};
use wordline_nand::{DieId, Geometry, Ppn};

use super::DieUse;

/// Whether a command may begin in a die beside what is under way there: it is a read, and so is all that is under way, in other planes.
pub(super) fn fits_beside(
    geometry: &Geometry,
    use_: &DieUse,
    id: DieId,
    command: &IssuedCommand<'_>,
) -> bool {
    let plane = |page: Ppn| geometry.plane_of(geometry.block_of(page));
    let mut planes = command
        .constituents
        .iter()
        .filter(|page| page.die == id)
        .map(|page| plane(page.page));
    command.kind == CommandKind::Read
        && use_
            .outstanding
            .iter()
            .all(|other| other.kind == CommandKind::Read)
        && planes.all(|own| use_.outstanding.iter().all(|other| plane(other.page) != own))
}
