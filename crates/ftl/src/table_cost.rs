//! What a mapping takes to know where logical pages are: memory of the controller, space on flash, and what has to be read
//! again after a sudden loss of power (FTL specification, 2.10 and 8.3; Peleato, Agarwal and Cioffi, Asilomar 2012).
//!
//! These are the tables of a real controller, not those of the simulator, which keeps a dense map of pages in every case.

/// The cost of the table of a mapping at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableCost {
    /// Bytes of the controller's memory.
    pub memory_bytes: u64,
    /// Bytes of memory that the host lends the controller.
    pub host_memory_bytes: u64,
    /// Bytes on flash: translation pages, or the parts of spare areas that hold entries.
    pub flash_bytes: u64,
    /// Per die: spare areas that are read after a sudden loss of power, before the place of every logical page is known
    /// again. Nothing but blocks and their spare areas is used: no journal, checkpoint or summary page.
    pub recovery_reads: Vec<u64>,
}

/// Bytes of a number below `count`: 4, the usual size of an entry (FTL specification, 2.1), or as many as are needed.
#[must_use]
pub const fn address_bytes(count: u64) -> u64 {
    let bits = (u64::BITS - count.saturating_sub(1).leading_zeros()) as u64;
    let bytes = bits.div_ceil(8);
    if bytes < 4 { 4 } else { bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_take_four_bytes_up_to_four_giga() {
        let sizes = [0, 1, 1 << 32, (1 << 32) + 1, 1 << 40, u64::MAX].map(address_bytes);
        assert_eq!(sizes, [4, 4, 4, 5, 5, 8]);
    }
}
