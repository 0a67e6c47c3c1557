//! The policies that come with Wordline.

use std::sync::LazyLock;

use crate::policy::hot_cold::{self, ClassifierRow, size_threshold};
use crate::policy::victim::{VictimRow, aged, cost, draws, fifo, greedy};
use crate::policy::wear::{self, WearRow, dual_pool, hot_cold_swap, rest, swap};
use wordline_keys::{AnyTable, Entry, Registered, Row, Table};

static VICTIMS: LazyLock<Table<VictimRow>> = LazyLock::new(|| {
    Table::new(
        VictimRow::SELECTOR,
        [
            greedy::GREEDY,
            cost::COST_BENEFIT,
            cost::COST_BENEFIT_LFS,
            cost::CAT,
            draws::RANDOM,
            draws::D_CHOICES,
            draws::RANDOM_PP,
            fifo::FIFO,
            fifo::WINDOWED_GREEDY,
            aged::FEGC,
            greedy::WEAR_GREEDY,
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
        [hot_cold::NONE, size_threshold::SIZE_THRESHOLD],
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

/// The tables of policies.
#[must_use]
pub fn policies() -> [&'static dyn AnyTable; 3] {
    [&*VICTIMS, &*WEAR, &*CLASSIFIERS]
}
