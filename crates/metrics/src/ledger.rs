//! The ledger of flash operations: by cause, by kind of command, and the time they took.

use wordline_ftl::Cause;
use wordline_nand::{DieId, Geometry};
use wordline_units::{Duration, SimTime};

use crate::commands::{COMMAND_NAMES, command_index};
use crate::probe::{Array, BusUse, CommandKind, Constituent, IssuedCommand, Probe};
use crate::timeline::{Span, Track};

/// Number of causes.
const CAUSES: usize = Cause::ALL.len();

/// Time that operations of one kind were ready before they started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// Operations that started.
    pub count: u64,
    /// Sum of their waits.
    pub sum: Duration,
    /// Longest wait.
    pub max: Duration,
}

impl Waits {
    /// Mean wait in microseconds; `None` without operations.
    #[must_use]
    pub fn mean_us(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.ns() as f64 / self.count as f64 / 1e3)
    }
}

/// Counts of flash operations by cause and of commands by kind, and busy times.
///
/// Operations are counted when they are done, commands when they are issued. A copy-back counts
/// as a page programmed (it fills a page) and on its own, not as a page read: nothing leaves the
/// die.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// Finished operations by kind and cause; copy-backs are not among the programs.
    done: [[u64; CAUSES]; CommandKind::ALL.len()],
    skipped: u64,
    /// Data bytes of a page.
    page_bytes: u32,
    /// Logical pages that share a page.
    units_per_page: u32,
    host_page_writes: u64,
    commands: [u64; COMMAND_NAMES.len()],
    channel_busy: Vec<Duration>,
    die_busy: Vec<Duration>,
    waits: [Waits; 4],
    reads_beside: u64,
}

impl Ledger {
    /// An empty ledger for a drive.
    #[must_use]
    pub fn new(geometry: &Geometry) -> Self {
        Self {
            done: [[0; CAUSES]; CommandKind::ALL.len()],
            skipped: 0,
            page_bytes: geometry.page_bytes,
            units_per_page: 1,
            host_page_writes: 0,
            commands: [0; COMMAND_NAMES.len()],
            channel_busy: vec![Duration::ZERO; geometry.channels as usize],
            die_busy: vec![Duration::ZERO; geometry.dies() as usize],
            waits: [Waits::default(); 4],
            reads_beside: 0,
        }
    }

    /// So many logical pages, which are mapping units, share a page: host writes count as parts of one.
    pub fn set_units_per_page(&mut self, units: u32) {
        self.units_per_page = units;
    }

    /// Forgets what was counted before `now`, but for the rest of the steps that are under way.
    pub(crate) fn restart(&mut self, now: SimTime, under_way: &[Span]) {
        *self = Self {
            done: [[0; CAUSES]; CommandKind::ALL.len()],
            skipped: 0,
            page_bytes: self.page_bytes,
            units_per_page: self.units_per_page,
            host_page_writes: 0,
            commands: [0; COMMAND_NAMES.len()],
            channel_busy: vec![Duration::ZERO; self.channel_busy.len()],
            die_busy: vec![Duration::ZERO; self.die_busy.len()],
            waits: [Waits::default(); 4],
            reads_beside: 0,
        };
        // planes of a die may read beside each other
        let mut counted = vec![now; self.die_busy.len()];
        let mut under_way: Vec<&Span> = under_way.iter().collect();
        under_way.sort_by_key(|step| step.from);
        for step in under_way {
            let rest = step.to.since(now.max(step.from));
            match step.track {
                Track::Die(die) => {
                    let until = &mut counted[die.index()];
                    self.die_busy[die.index()] += step.to.since(step.from.max(*until));
                    *until = step.to.max(*until);
                }
                Track::Channel(channel) => self.channel_busy[channel.index()] += rest,
                Track::Host(_) | Track::Background(_) => {}
            }
        }
    }

    /// Counts pages that the host wrote (page-sized pieces of its commands): the denominator of
    /// write amplification.
    #[inline]
    pub fn host_wrote(&mut self, pages: u64) {
        self.host_page_writes += pages;
    }

