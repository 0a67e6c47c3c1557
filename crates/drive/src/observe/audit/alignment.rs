//! Where the constituents of one command lie: R-c, R-e, and that the command says so itself.

use wordline_metrics::{CommandKind, Constituent, IssuedCommand};
use wordline_nand::{Geometry, PageAddress, Ppn, RestrictionsConfig};

use super::finding::Finding;

pub(super) fn check(
    geometry: &Geometry,
    restrictions: &RestrictionsConfig,
    command: &IssuedCommand<'_>,
) -> Finding {
    let Some(first) = command.constituents.first() else {
        return Err("a command without constituents".to_owned());
    };
    for constituent in command.constituents {
        check_own_address(geometry, constituent)?;
        let at = geometry.address(constituent.page);
        if at.channel != command.channel.0 {
            return Err(format!("a command on {} for {at}", command.channel));
        }
        if at.chip != geometry.address(first.page).chip {
            return Err(format!(
                "R-e (interleave): constituents in two chips, one of them at {at}"
            ));
        }
        if command.kind == CommandKind::Erase && at.page != 0 {
            return Err(format!("an erase that starts in the middle of a block, at {at}"));
        }
    }
    check_dies(command)?;
    for (index, one) in command.constituents.iter().enumerate() {
        for other in &command.constituents[..index] {
            if one.die == other.die {
                check_planes(geometry, restrictions, command.kind, one, other)?;
            }
        }
    }
    Ok(())
}

fn check_own_address(geometry: &Geometry, constituent: &Constituent) -> Finding {
    for page in [Some(constituent.page), constituent.source].into_iter().flatten() {
        if page.0 >= geometry.pages() {
            return Err(format!("{page} is beyond the drive"));
        }
    }
    let block = geometry.block_of(constituent.page);
    if constituent.block != block || constituent.die != geometry.die_of(geometry.plane_of(block)) {
        return Err(format!(
            "{} is said to be in {} of {}",
            geometry.address(constituent.page),
            constituent.block,
            constituent.die
        ));
    }
    Ok(())
}

/// One array step for each die, in the order of the constituents, those of a die together.
fn check_dies(command: &IssuedCommand<'_>) -> Finding {
    let mut arrays = command.arrays.iter();
    for group in command.constituents.chunk_by(|a, b| a.die == b.die) {
        if arrays.next().map(|array| array.die) != Some(group[0].die) {
            return Err(format!(
                "R-e (interleave): {} has not one array step of its own",
                group[0].die
            ));
        }
    }
    if let Some(array) = arrays.next() {
        return Err(format!("{} has an array step and no constituent", array.die));
    }
    let mut seen: Vec<_> = command.arrays.iter().map(|array| array.die).collect();
    seen.sort_unstable();
    match seen.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!(
            "R-e (interleave): {} is addressed twice by one command",
            pair[0]
        )),
        None => Ok(()),
    }
}

fn check_planes(
    geometry: &Geometry,
    restrictions: &RestrictionsConfig,
    kind: CommandKind,
    one: &Constituent,
    other: &Constituent,
) -> Finding {
    let (a, b) = (geometry.address(one.page), geometry.address(other.page));
    let broken = |what: &str| Err(format!("R-c (multi-plane): {what}: {a} and {b}"));
    if a.plane == b.plane {
        return broken("two constituents in one plane");
    }
    let loose = !restrictions.multi_plane_same_page;
    let aligned = |a: PageAddress, b: PageAddress, same_page: bool| {
        (a.block == b.block || !restrictions.multi_plane_same_block) && (a.page == b.page || !same_page)
    };
    let ends = match kind {
        CommandKind::Read => aligned(a, b, !loose),
        CommandKind::Program | CommandKind::CopyBack => aligned(a, b, true),
        CommandKind::Erase => aligned(a, b, false),
    };
    if !ends {
        return broken("blocks or pages of different index");
    }
    if let (Some(from), Some(other_from)) = (one.source, other.source) {
        let at = |page: Ppn| geometry.address(page);
        if !aligned(at(from), at(other_from), !loose) {
            return broken("sources of different index, for copy-backs to");
        }
    }
    Ok(())
}
