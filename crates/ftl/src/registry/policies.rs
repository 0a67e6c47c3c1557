//! The policies that come with Wordline.

use std::sync::LazyLock;

use crate::policy::hot_cold::{
    self, ClassifierRow, dac, freq_table, gc_separation, multi_bloom, multi_hash, size_threshold,
    two_level_lru, wdac,
};
use crate::policy::mode;
use crate::policy::mode::{ModeRow, by_load, by_temperature, diffecc, fixed};
use crate::policy::placement::{self, DirectiveRow, fdp, streams};
use crate::policy::refresh::{self, RefreshRow, fcfs, last_moment, oracle, periodic, remaining};
use crate::policy::victim::{
    VictimRow, cat, cost_benefit, d_choices, fegc, fifo, greedy, random, random_pp, wear_greedy,
    windowed_greedy,
};
use crate::policy::wear::{self, WearRow, dual_pool, hot_cold_swap, rest, swap};
use wordline_keys::{AnyTable, Entry, Registered, Row, Table};

static VICTIMS: LazyLock<Table<VictimRow>> = LazyLock::new(|| {
    Table::new(
        VictimRow::SELECTOR,
        [
            greedy::GREEDY,
            cost_benefit::COST_BENEFIT,
            cost_benefit::COST_BENEFIT_LFS,
            cat::CAT,
            random::RANDOM,
            d_choices::D_CHOICES,
            random_pp::RANDOM_PP,
            fifo::FIFO,
            windowed_greedy::WINDOWED_GREEDY,
            fegc::FEGC,
            wear_greedy::WEAR_GREEDY,
        ],
    )
});

static WEAR: LazyLock<Table<WearRow>> = LazyLock::new(|| {
    Table::new(
        WearRow::SELECTOR,
        [
            wear::OFF,
            swap::SWAP,
            rest::RATE_LIMITED,
            dual_pool::DUAL_POOL,
            hot_cold_swap::HOT_COLD_SWAP,
        ],
    )
});

static CLASSIFIERS: LazyLock<Table<ClassifierRow>> = LazyLock::new(|| {
    Table::new(
        ClassifierRow::SELECTOR,
        [
            hot_cold::NONE,
            size_threshold::SIZE_THRESHOLD,
            freq_table::FREQ_TABLE,
            two_level_lru::TWO_LEVEL_LRU,
            multi_hash::MULTI_HASH,
            multi_bloom::MULTI_BLOOM,
            wdac::WDAC,
            gc_separation::GC_SEPARATION,
            dac::DAC,
        ],
    )
});

static MODES: LazyLock<Table<ModeRow>> = LazyLock::new(|| {
    Table::new(
        ModeRow::SELECTOR,
        [
            mode::NORMAL,
            fixed::FIXED,
            by_temperature::BY_TEMPERATURE,
            by_load::BY_LOAD,
            diffecc::DIFFECC,
        ],
    )
});

static DIRECTIVES: LazyLock<Table<DirectiveRow>> = LazyLock::new(|| {
    Table::new(
        DirectiveRow::SELECTOR,
        [placement::NONE, streams::STREAMS, fdp::FDP],
    )
});

static REFRESH: LazyLock<Table<RefreshRow>> = LazyLock::new(|| {
    Table::new(
        RefreshRow::SELECTOR,
        [
            refresh::NONE,
            remaining::REMAINING,
            last_moment::LAST_MOMENT,
            fcfs::FCFS,
            periodic::PERIODIC,
            oracle::ORACLE,
        ],
    )
});

impl Registered for VictimRow {
    const SELECTOR: &'static str = "ftl.gc.victim";
    const DEFAULT: &'static str = "greedy";

    type Row = Self;

    fn table() -> &'static Table<Self> {
        &VICTIMS
    }
}

impl Row for VictimRow {
    fn entry(&self) -> &Entry {
        &self.entry
    }
}

impl Registered for WearRow {
    const SELECTOR: &'static str = "ftl.wear.static";
    const DEFAULT: &'static str = "off";

    type Row = Self;

    fn table() -> &'static Table<Self> {
        &WEAR
    }
}

impl Row for WearRow {
    fn entry(&self) -> &Entry {
        &self.entry
    }
}

impl Registered for ClassifierRow {
    const SELECTOR: &'static str = "ftl.hot.classifier";
    const DEFAULT: &'static str = "none";

    type Row = Self;

    fn table() -> &'static Table<Self> {
        &CLASSIFIERS
    }
}

impl Row for ClassifierRow {
    fn entry(&self) -> &Entry {
        &self.entry
    }
}

impl Registered for ModeRow {
    const SELECTOR: &'static str = "ftl.modes.policy";
    const DEFAULT: &'static str = "normal";

    type Row = Self;

    fn table() -> &'static Table<Self> {
        &MODES
    }
}

impl Row for ModeRow {
    fn entry(&self) -> &Entry {
        &self.entry
    }
}

impl Registered for DirectiveRow {
    const SELECTOR: &'static str = "ftl.placement.directive";
    const DEFAULT: &'static str = "none";

    type Row = Self;

    fn table() -> &'static Table<Self> {
        &DIRECTIVES
    }
}

impl Row for DirectiveRow {
    fn entry(&self) -> &Entry {
        &self.entry
    }
}

impl Registered for RefreshRow {
    const SELECTOR: &'static str = "ftl.refresh.policy";
    const DEFAULT: &'static str = "none";

    type Row = Self;

    fn table() -> &'static Table<Self> {
        &REFRESH
    }
}

impl Row for RefreshRow {
    fn entry(&self) -> &Entry {
        &self.entry
    }
}

/// The tables of policies.
#[must_use]
pub fn policies() -> [&'static dyn AnyTable; 6] {
    [&*VICTIMS, &*WEAR, &*CLASSIFIERS, &*MODES, &*DIRECTIVES, &*REFRESH]
}
