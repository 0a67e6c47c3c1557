//! Policies written in Python: rows of the tables of policies that call an object of the interpreter.
//!
//! A row lives as long as the program. A name is therefore made into a row once, when it is first registered, and the row asks
//! what the name stands for; to register it anew replaces that and takes no further memory.

mod classifier;
mod instance;
mod run;
mod scheduler;
mod victim;

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use pyo3::prelude::*;
use wordline_config::Config;
use wordline_exceptions::ConfigError;
use wordline_ftl::hot_cold::ClassifierRow;
use wordline_ftl::victim::VictimRow;
use wordline_keys::Registered;
use wordline_scheduler::SchedulerRow;

pub(crate) use classifier::{WriteView, most_temperatures, register_classifier};
pub(crate) use run::Watch;
pub(crate) use scheduler::{CandidateView, ChannelView, UnitView, register_scheduler};
pub(crate) use victim::{BlockView, VictimView, register_victim};

/// What the schema says of every policy in Python.
const HELP: &str = "A policy written in Python.";

/// What a registered name stands for.
struct Maker<T> {
    /// A class or function that makes a policy.
    make: Py<PyAny>,
    /// Whether it takes the seed of the drive.
    takes_seed: bool,
    /// What the row says of the policy.
    says: T,
}

/// A name that is registered.
struct Slot<T: 'static> {
    /// The key that names it.
    key: &'static str,
    name: &'static str,
    maker: RwLock<Arc<Maker<T>>>,
}

impl<T> Slot<T> {
    fn maker(&self) -> Arc<Maker<T>> {
        Arc::clone(&self.maker.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The name as the configuration has it.
    fn setting(&self) -> String {
        format!("{} = \"{}\"", self.key, self.name)
    }
}

/// The names of one kind of policies.
struct Slots<T: 'static>(Mutex<Vec<&'static Slot<T>>>);

impl<T> Slots<T> {
    const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Has a name stand for a policy; `row` makes its row when it is new.
    ///
    /// # Errors
    /// The name is that of a policy that comes with Wordline, or is registered and not to be replaced.
    fn register<R: Registered>(
        &self,
        name: String,
        maker: Maker<T>,
        replace: bool,
        row: impl FnOnce(&'static Slot<T>) -> R::Row,
    ) -> PyResult<()> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let maker = Arc::new(maker);
        if let Some(slot) = slots.iter().find(|slot| slot.name == name) {
            if !replace {
                return Err(ConfigError::new_err(format!(
                    "{}: the name is registered already; replace=True puts the new policy in its place",
                    slot.setting()
                )));
            }
            let mut current = slot.maker.write().unwrap_or_else(PoisonError::into_inner);
            let replaced = std::mem::replace(&mut *current, maker);
            // the end of a Python object may run anything: after the locks
            drop((current, slots));
            drop(replaced);
            return Ok(());
        }
        if R::table().find(&name).is_some() {
            return Err(ConfigError::new_err(format!(
                "{} = \"{name}\": this policy comes with Wordline; choose another name",
                R::SELECTOR
            )));
        }
        let slot: &'static Slot<T> = Box::leak(Box::new(Slot {
            key: R::SELECTOR,
            name: name.leak(),
            maker: RwLock::new(maker),
        }));
        R::table().register(row(slot));
        slots.push(slot);
        Ok(())
    }

    /// The name as the configuration has it, where it is one of these.
    fn setting(&self, name: &str) -> Option<String> {
        let slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.iter().find(|slot| slot.name == name);
        slot.map(|slot| slot.setting())
    }
}

static VICTIMS: Slots<victim::Says> = Slots::new();
static CLASSIFIERS: Slots<classifier::Says> = Slots::new();
static SCHEDULERS: Slots<()> = Slots::new();

/// The policies in Python that a configuration names, as `key = "name"`.
pub(crate) fn named(config: &Config) -> Vec<String> {
    let Config { ftl, scheduler, .. } = config;
    [
        VICTIMS.setting(ftl.gc.victim.name()),
        CLASSIFIERS.setting(ftl.hot.classifier.name()),
        SCHEDULERS.setting(scheduler.policy.name()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The key that names policies of a kind: `victim`, `classifier` or `scheduler`.
#[pyfunction]
pub(crate) fn policy_keys() -> [(&'static str, &'static str); 3] {
    [
        ("victim", VictimRow::SELECTOR),
        ("classifier", ClassifierRow::SELECTOR),
        ("scheduler", SchedulerRow::SELECTOR),
    ]
}
