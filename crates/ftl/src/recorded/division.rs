//! Which part of the drive a mapping works on, and which part holds what is written to build it anew.

use wordline_nand::Geometry;

use crate::config::{MappingInput, RecoveryKind, array_of_units, pages_per_unit};
use crate::error::FtlError;
use crate::mapping::MappingRow;
use crate::space::Region;
use crate::table_cost::address_bytes;

/// Bytes that a summary page takes for each logical page: 4 for its number, and 6 for its version of 48 bits (FTL specification, 8.2).
const LISTED_BYTES: u64 = 10;

/// Spare blocks of each plane where programs or erases fail (assumed): one for so many blocks of journal, checkpoints and root, and so many at least. These blocks are erased more often than others.
const SPARE_ONE_IN: u64 = 8;
const LEAST_SPARE: u64 = 4;

/// A drive divided between the mapping and what is written to build it anew.
#[derive(Clone, Debug)]
pub(crate) struct Division {
    /// The mapping's part.
    pub(crate) data: Region,
    /// Where journal and checkpoints are; none where there are none.
    pub(crate) area: Option<Area>,
}

/// The blocks of journal and checkpoints: the last ones of every plane. A *row* is the same block of every plane, whose pages are numbered plane by
/// plane, so that successive ones are in different planes.
#[derive(Clone, Debug)]
pub(crate) struct Area {
    pub(crate) region: Region,
    /// Rows for the two blocks of the root.
    pub(crate) root_rows: u32,
    /// Rows of each of the two slots for checkpoints.
    pub(crate) slot_rows: u32,
    /// Rows of the journal.
    pub(crate) journal_rows: u32,
    /// Rows of spare blocks, which stand for others of their plane; none where nothing fails.
    pub(crate) spare_rows: u32,
    /// Entries of the map in a page.
    pub(crate) entries_per_page: u64,
    /// Pages of a checkpoint: of the map, and of the table of blocks.
    pub(crate) pages: u64,
}

impl Division {
    /// # Errors
    /// `ftl.recovery` out of range, or a drive with too little space for it.
    pub(crate) fn new(row: &MappingRow, input: &MappingInput<'_>) -> Result<Self, FtlError> {
        let geometry = input.geometry;
        let kind = input.config.recovery.kind;
        input.config.recovery.check()?;
        let whole = Region::new(geometry, 0, geometry.blocks_per_plane);
        match kind {
            RecoveryKind::None | RecoveryKind::OobScan => Ok(Self {
                data: whole,
                area: None,
            }),
            RecoveryKind::SummaryScan => {
                if geometry.pages_per_block < 2 {
                    return Err(too_small(
                        kind,
                        "at least 2 pages in a block (geometry.pages_per_block): one lists the others",
                    ));
                }
                let units = array_of_units(geometry, input.config)?;
                let listed = u64::from(units.pages_per_block - units.pages_per_program);
                if listed * LISTED_BYTES > u64::from(geometry.page_bytes) {
                    let accepted = format!(
                        "a page (geometry.page_size) that lists the {listed} logical pages of a block: {LISTED_BYTES} B each"
                    );
                    return Err(too_small(kind, &accepted));
                }
                Ok(Self {
                    data: whole.with_pages_per_block(geometry.pages_per_block - 1),
                    area: None,
                })
            }
            RecoveryKind::CheckpointJournal | RecoveryKind::Delayed => {
                // the drive exports no more than it would without
                let exported = (row.exported)(input)?;
                let logical = if row.recovers_own_pages {
                    geometry.pages()
                } else {
                    exported
                };
                let per_unit = u64::from(pages_per_unit(geometry, input.config)?);
                let area = Area::new(input, logical.div_ceil(per_unit))?;
                let blocks = geometry.blocks_per_plane - area.rows();
                Ok(Self {
                    data: Region::new(geometry, 0, blocks),
                    area: Some(area),
                })
            }
        }
    }

    /// What a mapping that works on its part of the drive says.
    ///
    /// # Errors
    /// What `ask` refuses.
    pub(crate) fn within<T>(
        &self,
        input: &MappingInput<'_>,
        ask: impl FnOnce(&MappingInput<'_>) -> Result<T, FtlError>,
    ) -> Result<T, FtlError> {
        ask(&MappingInput {
            geometry: &self.data.geometry,
            ..*input
        })
    }
}

fn too_small(kind: RecoveryKind, accepted: &str) -> FtlError {
    FtlError::new("ftl.recovery.kind", format!("\"{}\"", kind.name()), accepted)
}

impl Area {
    /// `logical` entries are in the map.
    fn new(input: &MappingInput<'_>, logical: u64) -> Result<Self, FtlError> {
        let (geometry, config) = (input.geometry, &input.config.recovery);
        let entry = address_bytes(array_of_units(geometry, input.config)?.pages());
        let page_bytes = u64::from(geometry.page_bytes);
        let entries_per_page = (page_bytes / entry).max(1);
        let map_pages = logical.div_ceil(entries_per_page);
        // four bytes of each block: how often it was erased
        let pages = map_pages + (4 * u64::from(geometry.blocks())).div_ceil(page_bytes);
        let planes = geometry.planes();
        let of_row = u64::from(planes) * u64::from(geometry.pages_per_block);
        let slot_rows = pages.div_ceil(of_row);
        let per_page = (page_bytes / u64::from(config.record_bytes)).max(1);
        // between checkpoints, a record for each host write and as many again for pages that are moved, and a page for each block that is
        // erased; twice that, as the journal goes on while a checkpoint is written
        let interval = u64::from(config.checkpoint_interval);
        let of_interval = 2 * interval / per_page + 2 * interval / u64::from(geometry.pages_per_block);
        let wanted = (2 * of_interval).div_ceil(of_row) + 1;
        let most = u64::from(geometry.blocks_per_plane / 16).max(3);
        let journal_rows = wanted.clamp(3, most) as u32;
        let root_rows = 2_u32.div_ceil(planes);
        let in_use = u64::from(root_rows) + 2 * slot_rows + u64::from(journal_rows);
        let failures = &input.config.failures;
        let spare_rows = match (failures.program, failures.erase) {
            (None, None) => 0,
            _ => in_use.div_ceil(SPARE_ONE_IN).max(LEAST_SPARE),
        };
        let rows = in_use + spare_rows;
        if rows >= u64::from(geometry.blocks_per_plane) {
            let accepted = format!(
                "more blocks in a plane (geometry.blocks_per_plane = {}): {rows} of them hold journal, checkpoints and root",
                geometry.blocks_per_plane
            );
            return Err(too_small(config.kind, &accepted));
        }
        let rows = rows as u32;
        Ok(Self {
            region: Region::new(geometry, geometry.blocks_per_plane - rows, rows),
            root_rows,
            slot_rows: slot_rows as u32,
            journal_rows,
            spare_rows: spare_rows as u32,
            entries_per_page,
            pages,
        })
    }

    const fn rows(&self) -> u32 {
        self.root_rows + 2 * self.slot_rows + self.journal_rows + self.spare_rows
    }

    /// The array of the area.
    pub(crate) const fn geometry(&self) -> &Geometry {
        &self.region.geometry
    }
}
