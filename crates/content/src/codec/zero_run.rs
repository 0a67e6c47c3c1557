//! Runs of zero bytes: the cheapest codec of differences, which a controller can have in hardware.
//!
//! A control byte of 128 and more stands for so many zero bytes less 127, a smaller one for so many literals and one more.
//! The source names no format; this one is assumed: one byte of control for at most 128 of data.

use super::{Compressor, Corrupt};

/// Most bytes of a run.
const MOST: usize = 128;

/// A zero byte alone among others is cheaper as a literal: it would end their run.
const SHORTEST: usize = 2;

pub(super) struct ZeroRun;

impl Compressor for ZeroRun {
    fn compress(&mut self, input: &[u8], output: &mut Vec<u8>) {
        let mut literals = 0;
        let mut at = 0;
        while at < input.len() {
            let zeros = input[at..]
                .iter()
                .take(MOST)
                .take_while(|byte| **byte == 0)
                .count();
            if zeros < SHORTEST {
                at += 1;
                continue;
            }
            put_literals(&input[literals..at], output);
            output.push((zeros + 127) as u8);
            at += zeros;
            literals = at;
        }
        put_literals(&input[literals..], output);
    }

    fn decompress(&mut self, input: &[u8], length: usize, output: &mut Vec<u8>) -> Result<(), Corrupt> {
        let start = output.len();
        let mut rest = input;
        while let [control, after @ ..] = rest {
            if let Some(zeros) = control.checked_sub(127).filter(|zeros| *zeros > 0) {
                output.resize(output.len() + usize::from(zeros), 0);
                rest = after;
            } else {
                let Some((literals, after)) = after.split_at_checked(usize::from(*control) + 1) else {
                    return Err(Corrupt("zero runs: fewer literals than announced"));
                };
                output.extend_from_slice(literals);
                rest = after;
            }
            if output.len() - start > length {
                return Err(Corrupt("zero runs: more than a page"));
            }
        }
        Ok(())
    }
}

fn put_literals(literals: &[u8], output: &mut Vec<u8>) {
    for run in literals.chunks(MOST) {
        output.push(run.len() as u8 - 1);
        output.extend_from_slice(run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_format() {
        let compressed = |input: &[u8]| {
            let mut output = Vec::new();
            ZeroRun.compress(input, &mut output);
            output
        };
        assert_eq!(compressed(&[0; 130]), [255, 129]);
        assert_eq!(compressed(&[9, 0, 8, 0, 0, 0, 7]), [2, 9, 0, 8, 130, 0, 7]);
        assert!(compressed(&[]).is_empty());
    }

    #[test]
    fn damaged_streams_are_refused() {
        let decode = |input: &[u8]| ZeroRun.decompress(input, 16, &mut Vec::new());
        assert_eq!(
            decode(&[3, 1]),
            Err(Corrupt("zero runs: fewer literals than announced"))
        );
        assert_eq!(decode(&[255]), Err(Corrupt("zero runs: more than a page")));
    }
}
