//! What was suspended in a unit: at most an erase, and a program on top of it.

/// An operation that can be suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suspendable {
    /// A page program.
    Program,
    /// A block erase.
    Erase,
}

/// The suspended operations of a unit: none, an erase, a program, or a program on top of an erase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack<T> {
    erase: Option<T>,
    program: Option<T>,
}

impl<T> Default for Stack<T> {
    fn default() -> Self {
        Self {
            erase: None,
            program: None,
        }
    }
}

impl<T> Stack<T> {
    /// Whether nothing is suspended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.erase.is_none() && self.program.is_none()
    }

    /// How many operations are suspended.
    #[must_use]
    pub fn depth(&self) -> usize {
        usize::from(self.erase.is_some()) + usize::from(self.program.is_some())
    }

    /// The operation suspended last: what is resumed first.
    #[must_use]
    pub fn top(&self) -> Option<(Suspendable, &T)> {
        let program = self
            .program
            .as_ref()
            .map(|operation| (Suspendable::Program, operation));
        program.or_else(|| {
            self.erase
                .as_ref()
                .map(|operation| (Suspendable::Erase, operation))
        })
    }

    /// Whether an operation of a kind may start over what is suspended: a program over an erase.
    #[must_use]
    pub fn admits(&self, kind: Suspendable) -> bool {
        match kind {
            Suspendable::Program => self.program.is_none(),
            Suspendable::Erase => self.is_empty(),
        }
    }

    /// Puts an operation on top.
    ///
    /// # Errors
    /// The operation itself, where the stack does not admit it.
    pub fn push(&mut self, kind: Suspendable, operation: T) -> Result<(), T> {
        if !self.admits(kind) {
            return Err(operation);
        }
        match kind {
            Suspendable::Program => self.program = Some(operation),
            Suspendable::Erase => self.erase = Some(operation),
        }
        Ok(())
    }

    /// Takes the top.
    pub fn pop(&mut self) -> Option<(Suspendable, T)> {
        let program = self
            .program
            .take()
            .map(|operation| (Suspendable::Program, operation));
        program.or_else(|| self.erase.take().map(|operation| (Suspendable::Erase, operation)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_goes_over_an_erase_and_nothing_else_over_anything() {
        let mut stack = Stack::default();
        assert!(stack.admits(Suspendable::Erase) && stack.admits(Suspendable::Program));
        stack.push(Suspendable::Erase, 1).unwrap();
        assert_eq!(stack.push(Suspendable::Erase, 2), Err(2));
        stack.push(Suspendable::Program, 3).unwrap();
        assert_eq!(stack.push(Suspendable::Program, 4), Err(4));
        assert_eq!(
            (stack.depth(), stack.top()),
            (2, Some((Suspendable::Program, &3)))
        );
        assert_eq!(stack.pop(), Some((Suspendable::Program, 3)));
        assert_eq!(stack.pop(), Some((Suspendable::Erase, 1)));
        assert_eq!(stack.pop(), None);
        stack.push(Suspendable::Program, 5).unwrap();
        assert_eq!(stack.push(Suspendable::Erase, 6), Err(6));
    }
}
