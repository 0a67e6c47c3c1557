//! What the programs under way are for.

/// What a program does once it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Makes a host write take effect.
    Write {
        /// Number of the write among those of its logical page that are under way.
        version: u32,
        /// Sub-pages that hold data afterwards.
        after: u64,
        /// Sub-pages that the host wrote.
        new: u64,
    },
    /// Relocates a page.
    Move {
        /// Where it is relocated from.
        source: u64,
        /// Pool whose job asked for it.
        pool: u32,
    },
    /// A vacant place and the next one.
    Vacant(u32),
}

/// The writes of one logical page that are under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    /// Version of the newest write.
    pub(crate) newest: u32,
    /// Version of the newest write that has taken effect; 0 before the first.
    pub(crate) committed: u32,
    /// Writes under way.
    pub(crate) outstanding: u32,
    /// Sub-pages that hold data once all have taken effect.
    pub(crate) pending: u64,
    /// Sub-pages that the newest write brought.
    pub(crate) bitmap: u64,
}

const END: u32 = u32::MAX;

/// The tasks, numbered by the tokens of their steps.
#[derive(Clone, Debug)]
pub(crate) struct Tasks {
    tasks: Vec<Task>,
    vacant: u32,
}

impl Tasks {
    pub(crate) const fn new() -> Self {
        Self {
            tasks: Vec::new(),
            vacant: END,
        }
    }

    #[inline]
    pub(crate) fn add(&mut self, task: Task) -> u32 {
        if let Some(Task::Vacant(next)) = self.tasks.get(self.vacant as usize).copied() {
            let token = self.vacant;
            self.vacant = next;
            self.tasks[token as usize] = task;
            token
        } else {
            self.tasks.push(task);
            (self.tasks.len() - 1) as u32
        }
    }

    #[inline]
    pub(crate) fn get(&self, token: u32) -> Option<Task> {
        self.tasks
            .get(token as usize)
            .copied()
            .filter(|task| !matches!(task, Task::Vacant(_)))
    }

    #[inline]
    pub(crate) fn remove(&mut self, token: u32) {
        self.tasks[token as usize] = Task::Vacant(self.vacant);
        self.vacant = token;
    }
}
