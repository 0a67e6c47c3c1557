//! The groups of requests that could begin; some that no longer could are among them until somebody looks.

/// Places of groups.
#[derive(Debug, Default)]
pub(super) struct Able {
    groups: Vec<usize>,
    /// By group, whether it is among them.
    is_listed: Vec<bool>,
}

impl Able {
    /// Requests of a group could begin now.
    pub(super) fn list(&mut self, group: usize) {
        if self.is_listed.len() <= group {
            self.is_listed.resize(group + 1, false);
        }
        if !std::mem::replace(&mut self.is_listed[group], true) {
            self.groups.push(group);
        }
    }

    /// Their places.
    pub(super) fn groups(&self) -> &[usize] {
        &self.groups
    }

    /// Whether there is none.
    pub(super) const fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Drops those that could no longer begin.
    pub(super) fn retain(&mut self, mut could_begin: impl FnMut(usize) -> bool) {
        let is_listed = &mut self.is_listed;
        self.groups.retain(|group| {
            is_listed[*group] = could_begin(*group);
            is_listed[*group]
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_listed_once_until_it_is_dropped() {
        let mut able = Able::default();
        for group in [5, 2, 5, 7, 2] {
            able.list(group);
        }
        let mut found = Vec::new();
        able.retain(|group| {
            found.push(group);
            group > 5
        });
        assert_eq!(found, [5, 2, 7]);
        able.list(7);
        able.list(2);
        assert_eq!(able.groups, [7, 2]);
    }
}
