//! The requests that could begin, in the order in which they came; some that no longer could are among them until somebody looks.

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

    /// Whether there is none.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Drops those that could no longer begin.
    pub(super) fn retain(&mut self, mut could_begin: impl FnMut(u64) -> bool) {
        self.0.retain(|number| could_begin(*number));
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
        let mut found = Vec::new();
        able.retain(|number| {
            found.push(number);
            number > 5
        });
        assert_eq!(found, [5, 7]);
        assert_eq!(able.0, [7]);
    }
}
