//! The parts of a response time.

use wordline_ftl::Cause;

use crate::probe::CommandKind;

/// What holds a die or a channel while others wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// A read for the host.
    HostRead,
    /// A program for the host, or the read of an un-covered update.
    HostWrite,
    /// A read of garbage collection.
    GcRead,
    /// A program or copy-back of garbage collection.
    GcProgram,
    /// An erase of garbage collection.
    GcErase,
    /// Moving data out of the SLC cache.
    Fold,
    /// Wear levelling.
    Wear,
    /// Mapping and metadata.
    Mapping,
    /// Refresh.
    Refresh,
    /// Merges, parity, padding, repair, recovery and the like.
    Other,
    /// An operation of the same request.
    Sibling,
}

impl Holder {
    /// Every holder, in the order of their indices.
    pub const ALL: [Self; 11] = [
        Self::HostRead,
        Self::HostWrite,
        Self::GcRead,
        Self::GcProgram,
        Self::GcErase,
        Self::Fold,
        Self::Wear,
        Self::Mapping,
        Self::Refresh,
        Self::Other,
        Self::Sibling,
    ];

    /// Its index in [`Holder::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The holder that a command of a cause and kind is; `for_write` says that a host read serves an
    /// un-covered update.
    #[must_use]
    pub fn of(cause: Cause, kind: CommandKind, for_write: bool) -> Self {
        match (cause, kind) {
            (Cause::Host, CommandKind::Read) if !for_write => Self::HostRead,
            (Cause::Host, _) => Self::HostWrite,
            (Cause::Gc, CommandKind::Read) => Self::GcRead,
            (Cause::Gc, CommandKind::Program | CommandKind::CopyBack) => Self::GcProgram,
            (Cause::Gc, CommandKind::Erase) => Self::GcErase,
            (Cause::Fold, _) => Self::Fold,
            (Cause::Wear, _) => Self::Wear,
            (Cause::Mapping | Cause::Metadata, _) => Self::Mapping,
            (Cause::Refresh, _) => Self::Refresh,
            _ => Self::Other,
        }
    }
}

/// A part of a response time. The parts of a request sum to its response time, to the nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Waiting at the host or in a submission queue.
    HostQueue,
    /// Doorbell, fetch, data and completion on the link, and waiting for it.
    Link,
    /// Held back as the drive is too warm.
    Throttle,
    /// Held back as the drive wakes up from an idle state.
    Wake,
    /// In the controller, beside what occupies a core of it.
    Controller,
    /// Waiting for a firmware core.
    FirmwareWait,
    /// Work of the firmware.
    Firmware,
    /// Access to the controller's memory.
    Memory,
    /// Waiting for room in the write buffer, or for its pages to be written back (flush, FUA), where the four parts of that below do not say for what.
    BufferWait,
    /// Waiting for an earlier write of the same page.
    SamePage,
    /// Operations that look the mapping up, on flash or in memory of the host.
    MappingRead,
    /// A program waiting for a block to be reclaimed.
    Space,
    /// Waiting while neither die nor channel was held: another operation's turn came first.
    Order,
    /// A program or an erase held back by a limit of power, or waiting for room in the write buffer while the page that made it was.
    PowerLimit,
    /// Waiting for a die, by what held it.
    Die(Holder),
    /// Waiting for a channel while the die was free, by what held it.
    Channel(Holder),
    /// Transfer and array time of reading the rest of a page that a write covers in part.
    UpdateRead,
    /// Command, address and data cycles.
    Transfer,
    /// The array works.
    Array,
    /// The program or erase was suspended.
    Suspended,
    /// What suspending and resuming it cost: resetting and ramping voltages, reloading its data, phases
    /// done again.
    SuspensionOverhead,
    /// Decoding, waiting for the decoder, and the sensing and transfer of retries.
    Ecc,
    /// Waiting for room in the write buffer while the page that made it waited for a block to be reclaimed.
    BufferSpace,
    /// The same while that page waited for a die or channel with collection, or other work of the FTL.
    BufferCollection,
    /// The same while that page waited for a die or channel with other work of the host.
    BufferHost,
    /// The same while that page was transferred and programmed.
    BufferProgram,
}