    /// Counts one finished operation.
    #[inline]
    pub fn operation(&mut self, kind: CommandKind, cause: Cause, skipped: u32) {
        self.done[kind.index()][cause as usize] += 1;
        self.skipped += u64::from(skipped);
    }

    /// Counts the time that an operation was ready before it started.
    #[inline]
    pub fn waited(&mut self, kind: CommandKind, wait: Duration) {
        let waits = &mut self.waits[kind.index()];
        waits.count += 1;
        waits.sum += wait;
        waits.max = waits.max.max(wait);
    }

    /// Counts one issued command with the times of its bus and array steps.
    // what it does not look at need not be made where nobody else does
    #[inline(always)]
    pub fn command(&mut self, command: &IssuedCommand<'_>) {
        self.commands[command_index(command)] += 1;
        self.channel_busy[command.channel.index()] += command.bus_to.since(command.bus_from);
        if let [array] = command.arrays {
            // the commonest command by far
            self.array_works(array);
        } else {
            command.arrays.iter().for_each(|array| self.array_works(array));
        }
    }

    #[inline]
    fn array_works(&mut self, array: &Array) {
        self.die_busy[array.die.index()] += array.to.since(array.from);
    }

    /// An operation that would have ended at `would_end` leaves the array of a die at `left`: before, or
    /// after where leaving itself takes longer than what was left of it.
    pub fn array_left(&mut self, die: DieId, would_end: SimTime, left: SimTime) {
        let busy = &mut self.die_busy[die.index()];
        *busy = *busy + left.since(would_end) - would_end.since(left);
    }

    /// An operation is back in the array of a die, for `length`.
    pub fn array_resumed(&mut self, die: DieId, length: Duration) {
        self.die_busy[die.index()] += length;
    }

    /// The command counted last is a read that began while another plane of its die was reading: for `beside` of its array step the die was
    /// busy already.
    pub fn read_beside(&mut self, die: DieId, beside: Duration) {
        self.reads_beside += 1;
        let busy = &mut self.die_busy[die.index()];
        *busy = *busy - beside;
    }

    /// Reads that began while another plane of their die was reading.
    #[must_use]
    pub fn reads_beside(&self) -> u64 {
        self.reads_beside
    }

    /// Counts a later use of a bus.
    #[inline]
    pub fn bus_used(&mut self, use_: &BusUse) {
        self.channel_busy[use_.channel.index()] += use_.to.since(use_.from);
        if let Some(array) = &use_.array {
            self.array_works(array);
        }
    }

    fn done(&self, kind: CommandKind, cause: Cause) -> u64 {
        self.done[kind.index()][cause as usize]
    }

    fn all(&self, kind: CommandKind) -> u64 {
        self.done[kind.index()].iter().sum()
    }

    /// Pages programmed for a cause, copy-backs included.
    #[must_use]
    pub fn pages_programmed(&self, cause: Cause) -> u64 {
        self.done(CommandKind::Program, cause) + self.copy_backs(cause)
    }

    /// Pages read out of the die for a cause.
    #[must_use]
    pub fn pages_read(&self, cause: Cause) -> u64 {
        self.done(CommandKind::Read, cause)
    }

    /// Copy-backs for a cause.
    #[must_use]
    pub fn copy_backs(&self, cause: Cause) -> u64 {
        self.done(CommandKind::CopyBack, cause)
    }

    /// Blocks erased for a cause.
    #[must_use]
    pub fn blocks_erased(&self, cause: Cause) -> u64 {
        self.done(CommandKind::Erase, cause)
    }

    /// Pages programmed for all causes, copy-backs included.
    #[must_use]
    pub fn all_programmed(&self) -> u64 {
        Cause::ALL.iter().map(|cause| self.pages_programmed(*cause)).sum()
    }

    /// Pages read for all causes.
    #[must_use]
    pub fn all_read(&self) -> u64 {
        self.all(CommandKind::Read)
    }

    /// Copy-backs for all causes.
    #[must_use]
    pub fn all_copy_backs(&self) -> u64 {
        self.all(CommandKind::CopyBack)
    }

    /// Blocks erased for all causes.
    #[must_use]
    pub fn all_erased(&self) -> u64 {
        self.all(CommandKind::Erase)
    }

