//! Which code a raw bit error rate asks for.

use crate::bch::{Bch, DEGREES, Parities, degree_of};
use crate::counts::ErrorCounts;
use crate::error::{EccError, probability, require, target};
use crate::page::page_failure;

/// What the target counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// Codewords that fail.
    #[default]
    Codeword,
    /// Pages that have a codeword that fails.
    Page,
}

/// What is asked of the code of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Need {
    /// Bits of information in a codeword.
    pub k: u32,
    /// Codewords of a page.
    pub codewords: u32,
    /// Raw bit error rate.
    pub rber: f64,
    /// Failure probability that may be reached.
    pub target: f64,
    /// What the target counts.
    pub per: Per,
    /// The law of the errors in a codeword.
    pub counts: ErrorCounts,
}

/// The code with the least parity that meets a need; none if no code of any accepted field does.
///
/// # Errors
/// A number is out of range.
pub fn weakest(need: &Need) -> Result<Option<Bch>, EccError> {
    let most = (1_u32 << DEGREES.end()) - 2;
    require((1..=most).contains(&need.k), "k", need.k, || {
        format!("accepted are 1 to {most} bits of information in a codeword")
    })?;
    require(need.codewords > 0, "codewords", need.codewords, || {
        "accepted is 1 or more".to_owned()
    })?;
    probability("rber", need.rber)?;
    target("target", need.target)?;
    let goal = libm::log(need.target);
    let meets = |n: u32, t: u32| {
        let codeword = need.counts.tail(n, t, need.rber);
        match need.per {
            Per::Codeword => codeword <= goal,
            Per::Page => page_failure(codeword, need.codewords) <= goal,
        }
    };
    for degree in degree_of(need.k.max(2) + 1)..=*DEGREES.end() {
        let room = (1_u32 << degree) - 1 - need.k;
        // errors corrected, and the parity that they take
        let parities: Vec<(u32, u32)> = (1..)
            .zip(Parities::new(degree))
            .take_while(|(_, bits)| *bits <= room)
            .collect();
        // more errors corrected, fewer failures; where rates are so high that parity brings more errors than it
        // corrects nothing is found, which is right
        let least = parities.partition_point(|(t, bits)| !meets(need.k + bits, *t));
        if let Some((t, bits)) = parities.get(least) {
            return Bch::new(need.k + bits, need.k, *t).map(Some);
        }
    }
    Ok(None)
}
