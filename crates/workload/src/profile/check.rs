//! Checks of a profile that need no drive.

use wordline_units::{ByteSize, Duration, SECTOR_BYTES};

use super::{ArrivalProfile, Band, Profile, RequestProfile, SizeShare};

/// Largest request, in bytes: 1 GiB.
const LARGEST_REQUEST: u64 = 1 << 30;
/// Entries that a list may have.
const ENTRIES: usize = 1 << 16;
/// Parts that the shares of bands may miss 1 by, for rounding.
const ROUNDING: f64 = 1e-6;

impl Profile {
    /// Checks every value.
    ///
    /// # Errors
    /// The first key that cannot be used: `key = found: what is accepted`.
    pub fn check(&self) -> Result<(), String> {
        within("read_fraction", self.read_fraction, 0.0, 1.0)?;
        if let Some(share) = self.shared_places {
            within("shared_places", share, 0.0, 1.0)?;
        }
        sectors("align", self.align, 1 << 20)?;
        if let Some(space) = self.space {
            sectors("space", space, u64::MAX)?;
        }
        if !self.phases.is_empty() {
            weights("phases", self.phases.iter().copied())?;
            let wanted = self.align.bytes() / u64::from(SECTOR_BYTES);
            if self.phases.len() as u64 != wanted {
                return refused(
                    "phases",
                    format!("{} numbers", self.phases.len()),
                    format!("one for each of the {wanted} sectors of align"),
                );
            }
        }
        self.arrivals.check()?;
        self.reads.check("reads")?;
        self.writes.check("writes")
    }
}

impl ArrivalProfile {
    fn check(&self) -> Result<(), String> {
        if self.mean_gap == Duration::ZERO {
            return refused("arrivals.mean_gap", self.mean_gap, "at least 1 ns");
        }
        within("arrivals.cv", self.cv, 0.0, 1e3)?;
        if let Some(bias) = self.burst_bias {
            within("arrivals.burst_bias", bias, 0.5, 1.0)?;
        }
        if !self.gaps.is_empty() {
            weights("arrivals.gaps", self.gaps.iter().map(|gap| gap.weight))?;
            if self
                .gaps
                .iter()
                .all(|gap| gap.gap == Duration::ZERO || gap.weight <= 0.0)
            {
                return refused("arrivals.gaps", "no time at all", "at least one gap above 0 ns");
            }
        }
        match self.cycle {
            None if self.pace.is_empty() => Ok(()),
            None => refused(
                "arrivals.cycle",
                "unset",
                "the requests that arrivals.pace stands for",
            ),
            Some(cycle) if self.pace.is_empty() => refused(
                "arrivals.cycle",
                cycle,
                "nothing without arrivals.pace; leave it out",
            ),
            Some(cycle) if cycle < self.pace.len() as u64 || cycle > 1 << 62 => refused(
                "arrivals.cycle",
                cycle,
                format!(
                    "{} to 2^62, a request for each part of arrivals.pace",
                    self.pace.len()
                ),
            ),
            Some(_) => weights("arrivals.pace", self.pace.iter().copied()),
        }
    }
}