    /// Page operations: pages read plus pages programmed.
    #[must_use]
    pub fn page_operations(&self) -> u64 {
        self.all_read() + self.all_programmed()
    }

    /// Pages given up without being programmed.
    #[must_use]
    pub fn pages_skipped(&self) -> u64 {
        self.skipped
    }

    /// Pages that the host wrote.
    #[must_use]
    pub fn host_page_writes(&self) -> u64 {
        self.host_page_writes
    }

    /// Commands of the kind with this index in [`COMMAND_NAMES`].
    #[must_use]
    pub fn commands(&self, index: usize) -> u64 {
        self.commands[index]
    }

    /// Waits of the operations of a kind.
    #[must_use]
    pub fn waits(&self, kind: CommandKind) -> Waits {
        self.waits[kind.index()]
    }

    /// Longest wait of any operation.
    #[must_use]
    pub fn longest_wait(&self) -> Duration {
        self.waits.iter().map(|waits| waits.max).max().unwrap_or_default()
    }

    /// Busy time of each channel: command, address and data cycles.
    #[must_use]
    pub fn channel_busy(&self) -> &[Duration] {
        &self.channel_busy
    }

    /// Busy time of each die: its array steps.
    #[must_use]
    pub fn die_busy(&self) -> &[Duration] {
        &self.die_busy
    }

    /// Mean and highest share of `elapsed` that the channels were busy.
    #[must_use]
    pub fn channel_utilization(&self, elapsed: Duration) -> Utilization {
        Utilization::of(&self.channel_busy, elapsed)
    }

    /// Mean and highest share of `elapsed` that the dies were busy.
    #[must_use]
    pub fn die_utilization(&self, elapsed: Duration) -> Utilization {
        Utilization::of(&self.die_busy, elapsed)
    }

    /// Write amplification: pages programmed with data (`Cause::is_data`; copy-backs included) for each page that the
    /// host wrote, with mapping units in the place of pages in bytes; `None` without host writes. `ftl-family.md`, section 0.
    #[must_use]
    pub fn write_amplification(&self) -> Option<f64> {
        let data = Cause::ALL
            .iter()
            .filter(|cause| cause.is_data())
            .map(|cause| self.pages_programmed(*cause))
            .sum();
        self.per_host_write(data)
    }

    /// The same with all pages programmed: those of the map, of metadata, parity, padding and recovery too; `None`
    /// without host writes.
    #[must_use]
    pub fn write_amplification_total(&self) -> Option<f64> {
        self.per_host_write(self.all_programmed())
    }

    /// Bytes of all pages programmed for each of the `host_bytes` that the host wrote: a page that the host writes in
    /// part is programmed whole. `None` without host writes.
    #[must_use]
    pub fn write_amplification_bytes(&self, host_bytes: u64) -> Option<f64> {
        let programmed = self.all_programmed() as f64 * f64::from(self.page_bytes);
        (host_bytes > 0).then(|| programmed / host_bytes as f64)
    }

    /// Pages for each page that the host wrote, in bytes where mapping units share pages; `None` without host writes.
    #[must_use]
    pub fn per_host_write(&self, pages: u64) -> Option<f64> {
        let host = self.host_page_writes as f64 / f64::from(self.units_per_page);
        (self.host_page_writes > 0).then(|| pages as f64 / host)
    }
}

impl Probe for Ledger {
    fn issued(&mut self, command: &IssuedCommand<'_>) {
        self.command(command);
    }

    fn bus(&mut self, use_: &BusUse) {
        self.bus_used(use_);
    }

    fn operation_done(&mut self, _at: SimTime, kind: CommandKind, constituent: &Constituent) {
        self.operation(kind, constituent.cause, constituent.skipped);
    }
}

/// Shares of time, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Utilization {
    /// Mean over all units.
    pub mean: f64,
    /// The busiest unit.
    pub max: f64,
}

