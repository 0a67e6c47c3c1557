//! What a die accepts when: its array and its registers (array specification, section 4.6).
//!
//! 1. A single register is owned from the start of a read until its data are out, and from the
//!    start of data-in until the program ends.
//! 2. With a cache register, the data of the next page may enter during a cached program (15h),
//!    and those of the page before leave during a cached read (31h).
//! 3. Cached operations of a die are of one kind; any other command waits for the array.
//! 4. After commands to several dies of a chip, the one that drives the bus is named (78h).
//! 5. A busy die accepts status and reset only.

use thiserror::Error;
use wordline_units::{Duration, SimTime};

use crate::address::DieId;
use crate::phase::{Running, Shape};
use crate::timing::{Operation, Timing};

/// Why a die does not accept a command now.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Busy {
    /// Its array works until then.
    #[error("the array works until {0}")]
    Array(SimTime),
    /// Its register is in use until then.
    #[error("the register is in use until {0}")]
    Register(SimTime),
    /// Its register holds data of a read that have not left.
    #[error("the register holds data that have not left")]
    DataWaiting,
    /// It is in the middle of a copy-back.
    #[error("a copy-back is half done")]
    CopyBack,
    /// There are no data to give, or no page to copy.
    #[error("the register is empty")]
    Empty,
    /// It has no cache register, or the operation has no cached form.
    #[error("no cache register for this operation")]
    NoCache,
}

/// The state of one die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Die {
    cache_register: bool,
    /// The last operation, whether it was cached, and when it runs.
    last: Option<(Operation, bool, Running)>,
    /// When the register that faces the bus takes data again.
    register_free: SimTime,
    /// When the data of pages read, oldest first, can leave; `NEVER` where there are none.
    ready: [SimTime; 2],
}

impl Die {
    /// An idle die, with or without a cache register.
    #[must_use]
    pub const fn new(cache_register: bool) -> Self {
        Self {
            cache_register,
            last: None,
            register_free: SimTime::ZERO,
            ready: [SimTime::NEVER; 2],
        }
    }

    /// When the array is ready (ARDY).
    #[must_use]
    pub fn array_ready(&self) -> SimTime {
        self.last.map_or(SimTime::ZERO, |(.., running)| running.array_to)
    }

    /// The last operation as it runs, for its phase.
    #[must_use]
    pub fn running(&self) -> Option<Running> {
        self.last.map(|(.., running)| running)
    }

    /// Whether nothing runs and nothing is held at `now`.
    #[must_use]
    pub fn idle(&self, now: SimTime) -> bool {
        self.array_ready() <= now
            && self.register_free <= now
            && self.ready[0] == SimTime::NEVER
            && !self.copying()
    }

    fn copying(&self) -> bool {
        matches!(self.last, Some((Operation::CopyBackRead, ..)))
    }

    fn waiting(&self) -> usize {
        self.ready
            .iter()
            .filter(|ready| **ready != SimTime::NEVER)
            .count()
    }

    /// Whether the die accepts the command cycles of `operation` at `now`. A command of several
    /// planes is one operation. Status and reset are always accepted.
    ///
    /// # Errors
    /// What it is busy with (rules 1, 2, 3, 5).
    pub fn accepts(&self, now: SimTime, operation: Operation, cached: bool) -> Result<(), Busy> {
        if cached && !(self.cache_register && matches!(operation, Operation::Read | Operation::Program)) {
            return Err(Busy::NoCache);
        }
        if operation == Operation::CopyBackProgram {
            return match self.copying() {
                true if self.array_ready() <= now => Ok(()),
                true => Err(Busy::Array(self.array_ready())),
                false => Err(Busy::Empty),
            };
        }
        // a cached operation may follow one of its kind while that runs, once the register is free:
        // early only after another cached one
        let follows = cached && matches!(self.last, Some((last, ..)) if last == operation);
        if self.array_ready() > now && !follows {
            return Err(Busy::Array(self.array_ready()));
        }
        if self.copying() {
            return Err(Busy::CopyBack);
        }
        if self.register_free > now {
            return Err(Busy::Register(self.register_free));
        }
        let room = if follows && operation == Operation::Read {
            2
        } else {
            1
        };
        if self.waiting() >= room {
            return Err(Busy::DataWaiting);
        }
        Ok(())
    }

