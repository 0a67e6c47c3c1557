//! Encodes pages with one codec, for a count of its instructions:
//!
//! ```text
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/codec_cost lzf 1000
//! ```
//!
//! The instructions of a page are those of 1000 pages less those of 0, over 1000. Pages hold letters; one run of 16 bytes in 20 has
//! changed, which leaves LZF a ratio of 0.07.

use std::env::args;
use std::hint::black_box;

use wordline_content::{Coder, codec};
use wordline_units::Seed;

const PAGE: u64 = 4096;
/// Bytes that change together.
const RUN: u64 = 16;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "lzf".to_owned());
    let pages: u64 = arguments.next().unwrap_or_else(|| "0".to_owned()).parse()?;
    let mut coder = Coder::new(codec(&name)?);
    let text = |page: u64, version: u64, at: u64| {
        let changed = version == 1 && Seed(page).draw("changed", at / RUN).is_multiple_of(20);
        b'a' + (Seed(page + u64::from(changed)).draw("text", at) % 26) as u8
    };
    let version = |page, version| (0..PAGE).map(|at| text(page, version, at)).collect::<Vec<u8>>();
    // eight pairs that are encoded again and again: what is measured is the codec
    let pairs: Vec<_> = (0..8).map(|page| (version(page, 0), version(page, 1))).collect();
    let mut delta = Vec::new();
    let mut bytes = 0;
    for (old, new) in pairs.iter().cycle().take(pages as usize) {
        coder.encode(old, black_box(new), &mut delta);
        bytes += delta.len();
    }
    // for the eye: the ratio that was reached
    let ratio = bytes as f64 / (pages.max(1) * PAGE) as f64;
    std::io::Write::write_all(&mut std::io::stdout(), format!("{name} {ratio:.3}\n").as_bytes())?;
    Ok(())
}
