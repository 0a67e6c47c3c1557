//! The requests that could begin, in the order in which they came.

/// Numbers of requests, rising.
#[derive(Debug, Default)]
pub(super) struct Able(Vec<u64>);

impl Able {
    /// A request could begin now, or could not.
    pub(super) fn set(&mut self, number: u64, is_able: bool) {
        match (self.0.binary_search(&number), is_able) {
            (Err(place), true) => self.0.insert(place, number),
            (Ok(place), false) => {
                self.0.remove(place);
            }
            (Ok(_), true) | (Err(_), false) => {}
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_stay_in_order() {
        let mut able = Able::default();
        for (number, is_able) in [(5, true), (2, true), (9, false), (5, true), (7, true), (2, false)] {
            able.set(number, is_able);
        }
        assert!(able.iter().eq([5, 7]));
    }
}
