//! LZF, the compressor of the source: a byte stream of runs of literals and copies (M. Lehmann, LibLZF; Delta-FTL specification, 9.2).
//!
//! Written here because the crates that have it are no longer kept up. A control byte below 32 is followed by so many
//! literals and one more. Any other one is a copy: its upper three bits are the length less 2, 7 for a length whose rest over 9 is in the next byte; its lower five
//! bits and the last byte are the distance less 1.

use super::{Compressor, Corrupt};

/// Most bytes of a run of literals.
const MOST_LITERALS: usize = 32;
/// Farthest that a copy looks back.
const FARTHEST: usize = 8192;
/// Shortest copy.
const SHORTEST: usize = 3;
/// Longest copy.
const LONGEST: usize = 264;
/// Bits of the hash of three bytes: the default of LibLZF for its faster of two settings.
const HASH_BITS: u32 = 14;

/// A greedy compressor: of all copies that begin with the next three bytes it tries the nearest that its table knows.
pub(super) struct Lzf {
    /// By the hash of three bytes, where they were last, plus one.
    positions: Vec<u32>,
}

impl Default for Lzf {
    fn default() -> Self {
        Self {
            positions: vec![0; 1 << HASH_BITS],
        }
    }
}

impl Lzf {
    /// Notes where three bytes are; where they may have been before.
    fn exchange(&mut self, input: &[u8], at: usize) -> Option<usize> {
        let bytes = u32::from_le_bytes([input[at], input[at + 1], input[at + 2], 0]);
        let hash = (bytes.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize;
        let before = std::mem::replace(&mut self.positions[hash], at as u32 + 1);
        before.checked_sub(1).map(|before| before as usize)
    }
}

/// How many bytes from `at` on are those from `before` on.
fn common(input: &[u8], before: usize, at: usize) -> usize {
    let pairs = input[at..].iter().zip(&input[before..]).take(LONGEST);
    pairs.take_while(|(new, old)| new == old).count()
}

fn put_literals(literals: &[u8], output: &mut Vec<u8>) {
    for run in literals.chunks(MOST_LITERALS) {
        output.push(run.len() as u8 - 1);
        output.extend_from_slice(run);
    }
}

fn put_copy(distance: usize, length: usize, output: &mut Vec<u8>) {
    let offset = distance - 1;
    let high = (offset >> 8) as u8;
    if length < 9 {
        output.push(((length - 2) as u8) << 5 | high);
    } else {
        output.extend_from_slice(&[7 << 5 | high, (length - 9) as u8]);
    }
    output.push(offset as u8);
}

impl Compressor for Lzf {
    fn compress(&mut self, input: &[u8], output: &mut Vec<u8>) {
        self.positions.fill(0);
        let (mut at, mut literals) = (0, 0);
        while at + SHORTEST <= input.len() {
            let before = self.exchange(input, at).filter(|before| at - before <= FARTHEST);
            let length = before.map_or(0, |before| common(input, before, at));
            let Some(before) = before.filter(|_| length >= SHORTEST) else {
                at += 1;
                continue;
            };
            put_literals(&input[literals..at], output);
            put_copy(at - before, length, output);
            let end = at + length;
            // so that the next copy can begin inside this one; LibLZF notes the last two places, too
            for inside in end - 2..end {
                if inside + SHORTEST <= input.len() {
                    self.exchange(input, inside);
                }
            }
            (at, literals) = (end, end);
        }
        put_literals(&input[literals..], output);
    }

    fn decompress(&mut self, input: &[u8], length: usize, output: &mut Vec<u8>) -> Result<(), Corrupt> {
        let start = output.len();
        let mut rest = input;
        while let [control, after @ ..] = rest {
            let (high, low) = (control >> 5, usize::from(control & 31));
            if high == 0 {
                let Some((literals, after)) = after.split_at_checked(low + 1) else {
                    return Err(Corrupt("LZF: fewer literals than announced"));
                };
                output.extend_from_slice(literals);
                rest = after;
            } else {
                let (count, offset, after) = match (high, after) {
                    (7, [more, offset, after @ ..]) => (usize::from(*more) + 9, *offset, after),
                    (1..7, [offset, after @ ..]) => (usize::from(high) + 2, *offset, after),
                    _ => return Err(Corrupt("LZF: the end in the middle of a copy")),
                };
                let distance = (low << 8 | usize::from(offset)) + 1;
                let end = output.len();
                if distance > end - start {
                    return Err(Corrupt("LZF: a copy of what is before the beginning"));
                }
                for from in end - distance..end - distance + count {
                    output.push(output[from]);
                }
                rest = after;
            }
            if output.len() - start > length {
                return Err(Corrupt("LZF: more than a page"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compressed(input: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        Lzf::default().compress(input, &mut output);
        output
    }

    /// The format, byte by byte.
    #[test]
    fn the_bytes_are_those_of_the_format() {
        assert_eq!(compressed(b"abc"), [2, b'a', b'b', b'c']);
        // three literals, then six bytes from three back: length 6 - 2 = 4
        assert_eq!(compressed(b"abcabcabc"), [2, b'a', b'b', b'c', 4 << 5, 2]);
        // one literal, then 264 from one back, then 4, then the rest: 3 bytes
        assert_eq!(compressed(&[5; 269]), [0, 5, 7 << 5, 255, 0, 2 << 5, 0]);
        // 33 literals take two runs
        let literals: Vec<u8> = (0..33).collect();
        assert_eq!(compressed(&literals).len(), 35);
    }

    /// Distances up to 8192 are used, and no longer ones.
    #[test]
    fn the_farthest_copy_is_8192_bytes_away() {
        // bytes of which no three in a row come twice
        let filler = |count: usize| (0..count).flat_map(|at| [at as u8, (at >> 8) as u8 | 128]);
        let page = |between: usize| -> Vec<u8> {
            let start = b"xyzw".iter().copied();
            let end = b"xyzw".iter().copied();
            start.chain(filler(between / 2)).chain(end).collect()
        };
        let ends_in_copy = |page: &[u8]| {
            let bytes = compressed(page);
            bytes[bytes.len() - 4..] != *b"xyzw"
        };
        assert!(ends_in_copy(&page(8188)), "8192 back");
        assert!(!ends_in_copy(&page(8190)), "8194 back");
    }

    #[test]
    fn damaged_streams_are_refused() {
        let decode = |input: &[u8], length| Lzf::default().decompress(input, length, &mut Vec::new());
        assert_eq!(
            decode(&[3, 1, 2], 16),
            Err(Corrupt("LZF: fewer literals than announced"))
        );
        assert_eq!(
            decode(&[0, 1, 1 << 5], 16),
            Err(Corrupt("LZF: the end in the middle of a copy"))
        );
        assert_eq!(
            decode(&[0, 1, 7 << 5, 3], 16),
            Err(Corrupt("LZF: the end in the middle of a copy"))
        );
        assert_eq!(
            decode(&[0, 1, 1 << 5, 1], 16),
            Err(Corrupt("LZF: a copy of what is before the beginning"))
        );
        assert_eq!(
            decode(&[0, 1, 7 << 5, 255, 0], 16),
            Err(Corrupt("LZF: more than a page"))
        );
    }
}
