//! What holds of every classifier that goes by the pages written: it finds hot pages, forgets, and continues from a state.

use wordline_units::{Seed, SimTime};

use super::Classifier;
use crate::config::FtlConfig;
use crate::plan::Lpn;
use crate::request::{PageOp, PageRequest};
use crate::state::archive::Archive;

/// The temperature of a write.
pub(super) fn write(classifier: &mut dyn Classifier, lpn: u64) -> u8 {
    let request = PageRequest {
        op: PageOp::Write,
        lpn: Lpn(lpn),
        pages: 1,
        bitmap: 1,
        placement: 0,
        class: 0,
        command_sectors: 1,
    };
    classifier.temperature(SimTime::ZERO, &request)
}

/// The classifiers that go by the pages written, and the writes that each remembers in part at least.
const CLASSIFIERS: [(&str, u64); 5] = [
    ("freq_table", 2048),
    ("two_level_lru", 1536),
    ("multi_hash", 5117),
    ("multi_bloom", 2048),
    ("wdac", 2048),
];

fn build(name: &'static str) -> Box<dyn Classifier> {
    let mut config = FtlConfig::default().hot;
    config.classifier = name.into();
    config.keys.set("halving", 2048);
    let row = config.classifier.row().unwrap();
    (row.build)(&config.keys, Seed(5)).unwrap()
}

/// Writes of which four of five go to 100 of 100,000 pages, from `first` on.
struct Load {
    state: u64,
    first: u64,
}

impl Load {
    fn next(&mut self) -> (u64, bool) {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        let draw = self.state >> 20;
        if draw % 5 < 4 {
            (self.first + draw / 5 % 100, true)
        } else {
            (draw / 5 % 100_000, false)
        }
    }

    /// The share of writes that a classifier takes for what they are not.
    fn misclassified(&mut self, classifier: &mut dyn Classifier, writes: u64) -> f64 {
        let wrong = (0..writes).filter(|_| {
            let (lpn, is_hot) = self.next();
            write(classifier, lpn) != u8::from(!is_hot)
        });
        wrong.count() as f64 / writes as f64
    }
}

/// FTL specification, 5.1: after hot pages have become cold and others hot, fewer than twice as many writes as before are taken
/// for what they are not, within four windows; below a hundredth, differences are chance.
#[test]
fn classifiers_find_hot_pages_and_forget_them() {
    for (name, window) in CLASSIFIERS {
        let mut classifier = build(name);
        let mut load = Load { state: 9, first: 500 };
        load.misclassified(&mut *classifier, 8 * window);
        let steady = load.misclassified(&mut *classifier, 20_000);
        assert!(steady < 0.15, "{name}: {steady}");
        load.first = 50_000;
        let at_first = load.misclassified(&mut *classifier, 200);
        assert!(at_first > 2.0 * steady, "{name}: {at_first} after {steady}");
        load.misclassified(&mut *classifier, 4 * window - 200);
        let again = load.misclassified(&mut *classifier, 5000);
        assert!(again < 2.0 * steady.max(0.01), "{name}: {again} after {steady}");
        // pages that were hot are not any more; a list of hot pages keeps them until others take their places
        let still_hot = (500..600)
            .filter(|lpn| write(&mut *classifier, *lpn) == 0)
            .count();
        assert!(still_hot < 20 || name == "two_level_lru", "{name}: {still_hot}");
    }
}

#[test]
fn what_was_saved_continues() {
    for (name, _) in CLASSIFIERS {
        let (mut classifier, mut other) = (build(name), build(name));
        let mut load = Load { state: 9, first: 500 };
        load.misclassified(&mut *classifier, 7000);
        let mut bytes = Vec::new();
        classifier.archive(&mut Archive::saving(&mut bytes)).unwrap();
        other.archive(&mut Archive::loading(&mut &bytes[..])).unwrap();
        for _ in 0..7000 {
            let (lpn, _) = load.next();
            assert_eq!(write(&mut *classifier, lpn), write(&mut *other, lpn), "{name}");
        }
    }
}

/// The list of candidates has two pages, that of hot pages one: page 1 is hot when it is written again, and back among the
/// candidates when page 2 takes its place.
#[test]
fn two_lists_by_hand() {
    let mut config = FtlConfig::default().hot;
    config.keys.set("candidates", 2);
    config.keys.set("hot_pages", 1);
    let mut classifier = (super::two_level_lru::TWO_LEVEL_LRU.build)(&config.keys, Seed(1)).unwrap();
    let pages = [1, 2, 1, 1, 2, 1, 3, 4, 1, 2, 3, 4];
    let temperatures = pages.map(|lpn| write(&mut *classifier, lpn));
    // candidates and hot page after each: 1; 2 1; 2|1; 2|1; 1|2; 2|1; 3 2|1; 4 3|1; 4 3|1; 2 4|1; 3 2|1; 4 3|1
    assert_eq!(temperatures, [1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 1, 1]);
}

/// Hot from the second write on, and counts halved after four: 1, 2; another page twice; then 1 + 1.
#[test]
fn counts_by_hand() {
    let mut config = FtlConfig::default().hot;
    config.keys.set("hot_count", 2);
    config.keys.set("halving", 4);
    let mut classifier = (super::freq_table::FREQ_TABLE.build)(&config.keys, Seed(1)).unwrap();
    let temperatures = [1, 1, 2, 3, 1, 2, 2, 3].map(|lpn| write(&mut *classifier, lpn));
    assert_eq!(temperatures, [1, 0, 1, 1, 0, 1, 0, 1]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |classifier: &'static str, key: &str, value: toml::Value| {
        let mut config = FtlConfig::default().hot;
        config.classifier = classifier.into();
        config.keys.set(key, value);
        config.temperatures().unwrap_err().to_string()
    };
    for (classifier, key, value, told) in [
        ("freq_table", "hot_count", 0, "from 1 to 255"),
        ("freq_table", "hot_count", 256, "from 1 to 255"),
        ("freq_table", "halving", 0, "at least 1"),
        ("two_level_lru", "candidates", 0, "at least 1"),
        ("two_level_lru", "hot_pages", 0, "at least 1"),
        ("multi_hash", "counters", 1000, "a power of two"),
        ("multi_hash", "hashes", 9, "from 1 to 8"),
        ("multi_hash", "high_bits", 5, "from 1 to 4"),
        ("multi_hash", "decay", 0, "at least 1"),
        ("multi_bloom", "filters", 0, "from 1 to 64"),
        ("multi_bloom", "filter_bits", 0, "a power of two"),
        ("multi_bloom", "hashes", 0, "from 1 to 8"),
        ("multi_bloom", "filter_window", 0, "at least 1"),
        ("wdac", "decay_window", 0, "at least 1"),
        ("gc_separation", "generations", 1, "from 2 to 64"),
        ("gc_separation", "generations", 300, "from 2 to 64"),
        ("dac", "regions", 1, "from 2 to 64"),
        ("dac", "region_age", 0, "at least 1"),
    ] {
        let error = refused(classifier, key, value.into());
        assert_eq!(error, format!("ftl.hot.{key} = {value}: {told}"));
    }
    let error = refused("multi_bloom", "hot_weight", 5.5.into());
    assert_eq!(
        error,
        "ftl.hot.hot_weight = 5.5: above 0 and up to 5, the sum of all weights"
    );
    assert_eq!(
        refused("wdac", "window_weight", 0.0.into()),
        "ftl.hot.window_weight = 0: above 0"
    );
}
