//! What is saved of bytes: what mapped pages hold, the deltas that the controller has, and what was written last. Contents of the versions are saved by their
//! numbers.

use serde::{Deserialize, Serialize};

use super::super::DeltaFtl;
use super::Content;
use crate::state::archive::{Archive, ArchiveError};

/// A content in a file.
#[derive(Serialize, Deserialize)]
enum Saved {
    Version(u32),
    Bytes(Vec<u8>),
}

impl From<&Content> for Saved {
    fn from(content: &Content) -> Self {
        match content {
            Content::Version(number) => Self::Version(*number),
            Content::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
        }
    }
}

impl From<Saved> for Content {
    fn from(saved: Saved) -> Self {
        match saved {
            Saved::Version(number) => Self::Version(number),
            Saved::Bytes(bytes) => Self::Bytes(bytes.into()),
        }
    }
}

impl DeltaFtl {
    /// Which contents pages have, and which codec has made their deltas.
    pub(in super::super) fn keys_of_bytes(&self) -> [(&'static str, String); 2] {
        let none = || "none".to_owned();
        let (versions, codec) = match &self.bytes {
            Some(bytes) => (
                format!("contents {:016x}", bytes.versions.fingerprint()),
                bytes.row.name.to_owned(),
            ),
            None => (none(), none()),
        };
        [("ftl.delta.versions", versions), ("ftl.delta.codec", codec)]
    }

    /// Passes the bytes to a state file or takes them from it. Nothing of a drive whose pages have no content.
    pub(in super::super) fn archive_bytes(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let Some(bytes) = &mut self.bytes else {
            return Ok(());
        };
        let logical = self.user + u64::from(self.log.most());
        let (mut flash, mut written, mut deltas) = (Vec::new(), Vec::new(), Vec::new());
        if !archive.is_loading() {
            for lpn in 0..logical {
                if let Some(page) = self.data.map.lookup(lpn)
                    && let Some(content) = bytes.flash.get(&page)
                {
                    flash.push((page, Saved::from(content)));
                }
                if let Some(content) = bytes.written.get(&lpn) {
                    written.push((lpn, Saved::from(content)));
                }
                if let Some(delta) = self.log.get(lpn)
                    && let Some(made) = bytes.deltas.get(&delta.stamp)
                {
                    deltas.push((delta.stamp, made.to_vec()));
                }
            }
        }
        archive.part(&mut flash)?;
        archive.part(&mut written)?;
        archive.part(&mut deltas)?;
        if archive.is_loading() {
            let restored = |(at, saved): (u64, Saved)| (at, saved.into());
            bytes.flash = flash.into_iter().map(restored).collect();
            bytes.written = written.into_iter().map(restored).collect();
            bytes.deltas = deltas
                .into_iter()
                .map(|(stamp, made)| (stamp, made.into()))
                .collect();
        }
        Ok(())
    }
}
