//! Pages of several codewords.

use crate::error::{EccError, require, time};

/// The logarithm of the probability that a page of several codewords fails, from that of a codeword.
#[must_use]
pub fn ln_page_failure(ln_codeword: f64, codewords: u32) -> f64 {
    let count = f64::from(codewords);
    if ln_codeword < -40.0 {
        // the probability itself may be too small for a double; what this leaves out is smaller than rounding
        return libm::log(count) + ln_codeword;
    }
    libm::log(-libm::expm1(count * libm::log1p(-libm::exp(ln_codeword))))
}

/// A page cut into equal segments, each a codeword of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segmentation {
    sectors: u32,
    segments: u32,
}

impl Segmentation {
    /// A page of `sectors` sectors in `segments` codewords.
    ///
    /// # Errors
    /// The sectors do not divide by the segments.
    pub fn new(sectors: u32, segments: u32) -> Result<Self, EccError> {
        require(
            segments > 0 && sectors > 0 && sectors.is_multiple_of(segments),
            "segments",
            segments,
            || format!("accepted is a number that divides the page's {sectors} sectors"),
        )?;
        Ok(Self { sectors, segments })
    }

    /// Codewords of a page.
    #[must_use]
    pub fn segments(self) -> u32 {
        self.segments
    }

    /// The segment in which a sector lies.
    #[must_use]
    pub fn segment_of(self, sector: u32) -> u32 {
        sector.min(self.sectors - 1) / (self.sectors / self.segments)
    }

    /// Segments that hold `count` sectors from `first`, clipped to the page.
    #[must_use]
    pub fn touched(self, first: u32, count: u32) -> u32 {
        if count == 0 || first >= self.sectors {
            return 0;
        }
        let last = first.saturating_add(count - 1);
        self.segment_of(last) - self.segment_of(first) + 1
    }
}

/// The read of a segmented page on an idle channel: one segment is transferred while the one before it is decoded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pipeline {
    sense_ns: f64,
    transfer_ns: f64,
    decode_ns: f64,
}

impl Pipeline {
    /// Nanoseconds to sense the page, and to transfer and to decode a segment of it.
    ///
    /// # Errors
    /// A time is negative or not a number.
    pub fn new(sense_ns: f64, transfer_ns: f64, decode_ns: f64) -> Result<Self, EccError> {
        time("sense", sense_ns)?;
        time("transfer", transfer_ns)?;
        time("decode", decode_ns)?;
        Ok(Self {
            sense_ns,
            transfer_ns,
            decode_ns,
        })
    }

    /// Nanoseconds until the last of `segments` requested segments is decoded; zero for none. Wu (2013), equation 2.1 for a
    /// single mode, in the form that holds whichever of transfer and decoder is slower.
    #[must_use]
    pub fn latency_ns(&self, segments: u32) -> f64 {
        if segments == 0 {
            return 0.0;
        }
        let slower = self.transfer_ns.max(self.decode_ns);
        self.sense_ns + self.transfer_ns + f64::from(segments - 1) * slower + self.decode_ns
    }
}