impl RequestProfile {
    fn check(&self, side: &str) -> Result<(), String> {
        let key = |name: &str| format!("{side}.{name}");
        if !(512..=LARGEST_REQUEST).contains(&self.mean_size.bytes()) {
            return refused(&key("mean_size"), self.mean_size, "512 B to 1 GiB");
        }
        within(&key("size_spread"), self.size_spread, 0.0, 3.0)?;
        if let Some(share) = self.whole_pages {
            within(&key("whole_pages"), share, 0.0, 1.0)?;
        }
        sectors(&key("largest"), self.largest, LARGEST_REQUEST)?;
        if !self.largest.bytes().is_multiple_of(4096) {
            return refused(&key("largest"), self.largest, "a multiple of 4 KiB");
        }
        if self.sizes.is_empty() && self.mean_size > self.largest {
            return refused(
                &key("mean_size"),
                self.mean_size,
                format!("at most {side}.largest = {}", self.largest),
            );
        }
        sizes(&key("sizes"), &self.sizes)?;
        within(&key("sequential"), self.sequential, 0.0, 1.0)?;
        within(&key("streams"), self.streams, 0.0, 1.0)?;
        if self.sequential + self.streams > 1.0 + ROUNDING {
            return refused(
                &key("streams"),
                self.streams,
                format!("at most 1 together with {side}.sequential = {}", self.sequential),
            );
        }
        for (name, count) in [("places", self.places), ("visits", self.visits)] {
            if count.is_some_and(|count| count == 0 || count > 1 << 62) {
                return refused(&key(name), count.unwrap_or_default(), "1 to 2^62");
            }
        }
        self.popularity
            .iter()
            .try_for_each(|band| band.check(&key("popularity")))?;
        if self.popularity.len() > ENTRIES {
            return refused(
                &key("popularity"),
                format!("{} bands", self.popularity.len()),
                "at most 65,536",
            );
        }
        let sum = |of: fn(&Band) -> f64| self.popularity.iter().map(of).sum::<f64>();
        for (what, sum) in [
            ("places", sum(|band| band.places)),
            ("visits", sum(|band| band.visits)),
        ] {
            if !self.popularity.is_empty() && (sum - 1.0).abs() > ROUNDING {
                return refused(
                    &key("popularity"),
                    format!("{what} that add up to {sum}"),
                    "shares that add up to 1",
                );
            }
        }
        Ok(())
    }
}

impl Band {
    fn check(&self, key: &str) -> Result<(), String> {
        let key = |name: &str| format!("{key}.{name}");
        within(&key("places"), self.places, 0.0, 1.0)?;
        within(&key("visits"), self.visits, 0.0, 1.0)?;
        sizes(&key("sizes"), &self.sizes)?;
        within(&key("exponent"), self.exponent, 0.0, 3.0)?;
        within(&key("repeats"), self.repeats, 0.0, 1e6)?;
        if self.repeat_after.len() > 62 {
            return refused(
                &key("repeat_after"),
                format!("{} weights", self.repeat_after.len()),
                "at most 62, for up to 2^62 requests",
            );
        }
        if !self.repeat_after.is_empty() {
            weights(&key("repeat_after"), self.repeat_after.iter().copied())?;
        }
        Ok(())
    }
}

fn refused<T>(key: &str, found: impl ToString, accepted: impl Into<String>) -> Result<T, String> {
    Err(format!(
        "{key} = {}: accepted is {}",
        found.to_string(),
        accepted.into()
    ))
}

fn within(key: &str, value: f64, from: f64, to: f64) -> Result<(), String> {
    if (from..=to).contains(&value) {
        return Ok(());
    }
    refused(key, value, format!("a number from {from} to {to}"))
}

fn sectors(key: &str, size: ByteSize, most: u64) -> Result<(), String> {
    let bytes = size.bytes();
    if bytes != 0 && bytes.is_multiple_of(u64::from(SECTOR_BYTES)) && bytes <= most {
        return Ok(());
    }
    refused(
        key,
        size,
        format!(
            "a multiple of 512 B, at least 512 B and at most {}",
            ByteSize(most)
        ),
    )
}

/// Sizes of which at least one occurs, or none at all.
fn sizes(key: &str, list: &[SizeShare]) -> Result<(), String> {
    for size in list {
        sectors(key, size.size, LARGEST_REQUEST)?;
    }
    if list.is_empty() {
        return Ok(());
    }
    weights(key, list.iter().map(|size| size.weight))
}

/// Weights of which at least one is above 0.
fn weights(key: &str, weights: impl Iterator<Item = f64>) -> Result<(), String> {
    let (mut sum, mut count) = (0.0, 0);
    for weight in weights {
        if !(0.0..=f64::MAX).contains(&weight) {
            return refused(key, format!("weight {weight}"), "numbers of at least 0");
        }
        sum += weight;
        count += 1;
    }
    if count > ENTRIES {
        return refused(key, format!("{count} entries"), "at most 65,536");
    }
    if !(sum > 0.0 && sum <= f64::MAX) {
        return refused(key, format!("weights that add up to {sum}"), "a sum above 0");
    }
    Ok(())
}
