//! Classes of blocks: by process variation some blocks are stronger than others and can be programmed in coarser steps, hence
//! faster (J. Cui et al., DLV, IEEE TCAD 2018). A class is a property of the block: whoever writes to a strong block writes
//! in the time of its class.

/// The class of every block of a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockClasses {
    /// Names of the strong classes, the fastest first: they are modes of pages.
    names: Vec<String>,
    /// By flat number: 0 is the normal class, 1 the fastest of the strong ones.
    of_block: Vec<u8>,
}

impl BlockClasses {
    /// The strong classes of these names, the fastest first, and the class of every block by flat number: 0 is the normal
    /// class, 1 the first of `names`. A class that there is not is taken as the normal one.
    #[must_use]
    pub fn new(names: Vec<String>, mut of_block: Vec<u8>) -> Self {
        for class in &mut of_block {
            if usize::from(*class) > names.len() {
                *class = 0;
            }
        }
        Self { names, of_block }
    }

    /// Names of the strong classes, the fastest first.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The class of a block: 0 is the normal one, 1 the fastest of the strong ones.
    #[must_use]
    pub fn of_block(&self, block: u32) -> u8 {
        self.of_block[block as usize]
    }

    /// How many strong classes there are.
    #[must_use]
    pub fn strong(&self) -> u8 {
        self.names.len() as u8
    }
}
