//! Pages of several codewords.

use crate::error::{EccError, require};

/// The logarithm of the probability that a page of several codewords fails, from that of a codeword.
///
/// # Errors
/// `ln_codeword` is above 0 and so no logarithm of a probability; no codeword.
pub fn ln_page_failure(ln_codeword: f64, codewords: u32) -> Result<f64, EccError> {
    require(ln_codeword <= 0.0, "ln_codeword", ln_codeword, || {
        "accepted is the logarithm of a probability, 0 or less".to_owned()
    })?;
    require(codewords > 0, "codewords", codewords, || {
        "accepted is 1 or more".to_owned()
    })?;
    Ok(page_failure(ln_codeword, codewords))
}

/// [`ln_page_failure`] of arguments that were checked.
pub(crate) fn page_failure(ln_codeword: f64, codewords: u32) -> f64 {
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
    sense_us: f64,
    transfer_us: f64,
    decode_us: f64,
}

impl Pipeline {
    /// Microseconds to sense the page, and to transfer and to decode a segment of it.
    ///
    /// # Errors
    /// A time is negative or not a finite number.
    pub fn new(sense_us: f64, transfer_us: f64, decode_us: f64) -> Result<Self, EccError> {
        for (key, time) in [
            ("sense_us", sense_us),
            ("transfer_us", transfer_us),
            ("decode_us", decode_us),
        ] {
            require(time.is_finite() && time >= 0.0, key, time, || {
                "accepted are microseconds, 0 or more".to_owned()
            })?;
        }
        Ok(Self {
            sense_us,
            transfer_us,
            decode_us,
        })
    }

    /// Microseconds until the last of `segments` requested segments is decoded. Wu (2013), equation 2.1 for a single
    /// mode, in the form that holds whichever of transfer and decoder is slower.
    ///
    /// # Errors
    /// No segment is requested.
    pub fn latency_us(&self, segments: u32) -> Result<f64, EccError> {
        require(segments > 0, "segments", segments, || {
            "accepted is 1 or more".to_owned()
        })?;
        let slower = self.transfer_us.max(self.decode_us);
        Ok(self.sense_us + self.transfer_us + f64::from(segments - 1) * slower + self.decode_us)
    }
}
