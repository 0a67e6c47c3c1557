//! The names of flash commands: what `nand.commands.<kind>` counts.

use crate::probe::{CommandKind, IssuedCommand};

/// Names of the kinds of commands in `nand.commands.<kind>`: for each basic kind the basic,
/// multi-plane, interleaved and interleaved multi-plane form; then the cached reads and programs.
pub const COMMAND_NAMES: [&str; 24] = [
    "read",
    "multi_plane_read",
    "interleaved_read",
    "interleaved_multi_plane_read",
    "program",
    "multi_plane_program",
    "interleaved_program",
    "interleaved_multi_plane_program",
    "copy_back",
    "multi_plane_copy_back",
    "interleaved_copy_back",
    "interleaved_multi_plane_copy_back",
    "erase",
    "multi_plane_erase",
    "interleaved_erase",
    "interleaved_multi_plane_erase",
    "cache_read",
    "cache_multi_plane_read",
    "cache_interleaved_read",
    "cache_interleaved_multi_plane_read",
    "cache_program",
    "cache_multi_plane_program",
    "cache_interleaved_program",
    "cache_interleaved_multi_plane_program",
];

impl CommandKind {
    /// Every basic kind, in the order of their indices.
    pub const ALL: [Self; 4] = [Self::Read, Self::Program, Self::CopyBack, Self::Erase];

    /// Index into [`Self::ALL`].
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name used in summaries (`nand.wait.<operation>`).
    #[must_use]
    pub const fn name(self) -> &'static str {
        COMMAND_NAMES[self as usize * 4]
    }
}

/// Index in [`COMMAND_NAMES`] of the basic form of each kind of command: plain, and with cached registers.
const BASIC: [[usize; 4]; 2] = [[0, 4, 8, 12], [16, 20, 8, 12]];

/// The kind of a command as an index into [`COMMAND_NAMES`].
#[must_use]
#[inline]
pub fn command_index(command: &IssuedCommand<'_>) -> usize {
    let dies = command.arrays.len();
    let interleaved = usize::from(dies > 1);
    let multi_plane = usize::from(command.constituents.len() > dies.max(1));
    BASIC[usize::from(command.cached)][command.kind.index()] + 2 * interleaved + multi_plane
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Ledger;
    use crate::probe::{Array, Constituent, Probe};
    use std::collections::BTreeSet;
    use wordline_ftl::{Cause, Lpn};
    use wordline_nand::{BlockId, ChannelId, DieId, Geometry, GeometryConfig, Ppn};
    use wordline_units::{Duration, SimTime};

    fn name(kind: CommandKind, planes: usize, dies: u32, cached: bool) -> &'static str {
        let page = Constituent {
            cause: Cause::Host,
            page: Ppn(0),
            block: BlockId(0),
            die: DieId(0),
            source: None,
            lpn: Lpn(0),
            skipped: 0,
            brings_data: false,
            mode: wordline_nand::Mode::NORMAL,
            read_mode: wordline_nand::Mode::NORMAL,
        };
        let arrays: Vec<Array> = (0..dies)
            .map(|die| Array {
                die: DieId(die),
                from: SimTime(10),
                to: SimTime(30),
            })
            .collect();
        let command = IssuedCommand {
            kind,
            channel: ChannelId(1),
            constituents: &vec![page; planes * dies as usize],
            bus_from: SimTime(0),
            bus_to: SimTime(10),
            arrays: &arrays,
            cached,
            in_package: false,
        };
        let mut ledger = Ledger::new(&Geometry::new(&GeometryConfig::default()).unwrap());
        ledger.issued(&command);
        assert_eq!(ledger.channel_busy()[1], Duration(10));
        assert_eq!(ledger.die_busy()[dies as usize - 1], Duration(20));
        COMMAND_NAMES[command_index(&command)]
    }

    #[test]
    fn commands_are_named_by_their_form() {
        use CommandKind::{CopyBack, Erase, Program, Read};
        assert_eq!(name(Read, 1, 1, false), "read");
        assert_eq!(name(Read, 2, 1, false), "multi_plane_read");
        assert_eq!(name(Program, 1, 2, false), "interleaved_program");
        assert_eq!(name(Program, 2, 2, false), "interleaved_multi_plane_program");
        assert_eq!(name(CopyBack, 2, 1, true), "multi_plane_copy_back");
        assert_eq!(name(Erase, 2, 1, false), "multi_plane_erase");
        assert_eq!(name(Read, 1, 1, true), "cache_read");
        assert_eq!(name(Program, 2, 1, true), "cache_multi_plane_program");
        assert_eq!(
            COMMAND_NAMES.iter().collect::<BTreeSet<_>>().len(),
            COMMAND_NAMES.len()
        );
        assert_eq!(
            CommandKind::ALL.map(CommandKind::name),
            ["read", "program", "copy_back", "erase"]
        );
    }
}
