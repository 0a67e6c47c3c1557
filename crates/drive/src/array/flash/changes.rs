//! Which units have changed, for those who keep what they know of them.

/// Units that have changed since somebody looked; nothing is kept where nobody does.
#[derive(Debug, Default)]
pub(super) struct UnitChanges {
    units: Vec<u32>,
    /// By unit, whether it is among them; empty where nobody looks.
    noted: Vec<bool>,
}

impl UnitChanges {
    /// Somebody looks at `count` units from now on. All have changed.
    pub(super) fn follow(&mut self, count: usize) {
        self.noted = vec![true; count];
        self.units = (0..count as u32).collect();
    }

    /// Whether somebody looks.
    #[inline]
    pub(super) fn is_followed(&self) -> bool {
        !self.noted.is_empty()
    }

    /// A unit has changed.
    #[inline]
    pub(super) fn note(&mut self, unit: usize) {
        if let Some(noted) = self.noted.get_mut(unit)
            && !std::mem::replace(noted, true)
        {
            self.units.push(unit as u32);
        }
    }

    /// Whether any has.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// Those that have changed.
    pub(super) fn take(&mut self) -> Vec<u32> {
        let taken = std::mem::take(&mut self.units);
        for unit in &taken {
            self.noted[*unit as usize] = false;
        }
        taken
    }

    /// An emptied list, for those that will change.
    pub(super) fn give_back(&mut self, list: Vec<u32>) {
        if self.units.is_empty() {
            self.units = list;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_is_told_once() {
        let mut changes = UnitChanges::default();
        changes.note(1);
        assert!(changes.take().is_empty(), "nobody looks");
        assert!(!changes.is_followed());
        changes.follow(3);
        assert!(changes.is_followed());
        assert_eq!(changes.take(), [0, 1, 2]);
        for unit in [2, 0, 2] {
            changes.note(unit);
        }
        let taken = changes.take();
        assert_eq!(taken, [2, 0]);
        changes.give_back(Vec::new());
        changes.note(2);
        assert_eq!(changes.take(), [2]);
    }
}