    /// Starts an operation that was accepted: its bus step is [`bus_from`, `bus_to`), its array
    /// step takes `length`. Returns how it runs; a cached one may wait for the array.
    ///
    /// # Errors
    /// As `accepts` at `bus_from`; nothing changes then.
    pub fn start(
        &mut self,
        timing: &Timing,
        operation: Operation,
        cached: bool,
        bus_from: SimTime,
        bus_to: SimTime,
        length: Duration,
    ) -> Result<Running, Busy> {
        self.accepts(bus_from, operation, cached)?;
        let free = bus_to.max(self.array_ready());
        let (from, length) = match operation {
            // the page before moves out of the data register first
            Operation::Read if cached && self.waiting() == 1 => {
                self.ready[0] = free + timing.cache_read_busy();
                (self.ready[0], length)
            }
            Operation::Program if cached => (free, timing.cache_program_busy() + length),
            _ => (free, length),
        };
        let running = Running {
            bus_from,
            array_from: from,
            array_to: from + length,
            shape: timing.shape(operation),
        };
        match operation {
            Operation::Read => {
                let before = self.waiting();
                self.ready[before] = running.array_to;
                // the first of a sequence has nothing to overlap with; a later one frees the
                // register as soon as the page before has moved
                self.register_free = if before == 0 { running.array_to } else { from };
            }
            Operation::Program if cached => self.register_free = from + timing.cache_program_busy(),
            _ => self.register_free = running.array_to,
        }
        self.last = Some((operation, cached, running));
        Ok(running)
    }

    /// When the data of the oldest page read can leave.
    #[must_use]
    pub fn data_ready(&self) -> Option<SimTime> {
        (self.ready[0] != SimTime::NEVER).then_some(self.ready[0])
    }

    /// The data of the oldest page read (of all its planes) leave in [`from`, `to`).
    ///
    /// # Errors
    /// No data, or not yet.
    pub fn take_data(&mut self, from: SimTime, to: SimTime) -> Result<(), Busy> {
        match self.data_ready() {
            None => Err(Busy::Empty),
            Some(ready) if ready > from => Err(Busy::Array(ready)),
            Some(_) => {
                self.ready = [self.ready[1], SimTime::NEVER];
                self.register_free = self.register_free.max(to);
                Ok(())
            }
        }
    }

    /// The shape of the operation that runs at `now`, if one does.
    #[must_use]
    pub fn works(&self, now: SimTime) -> Option<Shape> {
        self.running()
            .filter(|running| running.array_to > now)
            .map(|running| running.shape)
    }
}

/// Which die of a chip drives the bus (rule 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Driver(Option<DieId>);

impl Driver {
    /// A command went to `die`: it is the one that answers now.
    pub fn commanded(&mut self, die: DieId) {
        self.0 = Some(die);
    }

