//! State written to a file and read back: one function lists what changes, for both directions.

use std::io::{Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// Why state cannot be written, or read back.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The file ends early, holds what does not belong there, or cannot be written.
    #[error("{0}")]
    Stream(#[from] postcard::Error),
    /// A table of another length than the drive's.
    #[error("a table of {found} entries where the drive has {expected}")]
    Length {
        /// Entries in the file.
        found: usize,
        /// Entries of the drive.
        expected: usize,
    },
    /// One part contradicts another, or is nothing that a drive comes to.
    #[error("it contradicts itself: {0}")]
    Content(&'static str),
    /// Operations are under way.
    #[error("the drive is in the middle of an operation")]
    Busy,
}

/// Bytes of the longest text that may be part of a state.
const LONGEST_TEXT: usize = 64;

/// Refuses what was loaded unless something `holds` of it.
///
/// # Errors
/// It does not; `otherwise` says what is found then.
pub fn require(holds: bool, otherwise: &'static str) -> Result<(), ArchiveError> {
    if holds {
        Ok(())
    } else {
        Err(ArchiveError::Content(otherwise))
    }
}

/// Which part of the state of an FTL is saved or loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What the flash contains: any policy can continue from it. Random streams start afresh, and a job in the middle of
    /// its work is left there.
    Content,
    /// All that changes while the FTL works, so that it continues to the bit under the same configuration.
    Everything,
}

enum Direction<'a> {
    Save(&'a mut dyn Write),
    Load(&'a mut dyn Read),
}

/// State on its way to a file, or back from it. Whoever keeps state hands over each part of it, in the same order in
/// both directions; what follows from the configuration is no state.
pub struct Archive<'a>(Direction<'a>);

impl<'a> Archive<'a> {
    /// Parts go to a writer.
    pub fn saving(to: &'a mut dyn Write) -> Self {
        Self(Direction::Save(to))
    }

    /// Parts come from a reader.
    pub fn loading(from: &'a mut dyn Read) -> Self {
        Self(Direction::Load(from))
    }

    /// Whether parts come from a reader.
    #[must_use]
    pub fn is_loading(&self) -> bool {
        matches!(self.0, Direction::Load(_))
    }

    /// One part of the state.
    ///
    /// # Errors
    /// The file ends early, holds something else, or cannot be written.
    pub fn part<T: Serialize + DeserializeOwned>(&mut self, value: &mut T) -> Result<(), ArchiveError> {
        match &mut self.0 {
            Direction::Save(to) => {
                postcard::to_io(value, to)?;
            }
            Direction::Load(from) => {
                let mut scratch = [0; LONGEST_TEXT];
                (*value, _) = postcard::from_io((from, &mut scratch))?;
            }
        }
        Ok(())
    }

    /// A part whose length the configuration gives.
    ///
    /// # Errors
    /// As for `part`; another length.
    pub fn table<T: Serialize + DeserializeOwned>(
        &mut self,
        values: &mut Vec<T>,
    ) -> Result<(), ArchiveError> {
        let expected = values.len();
        self.part(values)?;
        if values.len() == expected {
            Ok(())
        } else {
            let found = values.len();
            Err(ArchiveError::Length { found, expected })
        }
    }

    /// Nothing follows.
    ///
    /// # Errors
    /// When loading: something does, or what follows cannot be read.
    pub fn end(&mut self) -> Result<(), ArchiveError> {
        match &mut self.0 {
            Direction::Save(_) => Ok(()),
            Direction::Load(from) => {
                let left = from
                    .read(&mut [0])
                    .map_err(|_| postcard::Error::DeserializeUnexpectedEnd)?;
                require(left == 0, "something comes after its end")
            }
        }
    }
}
