//! Files as lists of extents; a new extent is the free one with the lowest address.

use std::collections::BTreeSet;

use crate::SourceError;

/// A file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    extents: Vec<u32>,
    /// Pieces written.
    pieces: u64,
}

impl File {
    /// Pieces written.
    pub(super) const fn len(&self) -> u64 {
        self.pieces
    }
}

/// The space of files.
#[derive(Clone, Debug)]
pub(super) struct Files {
    first: u64,
    piece: u32,
    per_extent: u64,
    free: BTreeSet<u32>,
}

impl Files {
    /// So many extents of `per_extent` pieces of `piece` sectors, from sector `first` on.
    pub(super) fn new(first: u64, piece: u32, per_extent: u64, extents: u32) -> Self {
        Self {
            first,
            piece,
            per_extent,
            free: (0..extents).collect(),
        }
    }

    /// Sectors of a piece.
    pub(super) const fn piece(&self) -> u32 {
        self.piece
    }

    /// The sector that lies so many pieces before the first file.
    pub(super) const fn before(&self, pieces: u64) -> u64 {
        self.first - pieces * self.piece as u64
    }

    /// Where a piece of a file is.
    pub(super) fn sector(&self, file: &File, piece: u64) -> u64 {
        let extent = u64::from(file.extents[(piece / self.per_extent) as usize]);
        self.first + (extent * self.per_extent + piece % self.per_extent) * u64::from(self.piece)
    }

    /// Appends a piece to a file: where it is.
    ///
    /// # Errors
    /// No extent is free.
    pub(super) fn extend(&mut self, file: &mut File) -> Result<u64, SourceError> {
        if file.pieces.is_multiple_of(self.per_extent) {
            let extent = self.free.pop_first().ok_or_else(|| {
                SourceError("workload.store: the region has no free extent; accepted are fewer data (workload.store.data)".to_owned())
            })?;
            file.extents.push(extent);
        }
        file.pieces += 1;
        Ok(self.sector(file, file.pieces - 1))
    }

    /// Frees the extents of a file: first sector and sectors of each.
    pub(super) fn free(&mut self, file: File) -> Vec<(u64, u32)> {
        let sectors = self.per_extent as u32 * self.piece;
        self.free.extend(&file.extents);
        let extents = file.extents.into_iter();
        extents
            .map(|extent| (self.first + u64::from(extent) * u64::from(sectors), sectors))
            .collect()
    }

    /// Extents that are free.
    #[cfg(test)]
    pub(super) fn free_extents(&self) -> usize {
        self.free.len()
    }
}