    /// Whether `die` must be named by 78h before its data leave; it is then.
    pub fn select(&mut self, die: DieId) -> bool {
        self.0.replace(die) != Some(die)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::{Geometry, GeometryConfig};
    use crate::mode::Mode;
    use crate::page_types::{PageType, PageTypes};
    use crate::timing::{Select, TimingConfig};

    fn timing() -> Timing {
        let geometry = GeometryConfig::default();
        let array = Geometry::new(&geometry).unwrap();
        let page_types = PageTypes::new(&geometry, &array).unwrap();
        Timing::new(&TimingConfig::default(), &array, &page_types).unwrap()
    }

    fn bus_and_array(timing: &Timing, operation: Operation) -> (Duration, Duration) {
        match operation {
            Operation::Read => (
                timing.read_setup(),
                timing.read_array(Mode::NORMAL, PageType::LOWER),
            ),
            Operation::Program => (
                timing.program_setup(2048),
                timing.program_array(Mode::NORMAL, PageType::LOWER),
            ),
            Operation::Erase => (timing.erase_setup(1), timing.erase_array()),
            Operation::CopyBackRead => (
                timing.copyback_first(),
                timing.read_array(Mode::NORMAL, PageType::LOWER),
            ),
            Operation::CopyBackProgram => (
                timing.copyback_second(0),
                timing.program_array(Mode::NORMAL, PageType::LOWER),
            ),
        }
    }

    fn start(die: &mut Die, now: u64, operation: Operation, cached: bool) -> Result<Running, Busy> {
        let timing = timing();
        let (bus, array) = bus_and_array(&timing, operation);
        die.start(
            &timing,
            operation,
            cached,
            SimTime(now),
            SimTime(now) + bus,
            array,
        )
    }

    #[test]
    fn a_single_register_is_owned_until_the_data_are_out() {
        let mut die = Die::new(false);
        let read = start(&mut die, 0, Operation::Read, false).unwrap();
        assert_eq!(read.array_to, SimTime(20_175));
        assert_eq!(
            start(&mut die, 20_000, Operation::Read, false),
            Err(Busy::Array(SimTime(20_175)))
        );
        assert_eq!(
            start(&mut die, 90_000, Operation::Read, false),
            Err(Busy::DataWaiting)
        );
        assert_eq!(
            die.take_data(SimTime(20_000), SimTime(30_000)),
            Err(Busy::Array(SimTime(20_175)))
        );
        die.take_data(SimTime(90_000), SimTime(141_200)).unwrap();
        assert_eq!(
            start(&mut die, 141_199, Operation::Program, false),
            Err(Busy::Register(SimTime(141_200)))
        );
        start(&mut die, 141_200, Operation::Program, false).unwrap();
        assert_eq!(
            start(&mut die, 141_200, Operation::Program, true),
            Err(Busy::NoCache)
        );
    }

    /// What runs and what is held keep a die from being idle, each alone.
    #[test]
    fn an_idle_die_neither_works_nor_holds_anything() {
        let mut die = Die::new(false);
        assert!(die.idle(SimTime::ZERO));
        let program = start(&mut die, 0, Operation::Program, false).unwrap();
        assert!(!die.idle(SimTime(program.array_to.ns() - 1)));
        assert!(die.idle(program.array_to));

        let mut holding = Die::new(false);
        let read = start(&mut holding, 0, Operation::Read, false).unwrap();
        assert!(!holding.idle(read.array_to));
        let (from, to) = (read.array_to, read.array_to + Duration::from_us(50));
        holding.take_data(from, to).unwrap();
        assert!(!holding.idle(from));
        assert!(holding.idle(to));

        // a page in its register that is to be programmed elsewhere
        let mut copying = Die::new(false);
        let read = start(&mut copying, 0, Operation::CopyBackRead, false).unwrap();
        assert!(!copying.idle(read.array_to));
    }

    #[test]
    fn cached_programs_overlap() {
        let mut die = Die::new(true);
        let first = start(&mut die, 0, Operation::Program, true).unwrap();
        assert_eq!(
            (first.array_from, first.array_to),
            (SimTime(51_375), SimTime(254_375))
        );
        assert_eq!(
            start(&mut die, 51_375, Operation::Program, true),
            Err(Busy::Register(SimTime(54_375)))
        );
        let second = start(&mut die, 54_375, Operation::Program, true).unwrap();
        assert_eq!(second.array_from, first.array_to);
        // rule 3: one kind, and a command without cache waits for the array
        for (operation, cached) in [
            (Operation::Read, true),
            (Operation::Read, false),
            (Operation::Program, false),
        ] {
            assert_eq!(
                start(&mut die, 300_000, operation, cached),
                Err(Busy::Array(SimTime(457_375)))
            );
        }
        start(&mut die, 457_375, Operation::Read, false).unwrap();
    }

    #[test]
    fn cached_reads_overlap() {
        let mut die = Die::new(true);
        let first = start(&mut die, 0, Operation::Read, true).unwrap();
        assert_eq!(
            start(&mut die, 175, Operation::Read, true),
            Err(Busy::Register(SimTime(20_175)))
        );
        let second = start(&mut die, 20_175, Operation::Read, true).unwrap();
        // the first page moves to the cache register, then the array is free for the second
        assert_eq!(second.array_from, first.array_to + Duration(175 + 3_000));
        assert_eq!(die.data_ready(), Some(second.array_from));
        assert_eq!(
            start(&mut die, 30_000, Operation::Read, true),
            Err(Busy::DataWaiting)
        );
        die.take_data(SimTime(30_000), SimTime(81_200)).unwrap();
        assert_eq!(die.data_ready(), Some(second.array_to));
        start(&mut die, 81_200, Operation::Read, true).unwrap();
    }

    #[test]
    fn a_copy_back_cannot_be_parted() {
        let mut die = Die::new(true);
        assert_eq!(
            start(&mut die, 0, Operation::CopyBackProgram, false),
            Err(Busy::Empty)
        );
        start(&mut die, 0, Operation::CopyBackRead, false).unwrap();
        assert_eq!(
            start(&mut die, 1_000, Operation::CopyBackProgram, false),
            Err(Busy::Array(SimTime(20_175)))
        );
        assert_eq!(
            start(&mut die, 30_000, Operation::Read, false),
            Err(Busy::CopyBack)
        );
        assert!(!die.idle(SimTime(30_000)));
        let program = start(&mut die, 30_000, Operation::CopyBackProgram, false).unwrap();
        assert_eq!(die.works(SimTime(30_200)), Some(program.shape));
        assert_eq!(die.works(program.array_to), None);
        assert!(die.idle(program.array_to));
    }

    proptest! {
        /// Rules 1, 2, 3 and 5 on random requests: what was accepted never breaks them.
        #[test]
        fn registers_have_one_owner(
            cache_register in any::<bool>(),
            requests in prop::collection::vec((0..6_u8, any::<bool>(), 0..120_000_u64), 1..200),
        ) {
            let timing = timing();
            let mut die = Die::new(cache_register);
            let mut now = SimTime::ZERO;
            let mut bus_free = SimTime::ZERO;
            // accepted operations: what, cached, bus step, array step
            let mut log: Vec<(Operation, bool, SimTime, SimTime, Running)> = Vec::new();
            let (mut reads, mut outs) = (0_usize, 0_usize);
            for (what, cached, wait) in requests {
                now = (now + Duration(wait)).max(bus_free);
                if what == 5 {
                    let waiting = reads > outs;
                    let out = timing.data_out(2048, Select::default());
                    if die.take_data(now, now + out).is_ok() {
                        prop_assert!(waiting);
                        bus_free = now + out;
                        outs += 1;
                    }
                    continue;
                }
                let operation = [
                    Operation::Read,
                    Operation::Program,
                    Operation::Erase,
                    Operation::CopyBackRead,
                    Operation::CopyBackProgram,
                ][usize::from(what)];
                let (bus, array) = bus_and_array(&timing, operation);
                let before = die;
                let Ok(running) = die.start(&timing, operation, cached, now, now + bus, array) else {
                    prop_assert_eq!(die, before);
                    continue;
                };
                prop_assert!(running.array_from >= now + bus);
                if let Some((last, last_cached, _, _, last_runs)) = log.last() {
                    // array steps never overlap
                    prop_assert!(running.array_from >= last_runs.array_to);
                    if last_runs.array_to > now {
                        // only cached operations of one kind overlap bus and array
                        prop_assert!(cache_register && cached && *last_cached && *last == operation);
                    }
                    // a copy-back is whole
                    prop_assert_eq!(
                        operation == Operation::CopyBackProgram,
                        *last == Operation::CopyBackRead
                    );
                }
                if operation == Operation::Read {
                    reads += 1;
                }
                // data of reads: one page per register, none lost under other commands
                prop_assert!(reads - outs <= 1 + usize::from(cache_register));
                if operation != Operation::Read {
                    prop_assert_eq!(reads, outs);
                }
                bus_free = now + bus;
                log.push((operation, cached, now, bus_free, running));
            }
        }

        /// Rule 4: the die that drives is always the one named or commanded last.
        #[test]
        fn one_die_drives(steps in prop::collection::vec((any::<bool>(), 0..3_u32), 1..50)) {
            let mut driver = Driver::default();
            let mut last = None;
            for (command, die) in steps {
                if command {
                    driver.commanded(DieId(die));
                } else {
                    prop_assert_eq!(driver.select(DieId(die)), last != Some(die));
                }
                last = Some(die);
            }
        }
    }
}
