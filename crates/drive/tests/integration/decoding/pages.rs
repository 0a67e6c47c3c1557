//! Pages that are drawn from the model of cells, encoded, read and decoded, in each mode of a drive.

use rand::Rng;
use wordline_cell::{Cell, Disturbances, Erased, Family, PageState, label};
use wordline_config::Config;
use wordline_ecc::{Bch, Codec, ErrorCounts};
use wordline_nand::Geometry;
use wordline_units::Stream;

/// A mode: its cells as programmed, and its code.
pub(crate) struct CodedMode {
    pub(crate) name: String,
    pub(crate) codec: Codec,
    /// The raw bit error rate that a drive takes for its pages.
    pub(crate) rate: f64,
    family: Family,
    step: f64,
    sigma: f64,
}

/// What came of code words that were read from noisy cells.
pub(crate) struct Noisy {
    /// The failures that the closed form expects in a code word, and those that were found.
    pub(crate) expected: f64,
    pub(crate) found: f64,
    /// The raw bit error rate that the closed form expects, and that of the bits that were read.
    pub(crate) rate: f64,
    pub(crate) rate_found: f64,
    /// Code words, and bits.
    words: f64,
    bits: f64,
}

/// A probability of failure, estimated by importance sampling, and the standard error of the estimate.
pub(crate) struct Estimate {
    pub(crate) failure: f64,
    pub(crate) error: f64,
}

/// All modes of a drive with BCH codes, the normal one first.
pub(crate) fn modes_of(config: &Config) -> Vec<CodedMode> {
    let vth = &config.cell.vth;
    let family = Family {
        bits: config.geometry.cell_type.bits(),
        erased: Erased::new(vth.sigma_erased).unwrap(),
        references: vth.references.clone(),
        reading: config.cell.ber_reading,
    };
    let steps = config.mode_steps().unwrap();
    let geometry = Geometry::new(&config.geometry).unwrap();
    let (reliability, _) = config.reliability(&geometry).unwrap().unwrap();
    let normal = ("normal".to_owned(), vth.step, config.ecc.clone());
    let others = config.modes.iter().zip(&steps);
    let others = others.map(|(mode, step)| (mode.name.clone(), *step, config.code_of_mode(mode)));
    std::iter::once(normal)
        .chain(others)
        .zip(0..)
        .map(|((name, step, code), number)| CodedMode {
            name,
            codec: Codec::new(code.bch.code().unwrap()),
            rate: reliability.rber(&PageState {
                factor: reliability.factor(0),
                cycles: 0,
                age_days: 0.0,
                disturbed: Disturbances::NONE,
                redone: 0,
                step: number,
                page: 0,
            }),
            family: family.clone(),
            step,
            sigma: vth.sigma_programmed.unwrap(),
        })
        .collect()
}

