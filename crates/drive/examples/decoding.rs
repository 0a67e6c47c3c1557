//! `make trust`: whether every mode of DiffECC meets its error target, by decoding with its code.
//!
//! For each mode of the preset `wu2013-diffecc`, pages are drawn from the model of cells at the program step of the mode, encoded, read and
//! decoded: with noisy cells, of whose code words three in ten fail, and at the rate of the mode by importance sampling. Exit
//! status 1 where failures differ by more than four standard errors from the closed form, or are above the target.
//!
//! `decoding PRESET` takes another drive with BCH codes and `cell.vth.sigma_programmed`.
#![allow(clippy::print_stdout, reason = "a table on standard output is what it is for")]

#[path = "../tests/integration/decoding/pages.rs"]
mod pages;

use std::process::ExitCode;

use pages::modes_of;
use wordline_config::{DriveSource, resolve};
use wordline_units::Seed;

/// Bits that are decoded of each mode, each way.
const BITS: u32 = 100_000_000;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let name = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "wu2013-diffecc".to_owned());
    let config = resolve(DriveSource::Named(&name), None, &[])?.config;
    println!(
        "{:8} {:>22}  {:>9}  {:>10}  {:>24}  {:>17}",
        "mode", "code", "rate", "computed", "decoded", "noisy: 0.3 fail"
    );
    let mut wrong = 0;
    for mode in modes_of(&config) {
        let (code, closed) = (mode.code(), mode.failure());
        let words = BITS / code.n();
        let rare = mode.estimate(words, &mut Seed(1).stream(&mode.name));
        let noisy = mode.decode_noisy(0.3, words, &mut Seed(2).stream(&mode.name));
        let holds = (rare.failure - closed).abs() <= 4.0 * rare.error
            && rare.failure - 4.0 * rare.error <= config.ecc.target
            && noisy.deviations().iter().all(|deviation| deviation.abs() <= 4.0);
        wrong += u32::from(!holds);
        println!(
            "{:8} {:>22}  {:9.3e}  {:10.3e}  {:10.3e} +- {:10.1e}  {:8.4} of {:5}  {}",
            mode.name,
            format!("({}, {}, {})", code.n(), code.k(), code.t()),
            mode.rate,
            closed,
            rare.failure,
            rare.error,
            noisy.found,
            words,
            if holds { "" } else { "WRONG" }
        );
    }
    Ok(ExitCode::from(u8::from(wrong > 0)))
}
