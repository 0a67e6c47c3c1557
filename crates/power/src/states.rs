//! Power states: page kinds, and the states that reads and programs leave cells in.
//!
//! Section 2 of the specification. A cell of n bits has n page kinds, programmed in their order. After page
//! k a cell has a level rank in 0..2^k-1 (reflected Gray code; rank 0 is all ones).

/// Most bits a cell can have.
pub const MAX_BITS: u32 = 4;

/// Which page of its cells a page is: 0 is programmed first (the fast page of MLC).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageKind(pub u8);

impl PageKind {
    /// The kind as an index into per-kind tables.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its name among the kinds of a cell of `bits` bits.
    #[must_use]
    pub const fn name(self, bits: u32) -> &'static str {
        match (bits, self.0) {
            (1, _) => "page",
            (2, 0) => "fast",
            (2, _) => "slow",
            (_, 0) => "lower",
            (_, 1) => "middle",
            (_, 2) => "upper",
            _ => "top",
        }
    }

    /// Program states of the kind: 2^k for the k-th page.
    #[must_use]
    pub const fn states(self) -> usize {
        2 << self.0
    }
}

/// A program state: the bits of a cell after its k-th page, the bit of the first page first.
///
/// As a number, `bits` has the bit of the k-th page lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramState {
    /// The page that is programmed.
    pub kind: PageKind,
    /// The bits of the cell so far.
    pub bits: u8,
}

impl ProgramState {
    /// Every state of a kind, in the order of its bits.
    pub fn of(kind: PageKind) -> impl Iterator<Item = Self> {
        (0..kind.states()).map(move |bits| Self {
            kind,
            bits: bits as u8,
        })
    }

    /// Name, such as `slow 01`.
    #[must_use]
    pub fn name(self, cell_bits: u32) -> String {
        let width = self.kind.index() + 1;
        format!("{} {:0width$b}", self.kind.name(cell_bits), self.bits)
    }

    /// The bit of the page that is programmed.
    #[must_use]
    pub const fn bit(self) -> u8 {
        self.bits & 1
    }

    /// The state before, where this is not the first page.
    #[must_use]
    pub fn before(self) -> Option<Self> {
        Some(Self {
            kind: PageKind(self.kind.0.checked_sub(1)?),
            bits: self.bits >> 1,
        })
    }

    /// Level rank of the cell: 0 is erased.
    #[must_use]
    pub fn rank(self) -> u32 {
        let before = self.before().map_or(0, Self::rank);
        let upper = u32::from(self.bit() ^ 1) ^ (before & 1);
        2 * before + upper
    }

    /// Threshold shift from the state before, in steps between adjacent states.
    #[must_use]
    pub fn shift(self) -> u32 {
        self.rank() - self.before().map_or(0, Self::rank)
    }
}

/// The states that the source counts, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct States {
    /// Read states: whether the page read is programmed, by kind, for one and two bits; the level of the cell
    /// for more, as 2^n levels are sensed within n cycles.
    pub read: Vec<String>,
    /// Program states.
    pub program: Vec<String>,
    /// Erase states.
    pub erase: Vec<String>,
}

impl States {
    /// The 2^n read, 2^(n+1) - 2 program and one erase states of a cell of `bits` bits.
    #[must_use]
    pub fn of(bits: u32) -> Self {
        let kinds = (0..bits.min(MAX_BITS)).map(|kind| PageKind(kind as u8));
        let read = if bits <= 2 {
            kinds
                .clone()
                .flat_map(|kind| {
                    ["programmed", "unprogrammed"].map(|state| format!("{} {state}", kind.name(bits)))
                })
                .collect()
        } else {
            let width = bits as usize;
            (0..1_u32 << bits.min(MAX_BITS))
                .map(|level| format!("level {level:0width$b}"))
                .collect()
        };
        Self {
            read,
            program: kinds
                .flat_map(ProgramState::of)
                .map(|state| state.name(bits))
                .collect(),
            erase: vec!["block".to_owned()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_of_slc_and_mlc() {
        let shifts = |kind| {
            ProgramState::of(PageKind(kind))
                .map(|state| (state.name(2), state.shift()))
                .collect::<Vec<_>>()
        };
        let named = |list: &[(&str, u32)]| {
            list.iter()
                .map(|(name, shift)| ((*name).to_owned(), *shift))
                .collect::<Vec<_>>()
        };
        assert_eq!(shifts(0), named(&[("fast 0", 1), ("fast 1", 0)]));
        assert_eq!(
            shifts(1),
            named(&[("slow 00", 1), ("slow 01", 2), ("slow 10", 1), ("slow 11", 0)])
        );
    }

    #[test]
    fn counts_and_largest_shift() {
        for bits in 1..=MAX_BITS {
            let states = States::of(bits);
            assert_eq!(states.read.len(), 1 << bits);
            assert_eq!(states.program.len(), (2 << bits) - 2);
            assert_eq!(states.erase.len(), 1);
            let last = ProgramState::of(PageKind(bits as u8 - 1));
            assert_eq!(last.map(ProgramState::shift).max(), Some(1 << (bits - 1)));
        }
    }

    /// Adjacent levels differ in one bit, and every rank occurs once.
    #[test]
    fn ranks_are_a_gray_code() {
        for kind in 0..MAX_BITS as u8 {
            let mut levels: Vec<_> = ProgramState::of(PageKind(kind))
                .map(|state| (state.rank(), state.bits))
                .collect();
            levels.sort_unstable();
            assert_eq!(levels[0].1.count_ones(), u32::from(kind) + 1);
            for (index, pair) in levels.windows(2).enumerate() {
                assert_eq!(pair[0].0 as usize, index);
                assert_eq!((pair[0].1 ^ pair[1].1).count_ones(), 1);
            }
        }
    }
}