impl Utilization {
    /// Of units with these busy times, over `elapsed`; zero if no time has passed.
    #[must_use]
    pub fn of(busy: &[Duration], elapsed: Duration) -> Self {
        if busy.is_empty() || elapsed == Duration::ZERO {
            return Self::default();
        }
        let sum: u128 = busy.iter().map(|busy| u128::from(busy.ns())).sum();
        let max = busy.iter().max().map_or(0, |busy| busy.ns());
        Self {
            mean: sum as f64 / busy.len() as f64 / elapsed.ns() as f64,
            max: max as f64 / elapsed.ns() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_nand::{ChannelId, DieId, GeometryConfig, Ppn};

    fn ledger() -> Ledger {
        Ledger::new(&Geometry::new(&GeometryConfig::default()).unwrap())
    }

    #[test]
    fn write_amplification_by_hand() {
        let mut ledger = ledger();
        assert_eq!(ledger.write_amplification(), None);
        ledger.host_wrote(4);
        for cause in [Cause::Host, Cause::Host, Cause::Gc, Cause::Wear, Cause::Mapping] {
            ledger.operation(CommandKind::Program, cause, 0);
        }
        ledger.operation(CommandKind::CopyBack, Cause::Gc, 3);
        ledger.operation(CommandKind::Read, Cause::Gc, 0);
        ledger.operation(CommandKind::Erase, Cause::Gc, 0);
        // data: 2 host + 2 GC (one copied back) + 1 wear; total: and 1 mapping; pages skipped are not programmed
        assert_eq!(ledger.write_amplification(), Some(5.0 / 4.0));
        assert_eq!(ledger.write_amplification_total(), Some(6.0 / 4.0));
        // six pages of 2 KiB for 4 KiB and for nothing
        assert_eq!(ledger.write_amplification_bytes(4096), Some(3.0));
        assert_eq!(ledger.write_amplification_bytes(0), None);
        assert_eq!(
            (
                ledger.all_programmed(),
                ledger.all_read(),
                ledger.page_operations()
            ),
            (6, 1, 7)
        );
        assert_eq!(
            (
                ledger.all_erased(),
                ledger.all_copy_backs(),
                ledger.pages_skipped()
            ),
            (1, 1, 3)
        );
    }

    #[test]
    fn waits_and_utilizations() {
        let mut ledger = ledger();
        ledger.waited(CommandKind::Read, Duration(1_000));
        ledger.waited(CommandKind::Read, Duration(3_000));
        assert_eq!(ledger.waits(CommandKind::Read).mean_us(), Some(2.0));
        assert_eq!(ledger.waits(CommandKind::Erase).mean_us(), None);
        assert_eq!(ledger.longest_wait(), Duration(3_000));
        ledger.bus_used(&BusUse {
            channel: ChannelId(2),
            die: DieId(0),
            page: Ppn(0),
            from: SimTime(5),
            to: SimTime(15),
            array: None,
        });
        let used = ledger.channel_utilization(Duration(20));
        assert_eq!((used.mean, used.max), (0.125, 0.5));
        assert_eq!(ledger.die_utilization(Duration::ZERO), Utilization::default());
    }

    /// A die works from 0 to 100 and leaves its array 4 later than it would have ended.
    #[test]
    fn leaving_may_take_longer_than_what_was_left() {
        let mut ledger = ledger();
        ledger.array_resumed(DieId(0), Duration(100));
        ledger.array_left(DieId(0), SimTime(100), SimTime(104));
        let used = ledger.die_utilization(Duration(208));
        assert_eq!(used.max, 0.5);
    }

    #[test]
    fn a_ledger_listens_to_a_run() {
        let mut ledger = ledger();
        Probe::bus(
            &mut ledger,
            &BusUse {
                channel: ChannelId(0),
                die: DieId(0),
                page: Ppn(0),
                from: SimTime(0),
                to: SimTime(5),
                array: None,
            },
        );
        assert_eq!(ledger.channel_utilization(Duration(10)).max, 0.5);
        ledger.operation(CommandKind::Erase, Cause::Gc, 0);
        ledger.operation(CommandKind::Erase, Cause::Gc, 0);
        let erased = [Cause::Gc, Cause::Host].map(|cause| ledger.blocks_erased(cause));
        assert_eq!(erased, [2, 0]);
    }
}