/// Uniform between 0 and 1, without the two.
fn uniform(stream: &mut Stream) -> f64 {
    ((stream.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

/// A draw from the standard normal law (Box and Muller).
fn normal(stream: &mut Stream) -> f64 {
    (-2.0 * uniform(stream).ln()).sqrt() * (std::f64::consts::TAU * uniform(stream)).cos()
}

fn bits(stream: &mut Stream, count: usize) -> Vec<bool> {
    (0..count).map(|_| stream.next_u64() >> 63 == 1).collect()
}

/// The threshold voltage of a cell of `state`: the erased one is normal, the others are flat over the program step, with Gaussian flanks.
fn voltage(cell: &Cell, state: u32, stream: &mut Stream) -> f64 {
    if state == 0 {
        return cell.erased().sigma() * normal(stream);
    }
    let programmed = cell.programmed();
    let half = 0.5 * programmed.step();
    let offset = if uniform(stream) < programmed.flanks() {
        let flank = programmed.sigma() * normal(stream);
        flank + half.copysign(flank)
    } else {
        half * (2.0 * uniform(stream) - 1.0)
    };
    f64::from(state) + offset
}

/// A state that holds `bit` in the last page of its cell, the worst, with any bits in the others.
fn state_of(cell: &Cell, bit: bool, stream: &mut Stream) -> u32 {
    loop {
        let state = (stream.next_u64() >> 32) as u32 % (1 << cell.bits());
        if label(cell.bits(), state, cell.bits() - 1) == bit {
            return state;
        }
    }
}

/// The share of cells of `state` whose bit of the last page is misread, across one reference.
fn misread(cell: &Cell, state: u32) -> f64 {
    let page = cell.bits() - 1;
    let read_as = |other: u32| label(cell.bits(), other, page) != label(cell.bits(), state, page);
    let references = cell.references();
    let above = |reference: f64| match state {
        0 => cell.erased().tail(reference),
        _ => cell.programmed().tail(reference - f64::from(state)),
    };
    let up = references
        .get(state as usize)
        .filter(|_| read_as(state + 1))
        .map(|at| above(*at));
    let down = (state > 0 && read_as(state - 1)).then(|| {
        cell.programmed()
            .tail(f64::from(state) - references[state as usize - 1])
    });
    up.unwrap_or(0.0) + down.unwrap_or(0.0)
}

impl CodedMode {
    pub(crate) fn code(&self) -> Bch {
        self.codec.code()
    }

    /// The probability that a code word fails, by the closed form.
    pub(crate) fn failure(&self) -> f64 {
        self.code()
            .ln_failure(self.rate, ErrorCounts::Independent)
            .unwrap()
            .exp()
    }

    fn encoded(&self, stream: &mut Stream) -> Vec<bool> {
        let information = bits(stream, self.code().k() as usize);
        self.codec.encode(&information).unwrap()
    }

    /// Decodes a word and says whether it failed: it was given up, or became another one than was sent.
    fn fails(&self, sent: &[bool], mut read: Vec<bool>) -> bool {
        self.codec.decode(&mut read).unwrap().is_none() || read != sent
    }

    /// Draws code words at the mode's program step, but with cells so noisy that a word fails with probability `failure`: every voltage is
    /// drawn and compared with the references.
    pub(crate) fn decode_noisy(&self, failure: f64, words: u32, stream: &mut Stream) -> Noisy {
        let rate = self.code().p_max(failure, ErrorCounts::Independent).unwrap();
        let sigma = self.family.sigma_for_rber(self.step, rate).unwrap();
        let cell = self.family.cell(self.step, sigma).unwrap();
        let (mut failed, mut wrong) = (0_u32, 0_usize);
        for _ in 0..words {
            let sent = self.encoded(stream);
            let read_bit = |bit: &bool| {
                let at = voltage(&cell, state_of(&cell, *bit, stream), stream);
                let state = cell
                    .references()
                    .iter()
                    .filter(|reference| at > **reference)
                    .count();
                label(cell.bits(), state as u32, cell.bits() - 1)
            };
            let read: Vec<bool> = sent.iter().map(read_bit).collect();
            wrong += sent.iter().zip(&read).filter(|(sent, read)| sent != read).count();
            failed += u32::from(self.fails(&sent, read));
        }
        let bits = f64::from(words) * f64::from(self.code().n());
        Noisy {
            expected: failure,
            found: f64::from(failed) / f64::from(words),
            rate,
            rate_found: wrong as f64 / bits,
            words: f64::from(words),
            bits,
        }
    }

    /// Draws code words at the mode's program step and deviation, where failures are too rare to be seen: misread cells are made more
    /// frequent by a factor with which about half of the words fail, and each failure counts with the likelihood of its cells
    /// (importance sampling).
    pub(crate) fn estimate(&self, words: u32, stream: &mut Stream) -> Estimate {
        let cell = self.family.cell(self.step, self.sigma).unwrap();
        let states: Vec<f64> = (0..1 << cell.bits()).map(|state| misread(&cell, state)).collect();
        let mean = states.iter().sum::<f64>() / states.len() as f64;
        let factor = f64::from(self.code().t() + 1) / f64::from(self.code().n()) / mean;
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..words {
            let sent = self.encoded(stream);
            let mut ln_weight = 0.0;
            let read_bit = |bit: &bool| {
                let rate = states[state_of(&cell, *bit, stream) as usize];
                let flips = uniform(stream) < factor * rate;
                ln_weight += if flips {
                    -factor.ln()
                } else {
                    (-rate).ln_1p() - (-factor * rate).ln_1p()
                };
                bit ^ flips
            };
            let read: Vec<bool> = sent.iter().map(read_bit).collect();
            if self.fails(&sent, read) {
                sum += ln_weight.exp();
                squares += (2.0 * ln_weight).exp();
            }
        }
        let count = f64::from(words);
        let failure = sum / count;
        Estimate {
            failure,
            error: ((squares / count - failure * failure) / count).sqrt(),
        }
    }
}

impl Noisy {
    /// By how many standard errors the failures, and the error rate, differ from the closed forms.
    pub(crate) fn deviations(&self) -> [f64; 2] {
        let of = |found: f64, expected: f64, count: f64| {
            (found - expected) / (expected * (1.0 - expected) / count).sqrt()
        };
        [
            of(self.found, self.expected, self.words),
            of(self.rate_found, self.rate, self.bits),
        ]
    }
}