/// Parts that are not split by holder and stand before those that are.
const BEFORE: [Part; 14] = [
    Part::HostQueue,
    Part::Link,
    Part::Throttle,
    Part::Wake,
    Part::Controller,
    Part::FirmwareWait,
    Part::Firmware,
    Part::Memory,
    Part::BufferWait,
    Part::SamePage,
    Part::MappingRead,
    Part::Space,
    Part::Order,
    Part::PowerLimit,
];
const BEFORE_NAMES: [&str; BEFORE.len()] = [
    "host_queue",
    "link",
    "throttle",
    "wake",
    "controller",
    "firmware_wait",
    "firmware",
    "memory",
    "buffer_wait",
    "same_page",
    "mapping_read",
    "space",
    "order",
    "power_limit",
];
/// Parts that are not split by holder and stand behind those that are.
const AFTER: [Part; 10] = [
    Part::UpdateRead,
    Part::Transfer,
    Part::Array,
    Part::Suspended,
    Part::SuspensionOverhead,
    Part::Ecc,
    Part::BufferSpace,
    Part::BufferCollection,
    Part::BufferHost,
    Part::BufferProgram,
];
const AFTER_NAMES: [&str; AFTER.len()] = [
    "update_read",
    "transfer",
    "array",
    "suspended",
    "suspension_overhead",
    "ecc",
    "buffer_space",
    "buffer_collection",
    "buffer_host",
    "buffer_program",
];
const DIE_NAMES: [&str; Holder::ALL.len()] = [
    "die_host_read",
    "die_host_write",
    "die_gc_read",
    "die_gc_program",
    "die_gc_erase",
    "die_fold",
    "die_wear",
    "die_mapping",
    "die_refresh",
    "die_other",
    "die_sibling",
];
const CHANNEL_NAMES: [&str; Holder::ALL.len()] = [
    "channel_host_read",
    "channel_host_write",
    "channel_gc_read",
    "channel_gc_program",
    "channel_gc_erase",
    "channel_fold",
    "channel_wear",
    "channel_mapping",
    "channel_refresh",
    "channel_other",
    "channel_sibling",
];

/// Number of parts.
pub const PARTS: usize = BEFORE.len() + 2 * Holder::ALL.len() + AFTER.len();

impl Part {
    /// Its index, 0 to `PARTS` - 1.
    #[must_use]
    pub const fn index(self) -> usize {
        let holders = Holder::ALL.len();
        match self {
            Self::HostQueue => 0,
            Self::Link => 1,
            Self::Throttle => 2,
            Self::Wake => 3,
            Self::Controller => 4,
            Self::FirmwareWait => 5,
            Self::Firmware => 6,
            Self::Memory => 7,
            Self::BufferWait => 8,
            Self::SamePage => 9,
            Self::MappingRead => 10,
            Self::Space => 11,
            Self::Order => 12,
            Self::PowerLimit => 13,
            Self::Die(holder) => BEFORE.len() + holder.index(),
            Self::Channel(holder) => BEFORE.len() + holders + holder.index(),
            Self::UpdateRead => BEFORE.len() + 2 * holders,
            Self::Transfer => BEFORE.len() + 2 * holders + 1,
            Self::Array => BEFORE.len() + 2 * holders + 2,
            Self::Suspended => BEFORE.len() + 2 * holders + 3,
            Self::SuspensionOverhead => BEFORE.len() + 2 * holders + 4,
            Self::Ecc => BEFORE.len() + 2 * holders + 5,
            Self::BufferSpace => BEFORE.len() + 2 * holders + 6,
            Self::BufferCollection => BEFORE.len() + 2 * holders + 7,
            Self::BufferHost => BEFORE.len() + 2 * holders + 8,
            Self::BufferProgram => BEFORE.len() + 2 * holders + 9,
        }
    }

    /// Every part, in the order of their indices.
    #[must_use]
    pub fn all() -> Vec<Self> {
        BEFORE
            .into_iter()
            .chain(Holder::ALL.map(Self::Die))
            .chain(Holder::ALL.map(Self::Channel))
            .chain(AFTER)
            .collect()
    }

    /// Its name in summaries and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let (index, holders) = (self.index(), Holder::ALL.len());
        match self {
            Self::Die(holder) => DIE_NAMES[holder.index()],
            Self::Channel(holder) => CHANNEL_NAMES[holder.index()],
            _ if index < BEFORE.len() => BEFORE_NAMES[index],
            _ => AFTER_NAMES[index - BEFORE.len() - 2 * holders],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_and_names_go_together() {
        let all = Part::all();
        assert_eq!(all.len(), PARTS);
        for (index, part) in all.iter().enumerate() {
            assert_eq!(part.index(), index);
        }
        let names: std::collections::BTreeSet<_> = all.iter().map(|part| part.name()).collect();
        assert_eq!(names.len(), PARTS);
        assert_eq!(Part::Die(Holder::GcErase).name(), "die_gc_erase");
        assert_eq!(Part::Array.name(), "array");
        assert_eq!(Part::Order.name(), "order");
    }

    #[test]
    fn holders_by_cause_and_kind() {
        let all = |cause, for_write| CommandKind::ALL.map(|kind| Holder::of(cause, kind, for_write));
        use Holder::{GcErase, GcProgram, GcRead, HostRead, HostWrite, Mapping, Other, Refresh, Wear};
        let [read, program, copy_back, erase] = CommandKind::ALL.map(|kind| kind.name());
        assert_eq!(
            [read, program, copy_back, erase],
            ["read", "program", "copy_back", "erase"]
        );
        assert_eq!(
            all(Cause::Host, false),
            [HostRead, HostWrite, HostWrite, HostWrite]
        );
        assert_eq!(all(Cause::Host, true), [HostWrite; 4]);
        assert_eq!(all(Cause::Gc, false), [GcRead, GcProgram, GcProgram, GcErase]);
        for (cause, holder) in [
            (Cause::Wear, Wear),
            (Cause::Mapping, Mapping),
            (Cause::Metadata, Mapping),
            (Cause::Refresh, Refresh),
            (Cause::Padding, Other),
        ] {
            assert_eq!(all(cause, false), [holder; 4], "{cause:?}");
        }
    }
}
